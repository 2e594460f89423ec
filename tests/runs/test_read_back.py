"""What a run writes is what is read again, whatever ids, judges and columns are called."""

from __future__ import annotations

import csv
import string
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import creaeval
from creaeval.agreement.long_table import long_table
from creaeval.data import read_responses, read_scores
from creaeval.data.ids import clean_id
from creaeval.errors import DataError
from creaeval.methods import Outcome
from creaeval.runs import Run, export_run
from creaeval.sheets import ItemScores, ScoreSheet, StepScores
from creaeval.sheets.panel import PANEL_JUDGES
from creaeval.sheets.score_sheet import SCORE_COLUMNS
from creaeval.tasks import load_task
from scripted import ScriptedModel
from uses import use

if TYPE_CHECKING:
    from pathlib import Path

TASK = load_task("cgpst")
_PIECES = (
    *(" item ", "//", "@2", "#3", "@001", ",", ";", '"', "=", "+", "-", "@", "'", "''", "\t", "\\", " "),
    *("é", "漢字", "ß", "NA", "1", "-5", "a", "B", "(expected)", "(corrected)"),
)
_JUDGES = (
    *("vertex:text-bison@001", "vertex:text-bison@002", "vertex:text-bison@2", "vertex:text-bison"),
    *("a", "a@2", "a#3", "a@2#3", "a@1#1", "=a", "'=a", "a (expected)", *PANEL_JUDGES),
)
_COLUMNS = (
    *SCORE_COLUMNS,
    *("n_sheets", "N_Sheets", "invalid", "Judge", "input_judge", "input_n_sheets", "Item", "group", "Group"),
    *("=formula", "'=formula", "id", "rater"),
)


def is_id(text: str) -> bool:
    try:
        return clean_id(text) == text
    except ValueError:
        return False


texts = st.lists(st.sampled_from(_PIECES), max_size=6).map("".join)
ids = (texts | st.text(string.printable, max_size=12)).filter(is_id)
judges = st.lists(st.sampled_from(_JUDGES) | ids, min_size=1, max_size=3, unique=True)
columns = st.dictionaries(st.sampled_from(_COLUMNS), texts, max_size=4)
repeats = st.tuples(st.integers(1, 3), st.integers(1, 3))


def sheet(response_id: str, judge: str, evidence: int, judging: int, points: int) -> ScoreSheet:
    """A sheet of two steps with a wrong sum, of which one value differs from sheet to sheet."""
    first, second = TASK.step("step1"), TASK.step("step2")
    items = [ItemScores.build(first, 1, {"originality": points % 3})]
    steps = [
        StepScores.build(TASK, first, items=items, written={"fluency": 7}),
        StepScores.build(TASK, second, written={"focus": points % 10 + 1, "overall": 9}),
    ]
    return ScoreSheet.build(TASK, response_id, judge, steps, (evidence, judging), written_total=40)


def made(carried: dict[str, dict[str, str]], names: list[str], numbers: tuple[int, int]) -> Run:
    """A run over these responses, as far as its tables are concerned."""
    points = iter(range(10_000))
    outcomes = tuple(
        Outcome(
            response_id=response_id,
            sheets=tuple(
                sheet(response_id, judge, evidence, judging, next(points))
                for evidence in range(1, numbers[0] + 1)
                for judge in names
                for judging in range(1, numbers[1] + 1)
            ),
        )
        for response_id in carried
    )
    manifest = {
        "run_id": "0123456789",
        "method": "direct",
        "judges": [{"name": name} for name in names],
        "evidence_repeats": numbers[0],
        "judge_repeats": numbers[1],
    }
    return Run("0123456789", "finished", TASK, manifest, outcomes, carried)


@given(
    st.dictionaries(
        ids, st.dictionaries(st.sampled_from(_COLUMNS), texts, max_size=4), min_size=1, max_size=3
    ),
    judges,
    repeats,
)
@example({"a": {}}, ["vertex:text-bison@001", "vertex:text-bison@2", "vertex:text-bison"], (2, 1))
@example({"a": {"n_sheets": "2", "Judge": "x", "judge": "y"}}, ["panel mean"], (1, 1))
@example({"'=a": {"evidence_repeat": "7", "N_Sheets": "2"}, "=a": {}}, ["panel mean", "a"], (1, 2))
def test_scores_are_read_as_they_were_written(
    carried: dict[str, dict[str, str]], names: list[str], numbers: tuple[int, int]
) -> None:
    run = made(carried, names, numbers)
    with TemporaryDirectory() as folder:
        export_run(run, folder)
        (scores,) = read_scores(folder, TASK)
    assert scores.sheets == run.sheets
    frame = run.scores
    own: list[Any] = [name for name in frame.columns if name not in SCORE_COLUMNS]
    for response_id, extra in carried.items():
        row = frame[frame["response_id"].eq(response_id)].iloc[0]
        texts_written = {name: row[name] for name in own if isinstance(row[name], str) and row[name]}
        assert scores.metadata[response_id] == texts_written
        assert sorted(scores.metadata[response_id].values()) == sorted(filter(None, extra.values()))


@given(st.lists(ids, min_size=1, max_size=3, unique=True), judges, repeats)
@example(["a"], ["vertex:text-bison@001", "vertex:text-bison@2", "vertex:text-bison"], (2, 1))
@example(["a"], ["panel mean"], (1, 1))
@example(["'=a", "=a"], ["panel mean", "a"], (1, 2))
def test_final_scores_of_the_wide_table_are_read_as_they_were_written(
    response_ids: list[str], names: list[str], numbers: tuple[int, int]
) -> None:
    run = made({response_id: {} for response_id in response_ids}, names, numbers)
    with TemporaryDirectory() as folder:
        export_run(run, folder)
        (scores,) = read_scores(f"{folder}/scores_wide.csv", TASK)
    assert [
        (s.response_id, s.scorer, s.evidence_repeat, s.judge_repeat, s.final("step2.focus"))
        for s in scores.sheets
    ] == [
        (s.response_id, s.scorer, s.evidence_repeat, s.judge_repeat, s.final("step2.focus"))
        for s in run.sheets
    ]


@given(
    st.lists(st.tuples(st.sampled_from(_JUDGES) | ids, st.integers(1, 12), st.integers(1, 12)), unique=True)
)
def test_no_two_judgings_have_the_same_label(judgings: list[tuple[str, int, int]]) -> None:
    labels = {sheet("R", *judging, points=0).label for judging in judgings}
    assert len(labels) == len(judgings)


# What no file may name a response by.
REFUSED_IDS = {
    "a\nb": r"the id 'a\nb' holds the invisible character U+000A; take it out",
    "a\tb": r"holds the invisible character U+0009; take it out",
    "a\u200bb": "holds the invisible character U+200B; take it out",
    "x" * 10_000: "found an id of 10000 characters ('xxx",
    "x" * 201: "found an id of 201 characters ('xxx",
}


@pytest.mark.parametrize("response_id", REFUSED_IDS, ids=ascii)
def test_an_id_that_was_given_in_python_alone_is_refused_where_its_scores_are_read(
    response_id: str, tmp_path: Path
) -> None:
    export_run(made({"b": {}, response_id: {}}, ["j"], (1, 1)), tmp_path / "out")
    with pytest.raises(DataError) as caught:
        read_scores(tmp_path / "out", TASK)
    assert "scores.csv, row " in caught.value.problems[0]
    assert ", column 'response_id': " in caught.value.problems[0]
    assert REFUSED_IDS[response_id] in caught.value.problems[0]


@pytest.mark.parametrize("response_id", REFUSED_IDS, ids=ascii)
def test_an_id_in_a_file_that_no_table_can_hold_is_named_with_its_row(
    response_id: str, tmp_path: Path
) -> None:
    with (tmp_path / "a.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["response_id", "step1"], ["b", "x"], [response_id, "x"]])
    with pytest.raises(DataError) as caught:
        read_responses(tmp_path / "a.csv", TASK)
    assert str(caught.value).startswith(f"{tmp_path / 'a.csv'}, row 3: ")
    assert REFUSED_IDS[response_id] in str(caught.value)


def test_a_judge_may_have_a_longer_name_than_an_id(tmp_path: Path) -> None:
    judge = f"local:{'folder/' * 40}model.gguf"
    export_run(made({"a": {}}, [judge], (1, 1)), tmp_path / "out")
    (scores,) = read_scores(tmp_path / "out", TASK)
    assert [sheet.scorer for sheet in scores.sheets] == [judge]


def test_a_judge_called_like_a_panel_is_read_beside_the_rows_of_a_panel(tmp_path: Path) -> None:
    alone = made({"a": {}}, ["panel mean"], (1, 1))
    beside = made({"a": {}}, ["panel mean", "j"], (1, 1))
    for name, run in (("alone", alone), ("beside", beside)):
        export_run(run, tmp_path / name)
        for table in ("scores.csv", "scores_wide.csv"):
            (scores,) = read_scores(tmp_path / name / table, TASK)
            assert [sheet.scorer for sheet in scores.sheets] == [sheet.scorer for sheet in run.sheets]


def test_a_column_called_rater_is_not_taken_for_the_judges(tmp_path: Path) -> None:
    run = made({"a": {"rater": "Ms B"}}, ["j", "k"], (1, 2))
    export_run(run, tmp_path / "out")
    for table in ("scores.csv", "scores_wide.csv"):
        (scores,) = read_scores(tmp_path / "out" / table, TASK)
        assert [(s.scorer, s.judge_repeat) for s in scores.sheets] == [
            ("j", 1),
            ("j", 2),
            ("k", 1),
            ("k", 2),
        ]
        assert scores.metadata == {"a": {"rater": "Ms B"}}


def test_judges_that_end_like_repeats_are_apart_from_repeats(tmp_path: Path) -> None:
    names = ["vertex:text-bison@001", "vertex:text-bison@2", "vertex:text-bison"]
    export_run(made({"a": {}}, names, (2, 1)), tmp_path / "out")
    data, _ = long_table(TASK, read_scores(tmp_path / "out", TASK), [])
    assert {judge.name: [scorer.repeat for scorer in of] for judge, of in data.repeats().items()} == {
        name: [(1, 1), (2, 1)] for name in names
    }
    assert [data.label(scorer) for scorer in data.scorers] == [
        "vertex:text-bison@001",
        "vertex:text-bison@2@1#1",
        "vertex:text-bison",
        "vertex:text-bison@001@2",
        "vertex:text-bison@2@2#1",
        "vertex:text-bison@2",
    ]


@pytest.mark.parametrize("table", ["scores.csv", "scores_wide.csv"])
def test_what_responses_carry_may_be_called_like_anything(tmp_path: Path, table: str) -> None:
    carried = {
        "originality": "3", "Originality_A": "5", "uses.originality": "2", "score": "4", "rater": "Ann",
        "dimension": "x", "judge": "y", "item": "1", "stage": "blind", "total": "5", "method": "by hand",
    }  # fmt: skip
    uses = [use(f"u{number}", text, participant="p", **carried) for number, text in enumerate(["a", "b"])]
    run = creaeval.score(
        uses, task="aut", method="direct", judges=ScriptedModel("j"), ledger=tmp_path / "l.db"
    )
    export_run(run, tmp_path / "out")
    (scores,) = read_scores(tmp_path / "out" / table, run.task)
    # The scripted judge gives the lowest points there are.
    assert [(s.response_id, s.scorer, s.final("uses.originality")) for s in scores.sheets] == [
        ("u0", "j", 1),
        ("u1", "j", 1),
    ]
    kept = {name.removeprefix("input_"): text for name, text in scores.metadata["u0"].items()}
    if table == "scores_wide.csv":
        carried["uses_originality"] = carried.pop("uses.originality")
    assert kept == {**carried, "object": "brick", "participant": "p"}
