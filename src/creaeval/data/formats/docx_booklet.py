"""Responses in a Word document: a booklet (the id and then one row a step), or a table with a header."""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, Any

from creaeval.data.files import looks_like, read_bytes
from creaeval.data.ids import clean_name
from creaeval.data.tables.docx_text import body_blocks, cell_text, list_marks, table_rows
from creaeval.data.tables.response_rows import add_responses, holds_responses
from creaeval.data.tables.table import Cell, make_table
from creaeval.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.data.response_builder import ResponseSource
    from creaeval.data.tables.table import Table
    from creaeval.tasks import Task


def read_docx_booklet(source: ResponseSource) -> None:
    """Read the response of a booklet, or those of a table with a header.

    A booklet is one table of one column: the response's id, then the steps in the task's order; the scenario
    is what follows the last underscore of the id if it looks like ``FS10``. In a table the first row names
    the columns, as in a CSV file: an id, steps and others.
    """
    path, task = source.path, source.task
    rows = _read_rows(path, task)
    if holds_responses([clean_name(cell) for cell in rows[0]], task):
        add_responses(_table(rows, path), source)
        return
    cells = [row[0] for row in rows]
    response_id = cells[0].strip()
    steps = {step.id: text for step, text in zip(task.steps, cells[1:], strict=True)}
    scenario = re.search(r"_(FS\d+)$", response_id)
    source.add(str(path), response_id, steps, scenario[1] if scenario else None)


def _table(rows: list[list[str]], path: Path) -> Table:
    def length_problem(number: int, length: int, expected: int) -> str:
        return (
            f"{path}, row {number}: found {length} cells, expected {expected} as in the header. Merged cells "
            "are not read."
        )

    records = [(number, [Cell(text) for text in row]) for number, row in enumerate(rows, 1)]
    filled = [(number, row) for number, row in records if not all(cell.blank for cell in row)]
    return make_table(path, None, filled, length_problem)


def _read_rows(path: Path, task: Task) -> list[list[str]]:
    from docx import Document

    data = read_bytes(path)
    kind = looks_like(data) or f"text that starts with {data[:20].decode('utf-8', 'replace')!r}"
    if kind != "a Word document (.docx)":
        raise DataError(f"{path}: looks like {kind}, expected a Word document (.docx).")
    try:
        return _rows_of(Document(BytesIO(data)), path, task)
    except DataError:
        raise
    except Exception as error:  # python-docx answers damage with whatever its parser runs into
        raise DataError(
            f"{path}: the Word document is damaged ({str(error)[:200]}). Open it in Word and save it again."
        ) from error


def _rows_of(document: Any, path: Path, task: Task) -> list[list[str]]:
    tables, outside = body_blocks(document.element.body)
    expected = (
        f"expected one table of {len(task.steps) + 1} rows and 1 column: the response's id, then "
        f"{', '.join(step.id for step in task.steps)}; or a table whose first row names the columns, among "
        "them 'id' and a step. No response was read from it."
    )
    if len(tables) != 1:
        count = "no table" if not tables else f"{len(tables)} tables"
        raise DataError(f"{path}: found {count}, {expected}")
    if outside:
        raise DataError(f"{path}: found text outside the table, {outside[:80]!r}, {expected}")
    rows = list(table_rows(tables[0]))
    columns = max((len(row) for row in rows), default=0)
    numbering, styles = _lists(document)
    # Lists count afresh in every cell: a step's items start at 1 even where Word's list runs on.
    texts = [[cell_text(cell, list_marks(numbering, styles)) for cell in row] for row in rows]
    if texts and holds_responses([clean_name(text) for text in texts[0]], task):
        return texts
    if len(rows) != len(task.steps) + 1 or any(len(row) != 1 for row in rows):
        raise DataError(f"{path}: found a table of {len(rows)} rows x {columns} columns, {expected}")
    return texts


def _lists(document: Any) -> tuple[Any | None, dict[str, Any]]:
    from docx.opc.constants import RELATIONSHIP_TYPE

    relations = [r for r in document.part.rels.values() if r.reltype == RELATIONSHIP_TYPE.NUMBERING]
    styles = {}
    for style in document.styles.element.style_lst:
        in_list = style.pPr.numPr if style.pPr is not None else None
        if in_list is not None:
            styles[style.styleId] = in_list
    return relations[0].target_part.element if relations else None, styles
