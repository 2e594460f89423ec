"""Responses in a document: a booklet with steps, a text that is one response, or a table of responses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from creaeval.data.files import unknown_ending
from creaeval.data.formats.blocks import PLAIN, Grid, Line, check_length, is_blank, lines_in, write_lines
from creaeval.data.formats.docx_text import read_docx
from creaeval.data.formats.headings import SCENE, titles_of
from creaeval.data.formats.step_words import (
    fold_words,
    is_control_text,
    is_placeholder,
    is_template_phrase,
    step_words,
)
from creaeval.data.formats.steps import ABOVE, cut_steps, names_steps
from creaeval.data.formats.text_files import join_wrapped, read_pdf, read_plain, text_blocks
from creaeval.data.grids.grid import Grid as CellGrid
from creaeval.data.ids import clean_name
from creaeval.data.items import split_text
from creaeval.data.tables.text_layout import names_columns, shows_objects
from creaeval.errors import DataError
from creaeval.tasks import Scenario
from creaeval.wording import first_few, plural

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from creaeval.data.formats.blocks import Block
    from creaeval.data.response_builder import ResponseSource
    from creaeval.tasks import Step, Task

#: Of the documents that responses and scenarios are read from.
DOCUMENTS = (".docx", ".txt", ".md", ".pdf")
_RELEASED_ID = re.compile(r"\w+_(FS\d+)")
_SCENARIO_ID = re.compile(r"(?:FS[\s\-#]*)?(\d{1,3})", re.IGNORECASE)
_LABEL = re.compile(r"\s*([^:：\n]{1,40}?)\s*[:：]\s*(.*)")
#: A word and a number, and what is written behind them.
_ITEM_LABEL = re.compile(r"\s*([^\W\d_]{2,20})\s*(?:[#№]|n[°or]\.?)?\s*(\d{1,2})\s*(?:[.):：–—-]\s*(.*))?")
#: The number of an item, perhaps with the item's name, before what is written.
_ITEM_MARK = re.compile(r"(\s*(?:[•*\-–]\s*)?(?:[^\W\d_]+\s+)?[(（]?#?\d{1,2}\s*[.):：、）]+\s*)(.*)")


def read_booklet(source: ResponseSource) -> None:
    """Read the response of a document, or those of a table with a header in it.

    The response is named by its file, unless the document is one table of one column with the id in its
    first row and then a row a step. Of a task of one step the whole text is the response. Otherwise steps are
    found by their headings (:func:`creaeval.data.formats.steps.cut_steps`). A table whose first row names an
    id and steps holds a response a row, as a CSV file does.

    DataError if the file cannot be read, or its steps cannot be told.
    """
    blocks = _read(source)
    check_length(sum(1 for _ in lines_in(blocks)), source.path)
    if all(line.blank or is_placeholder(line.text) for line in lines_in(blocks)):
        raise DataError(f"{source.path}: nothing is written in it but, perhaps, what its template says.")
    tables = [block for block in blocks if isinstance(block, Grid)]
    if len(tables) == 1 and _add_table(tables[0], blocks, source):
        return
    if shows_objects(source.task):
        raise DataError(
            f"{source.path}: {source.task.noun}s are read from tables, and this document has none whose "
            "first row names the columns, such as object and response. Put them in a table, or save "
            "them as CSV."
        )
    if len(source.task.steps) == 1 and not names_steps(blocks, source.task):
        _add_whole(blocks, source)
    else:
        _add_steps(blocks, source)


def read_document_text(path: Path) -> str:
    """Read the whole text of a document, a line a paragraph; DataError if it cannot be read."""
    match path.suffix.lower():
        case ".docx":
            return "\n".join(write_lines(read_docx(path).blocks))
        case ".pdf":
            return "\n".join(join_wrapped(read_pdf(path), lambda _: False))
        case ".txt" | ".md":
            return read_plain(path)
        case _:
            raise unknown_ending(path, set(DOCUMENTS))


def _read(source: ResponseSource) -> list[Block]:
    path, task = source.path, source.task
    match path.suffix.lower():
        case ".docx":
            text = read_docx(path)
            for note in text.notes:
                source.notes.say(f"{path}: left out {note}")
            return text.blocks
        case ".pdf":
            titles = titles_of(task)

            def opens(line: str) -> bool:
                heading = titles.read(line, PLAIN) if len(task.steps) > 1 else None
                return heading is not None and heading.exact and not heading.loose

            return text_blocks("\n".join(join_wrapped(read_pdf(path), opens)), markdown=False)
        case ending:
            is_markdown = ending == ".md" and len(task.steps) > 1
            return text_blocks(read_document_text(path), is_markdown)


def _add_table(table: Grid, blocks: Sequence[Block], source: ResponseSource) -> bool:
    """Add the responses of a table with a header, or of one column with an id and the steps; else say no."""
    task, path = source.task, source.path
    rows = [["\n".join(write_lines(cell)) for cell in row] for row in table.rows]
    place = blocks.index(table)
    above, below = blocks[:place], blocks[place + 1 :]
    if rows and names_columns([clean_name(text) for text in rows[0]], task):
        source.tables.append(CellGrid(path, None, rows))
        if outside := [line for line in lines_in([*above, *below]) if not line.blank]:
            source.notes.say(f"{path}: left out what stands around the table, {_quote(outside)}")
        return True
    one_column = len(rows) == len(task.steps) + 1 and all(len(row) == 1 for row in rows)
    if not one_column or not is_blank(below) or names_steps(blocks, task):
        return False
    response_id, several_steps = rows[0][0].strip(), len(task.steps) > 1
    if (not is_blank(above) and not several_steps) or (several_steps and "\n" in response_id):
        return False
    labels = _Above(above, task)
    steps = {step.id: _step_text(row[0], step) for step, row in zip(task.steps, table.rows[1:], strict=True)}
    scenario = re.search(r"_(FS\d+)$", response_id)
    source.add(
        str(path), response_id, steps, scenario[1] if scenario else labels.scenario_id, labels.metadata
    )
    if labels.notes:
        source.notes.say(f"{path}: left out {first_few(labels.notes, 10)}")
    return True


def _add_whole(blocks: Sequence[Block], source: ResponseSource) -> None:
    (step,) = source.task.steps
    shapes = [(len(b.rows), max(map(len, b.rows), default=0)) for b in blocks if isinstance(b, Grid)]
    around = [block for block in blocks if isinstance(block, Line)]
    if shapes and is_blank(around) and all(rows > 1 and columns > 1 for rows, columns in shapes):
        raise DataError(
            f"{source.path}: found {plural(len(shapes), 'table')}, the first of {shapes[0][0]} rows x "
            f"{shapes[0][1]} columns, and no text around. Expected a text, or one table whose first row "
            f"names the columns, among them 'id' and {step.id!r} or 'response'. No response was read from it."
        )
    lines = [line for line in write_lines(blocks) if not is_control_text(line)]
    source.add(str(source.path), source.path.stem, {step.id: "\n".join(lines)})


def _add_steps(blocks: Sequence[Block], source: ResponseSource) -> None:
    path, task = source.path, source.task
    cut = cut_steps(blocks, task, str(path))
    steps = {step.id: _step_text(cut.parts[step.id], step) for step in task.steps if step.id in cut.parts}
    if not any(text.strip() for text in steps.values()):
        raise DataError(f"{path}: the steps are there, but no text in any of them: the booklet is empty.")
    above = _Above(cut.parts.get(ABOVE, []), task)
    scene = _written(cut.parts.get(SCENE, []))
    scenario_id = above.scenario_id
    if scene and (short := _SCENARIO_ID.fullmatch(scene)):
        scenario_id, scene = f"FS{short[1]}", ""
    response_id = above.response_id or path.stem
    source.add(str(path), response_id, steps, scenario_id, above.metadata)
    if scene:
        source.scenarios[response_id] = _scenario(scene, scenario_id or response_id)
    missing = [step.id for step in task.steps if step.id not in cut.parts]
    if missing:
        source.notes.say(f"{path}: found no heading of {first_few(missing)}")
    phrases = [line.text.strip() for line in lines_in(blocks) if is_template_phrase(line.text)]
    if phrases:
        source.notes.say(
            f"{path}: taken as words of the template: {first_few([repr(p) for p in dict.fromkeys(phrases)])}"
        )
    if notes := [*above.notes, *cut.notes]:
        source.notes.say(f"{path}: left out {first_few(notes, 10)}")


def _scenario(text: str, scenario_id: str) -> Scenario:
    title, _, rest = text.partition("\n")
    if rest and len(title) < 80 and title[-1:] not in ".!?。":
        return Scenario(id=scenario_id, title=title.strip(), text=rest.strip())
    return Scenario(id=scenario_id, text=text)


class _Above:
    """What stands above the first heading: labels with values are carried, the rest is only named."""

    def __init__(self, blocks: Sequence[Block], task: Task) -> None:
        self._task = fold_words(task.name)  # as a template's title has it
        self.metadata: dict[str, str] = {}
        self.notes: list[str] = []
        self.response_id = ""
        self.scenario_id: str | None = None
        for line in write_lines(blocks):
            for text in self._parted(line):
                self._read(text.strip())

    def _parted(self, line: str) -> list[str]:
        """Part ``Team: Owls    School: Hill`` where each part has a label and a value; a row is one pair."""
        cells = [cell.strip() for cell in line.split(" | ")]
        if len(cells) % 2 == 0 and not any(":" in cell.rstrip(":") for cell in cells):
            return [
                f"{label.rstrip(':')}: {value}" for label, value in zip(cells[::2], cells[1::2], strict=True)
            ]
        parts = re.split(r"\s{2,}|\t|\s\|\s|;\s", line.strip())
        return parts if all(_LABEL.fullmatch(part) for part in parts) else [line]

    def _read(self, text: str) -> None:
        if not text or is_placeholder(text) or fold_words(text) == self._task:
            return
        if match := _RELEASED_ID.fullmatch(text):
            self.response_id, self.scenario_id = text, match[1]
            return
        label = _LABEL.fullmatch(text)
        if label is None or is_placeholder(label[1]):
            self.notes.append(repr(text[:60]))
            return
        name, value = label[1], label[2].strip()
        if not value or is_placeholder(value) or not value.strip("_. "):
            return
        words, known = fold_words(name), step_words()
        if words in known.steps | known.parts | known.answer:
            self.notes.append(repr(text[:60]))  # the names of a table's columns
        elif words in known.personal:
            self.notes.append(f"{name!r}, which may name people")
        elif (words in known.scene or words in {"fs", "fs id"}) and (number := _SCENARIO_ID.fullmatch(value)):
            self.scenario_id = f"FS{number[1]}"
        elif name in self.metadata:
            self.notes.append(repr(text[:60]))
        else:
            self.metadata[name] = value


def _step_text(blocks: Sequence[Block], step: Step) -> str:
    """Return what is written for a step; nothing where only a template's words or numbers are there."""
    is_list = step.items is not None
    instruction = fold_words(step.instruction)
    written = "\n".join(write_lines(blocks, is_list)).splitlines()
    lines = [
        filled
        for line in (_number_labels(written) if is_list else written)
        if (filled := _filled(line, is_list)) is not None and fold_words(line) != instruction
    ]
    while lines and (not lines[-1].strip() or (is_list and _is_mark(lines[-1]))):
        lines.pop()
    text = "\n".join(lines)
    if step.items is None:
        return text
    heading, items = split_text(text, step.items.name)
    return "" if not heading and all(item.blank for item in items) else text


def _number_labels(lines: list[str]) -> list[str]:
    """Write ``Challenge 1`` as ``1.`` where lines of one word count from 1: in a language of its own, too."""
    labels = [_ITEM_LABEL.fullmatch(line) for line in lines]
    numbers: dict[str, list[int]] = {}
    for label in filter(None, labels):
        numbers.setdefault(fold_words(label[1]), []).append(int(label[2]))
    counting = {
        word for word, found in numbers.items() if len(found) > 1 and found == list(range(1, len(found) + 1))
    }
    return [
        f"{label[2]}. {label[3] or ''}".strip() if label and fold_words(label[1]) in counting else line
        for line, label in zip(lines, labels, strict=True)
    ]


def _filled(line: str, is_list: bool) -> str | None:
    """Return a line, of an item that is not filled in its number alone; None for what a template says."""
    if is_placeholder(line) or fold_words(line) in step_words().answer:
        return None
    mark = _ITEM_MARK.fullmatch(line) if is_list else None
    return mark[1].rstrip() if mark and is_placeholder(mark[2]) else line


def _is_mark(line: str) -> bool:
    mark = _ITEM_MARK.fullmatch(line)
    return mark is not None and not mark[2].strip()


def _written(blocks: Sequence[Block]) -> str:
    if is_blank(blocks):
        return ""
    return "\n".join(line for line in write_lines(blocks) if not is_placeholder(line)).strip()


def _quote(lines: Sequence[Line]) -> str:
    return repr(" ".join(" ".join(line.text.split()) for line in lines)[:80])
