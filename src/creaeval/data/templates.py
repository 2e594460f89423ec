"""Blank booklets and rater sheets of a task, in the forms that are read back."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from creaeval.data.rating_builder import CATEGORY, INVALID
from creaeval.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from creaeval.tasks import Dimension, Items, Step, Task

#: Rows of a sheet in which cells say what they take.
_ROWS = 2000
#: What Excel shows of a cell's hint.
_TITLE, _HINT = 32, 255
#: A heading of a ranking table in more cells than these would be taken for an answer.
_MOST_CRITERIA = 7
_WIDTHS = {"response": 60, "response_id": 18, "rater": 14}


def write_templates(task: Task, folder: Path) -> list[Path]:
    """Write what a task's respondents and raters fill in, in the task's language where its words are known.

    Parameters
    ----------
    task : Task
        The task.
    folder : Path
        Where to; made if need be.

    Returns
    -------
    list of Path
        ``TASK_booklet.docx`` (for short texts that share calls the table ``TASK_responses.xlsx``), which
        :func:`creaeval.data.read_responses` reads when it is filled in, and ``TASK_ratings.xlsx``, which
        :func:`creaeval.data.read_ratings` reads.

    Raises
    ------
    SettingError
        One of the files is there already, of which none is written then, or they cannot be written.
    """
    makers: dict[str, Callable[[Task], Any]] = {"ratings.xlsx": _rater_sheet}
    answers = "booklet.docx" if task.batching is None else "responses.xlsx"
    makers = {answers: _booklet if task.batching is None else _response_table, **makers}
    paths = {folder / f"{task.id}_{name}": make for name, make in makers.items()}
    if taken := [path for path in paths if path.exists()]:
        raise SettingError(
            f"{taken[0]}: this file is there already, and templates are never written over one. Name another "
            "folder with --out, or move the file."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, make in paths.items():
            make(task).save(path)
    except OSError as error:
        raise SettingError(f"{error.filename or folder}: cannot be written ({error.strerror}).") from error
    return list(paths)


@cache
def _words(language: str) -> dict[str, Any]:
    from ruamel.yaml import YAML

    text = (files("creaeval.data") / "words/templates.yaml").read_text(encoding="utf-8")
    languages: dict[str, dict[str, Any]] = YAML(typ="safe").load(text)
    return languages.get(language, languages["en"])


# What respondents fill in -----------------------------------------------------------------------------------


def _booklet(task: Task) -> Any:
    """Make a document with a heading, the instruction and room for the answer of each step."""
    from docx import Document

    words, document = _words(task.language), Document()
    document.core_properties.title = task.name
    document.core_properties.author = ""
    document.add_paragraph(task.name, style="Title")
    document.add_paragraph(words["label"])
    for number, step in enumerate(task.steps, 1):
        shown = words["digits"][number - 1 : number] or str(number)
        document.add_heading(words["step"].format(number=shown, name=step.name), level=1)
        # On one line and word for word: that is how the instruction is known from an answer.
        document.add_paragraph(" ".join(step.instruction.split())).runs[0].italic = True
        if size := _grid_size(task, step):
            _add_grid(document, *size, words["solution"])
        else:
            # Numbers as text: those that Word counts itself are gone where an item stays blank.
            lines = [f"{item}. " for item in range(1, step.items.max + 1)] if step.items else ["", ""]
            for line in lines:
                document.add_paragraph(line)
    return document


def _grid_size(task: Task, step: Step) -> tuple[int, int] | None:
    """Return how many solutions and criteria a step ranks: the items of the list steps before it."""
    if all(dimension.derive != "ranking_grid" for dimension in step.dimensions):
        return None
    lists = [other.items.max for other in task.steps[: task.steps.index(step)] if other.items is not None]
    return (lists[-2], lists[-1]) if len(lists) > 1 else None


def _add_grid(document: Any, n_solutions: int, n_criteria: int, solution: str) -> None:
    # Words in brackets are no answer, so that an empty table is none.
    titles = [f"[{name}]" for name in (solution, *range(1, n_criteria + 1))]
    with_titles = n_criteria <= _MOST_CRITERIA
    table = document.add_table(n_solutions + with_titles, n_criteria + 1, style="Table Grid")
    for cell, title in zip(table.rows[0].cells, titles if with_titles else (), strict=False):
        cell.text = title


def _response_table(task: Task) -> Any:
    """Make a workbook for short texts, one a row."""
    words = _words(task.language)
    shown = [] if not task.needs_scenario else ["scenario"] if task.scenarios else ["object"]
    columns = {
        name: words["columns_of_responses"][name] for name in ("id", "participant", *shown, "response")
    }
    columns["response"] = columns["response"].format(noun=task.noun)
    book = _workbook()
    _add_table(book, words["responses"], columns)
    _add_rows(book, words["explanation"], [words["headings"][:1] + words["headings"][4:5], *columns.items()])
    return book


# What raters fill in ----------------------------------------------------------------------------------------


class _Column(NamedTuple):
    """A column of a rater sheet: its title, what is said of it, and which points or words it takes."""

    title: str
    name: str = ""
    given_for: str = ""
    text: str = ""
    levels: str = ""
    points: str = ""
    low: int = 0
    high: int = 0
    whole: bool = True
    listed: Sequence[str] = ()


def _rater_sheet(task: Task) -> Any:
    """Make a workbook with a column a dimension, and a sheet that explains each."""
    words = _words(task.language)
    columns = [_Column("response_id", text=words["whose_id"]), _Column("rater", text=words["who"])]
    longest = max((step.items.max for step in task.steps if step.items and step.item_dimensions), default=0)
    if longest:
        columns.append(_Column("item", text=words["item_number"], low=1, high=longest))
    for step in task.steps:
        if step.items is not None and step.item_dimensions:
            columns += _item_columns(task, step, step.items)
        columns += [_dimension_column(task, step, dimension) for dimension in step.dimensions]
    book = _workbook()
    sheet = _add_table(book, words["ratings"], {column.title: _hint(column) for column in columns})
    sheet.freeze_panes = "D2" if longest else "C2"
    rows = [
        (c.title, c.name, c.points, c.given_for, c.text, c.levels or "\n".join(c.listed)) for c in columns
    ]
    _add_rows(
        book, words["explanation"], [words["headings"], *rows, (), *((note,) for note in words["notes"])]
    )
    _add_checks(book, sheet, columns, words)
    return book


def _item_columns(task: Task, step: Step, items: Items) -> Iterator[_Column]:
    """Yield the columns of an item's category and of why it does not count, as far as a step has these."""
    words = _words(task.language)
    given_for = words["item"].format(item=items.name)
    codes = "\n".join(f"{code}: {text}" for code, text in items.invalid.items())
    categories = task.categories if items.categories else ()
    for part, listed, levels in ((CATEGORY, categories, ""), (INVALID, items.invalid, codes)):
        if listed:
            text = words[part].format(item=items.name)
            yield _Column(f"{step.id}.{part}", step.name, given_for, text, levels, listed=tuple(listed))


def _dimension_column(task: Task, step: Step, dimension: Dimension) -> _Column:
    words, scale = _words(task.language), dimension.scale
    of_item = dimension.scope == "item" and step.items is not None
    title = dimension.id if len(task.steps) == 1 else f"{step.id}.{dimension.id}"
    # As creaeval.data.points reads them.
    judged_once = not of_item and dimension.derive is None
    kind = "decimals" if task.total != "sum" else "halves" if judged_once else "points"
    text = [" ".join(dimension.description.split()), *(f"– {line}" for line in dimension.requirements)]
    if dimension.derive in ("valid_items", "distinct_categories"):
        text.append(words["derived"])
    return _Column(
        title,
        dimension.name if len(task.steps) == 1 else f"{step.name}: {dimension.name}",
        words["item"].format(item=step.items.name) if of_item and step.items else words["step_as_a_whole"],
        "\n".join(text),
        "\n".join(f"{level.label}: {level.text}" for level in dimension.levels),
        words[kind].format(low=scale.min, high=scale.max),
        scale.min,
        scale.max,
        kind == "points",
    )


def _hint(column: _Column) -> str:
    return "\n".join(filter(None, (column.name, column.points, column.given_for, column.text, column.levels)))


def _add_checks(book: Any, sheet: Any, columns: Sequence[_Column], words: dict[str, Any]) -> None:
    """Let cells take no other points and words than those of their columns."""
    from openpyxl.utils import get_column_letter  # type: ignore[import-untyped,unused-ignore]
    from openpyxl.worksheet.datavalidation import (  # type: ignore[import-untyped,unused-ignore]
        DataValidation,
    )

    lists: dict[str, Sequence[str]] = {column.title: column.listed for column in columns if column.listed}
    if lists:
        longest = max(map(len, lists.values()))
        rows = [[listed[n] if n < len(listed) else "" for listed in lists.values()] for n in range(longest)]
        _add_rows(book, words["codes"], [list(lists), *rows])
    for number, column in enumerate(columns, 1):
        if column.listed:
            letter = get_column_letter([*lists].index(column.title) + 1)
            source = f"'{words['codes']}'!${letter}$2:${letter}${len(column.listed) + 1}"
            check = DataValidation(type="list", formula1=source, error=words["not_listed"])
        elif column.high:
            kind = "whole" if column.whole else "decimal"
            limits = {"operator": "between", "formula1": column.low, "formula2": column.high}
            error = words["not_in_range"].format(low=column.low, high=column.high)
            check = DataValidation(type=kind, error=error, **limits)
        else:
            continue
        check.allow_blank = check.showErrorMessage = check.showInputMessage = True
        check.promptTitle, check.prompt = column.title[:_TITLE], _cut(_hint(column))
        letter = get_column_letter(number)
        check.add(f"{letter}2:{letter}{_ROWS}")
        sheet.add_data_validation(check)


def _cut(text: str) -> str:
    return text if len(text) <= _HINT else f"{text[: _HINT - 1]}…"


# Workbooks --------------------------------------------------------------------------------------------------


def _workbook() -> Any:
    from openpyxl import Workbook  # type: ignore[import-untyped,unused-ignore]

    book = Workbook()
    book.remove(book.worksheets[0])
    return book


def _add_table(book: Any, name: str, columns: dict[str, str]) -> Any:
    """Add a sheet that has nothing but its header, each cell with what is said of its column."""
    from openpyxl.comments import Comment  # type: ignore[import-untyped,unused-ignore]

    sheet = _add_rows(book, name, [list(columns)])
    for cell, text in zip(sheet[1], columns.values(), strict=True):
        cell.comment = Comment(text, "creaeval", height=160, width=320)
        sheet.column_dimensions[cell.column_letter].width = _WIDTHS.get(cell.value, len(cell.value) + 4)
        # As text, or an id such as 007 or 1.10 becomes a number.
        if cell.value in ("response_id", "id", "participant", "rater"):
            sheet.column_dimensions[cell.column_letter].number_format = "@"
    return sheet


def _add_rows(book: Any, name: str, rows: Sequence[Sequence[object]]) -> Any:
    """Add a sheet of texts with a bold header that stays in sight."""
    from openpyxl.styles import Alignment, Font  # type: ignore[import-untyped,unused-ignore]

    sheet = book.create_sheet(name)
    sheet.freeze_panes = "A2"
    for line, row in enumerate(rows, 1):
        for place, value in enumerate(row, 1):
            cell = sheet.cell(line, place, str(value))
            # Or else a text that begins with = would be a formula.
            cell.data_type = "s"
            cell.alignment = Alignment(wrap_text=line > 1 and len(row) > 1, vertical="top")
            cell.font = Font(bold=line == 1)
    for place, title in enumerate(rows[0], 1):
        column = sheet.cell(1, place).column_letter
        widest = max(len(str(row[place - 1])) for row in rows if len(row) >= max(place, 2) or row is rows[0])
        sheet.column_dimensions[column].width = min(60, max(len(str(title)), widest) + 3)
    return sheet
