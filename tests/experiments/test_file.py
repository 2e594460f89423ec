"""Reading an experiment's file: what it may say, and how it is told what it may not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from creaeval.errors import SettingError
from creaeval.experiments import cells, read_experiment
from creaeval.experiments.file import Length
from experiments.grids import block, experiment, write_experiment

SHIPPED = Path(__file__).parents[2] / "experiments"


def wrong(path: Path) -> tuple[str, ...]:
    with pytest.raises(SettingError) as caught:
        read_experiment(path)
    return caught.value.problems


def test_paths_start_at_the_files_folder_and_scalars_may_stand_for_lists(tmp_path: Path) -> None:
    found = experiment(tmp_path, grid=[block(settings={"judge.temperature": 0.5}, examples="shown.csv")])
    data, part = found.data["all"], found.grid[0]
    assert data.responses == (tmp_path / "responses.json",)
    assert data.task == str(tmp_path / "mine.yaml")
    assert (part.data, part.judges, part.examples) == (("all",), ("scripted:j",), tmp_path / "shown.csv")
    assert part.settings == {"judge.temperature": (0.5,)}
    assert found.agreement.measures == ("qwk", "pearson", "icc")


def test_depths_of_evidence_are_cells_of_their_own_and_none_where_no_analyst_is_asked(tmp_path: Path) -> None:
    depths = block(method=["creaeval", "direct"], evidence=["full", "brief"], copied="again")
    found = cells(experiment(tmp_path, grid=[depths]))
    assert [(cell.method, cell.evidence, cell.copied) for cell in found] == [
        ("creaeval", "full", "again"),
        ("creaeval", "brief", "again"),
        ("direct", None, "report"),
    ]
    assert "full evidence, copied words again" in found[0].label
    path = write_experiment(tmp_path, grid=[block(evidence="long")])
    assert any("'long'" in problem and "'full' or 'brief'" in problem for problem in wrong(path))


def test_methods_named_as_in_the_paper_make_cells_under_their_own_names(tmp_path: Path) -> None:
    found = experiment(tmp_path, grid=[block(method=["w/o Memory", "no-memory", "Direct Score"])])
    assert found.grid[0].method == ("no-memory", "no-memory", "direct")
    # What is named twice is one cell.
    assert [cell.method for cell in cells(found)] == ["no-memory", "direct"]
    assert ["no-memory" in cell.label for cell in cells(found)] == [True, False]


def test_an_unknown_key_is_refused_with_its_place_and_the_nearest_name(tmp_path: Path) -> None:
    path = write_experiment(tmp_path, grid=[{**block("first"), "anlyst": "local"}], nmae="x")
    text = path.read_text()
    line = next(n for n, words in enumerate(text.splitlines(), 1) if "anlyst" in words)
    problems = wrong(path)
    assert any("at nmae: unknown key 'nmae'. Did you mean 'name'?" in problem for problem in problems)
    assert any(
        f"line {line}, at grid › first › anlyst: unknown key 'anlyst'. Did you mean 'analyst'?" in problem
        for problem in problems
    )


def test_a_key_at_the_wrong_place_is_told_where_it_belongs(tmp_path: Path) -> None:
    path = write_experiment(tmp_path, grid=[{**block("first"), "task": "aut"}], task="aut", method="cot")
    problems = wrong(path)
    said = "the key 'task' does not belong here, but to a set of responses in `data`."
    assert sum(said in problem for problem in problems) == 2
    assert any("'method' does not belong here, but to a block of `grid`." in problem for problem in problems)
    assert not any("Did you mean" in problem for problem in problems)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"grid": [block(method="dirct")]}, "there is no method 'dirct'"),
        ({"grid": [block(method="dirct")]}, "Did you mean 'direct'?"),
        ({"grid": [block(method="sfft")]}, "Did you mean 'sft'?"),
        ({"grid": [block(data="al")]}, "there is no data set 'al'; known are all. Did you mean 'all'?"),
        ({"grid": [block(), block()]}, "2 blocks are called 'b'"),
        ({"grid": [block(settings={"judge.temprature": 1})]}, "Did you mean temperature?"),
        (
            {"grid": [block(settings={"judge.temperature": [0.2, 5]})]},
            "found 5, expected a number from 0 to 2",
        ),
        ({"grid": [block(settings={"judge.temperature": []})]}, "judge.temperature: found no value"),
        ({"grid": [block(judges=[])]}, "at least 1 item"),
        ({"grid": [block(judge_repeats=0)]}, "greater than or equal to 1"),
        ({"grid": [block("a\nb")]}, "expected a name without line breaks"),
        (
            {"agreement": {"measures": ["qkw"]}},
            "at agreement › measures › 1: measure 'qkw': expected one of qwk, pearson, ",
        ),
        ({"agreement": {"measures": []}}, "at least 1 item"),
        ({"data": {"x": {"task": "cgpst"}}}, "found no responses, no count with a template, and no scores"),
        ({"data": {"x": {"task": "cgpst", "count": 3}}}, "count and template go together"),
        (
            {"data": {"x": {"task": "cgpst", "responses": "r", "count": 3, "template": "t"}}},
            "expected either responses, or count",
        ),
        (
            {"data": {"x": {"task": "cgpst", "scores": "s.csv", "length": {"step": "step7"}}}},
            "at data › x › length: task cgpst has no step 'step7'; known are step1, step2, step3",
        ),
        (
            {
                "data": {
                    "x": {"task": "cgpst", "scores": "s.csv", "length": [{}, {"dimension": "step6.develop"}]}
                }
            },
            "task cgpst has no dimension 'step6.develop'; did you mean step6.development",
        ),
        (
            {"data": {"x": {"task": "cgpst", "scores": "s.csv", "length": {"dimension": "step2.purpose"}}}},
            "step2.purpose is compared as a part of step2.integrity; name that",
        ),
        ({"data": {"x": {"task": "cgpst", "scores": "s.csv", "length": []}}}, "at least 1 item"),
        ({"similarity": {"measures": "bertscor"}}, "found 'bertscor'. Input should be 'self_bleu'"),
        (
            {"similarity": {"encoder": {"folder": "models/x"}}},
            "at similarity › encoder: the key 'language' is missing",
        ),
        (
            {"data": {"x": {"task": "cgpst", "scores": "s.csv"}}, "grid": [block(data="x")]},
            "the data set 'x' has no responses that could be scored",
        ),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, content: dict[str, Any], message: str) -> None:
    assert message in "\n".join(wrong(write_experiment(tmp_path, **content)))


def test_numbers_may_stand_for_names_and_values_of_columns(tmp_path: Path) -> None:
    data = {2024: {"task": "mine.yaml", "responses": "responses.json", "only": {"plot": [1, 2]}}}
    found = experiment(tmp_path, name=7, data=data, grid=[block(3, data=2024)])
    assert (found.name, found.grid[0].name, found.grid[0].data) == ("7", "3", ("2024",))
    assert found.data["2024"].only == {"plot": ("1", "2")}


def test_public_data_that_was_not_fetched_is_said_with_the_command_that_fetches_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CREAEVAL_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    data = {"x": {"task": "ttcw", "scores": "fetched:ttcw/judge_verdicts.csv"}}
    (problem,) = wrong(write_experiment(tmp_path, data=data))
    assert "at data › x › scores" in problem
    assert "`creaeval data fetch ttcw` fetches" in problem


def test_a_file_that_is_no_experiment_is_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "list.yaml").write_text("- 1\n")
    (tmp_path / "bad.yaml").write_text("name: [\n")
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\xff")
    assert "expected a mapping with the keys name, data and grid" in wrong(tmp_path / "list.yaml")[0]
    assert "bad.yaml, line" in wrong(tmp_path / "bad.yaml")[0]
    assert "not UTF-8" in wrong(tmp_path / "bytes.yaml")[0]
    assert "cannot be read" in wrong(tmp_path / "none.yaml")[0]


def test_a_tag_builds_no_object(tmp_path: Path) -> None:
    (tmp_path / "tag.yaml").write_text("name: !!python/object/apply:os.getcwd []\ndata: {}\n")
    assert "tag.yaml" in wrong(tmp_path / "tag.yaml")[0]


def test_the_form_that_the_page_shows_is_read(tmp_path: Path) -> None:
    page = (SHIPPED.parent / "docs" / "experiments.md").read_text(encoding="utf-8")
    (tmp_path / "page.yaml").write_text(page.partition("```yaml\n")[2].partition("```")[0], encoding="utf-8")
    assert [block.name for block in read_experiment(tmp_path / "page.yaml").grid] == ["methods"]


def test_lengths_are_the_whole_response_and_the_total_unless_the_file_chooses(tmp_path: Path) -> None:
    chosen = {
        "task": "cgpst",
        "scores": "s.csv",
        "length": {"step": "Step-6", "dimension": "Step-6 Development"},
    }
    data = {"plain": {"task": "cgpst", "scores": "s.csv"}, "chosen": chosen}
    found = experiment(tmp_path, data=data).data
    assert found["plain"].length == (Length(),)
    assert found["chosen"].length == (Length(step="Step-6", dimension="Step-6 Development"),)


def test_the_papers_grid_says_what_its_runs_feed() -> None:
    paper = read_experiment(SHIPPED / "paper.yaml")
    feeds = {block.name: " ".join(block.feeds) for block in paper.grid}
    numbers = {number for text in feeds.values() for number in re.findall(r"\d+", text)}
    # Tables 2, 3, 4, 5, 8 to 13; Figures 2, 4, 5, 6 and 22 to 28.
    assert numbers == {*map(str, (2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 22, 28))}
    assert paper.similarity.measures == ("self_bleu", "bertscore")
    assert paper.data["booklets"].length[1] == Length(step="step6", dimension="step6.development")


def test_the_papers_grid_has_its_cells() -> None:
    found = cells(read_experiment(SHIPPED / "paper.yaml"))
    by_block = {name: [cell for cell in found if cell.block == name] for name in {c.block for c in found}}
    # Table 2 has eight methods, Table 3 four and five, those of trained models in blocks of their own;
    # Figure 4 four analysts, Table 4 the whole method and four ablations; the pilot four analysts at three
    # temperatures, and one run of all judges for each temperature of the judge.
    assert {name: len(of) for name, of in by_block.items()} == {
        "methods": 6, "sft": 1, "samer": 1, "uses": 3, "sft on uses": 1, "stories": 4, "sft on stories": 1,
        "analysts and judges": 4, "ablations": 5,
        "trained on evidence": 1, "temperature of the analyst": 12, "temperature of the judge": 3,
    }  # fmt: skip
    assert {cell.method for cell in found if cell.untrained} == {"sft", "sft-evidence", "samer"}
    assert all(cell.judge_repeats == 5 for cell in by_block["temperature of the judge"])
    assert all(cell.evidence_repeats == 5 for cell in by_block["temperature of the analyst"])
