"""Booklets as teams write them, made with python-docx and, where it cannot, with Word's own XML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import docx
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from creaeval.data import read_responses
from creaeval.data.formats.booklet import read_booklet
from creaeval.data.response_builder import ResponseSource

from ..support import cgpst

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.tasks import Task

NAMES = [
    "Identify Challenges",
    "Select an Underlying Problem",
    "Produce Solutions",
    "Select Criteria",
    "Apply Criteria to Top Solution",
    "Develop an Action Plan",
]
TITLES = [f"Step {number}: {name}" for number, name in enumerate(NAMES, 1)]
#: What is written in each step, a line an item or paragraph.
WRITTEN = {
    "step1": ["Gulls may follow the drones into the market.", "Old captains may lose their work."],
    "step2": ["Since drones fish by night, how might we keep the captains at work in Port Salt in 2051?"],
    "step3": ["Captains teach the drones where the shoals are.", "Each drone pays a share to the harbour."],
    "step4": ["Which solution helps the captains most?", "Which solution is cheapest to begin?"],
    "step5": ["Solution | C1 | C2 | Total", "1 | 2 | 1 | 3", "2 | 1 | 2 | 3"],
    "step6": ["In spring the harbour asks ten captains.", "By autumn each of them has a class of drones."],
}
ITEMS = {"step1", "step3", "step4"}


def numbered(step: str) -> list[str]:
    """Return what is written in a step, with typed numbers before the items."""
    lines = WRITTEN[step]
    return [f"{n}. {line}" for n, line in enumerate(lines, 1)] if step in ITEMS else lines


def written_in(path: Path, task: Task | None = None) -> dict[str, list[str]]:
    """Read the one response of a file: by step the items or paragraphs that are not blank."""
    (response,) = read_responses([path], task or cgpst())
    return {
        step: [item.text for item in text.items if not item.blank]
        if text.items
        else [line for line in text.text.splitlines() if line.strip()]
        for step, text in response.steps.items()
    }


def read(path: Path, task: Task | None = None) -> ResponseSource:
    """Read a document by itself, with its notes and scenarios."""
    source = ResponseSource(task or cgpst(), path)
    read_booklet(source)
    return source


def grid(parent: Any, rows: list[list[str]]) -> Any:
    """Add a table to a document or a cell, filled with texts."""
    table = parent.add_table(rows=len(rows), cols=len(rows[0]))
    for row, texts in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    return table


def step_five() -> list[list[str]]:
    """Return the rows of step 5 as cells."""
    return [line.split(" | ") for line in WRITTEN["step5"]]


def xml(source: str) -> Any:
    """Make an element of Word's XML, whose prefix is ``w``."""
    first, _, rest = source.partition(">")
    closed = first.endswith("/")
    return parse_xml(f"{first.rstrip('/')} {nsdecls('w')}{'/' if closed else ''}>{rest}")


def with_titles(path: Path, titles: list[str], style: str | None = None, bold: bool = False) -> Path:
    """Write a booklet of titles and paragraphs with typed numbers."""
    document = docx.Document()
    for title, step in zip(titles, WRITTEN, strict=True):
        paragraph = document.add_paragraph(style=style)
        paragraph.add_run(title).bold = bold or None
        for line in numbered(step):
            document.add_paragraph(line)
    document.save(str(path))
    return path
