"""Tables as a workbook."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from openpyxl import load_workbook  # type: ignore[import-untyped,unused-ignore]

from creaeval.errors import SettingError
from creaeval.runs.workbook import Workbook, sheet_names, write_workbook

if TYPE_CHECKING:
    from pathlib import Path


def test_a_workbook_has_a_sheet_a_table_and_runs_no_formula(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "=name": ["=1+1", "+cmd|x", "#N/A", "bell\x07", "-5"],
            "value": [0.5, math.nan, math.inf, 2.0, 3.0],
            "n": pd.array([1, None, 3, 4, 5], dtype="Int64"),
            "yes": pd.array([True, False, None, True, True], dtype="boolean"),
            "plain": [np.bool_(True)] * 5,
        }
    )
    names = {"a/b": frame, "A_B": frame.iloc[:0]}
    book = load_workbook(write_workbook(names, tmp_path / "tables.xlsx"))
    assert book.sheetnames == ["a_b", "A_B 2"]
    sheet = book["a_b"]
    assert sheet.freeze_panes == "A2"
    rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
    assert rows == [
        ["'=name", "value", "n", "yes", "plain"],
        ["'=1+1", 0.5, 1, True, True],
        ["'+cmd|x", None, None, False, True],
        ["#N/A", "inf", 3, None, True],
        ["bell", 2, 4, True, True],
        ["-5", 3, 5, True, True],
    ]
    types = {cell.data_type for row in sheet.iter_rows(max_col=1) for cell in row}
    assert types == {"s"}
    assert [[cell.value for cell in row] for row in book["A_B 2"].iter_rows()] == [
        ["'=name", "value", "n", "yes", "plain"]
    ]


def test_equal_tables_make_equal_files_whenever_they_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = {"a": pd.DataFrame({"": [1, 2]})}
    first = write_workbook(tables, tmp_path / "first.xlsx").read_bytes()
    moment = time.struct_time((2031, 2, 3, 4, 5, 6, 0, 34, 0))
    monkeypatch.setattr("zipfile.time.localtime", lambda *_: moment)
    assert write_workbook(tables, tmp_path / "second.xlsx").read_bytes() == first
    # A column without a name has an empty heading.
    assert [row[0] for row in load_workbook(tmp_path / "first.xlsx")["a"].values] == [None, 1, 2]


def test_long_text_is_cut_with_a_mark_and_no_table_is_refused(tmp_path: Path) -> None:
    book = load_workbook(write_workbook({"t": pd.DataFrame({"a": ["x" * 40_000]})}, tmp_path / "t.xlsx"))
    text = book["t"]["A2"].value
    assert len(text) == 32_767
    assert text.endswith("x … (cut)")
    with pytest.raises(SettingError, match=r"none\.xlsx: there is no table to write"):
        write_workbook({}, tmp_path / "none.xlsx")


def test_names_of_sheets_are_legal_and_their_own() -> None:
    long = "a name that is too long for a sheet of Excel"
    found = sheet_names([long, long.upper(), "'x'", "", "[1]:*?/\\", "History", "t", "T"])
    assert found == [
        "a name that is too long for a s",
        "A NAME THAT IS TOO LONG FOR A 2",
        "x",
        "table",
        "_1______",
        "History_",
        "t",
        "T 2",
    ]
    assert max(map(len, found)) == 31


def test_rows_that_come_in_parts_are_one_sheet_and_its_columns_are_as_wide_as_needed(tmp_path: Path) -> None:
    with Workbook() as book:
        for part in (["one", "a longer text"], ["x"]):
            book.append("t", pd.DataFrame({"name": part, "text": ["y" * 400] * len(part)}))
        book.append("other", pd.DataFrame({"n": [1]}))
        found = load_workbook(book.save(tmp_path / "t.xlsx", first=["other", "absent"]))
    assert found.sheetnames == ["other", "t"]
    assert [row[0].value for row in found["t"].iter_rows()] == ["name", "one", "a longer text", "x"]
    widths = found["t"].column_dimensions
    assert (widths["A"].width, widths["B"].width) == (len("a longer text") + 2, 50)
    assert found["t"]["A1"].font.bold


def test_rows_that_do_not_fit_into_a_sheet_are_counted_in_its_last_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("creaeval.runs.workbook._MOST_DATA", 3)
    with Workbook() as book:
        for _ in range(3):
            book.append("t", pd.DataFrame({"n": [1, 2]}))
        found = load_workbook(book.save(tmp_path / "t.xlsx"))["t"]
    assert [row[0].value for row in found.iter_rows()] == [
        *("n", 1, 2, 1),
        "… 3 more rows do not fit into a sheet; the csv file has all.",
    ]
