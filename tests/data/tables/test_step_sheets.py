"""Booklets in workbooks: a sheet a step, a sheet a team, a column an item, a row a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from openpyxl import Workbook  # type: ignore[import-untyped,unused-ignore]

from creaeval.data import read_data
from creaeval.data.items import make_step
from creaeval.errors import DataError

from ..support import cgpst

if TYPE_CHECKING:
    from pathlib import Path

STEPS = [f"step{number}" for number in range(1, 7)]
WRITTEN = {
    "Herons": [
        "nets tear\nfog stays out",
        "How might we mend them?",
        "mend\nwatch",
        "cheap?",
        "1 | 2",
        "We mend.",
    ],
    "Otters": ["no trust", "How might we open it?", "print it", "fast?", "2 | 1", "We print."],
}


def book(path: Path, sheets: dict[str, list[list[Any]]]) -> Path:
    made = Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    made.save(path)
    return path


def read(path: Path) -> dict[str, dict[str, str]]:
    found = read_data(path, cgpst())
    return {r.id: {step: text.text for step, text in r.steps.items()} for r in found.responses}


def wanted(texts: list[str]) -> dict[str, str]:
    task = cgpst()
    return {step: make_step(task.step(step), text).text for step, text in zip(STEPS, texts, strict=True)}


EXPECTED = {team: wanted(texts) for team, texts in WRITTEN.items()}


def test_a_sheet_a_step(tmp_path: Path) -> None:
    sheets = {
        f"Step {number}": [
            ["Team", "Answer"],
            *([team, texts[number - 1]] for team, texts in WRITTEN.items()),
        ]
        for number in range(1, 7)
    }
    assert read(book(tmp_path / "a.xlsx", sheets)) == EXPECTED


def test_a_sheet_a_step_with_a_column_an_item(tmp_path: Path) -> None:
    sheets = {
        name: [["Team", "A", "B"], *([team, *texts[place].split("\n")] for team, texts in WRITTEN.items())]
        for name, place in (("Schritt 1", 0), ("Schritt 3", 2))
    }
    found = read(book(tmp_path / "a.xlsx", sheets))
    assert found == {
        team: {step: texts[step] for step in ("step1", "step3")} for team, texts in EXPECTED.items()
    }


def test_a_sheet_a_team(tmp_path: Path) -> None:
    sheets = {
        team: [["Step", "Answer"], *([f"Step {number}", text] for number, text in enumerate(texts, 1))]
        for team, texts in WRITTEN.items()
    }
    assert read(book(tmp_path / "a.xlsx", sheets)) == EXPECTED


@pytest.mark.parametrize("titles", ["Step {}", "STEP-{}", "Schritt {}", "Étape {} :", "Paso {}"])
def test_a_column_a_step(tmp_path: Path, titles: str) -> None:
    header = ["Team", *(titles.format(number) for number in range(1, 7))]
    rows = [header, *([team, *texts] for team, texts in WRITTEN.items())]
    assert read(book(tmp_path / "a.xlsx", {"all": rows})) == EXPECTED


def test_a_team_that_is_there_twice_is_named(tmp_path: Path) -> None:
    row = ["Herons", "text of the step"]
    sheets = {name: [["Team", "Answer"], row, row] for name in ("Step 1", "Step 2")}
    with pytest.raises(DataError, match=r"Step 1, row 3: 'Herons' stands on this sheet twice. Keep one"):
        read_data(book(tmp_path / "a.xlsx", sheets), cgpst())


def test_a_sheet_that_names_nobody_is_refused(tmp_path: Path) -> None:
    sheets = {name: [["Answer"], ["a text of some words"]] for name in ("Step 1", "Step 2")}
    with pytest.raises(DataError, match="whose step it is"):
        read_data(book(tmp_path / "a.xlsx", sheets), cgpst())
