"""Tables in memory are read as files that hold the same, alone or mixed with files and our own objects."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from creaeval.data import Response, read_data, read_ratings, read_responses
from creaeval.data.grids.memory import cell_text
from creaeval.errors import DataError
from creaeval.tasks import load_task

from ..support import brick, problems_of, the_problem, write

if TYPE_CHECKING:
    from pathlib import Path

AUT = load_task("aut")

RECORDS: list[dict[str, Any]] = [
    {"participant": "007", "object": "brick", "use": "a wall", "R1": 3, "R2": 4.0},
    {"participant": "7", "object": "brick", "use": "a hat", "R1": None, "R2": 2.5},
    {"participant": "7", "object": "rope", "use": "a belt", "R1": 1, "R2": float("nan")},
]


def as_csv(path: Path) -> Path:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(RECORDS[0]))
    writer.writeheader()
    writer.writerows({k: "" if v != v else v for k, v in record.items()} for record in RECORDS)
    return write(path, out.getvalue())


def test_a_frame_and_a_list_of_dicts_read_as_the_file_does(tmp_path: Path) -> None:
    expected = read_data(as_csv(tmp_path / "a.csv"), AUT)
    assert [(r.response_id, r.rater, r.sheet.final("uses.originality")) for r in expected.ratings] == [
        *(("007-brick-1", "R1", 3), ("007-brick-1", "R2", 4)),
        *(("7-brick-1", "R2", 2.5), ("7-rope-1", "R1", 1)),
    ]
    for source in (RECORDS, pd.DataFrame(RECORDS)):
        found = read_data(source, AUT)
        for one, other in ((found.responses, expected.responses), (found.ratings, expected.ratings)):
            assert [item.model_copy(update={"source": ""}) for item in one] == [
                item.model_copy(update={"source": ""}) for item in other
            ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (7, "7"),
        ("007", "007"),
        (7.0, "7"),
        (1.0, "1"),
        (2.5, "2.5"),
        (0.1, "0.1"),
        (-3, "-3"),
        (12345678901, "12345678901"),
        (None, ""),
        (float("nan"), ""),
        (pd.NA, ""),
        (pd.NaT, ""),
        (np.int64(7), "7"),
        (np.float64(7.0), "7"),
        (np.float32(2.5), "2.5"),
        (np.nan, ""),
        (True, "True"),
        (pd.Timestamp("2026-01-05"), "2026-01-05"),
        (pd.Timestamp("2026-01-05 10:30"), "2026-01-05 10:30:00"),
        (" a ", " a "),
    ],
)
def test_a_value_stands_as_it_would_in_a_file(value: object, text: str) -> None:
    assert cell_text(value) == text


def test_ids_keep_their_digits_and_no_more(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": [7, 8, None], "response": ["a", "b", "c"]})  # pandas makes floats of them
    frame["id"] = frame["id"].fillna(9)
    assert [r.id for r in read_responses(frame, brick())] == ["7", "8", "9"]
    records = [{"id": 7, "response": "a"}, {"id": "007", "response": "b"}]
    assert [r.id for r in read_responses(records, brick())] == ["7", "007"]


def test_the_index_of_a_frame_is_a_column_where_it_has_a_name() -> None:
    frame = pd.DataFrame({"response": ["a wall", "a hat"]}, index=pd.Index(["R1", "R2"], name="id"))
    assert [(r.id, r.steps["use"].text) for r in read_responses(frame, brick())] == [
        ("R1", "a wall"),
        ("R2", "a hat"),
    ]


def test_a_key_that_some_dicts_have_not_is_blank_there() -> None:
    records = [{"id": 1, "response": "a wall"}, {"id": 2, "response": "a hat", "age": 20}]
    assert [r.metadata for r in read_responses(records, brick())] == [{"age": ""}, {"age": "20"}]


def test_sources_of_all_kinds_may_be_mixed(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,response\nR1,a wall\n")
    mine = Response(id="R3", steps={})
    sources = [
        path,
        pd.DataFrame({"id": ["R2"], "response": ["a hat"]}),
        mine,
        [{"id": "R4", "response": "a step"}],
    ]
    assert [r.id for r in read_responses(sources, brick())] == ["R1", "R2", "R4", "R3"]
    one = {"id": "R1", "rater": "A", "Originality": 3}
    ratings = read_ratings([one, pd.DataFrame([{**one, "rater": "B"}])], brick())
    assert [(r.response_id, r.rater) for r in ratings] == [("R1", "A"), ("R1", "B")]
    assert read_ratings([*ratings, [{**one, "rater": "C"}]], brick())[-2:] == ratings


def test_what_is_not_known_is_refused_by_its_place_and_nothing_is_dropped(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,response\nR1,a wall\n")
    assert problems_of(lambda: read_responses([path, 5, path.parent / "none.csv", object], brick())) == (
        "Entry 2: found 5 (int), expected a path, a DataFrame, a list of dicts, a Response or a Rating.",
        f"{tmp_path / 'none.csv'}: there is no such file. Check the name and the folder.",
        "Entry 4: found <class 'object'> (type), expected a path, a DataFrame, a list of dicts, a Response "
        "or a Rating.",
    )
    assert "Found 5, expected files, a DataFrame, a list of dicts or responses." in the_problem(
        lambda: read_responses(5, brick())
    )
    assert "No file was given" in the_problem(lambda: read_responses([], brick()))


def test_equal_ids_in_memory_and_in_a_file_are_named_with_both_places(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,response\nR1,a wall\n")
    problem = the_problem(
        lambda: read_responses([path, pd.DataFrame([{"id": "R1", "response": "x"}])], brick())
    )
    assert problem.startswith(f"DataFrame 2, row 2: the id 'R1' is already taken by {path}, row 2.")


def test_a_wrong_value_in_a_frame_is_named_with_its_row(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": ["R1", "R2"], "rater": "A", "Originality": [3, 9]})
    assert the_problem(lambda: read_ratings(frame, brick())).startswith(
        "DataFrame 1, row 3, column 'Originality': found '9', expected"
    )


def test_an_empty_frame_is_said_to_be(tmp_path: Path) -> None:
    problem = the_problem(lambda: read_responses(pd.DataFrame({"id": [], "response": []}), brick()))
    assert problem == "DataFrame 1: has a header (row 1) but no rows below it."


def test_a_list_in_a_record_is_a_list_of_uses_and_an_object_is_refused() -> None:
    found = read_data([{"participant": "p1", "brick": ["a hat", "a step"], "rope": ["a belt"]}], AUT)
    assert [r.steps["uses"].text for r in found.responses] == ["a hat", "a step", "a belt"]
    with pytest.raises(DataError, match="entry 1: 'brick' holds an object"):
        read_data([{"participant": "p1", "brick": {"first": "a hat"}}], AUT)
