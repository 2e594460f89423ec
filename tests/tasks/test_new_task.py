"""A task of one's own: the file that is written to begin with, as it is and with its notes switched on."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from creaeval.errors import TaskError
from creaeval.tasks import load_task, parse_task
from creaeval.tasks.new_task import write_new_task
from scripted import ScriptedModel, stage_of, text_of

if TYPE_CHECKING:
    from conftest import CommandLine

ESSAYS = (
    'id,response,class\ne1,"My kettle tells me when the neighbours are lonely.",A\ne2,A lighter kettle.,B\n'
)


def test_an_essay_is_scored_at_once_with_the_written_file(command: CommandLine) -> None:
    assert command("tasks", "new", "mine.yaml").code == 0
    checked = command("tasks", "check", "mine.yaml")
    assert (checked.code, checked.out) == (
        0,
        "mine.yaml: in order. Task mine (en): 1 step, 3 dimensions, at most 10 points.\n",
    )
    (command.folder / "essays.csv").write_text(ESSAYS)
    points = {"originality": 3, "elaboration": 2, "clarity": 1}
    model = ScriptedModel(
        values={f"mine_scores.essay.{name}": value for name, value in points.items()},
        write=lambda path: "lonely" if path.endswith("quotes") else f"Seen: {path}.",
    )
    command.add(model)
    models = ("--analyst", "scripted:one", "--judge", "scripted:one")
    ended = command("score", "essays.csv", "--task", "mine.yaml", *models, "--out", "out")
    assert ended.code == 0, ended.err
    # One call of the analyst and one of the judge for each essay; the second's evidence is the same, so its
    # scores are, too.
    assert [stage_of(request) for request in model.requests].count("essay") == 2
    with (command.folder / "out" / "scores_wide.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["response_id"], row["class"]) for row in rows] == [("e1", "A"), ("e2", "B")]
    for row in rows:
        assert {name: float(row[f"essay_{name}"]) for name in points} == points
        assert float(row["total"]) == 6


def test_a_task_of_one_step_asks_the_analyst_for_no_memory_that_nobody_would_read(
    command: CommandLine,
) -> None:
    assert command("tasks", "new", "mine.yaml").code == 0
    (command.folder / "essays.csv").write_text("id,response\ne1,A lighter kettle.\n")
    model = ScriptedModel()
    command.add(model)
    models = ("--analyst", "scripted:one", "--judge", "scripted:one")
    assert command("score", "essays.csv", "--task", "mine.yaml", *models, "--out", "out").code == 0
    (asked,) = model.asked("essay")
    assert list(asked.schema["properties"]) == ["originality", "elaboration", "clarity"]
    assert not re.search("memor|<earlier>|earlier steps", text_of(asked))
    assert '"memories": {}' in (command.folder / "out" / "responses" / "e1.json").read_text()


def test_a_file_that_is_there_is_not_written_over(command: CommandLine) -> None:
    (command.folder / "mine.yaml").write_text("my work of a week")
    ended = command("tasks", "new", "mine.yaml")
    assert (ended.code, ended.out) == (1, "")
    assert "mine.yaml: there is such a file already, and it was left as it is." in ended.err
    assert (command.folder / "mine.yaml").read_text() == "my work of a week"


def test_what_is_no_yaml_file_or_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"choose a name that ends in \.yaml"):
        write_new_task(tmp_path / "mine.txt")
    with pytest.raises(TaskError, match="cannot be written"):
        write_new_task(tmp_path / "nowhere" / "mine.yaml")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "task_id"),
    [
        ("essay.yaml", "essay"),
        ("My Essay-2.yml", "my_essay_2"),
        ("2026 essays.yaml", "task_2026_essays"),
        ("total.yaml", "task_total"),
        ("cgpst.yaml", "task_cgpst"),
        ("作文.yaml", "task"),
        ("a {id} {file}.yaml", "a_id_file"),
        ("odd\nname: x.yaml", "odd_name_x"),
    ],
)
def test_the_tasks_id_is_made_of_the_files_name(tmp_path: Path, name: str, task_id: str) -> None:
    written = write_new_task(tmp_path / name)
    assert written.id == task_id
    assert load_task(tmp_path / name) == written


def switched_on(text: str, key: str) -> str:
    """Take the marks of notes off the lines from a key on, up to the next line that is none of it."""
    lines = text.splitlines()
    (start,) = [n for n, line in enumerate(lines) if line.strip() == f"# {key}"]
    for n in range(start, len(lines)):
        if not lines[n].strip().startswith("#"):
            break
        lines[n] = lines[n].replace("# ", "", 1)
    return "\n".join(lines)


@pytest.mark.parametrize("key", ["needs_scenario: true", "groups:", "items:"])
def test_what_is_switched_off_in_the_notes_is_in_order_when_it_is_switched_on(
    tmp_path: Path, key: str
) -> None:
    write_new_task(tmp_path / "mine.yaml")
    text = switched_on((tmp_path / "mine.yaml").read_text(encoding="utf-8"), key)
    task = parse_task(text, "mine.yaml")
    found = {
        "needs_scenario: true": task.needs_scenario and list(task.scenarios) == ["bicycle"],
        "groups:": [group.members for group in task.steps[0].groups] == [("originality", "elaboration")],
        "items:": task.steps[0].items is not None and task.steps[0].items.max == 10,
    }
    assert [name for name, there in found.items() if there] == [key]


def test_the_written_file_fits_a_page_wide_and_names_itself(tmp_path: Path) -> None:
    write_new_task(tmp_path / "mine.yaml")
    text = (tmp_path / "mine.yaml").read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) <= 120
    assert "creaeval score essays.csv --task mine.yaml" in text


def test_the_docs_walk_through_every_key_of_a_task() -> None:
    text = (Path(__file__).parents[2] / "docs" / "tasks.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 130
    from creaeval.tasks import Dimension, Group, Items, Scenario, Step, Task

    for model in (Task, Step, Items, Dimension, Group, Scenario):
        assert not [name for name in model.model_fields if f"`{name}`" not in text and f"{name}:" not in text]
    blocks = re.findall(r"```yaml\n(id: .*?)```", text, flags=re.DOTALL)
    assert [parse_task(block, "docs/tasks.md").id for block in blocks] == ["essay", "uses"]
