"""Evidence gathered and scored more than once: calls, keys, failures, tables, and the panel's rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import creaeval
from booklets import booklet, cgpst, marked, scenarios, scored, variant
from creaeval.data import Response, make_step, read_scores
from creaeval.errors import DataError, SettingError
from creaeval.llm import Ledger
from creaeval.llm.chat import AttemptError
from creaeval.report.terminal import print_run
from creaeval.runs import RunStore, export_run, make_plan
from creaeval.runs.plan import repeat_notes
from creaeval.runs.tables import has_panel, has_repeats, long_table, panel_table, wide_table
from creaeval.tasks import identities, parse_task
from scripted import ScriptedModel, echo, fill, stage_of

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CommandLine
    from creaeval.llm import ChatRequest
    from creaeval.runs import Run


ESSAY = """
id: essay
name: Essay
source: made for the tests
description: Write.
steps:
  - id: text
    name: Text
    instruction: Write about a day in 2050.
    dimensions: [{id: ideas, name: Ideas, description: How many?, scale: 1-10}]
"""


def essay(response_id: str, **extra: str) -> Response:
    step = parse_task(ESSAY, "essay.yaml").steps[0]
    return Response(
        id=response_id, steps={"text": make_step(step, f"Cars fly, {response_id}.")}, metadata=extra
    )


def rising(*points: int) -> ScriptedModel:
    """A judge that gives these points, one after the other, and an observation of its own each time."""
    given = iter(points)
    noted = iter(range(1000))

    def answer(request: ChatRequest) -> str:
        values = {} if stage_of(request) == "text" else {"essay_scores.text.ideas": next(given)}
        return json.dumps(
            fill(request.schema, request.schema_name, values, lambda _: f"Seen for time {next(noted)}.")
        )

    return ScriptedModel(answer=answer, concurrency=1)


def repeated(folder: Path, *responses: Response, **options: Any) -> Run:
    task = parse_task(ESSAY, "essay.yaml")
    return scored(folder, *responses, **{"task": task, "scenarios": None, **options})


def keys(folder: Path) -> list[str]:
    with Ledger.open(folder / "l.db") as ledger:
        path = folder / "calls.jsonl"
        ledger.export_calls(path)
    return [json.loads(line)["key"] for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_repeat_is_a_call_of_its_own_with_a_key_of_its_own(tmp_path: Path) -> None:
    analyst, judge, other = ScriptedModel(), ScriptedModel("scripted:j"), ScriptedModel("scripted:k")
    options: dict[str, Any] = {"evidence_repeats": 2, "judge_repeats": 3}
    run = scored(tmp_path, booklet(), analyst=analyst, judges=[judge, other], **options)
    # Twice six steps; twice three sheets of each judge, though the script gives the same evidence twice.
    assert [len(model.requests) for model in (analyst, judge, other)] == [12, 6, 6]
    assert len(set(keys(tmp_path))) == 24
    assert [request.settings.seed for request in analyst.asked("step1")] == [1, 2]
    assert [request.settings.seed for request in judge.requests] == [1, 2, 3, 4, 5, 6]
    numbers = [(s.scorer, s.evidence_repeat, s.judge_repeat) for s in run.sheets]
    each = [("scripted:j", n) for n in (1, 2, 3)] + [("scripted:k", n) for n in (1, 2, 3)]
    assert numbers == [(name, e, n) for e in (1, 2) for name, n in each]
    manifest = json.loads(json.dumps(dict(run.manifest)))
    assert (manifest["evidence_repeats"], manifest["judge_repeats"]) == (2, 3)
    plan = make_plan(
        task=cgpst(),
        responses=[booklet()],
        scenarios=scenarios(),
        analyst=analyst,
        judges=[judge, other],
        **options,
    )
    assert (plan.n_calls, plan.run_id) == (24, run.id)


def test_the_number_of_repeats_is_part_of_the_runs_id_and_earlier_repeats_are_not_asked_again(
    tmp_path: Path,
) -> None:
    model = ScriptedModel()
    counts = [(1, 1), (1, 2), (2, 1), (2, 2)]
    runs, asked = [], []
    for evidence, judging in counts:
        before = len(model.requests)
        runs.append(
            scored(
                tmp_path,
                booklet(),
                analyst=model,
                judges=model,
                evidence_repeats=evidence,
                judge_repeats=judging,
            )
        )
        asked.append(len(model.requests) - before)
    assert len({run.id for run in runs}) == 4
    # 7; a second sheet; six more steps (their sheet is the judge's second, in the ledger since the script
    # repeats its evidence); the third and the fourth sheet.
    assert asked == [7, 1, 6, 2]


def test_a_run_with_repeats_goes_on_where_it_was_broken_off(tmp_path: Path) -> None:
    options: dict[str, Any] = {"evidence_repeats": 2, "judge_repeats": 2}
    broken = ScriptedModel(fails=lambda r: SettingError("stop") if r.settings.seed == 4 else None)
    with pytest.raises(SettingError, match="stop"):
        scored(tmp_path, booklet(), analyst=broken, judges=broken, **options)
    model = ScriptedModel()
    run = scored(tmp_path, booklet(), analyst=model, judges=model, **options)
    assert [request.settings.seed for request in model.requests if stage_of(request) == "judge"][-1] == 4
    assert len(model.requests) <= 2
    assert [(s.evidence_repeat, s.judge_repeat) for s in run.sheets] == [(1, 1), (1, 2), (2, 1), (2, 2)]
    with Ledger.open(tmp_path / "l.db") as ledger:
        assert len(RunStore(ledger).list()) == 1


def test_a_repeat_that_fails_leaves_the_others(tmp_path: Path) -> None:
    def fails(request: ChatRequest) -> Exception | None:
        first_evidence = stage_of(request) == "text" and request.settings.seed == 1
        second_sheet = stage_of(request) == "judge" and request.settings.seed == 4
        return AttemptError("out of order", retry=False) if first_evidence or second_sheet else None

    model = ScriptedModel(fails=fails)
    options: dict[str, Any] = {"evidence_repeats": 3, "judge_repeats": 2}
    run = repeated(tmp_path, essay("a"), analyst=model, judges=model, **options)
    # The first evidence is not there, so it has no sheet; of the second, one is missing.
    assert [(s.evidence_repeat, s.judge_repeat) for s in run.sheets] == [(2, 1), (3, 1), (3, 2)]
    assert list(run.failures["stage"]) == ["text, evidence 1", "judge, evidence 2, repeat 2"]
    assert (run.n_failed, run.summary.scored) == (1, 1)
    assert set(run.scores_panel["n_sheets"]) == {3}


def test_further_evidence_is_kept_counted_and_written_with_the_response(tmp_path: Path) -> None:
    model = rising(3, 3)
    run = repeated(tmp_path, essay("a"), analyst=model, judges=model, evidence_repeats=2)
    (path,) = [p for p in export_run(run, tmp_path / "out") if p.parent.name == "responses"]
    outcome = json.loads(path.read_text(encoding="utf-8"))
    noted = [analysis["evidence"]["steps"][0]["dimensions"]["ideas"] for analysis in outcome["further"]]
    assert [analysis["repeat"] for analysis in outcome["further"]] == [2]
    first = outcome["evidence"]["steps"][0]["dimensions"]["ideas"]
    assert first["observation"] != noted[0]["observation"]
    # A quote and an observation each time.
    assert (run.summary.quotes, run.summary.observations) == (2, 2)


def test_the_tables_hold_every_repeat_and_the_panel_has_a_table_of_its_own(tmp_path: Path) -> None:
    model = rising(2, 9, 3, 3)
    responses = [essay("b", group="x", n_sheets="of paper"), essay("a", group="y")]
    run = repeated(tmp_path, *responses, analyst=model, judges=model, judge_repeats=2)
    wide = run.scores_wide
    assert list(wide) == [
        *("response_id", "method", "judge", "evidence_repeat", "judge_repeat"),
        *(name.replace(".", "_") for name in identities(run.task)),
        *("group", "input_n_sheets"),
    ]
    assert list(wide["response_id"]) == ["b", "b", "a", "a"]
    assert set(wide["judge"]) == set(run.scores["judge"]) == {"scripted:one"}
    assert wide["total"].tolist() == [2, 9, 3, 3]
    assert wide["judge_repeat"].tolist() == [1, 2, 1, 2]
    assert wide["input_n_sheets"].fillna("").tolist() == ["of paper", "of paper", "", ""]

    panel = run.scores_panel
    statistics = ["n_sheets", "mean", "median", "majority", "spread"]
    assert list(panel) == [
        *("response_id", "method", "step", "dimension", *statistics),
        *("group", "input_n_sheets"),
    ]
    ideas: Any = panel[panel["dimension"] == "text.ideas"].set_index("response_id")
    assert ideas.loc["b", statistics].fillna(-1).tolist() == [2, 5.5, 5.5, -1, 7]
    assert ideas.loc["a", statistics].tolist() == [2, 3, 3, 3, 0]
    assert ideas["group"].tolist() == ["x", "y"]
    assert set(panel["step"]) == {"text", ""}
    names = [path.name for path in export_run(run, tmp_path / "out")]
    assert names[:3] == ["scores.csv", "scores_wide.csv", "scores_panel.csv"]


def test_a_run_of_one_sheet_a_response_has_no_panel(tmp_path: Path) -> None:
    run = scored(tmp_path, variant("a", group="x"))
    assert not has_panel(run.manifest)
    assert not has_repeats(run.manifest)
    assert run.scores_panel.empty
    assert "scores_panel.csv" not in {path.name for path in export_run(run, tmp_path / "out")}


def test_parts_of_a_table_have_the_same_columns_also_where_nothing_was_scored(tmp_path: Path) -> None:
    broken = ScriptedModel("scripted:broken", fails=lambda _: AttemptError("no", retry=False))
    run = scored(tmp_path, variant("a", group="x"), judges=[ScriptedModel(), broken])
    whole = scored(tmp_path, variant("a", group="x"), judges=[ScriptedModel(), ScriptedModel("scripted:b")])
    nothing = scored(tmp_path, variant("a", group="x"), judges=[broken, ScriptedModel("scripted:broken2")])
    for table in (long_table, wide_table, panel_table):
        assert list(table(run)) == list(table(whole)) == list(table(nothing))
    assert [len(panel_table(made)) for made in (run, whole, nothing)] == [0, len(identities(run.task)), 0]


def test_repeats_at_temperature_0_may_be_equal_and_that_is_said_once_a_model(tmp_path: Path) -> None:
    def notes(**options: Any) -> list[str]:
        model = ScriptedModel()
        judges = [model, ScriptedModel("scripted:two")]
        return repeat_notes(
            make_plan(
                task=cgpst(),
                responses=[booklet()],
                scenarios=scenarios(),
                analyst=model,
                judges=judges,
                **options,
            )
        )

    cold = {"temperature": 0}
    assert notes(settings=cold) == []
    assert notes(evidence_repeats=2, judge_repeats=2) == []
    assert notes(evidence_repeats=2, judge_repeats=2, settings={"temperature": "default"}) == []
    (one,) = notes(evidence_repeats=2, settings=cold)
    assert one == (
        "analyst scripted:one is asked 2 times at temperature 0, so its answers may all be equal. "
        "Answers that vary take --set analyst.temperature=… above 0."
    )
    assert [note.split()[:2] for note in notes(judge_repeats=3, settings=cold)] == [
        ["judge", "scripted:one"],
        ["judge", "scripted:two"],
    ]
    # Three scorers answer each question of tot, which are of no use if they are all the same.
    assert "judge scripted:one is asked 3 times" in notes(method="tot", settings=cold)[0]
    with pytest.warns(UserWarning, match="judge scripted:one is asked 2 times at temperature 0"):
        repeated(tmp_path, essay("a"), judge_repeats=2, settings={"judge.temperature": 0})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"evidence_repeats": 0}, "evidence repeats: found 0, expected 1 or more"),
        ({"judge_repeats": -1}, "judge repeats: found -1"),
        ({"method": "reference"}, "needs a task with a single step whose dimensions all have scale 0-1"),
        ({"evidence_repeats": 2, "method": "direct"}, "direct gathers no evidence that could be repeated"),
    ],
)
def test_repeats_that_cannot_be_are_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        scored(tmp_path, booklet(), **options)


def test_the_command_line_repeats_says_so_and_writes_every_repeat(command: CommandLine) -> None:
    (command.folder / "essay.yaml").write_text(ESSAY)
    (command.folder / "essays.csv").write_text("id,text\nr1x,One car flies.\nr2x,Two cars fly.\n")
    command.add(ScriptedModel(answer=echo("One|Two"), concurrency=1))
    ended = command(
        *("score", "essays.csv", "--task", "essay.yaml", "--analyst", "scripted:one"),
        *("--judge", "scripted:one", "--evidence-repeats", 2, "--judge-repeats", 2, "--out", "out"),
        *("--set", "judge.temperature=0"),
    )
    assert ended.code == 0, ended.err
    assert "judges scripted:one, evidence 2 times, judging 2 times." in ended.err
    assert "judge scripted:one is asked 2 times at temperature 0" in ended.err
    assert "analyst scripted:one is asked" not in ended.err
    assert len(command.models["one"].requests) == 2 * (2 + 4)
    assert [line.split() for line in ended.out.splitlines() if line.strip().startswith("evidence")] == [
        ["evidence", "1", "evidence", "1", "evidence", "2", "evidence", "2"]
    ] * 2
    numbers = [line.split() for line in ended.out.splitlines() if "repeat" in line]
    assert numbers == [["of", "repeat", "1", "repeat", "2", "repeat", "1", "repeat", "2"]] * 2
    table = pd.read_csv(command.folder / "out" / "scores.csv")
    sheets = table[table["judge"] == "scripted:one"].drop_duplicates(
        ["response_id", "evidence_repeat", "judge_repeat"]
    )
    assert len(sheets) == 8


@pytest.mark.parametrize("option", ["--evidence-repeats", "--judge-repeats"])
def test_no_repeat_at_all_is_wrong_usage(command: CommandLine, option: str) -> None:
    assert command("score", "x.json", option, "0").code == 2


def test_progress_runs_to_its_end_with_repeats(tmp_path: Path) -> None:
    from io import StringIO

    from rich.console import Console

    from creaeval.report.progress import show_progress

    model = ScriptedModel(answer=echo("first|second"))
    responses = [marked("first", "first"), marked("second", "second")]
    options: dict[str, Any] = {"evidence_repeats": 2, "judge_repeats": 2}
    plan = make_plan(
        task=cgpst(),
        responses=responses,
        scenarios=scenarios(),
        analyst=model,
        judges=[model],
        **options,
    )
    with show_progress(plan, Console(file=StringIO(), force_terminal=True, width=200)) as watcher:
        scored(tmp_path, *responses, analyst=model, judges=model, watcher=watcher, **options)
        (line,) = watcher._progress.tasks
    assert (line.completed, line.total) == (32, 32)


def printed(run: Run) -> list[str]:
    from io import StringIO

    from rich.console import Console

    console = Console(file=StringIO(), width=120)
    print_run(console, run)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue().splitlines()


def test_the_wide_table_of_repeats_is_read_as_the_long_one(tmp_path: Path) -> None:
    model = rising(2, 9, 3, 4)
    run = repeated(tmp_path, essay("a"), analyst=model, judges=model, evidence_repeats=2, judge_repeats=2)
    export_run(run, tmp_path / "out")
    (wide,) = read_scores(tmp_path / "out" / "scores_wide.csv", run.task)
    (long,) = read_scores(tmp_path / "out", run.task)
    found = [(s.scorer, s.evidence_repeat, s.judge_repeat, s.final("text.ideas")) for s in wide.sheets]
    one = "scripted:one"
    assert found == [(one, 1, 1, 2), (one, 1, 2, 9), (one, 2, 1, 3), (one, 2, 2, 4)]
    assert long.sheets == run.sheets
    assert wide.metadata == {"a": {}}
    path = tmp_path / "out" / "scores_wide.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(",1,2,", ",1,second,"), encoding="utf-8")
    with pytest.raises(DataError, match="row 3, column 'judge_repeat': found 'second'"):
        read_scores(path, run.task)


def test_each_use_has_its_panel(tmp_path: Path) -> None:
    (tmp_path / "uses.csv").write_text(
        "id,object,participant,response\nu1,brick,p,a boat anchor\nu2,brick,p,a step\nu3,rope,p,\n"
    )
    given = iter([(2, 4), (5, 4)])

    def answer(request: ChatRequest) -> str:
        points = dict(zip((1, 2), next(given), strict=True))
        values = {f"aut_scores.uses.items.item_{n}.originality": value for n, value in points.items()}
        return json.dumps(fill(request.schema, request.schema_name, values))

    run = creaeval.score(
        tmp_path / "uses.csv",
        task="aut",
        method="direct",
        judges=ScriptedModel(answer=answer, concurrency=1),
        judge_repeats=2,
        ledger=tmp_path / "l.db",
    )
    assert list(run.scores_wide["response_id"]) == ["u1", "u1", "u2", "u2", "u3", "u3"]
    panel: Any = run.scores_panel.set_index("response_id")
    assert list(panel.index) == ["u1", "u2", "u3"]
    assert [float(panel.loc[unit, "mean"]) for unit in ("u1", "u2")] == [3.5, 4]
    assert pd.isna(panel.loc["u3", "mean"])
    assert list(panel["object"]) == ["brick", "brick", "rope"]
    assert (float(panel.loc["u1", "spread"]), panel.loc["u1", "n_sheets"]) == (3, 2)
    assert [line.split()[-2] for line in printed(run) if line.split()[:1] == ["u1"]] == [
        "scripted:one",
        "scripted:one#2",
    ]
