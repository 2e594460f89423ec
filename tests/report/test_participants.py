"""Participants in the terminal's summary and on a report's page."""

from __future__ import annotations

import math
import re
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

import creaeval
from creaeval.report.html import run_report
from creaeval.report.html.page import render_report
from creaeval.report.participants import participant_rows
from creaeval.report.terminal import print_run
from scripted import ScriptedModel
from uses import use

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.runs import Run


def scored(folder: Path, people: int, uses: int = 2) -> Run:
    """Uses that a scripted judge gives 1 each, and a blank one for each participant."""
    responses = [
        use(f"p{who}u{n}", "a hat" if n else "", participant=f"p{who}")
        for who in range(people)
        for n in range(uses + 1)
    ]
    return creaeval.score(
        responses, task="aut", method="direct", judges=ScriptedModel("j"), ledger=folder / "l.db"
    )


def printed(run: Run) -> str:
    console = Console(file=StringIO(), width=80, highlight=False)
    print_run(console, run)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_a_few_participants_are_shown_with_their_scores_over_all_objects(tmp_path: Path) -> None:
    lines = [line.split() for line in printed(scored(tmp_path, 2)).splitlines()]
    headings = ["Participant", "Fluency", "Mean", "Max", "Top", "2", "Top", "3", "Elaboration"]
    assert lines[lines.index(headings) + 2] == ["p0", "2", "1", "1", "1", "–", "2"]


@pytest.mark.parametrize(("people", "uses", "said"), [(2, 1, False), (10, 3, False), (10, 4, True)])
def test_what_is_left_out_is_said_only_where_something_is(
    tmp_path: Path, people: int, uses: int, said: bool
) -> None:
    # The blank ones count as rows, too: 4, 40 and 50.
    text = printed(scored(tmp_path, people, uses))
    assert ("The first 40 rows; scores_wide.csv has all." in text) is said
    assert "At most" not in text


def test_many_participants_are_not_shown_in_the_terminal(tmp_path: Path) -> None:
    assert "Participants, over all objects" not in printed(scored(tmp_path, 21, 1))


def test_a_report_has_a_table_of_participants_for_each_object(tmp_path: Path) -> None:
    page = render_report(run_report(scored(tmp_path, 2)))
    table = page.partition("By participant")[2].partition("</table>")[0]
    rows = [re.sub("<[^>]*>", " ", row).split() for row in table.split("<tr")[2:]]
    assert [row[-9:] for row in rows if "p1" in row] == [
        ["p1", name, "3", "2", "1", "1", "1", "–", "2"] for name in ("brick", "(all)")
    ]
    assert "Fluency is the number of valid uses with a score." in page


def test_columns_that_say_nothing_are_left_out(tmp_path: Path) -> None:
    run = scored(tmp_path, 1)
    assert list(participant_rows(run.task, run.participants)) == [
        *("Participant", "Object", "Uses", "Fluency", "Mean", "Max", "Top 2", "Top 3", "Elaboration")
    ]
    table = run.participants.assign(judge=["j", "k"], flexibility=[1.0, math.nan], n_failed=[0, 2])
    assert list(participant_rows(run.task, table)) == [
        *("Participant", "Object", "Judge", "Uses", "Fluency", "Failed", "Mean", "Max", "Top 2", "Top 3"),
        *("Flexibility", "Elaboration"),
    ]
