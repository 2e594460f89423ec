"""Booklets in workbooks: a sheet a step with a row a team, or a sheet a team with a row a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from openpyxl import Workbook  # type: ignore[import-untyped,unused-ignore]

from creaeval.data import read_data, read_responses
from creaeval.errors import DataError

from ..support import cgpst, the_problem
from .documents import ITEMS, NAMES, TITLES, WRITTEN, numbered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from creaeval.data import Response

TEAMS = ("Puffins", "Terns")


def book(path: Path, sheets: Mapping[str, Sequence[Sequence[Any]]]) -> Path:
    workbook = Workbook()
    workbook.remove(workbook.active)
    for name, rows in sheets.items():
        sheet = workbook.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    workbook.save(path)
    return path


def of(team: str, step: str) -> str:
    """Return what a team wrote in a step, the items numbered."""
    return "\n".join(numbered(step)).replace("captains", f"captains of the {team}")


def check(responses: Sequence[Response]) -> None:
    """Assert that these are the booklets of both teams."""
    assert [response.id for response in responses] == list(TEAMS)
    for response in responses:
        assert {step: text.text for step, text in response.steps.items()} == {
            step: of(response.id, step) for step in WRITTEN
        }
        assert [len(response.steps[step].items) for step in sorted(ITEMS)] == [2, 2, 2]


@pytest.mark.parametrize("names", [[f"Step {n}" for n in range(1, 7)], NAMES])
def test_a_sheet_may_be_a_step_with_a_row_a_team(tmp_path: Path, names: list[str]) -> None:
    sheets = {
        name: [["Team", "Answer"], *([team, of(team, step)] for team in TEAMS)]
        for name, step in zip(names, WRITTEN, strict=True)
    }
    check(read_responses(book(tmp_path / "a.xlsx", sheets), cgpst()))


def test_what_stands_beside_a_step_is_no_part_of_its_text(tmp_path: Path) -> None:
    header = ["Team", "Scenario", "School", "E-mail", "Answer", "Comment"]
    sheets = {
        f"Step {n}": [
            header,
            ["Terns", "FS2", "Dale", "t@b.org", of("Terns", step), ""],
            ["Puffins", "FS1", "Hill" if n == 1 else "", "p@b.org", of("Puffins", step), f"Remark {n}"],
        ]
        for n, step in enumerate(WRITTEN, 1)
    }
    found = read_data(book(tmp_path / "a.xlsx", sheets), cgpst())
    check(found.responses[::-1])
    assert [(r.scenario, r.metadata["School"]) for r in found.responses] == [("FS2", "Dale"), ("FS1", "Hill")]
    # A remark on one step is none on the whole, and who can be reached where is nobody's business.
    assert all(set(r.metadata) <= {"School", "Comment"} for r in found.responses)
    assert "Comment" not in found.responses[1].metadata
    assert any("left out as personal data: 'E-mail'" in note for note in found.notes)


def test_items_may_have_columns_of_their_own_and_a_team_may_skip_a_step(tmp_path: Path) -> None:
    sheets = {
        "Step 1": [
            ["Team", "Challenge 1", "Challenge 2"],
            ["Puffins", *WRITTEN["step1"]],
            ["Terns", "Nets", "NA"],
        ],
        "Step 2": [["Team", "Answer"], ["Terns", "How might we mend the nets?"]],
    }
    puffins, terns = read_responses(book(tmp_path / "a.xlsx", sheets), cgpst())
    assert [item.text for item in puffins.steps["step1"].items] == WRITTEN["step1"]
    assert (list(puffins.steps), list(terns.steps)) == (["step1"], ["step1", "step2"])
    assert [item.text for item in terns.steps["step1"].items if not item.blank] == ["Nets"]


def test_another_sheet_among_steps_is_named(tmp_path: Path) -> None:
    sheets = {f"Step {n}": [["Team", "Answer"], ["Puffins", "Fog nets"]] for n in (1, 2)}
    path = book(tmp_path / "a.xlsx", {**sheets, "Notes": [["Remark"], ["Late"]]})
    found = read_data(path, cgpst())
    assert [list(response.steps) for response in found.responses] == [["step1", "step2"]]
    assert found.notes == [f"{path}: not read, since the others are steps: Notes."]
    assert found.not_read == found.notes


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [["Team", "Answer"], ["Puffins", "Nets"], ["Puffins", "Wells"]],
            "row 3: 'Puffins' stands on this sheet twice",
        ),
        ([["Team", "Answer"], ["Puffins", "Nets"], ["", "Wells"]], "row 3: found the id ''"),
        (
            [["Place", "Answer"], ["Puffins", "Nets"], ["Terns", "Wells"]],
            "no column could be the id (whose step it is)",
        ),
        (
            [["Team", "Idea A", "Why"], ["Puffins", "Nets", "Fog"]],
            "the columns 'Idea A' and 'Why' could both be the text",
        ),
    ],
)
def test_a_sheet_of_a_step_that_cannot_be_told_is_refused(
    tmp_path: Path, rows: list[list[str]], message: str
) -> None:
    path = book(tmp_path / "a.xlsx", {"Step 1": rows, "Step 2": [["Team", "Answer"], ["Puffins", "Nets"]]})
    assert f"{path}, Step 1" in (problem := the_problem(lambda: read_responses(path, cgpst())))
    assert message in problem


def test_a_sheet_may_be_a_team_with_a_row_a_step(tmp_path: Path) -> None:
    sheets = {
        team: [
            ["Step", "Answer"],
            *([title, of(team, step)] for title, step in zip(TITLES, WRITTEN, strict=True)),
        ]
        for team in TEAMS
    }
    check(read_responses(book(tmp_path / "a.xlsx", sheets), cgpst()))


def test_a_sheet_may_be_a_team_with_a_row_an_item(tmp_path: Path) -> None:
    sheets: dict[str, list[list[Any]]] = {
        team: [
            ["Step", "Item", "School", "Answer"],
            *(
                [f"Step {n}", number, "Hill" if (n, number) == (1, 1) else "", line]
                for n, step in enumerate(WRITTEN, 1)
                for number, line in enumerate(WRITTEN[step], 1)
            ),
        ]
        for team in TEAMS
    }
    for response in read_responses(book(tmp_path / "a.xlsx", sheets), cgpst()):
        assert [item.text for item in response.steps["step3"].items] == WRITTEN["step3"]
        assert response.steps["step6"].text.splitlines() == WRITTEN["step6"]
        # The number of an item is nothing of the whole.
        assert response.metadata == {"School": "Hill"}


def test_titles_and_answers_without_a_header_are_no_table_with_one(tmp_path: Path) -> None:
    sheets = {team: [[t, of(team, s)] for t, s in zip(TITLES, WRITTEN, strict=True)] for team in TEAMS}
    path = book(tmp_path / "a.xlsx", sheets)
    with pytest.raises(DataError) as caught:
        read_responses(path, cgpst())
    assert caught.value.problems[0].startswith(
        f"{path}, Puffins, row 1: 'Step 1: Identify Challenges' names a step as the rows below do"
    )
    found = read_data(path, cgpst(), header=0)
    check(found.responses)
    assert found.notes == [f"{path}, {team}: the column 'B' was read as the text." for team in TEAMS]
