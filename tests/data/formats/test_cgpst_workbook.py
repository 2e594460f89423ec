"""The workbooks of CGPST's raters. These are made here: the real ones are not published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from openpyxl import Workbook  # type: ignore[import-untyped,unused-ignore]

from creaeval.data import read_ratings
from creaeval.sheets import ItemScores

from ..support import brick, cgpst, problems_of, the_problem
from ..tables.test_workbook import rewrite

if TYPE_CHECKING:
    from pathlib import Path

DESCRIBED = "taken from a description of the CGPST sheet, not from a real workbook"


def items(first: int, *rows: tuple[object, ...], columns: str = "CHPQ") -> dict[str, object]:
    return {f"{c}{first + n}": v for n, row in enumerate(rows) for c, v in zip(columns, row, strict=True)}


# Step 1: 3 valid items of 2 categories; 3 + 2 + (2 + 1 + 0) + (1 + 2 + 0) = 11.
# Step 2: 2 + 3 + 1 + 2 = 8; 8 + 7.5 + 6 = 21.5. Step 3: 1 valid item: 1 + 1 + 2 + 2 = 6.
# Step 4: 1 + 0 + 1 + 1 + 1 = 4; 3 + 2 + 1 + 0 + 2 = 8; together 12. Step 5: 4.
# Step 6: 3 + 4 + 2 + 3 + 5 + 8 = 25. Total: 11 + 21.5 + 6 + 12 + 4 + 25 = 79.5.
SHEET: dict[str, object] = {
    **{"A1": "Human scoring sheet", "A2": "Human ID", "F2": "H31", "M2": "FS ID", "R2": "FS10"},
    **{"U2": "Answer ID", "X2": "A05", "A4": "Challenges", "C4": "Category", "H4": "Invalid"},
    **items(
        5,
        ("Environment", None, 2, 1),
        ("environment", None, 1, 2),
        (None, "Duplicate — means the same as another", None, None),
        ("Law & Justice", None, 0, 0),
        (None, "Blank", 0, 0),
    ),
    **{"W19": 3, "W21": 2, "W23": 3, "W25": 3, "W27": 11},
    **{"U32": 2, "U34": 3, "U37": 1, "U40": 2, "U43": 7.5, "U46": 6, "W49": 21.5},
    **items(56, ("Technology", None, 2, 2), (None, "Why — no tie to the problem", None, None)),
    **{"W70": 1, "W72": 1, "W74": 2, "W76": 2, "W78": 6},
    **items(88, (1, 3), (0, 2), (1, 1), (1, 0), (1, 2), columns="CF"),
    **{"X86": 4, "X89": 8, "W95": 12, "X92": 4, "W97": 4},
    **{"Y102": 3, "Y106": 4, "Y110": 2, "Y114": 3, "Y118": 5, "Y122": 8, "W129": 25, "X133": 79.5},
}
MERGED = ["C5:G5", "U32:V33", "W27:Y28", "X133:Z134", "F2:L2", "X2:Z2"]


def book(path: Path, hidden: tuple[str, ...] = (), **sheets: dict[str, Any]) -> Path:
    workbook = Workbook()
    workbook.remove(workbook.active)
    for name, cells in sheets.items():
        sheet = workbook.create_sheet(name)
        sheet.sheet_state = "hidden" if name in hidden else "visible"
        for cell, value in cells.items():
            sheet[cell] = value
        for merged in MERGED if cells else ():
            sheet.merge_cells(merged)
    workbook.save(path)
    return path


def test_each_value_is_read_from_its_cell(tmp_path: Path) -> None:
    path = book(tmp_path / "H31_FS10.xlsx", A05=SHEET, A06={**SHEET, "X2": "A06_FS10", "U43": 3})
    first, second = read_ratings(tmp_path, cgpst())
    assert (first.response_id, first.rater, first.metadata) == ("A05_FS10", "H31", {"scenario": "FS10"})
    assert (first.source, first.stage) == (str(path), "")
    assert (second.response_id, second.sheet.final("step2.focus")) == ("A06_FS10", 3)
    sheet = first.sheet
    overalls = {f"step{n}.overall": v for n, v in enumerate((11, 21.5, 6, 12, 4, 25), 1)}
    assert {name: sheet.final(name) for name in overalls} == overalls
    assert (sheet.total, sheet.written_total) == (79.5, 79.5)
    assert {row.dimension: row.model_score for row in sheet.rows() if row.item is None} == {
        **{"step1.fluency": 3, "step1.flexibility": 2, "step1.elaboration": 3, "step1.originality": 3},
        **{"step2.condition_phrase": 2, "step2.stem_kvp": 3, "step2.purpose": 1, "step2.fs_parameters": 2},
        **{"step2.focus": 7.5, "step2.adequacy": 6, "step2.integrity": 8},
        **{"step3.fluency": 1, "step3.flexibility": 1, "step3.elaboration": 2, "step3.originality": 2},
        **{"step4.correctly_written": 4, "step4.relevance": 8, "step5.correctly_used": 4},
        **{"step6.relevance": 3, "step6.effectiveness": 4, "step6.criteria": 2, "step6.impact": 3},
        **{"step6.humaneness": 5, "step6.development": 8, **overalls, "total": 79.5},
    }
    step1, step4 = sheet.step("step1"), sheet.step("step4")
    assert step1 is not None
    assert step1.items[:3] == (
        ItemScores(item=1, category="Environment", scores={"fluency": 1, "elaboration": 2, "originality": 1}),
        ItemScores(item=2, category="Environment", scores={"fluency": 1, "elaboration": 1, "originality": 2}),
        ItemScores(item=3, invalid="duplicate", scores={"fluency": 0}),
    )
    assert [item.invalid for item in step1.items] == [None, None, "duplicate", None, "blank"]
    assert step4 is not None
    assert step4.items[1].scores == {"correctly_written": 0, "relevance": 2}


@pytest.mark.parametrize(
    ("cell", "value", "message"),
    [
        ("U32", 4, "A05!U32: found '4', expected a whole or half number from 0 to 2"),
        ("U43", "seven", "A05!U43: found 'seven', expected a whole or half number from 1 to 10"),
        ("P6", 3, "A05!P6: found '3', expected a whole number from 0 to 2"),
        ("C5", "Enviroment", "A05!C5: found the category 'Enviroment'. Did you mean 'Environment'?"),
        ("H7", "Dublicate — same", "A05!H7: found 'Dublicate — same' as the reason why an item is invalid."),
        ("F89", 4, "A05!F89: found '4', expected a whole number from 0 to 3"),
        ("X92", 0, "A05!X92: found '0', expected a whole number from 1 to 5"),
        ("X133", 187, "A05!X133: found '187', expected a whole or half number from 9 to 186"),
        ("W27", "=SUM(W19:W25)", "A05!W27 is a formula without a stored value where step1.overall is due."),
        ("Y106", "#REF!", "A05!Y106 is the error #REF! where step6.effectiveness is due."),
        ("F2", None, "A05!F2: found the id '', expected one that is not empty (the Human ID)."),
        ("X2", None, "A05!X2: found the id '', expected one that is not empty (the Answer ID)."),
        ("X2", 1.5, "A05!X2 is the number 1.5 where the Answer ID is due."),
        ("X2", "A05_FS1", "A05!X2: found the answer 'A05_FS1', which is of FS1, but R2 says 'FS10'."),
    ],
)
def test_a_wrong_cell_is_named_by_sheet_and_cell(
    tmp_path: Path, cell: str, value: object, message: str
) -> None:
    path = book(tmp_path / "H31_FS10.xlsx", A05={**SHEET, cell: value}, A06={**SHEET, "X2": "A06"})
    problem = the_problem(lambda: read_ratings(path, cgpst()))
    assert problem.startswith(f"{path}: {message}")
    assert DESCRIBED in problem


def test_the_description_is_mentioned_once_a_file(tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", A05={**SHEET, "U32": 4, "U34": 4})
    problems = problems_of(lambda: read_ratings(path, cgpst()))
    assert [DESCRIBED in problem for problem in problems] == [True, False]


def test_formulas_count_with_their_stored_values(tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", A05={**SHEET, "W27": "=W19+8"})
    change = {
        b"<f>W19+8</f><v />": b"<f>W19+8</f><v>11</v>",
        b"<f>W19+8</f><v></v>": b"<f>W19+8</f><v>11</v>",
    }
    (rating,) = read_ratings(rewrite(path, "xl/worksheets/sheet1.xml", change), cgpst())
    step1 = rating.sheet.step("step1")
    assert step1 is not None
    assert step1.written["overall"] == 11


def test_hidden_sheets_templates_and_notes_are_left_out(tmp_path: Path) -> None:
    labels = {cell: value for cell, value in SHEET.items() if isinstance(value, str) and cell[0] in "AMU"}
    template = {**labels, "F2": "H31", "X2": "A07", "W27": 0, "W49": "=SUM(U32:U46)", "X133": 0}
    notes = {"A1": "How to score", "C6": "Write the category here"}
    path = book(
        tmp_path / "a.xlsx", hidden=("old",), old=SHEET, A05=SHEET, A07=template, empty={}, notes=notes
    )
    assert [r.response_id for r in read_ratings(path, cgpst())] == ["A05_FS10"]


def test_a_step_that_was_not_scored_is_absent(tmp_path: Path) -> None:
    cells = {c: v for c, v in SHEET.items() if not c.startswith("Y")}
    path = book(tmp_path / "a.xlsx", A05={**cells, "W129": 0, "X133": 54.5})
    (rating,) = read_ratings(path, cgpst())
    assert rating.sheet.step("step6") is None
    assert (rating.sheet.total, rating.sheet.written_total) == (None, 54.5)


def test_with_nothing_but_hidden_or_empty_sheets_there_is_an_error(tmp_path: Path) -> None:
    hidden = book(tmp_path / "a.xlsx", hidden=("A05",), A05=SHEET, notes={"A1": "x"})
    problem = the_problem(lambda: read_ratings(hidden, cgpst()))
    assert problem.startswith(f"{hidden}: ")
    assert "hidden" in problem
    assert [r.rater for r in read_ratings(hidden.with_name("a.xlsx#A05"), cgpst())] == ["H31"]
    empty = book(tmp_path / "b.xlsx", A05={"F2": "H31", "X2": "A05", "R2": "FS10"})
    problem = the_problem(lambda: read_ratings(empty, cgpst()))
    assert problem.startswith(f"{empty}: none of the sheets A05 holds a score.")
    assert DESCRIBED in problem


def test_a_sheet_with_points_and_no_ids_is_not_lost(tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", A05=SHEET, A06={**SHEET, "F2": None, "X2": None})
    problems = problems_of(lambda: read_ratings(path, cgpst()))
    assert [problem.partition(": found")[0] for problem in problems] == [f"{path}: A06!F2", f"{path}: A06!X2"]


def test_one_answer_on_two_sheets_is_rated_twice(tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", A05=SHEET, copy=SHEET)
    problem = the_problem(lambda: read_ratings(path, cgpst()))
    assert problem.startswith(f"{path}, copy: response 'A05_FS10' was already rated by 'H31' in {path}, A05")


def test_a_wide_table_is_no_such_workbook_nor_is_any_of_another_task(tmp_path: Path) -> None:
    workbook = Workbook()
    workbook.active.append(["respons", *(f"c{n}" for n in range(30))])
    workbook.active.append(["R1", *range(30)])
    workbook.save(tmp_path / "a.xlsx")
    assert "no column could be the id (what was rated)" in the_problem(
        lambda: read_ratings(tmp_path, cgpst())
    )
    workbook = Workbook()
    workbook.active.append(["Step 1", None, None, None, None, "Step 2"])
    workbook.active.append([f"c{n}" for n in range(30)])
    workbook.active["W97"] = 3
    workbook.save(tmp_path / "a.xlsx")
    assert "no column could be the id (what was rated)" in the_problem(
        lambda: read_ratings(tmp_path, cgpst())
    )
    path = book(tmp_path / "b.xlsx", A05=SHEET)
    problems = problems_of(lambda: read_ratings(path, brick()))
    assert (
        f"{path}, A05, row 2: the column 'Human scoring sheet H31' is there twice. Rename one" in problems[3]
    )
