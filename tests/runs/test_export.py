from __future__ import annotations

import csv
import json
import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook  # type: ignore[import-untyped,unused-ignore]

import creaeval
from booklets import scenarios, variant
from creaeval.data import read_scores
from creaeval.errors import SettingError
from creaeval.runs import export_run, write_table
from creaeval.runs.export import read_run_folder
from scripted import ScriptedModel

if TYPE_CHECKING:
    from creaeval.runs import Run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    ledger = tmp_path_factory.mktemp("export") / "l.db"
    model = ScriptedModel()
    responses = [variant("a", group="x"), variant("A", group="-1")]
    return creaeval.score(responses, scenarios=scenarios(), analyst=model, judges=model, ledger=ledger)


def test_a_run_is_written_to_a_folder_that_is_made_for_it(run: Run, tmp_path: Path) -> None:
    written = export_run(run, tmp_path / "deep" / "results")
    names = [path.name for path in written]
    assert names[:5] == ["scores.csv", "scores_wide.csv", "failures.csv", "results.xlsx", "run.json"]
    assert len({path.name.casefold() for path in written}) == len(written) == 7
    assert all(path.is_file() for path in written)


def test_the_same_run_may_be_written_to_the_same_folder_again(run: Run, tmp_path: Path) -> None:
    assert export_run(run, tmp_path) == export_run(run, tmp_path)


def test_a_folder_with_other_files_is_refused_and_left_as_it_is(run: Run, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("chapter 1")
    with pytest.raises(SettingError, match="holds other files") as caught:
        export_run(run, tmp_path)
    assert "name another one with --out" in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_folder_with_another_run_is_refused_and_left_as_it_is(run: Run, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"run_id": "0123456789"}))
    with pytest.raises(SettingError, match="holds run 0123456789"):
        export_run(run, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_a_file_in_place_of_the_folder_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "results").write_text("")
    with pytest.raises(SettingError, match="this is a file"):
        export_run(run, tmp_path / "results")


def rows_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


@settings(max_examples=50)
@given(
    cells=st.lists(
        st.text() | st.from_regex(r"[=+\-@\t\r\n][\w()!.]*", fullmatch=True), min_size=1, max_size=30
    )
)
def test_no_cell_begins_like_a_formula_and_nothing_else_is_changed(cells: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        frame = pd.DataFrame({"=A1": range(len(cells)), "text": cells})
        header, *rows = rows_of(write_table(frame, Path(folder) / "t.csv"))
    assert header == ["'=A1", "text"]
    assert [row[0] for row in rows] == [str(number) for number in range(len(cells))]
    for cell, (_, written) in zip(cells, rows, strict=True):
        plain = re.fullmatch(r"[+-]?\d+([.,]\d+)?", written)
        assert written[:1] not in ("=", "+", "-", "@", "\t", "\r", "\n") or plain
        # Only the apostrophe is new; a line end of any kind is a newline.
        assert written.removeprefix("'") == re.sub("\r\n?", "\n", cell).removeprefix("'")


def test_numbers_stay_numbers_and_missing_values_are_empty(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "score": pd.array([-1.5, None], dtype="Float64"),
            "item": pd.array([None, 3], dtype="Int64"),
            "t": ["-5", "-x"],
        }
    )
    assert rows_of(write_table(frame, tmp_path / "t.csv"))[1:] == [["-1.5", "", "-5"], ["", "3", "'-x"]]


def test_a_table_without_rows_has_its_header(tmp_path: Path) -> None:
    path = write_table(pd.DataFrame(columns=["a", "b"]), tmp_path / "t.csv")
    assert path.read_bytes() == b"a,b\n"


def test_a_csv_has_no_byte_order_mark_and_is_read_with_or_without_one(run: Run, tmp_path: Path) -> None:
    written = [path for path in export_run(run, tmp_path / "out") if path.suffix == ".csv"]
    assert not [path for path in written if path.read_bytes().startswith(b"\xef\xbb\xbf")]
    for path in (tmp_path / "out" / "scores.csv", tmp_path / "out" / "scores_wide.csv"):
        (plain,) = read_scores(path, run.task)
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
        (marked,) = read_scores(path, run.task)
        assert marked.sheets == plain.sheets
        assert [sheet.final("total") for sheet in plain.sheets] == [26, 26]


def sheet_rows(book: Any, name: str) -> list[list[Any]]:
    return [[cell.value for cell in row] for row in book[name].iter_rows()]


def test_results_xlsx_has_a_sheet_a_table_with_the_values_of_the_csv(tmp_path: Path) -> None:
    (tmp_path / "uses.csv").write_text(
        "id,object,use,participant,age,code\nu1,brick,=a hat,1,23,007\nu2,brick,a boat,1,,8\n"
        "u3,rope,,2,4.5,9\n",
        encoding="utf-8",
    )
    run = creaeval.score(tmp_path / "uses.csv", task="aut", method="offline", ledger=tmp_path / "l.db")
    export_run(run, tmp_path / "out")
    book = load_workbook(tmp_path / "out" / "results.xlsx")
    assert book.sheetnames == [
        *("scores_wide", "participants", "scores", "failures", "confidence", "participants_reliability")
    ]
    for sheet in book:
        assert sheet.freeze_panes == "A2"
        heading, *rows = rows_of(tmp_path / "out" / f"{sheet.title}.csv")
        assert [cell.value for cell in sheet[1]] == heading
        assert sheet.max_row == len(rows) + 1
    heading, *rows = sheet_rows(book, "scores_wide")
    found: list[dict[str, Any]] = [dict(zip(heading, row, strict=True)) for row in rows]
    # Numbers are numbers where a column holds nothing else; a name that looks like one stays a name.
    assert [row["age"] for row in found] == [23, None, 4.5]
    assert [row["code"] for row in found] == ["007", "8", "9"]
    assert [row["participant"] for row in found] == ["1", "1", "2"]
    assert [row["response"] for row in found] == ["'=a hat", "a boat", None]
    scores = run.scores_wide["uses_originality"]
    assert [row["uses_originality"] for row in found] == [float(scores[0]), float(scores[1]), None]
    for name in ("scores", "scores_wide"):
        (again,) = read_scores(f"{tmp_path / 'out' / 'results.xlsx'}#{name}", run.task)
        assert [(s.response_id, s.final("uses.originality")) for s in again.sheets] == [
            ("u1", float(scores[0])),
            ("u2", float(scores[1])),
            *([("u3", None)] if name == "scores" else []),
        ]


def test_a_file_that_cannot_be_written_is_named(run: Run, tmp_path: Path) -> None:
    export_run(run, tmp_path / "out")
    (tmp_path / "out" / "results.xlsx").unlink()
    (tmp_path / "out" / "results.xlsx").mkdir()
    with pytest.raises(SettingError, match=r"results\.xlsx: cannot be written .* runs export"):
        export_run(run, tmp_path / "out")


def test_of_a_response_in_two_files_the_latest_counts(run: Run, tmp_path: Path) -> None:
    export_run(run, tmp_path / "out")
    responses = tmp_path / "out" / "responses"
    (kept, *_) = responses.iterdir()
    earlier = responses / "earlier.json"
    earlier.write_text(kept.read_text(encoding="utf-8").replace("scripted:one", "nobody"), encoding="utf-8")
    os.utime(earlier, (1, 1))
    found = read_run_folder(tmp_path / "out", run.task)
    assert found is not None
    assert found.outcomes == tuple(run.outcomes)
