"""Responses in the rows of a table, each with its id, its texts and what goes along."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from creaeval.data.ids import clean_id, clean_name
from creaeval.data.tables.columns import left_out
from creaeval.data.tables.text_layout import step_called
from creaeval.data.tables.use_rows import add_uses
from creaeval.data.words import MISSING
from creaeval.wording import first_few

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from creaeval.data.reading import Reading
    from creaeval.data.response_builder import ResponseSource
    from creaeval.data.tables.table import Row, Table
    from creaeval.data.tables.text_layout import TextLayout
    from creaeval.data.tables.use_rows import Shared


def add_responses(
    table: Table, layout: TextLayout, source: ResponseSource, reading: Reading, shared: Shared
) -> dict[int, list[str]]:
    """Add the responses of a table, and return their ids by the number of their row.

    DataError if it cannot be told what object was shown, or what parts several uses in a cell.
    """
    if layout.personal:
        source.notes.say(left_out(table.where, layout.personal))
    if source.task.batching is not None:
        return add_uses(table, layout, source, reading, shared)
    if layout.step is not None:
        return _add_by_step(table, layout, source)
    return _add_whole(table, layout, source)


def _metadata(table: Table, row: Row, layout: TextLayout, taken: Iterable[str] = ()) -> dict[str, str]:
    """Return what goes along, values of statistics programs by what they mean."""
    taken, labels = set(taken), table.labels
    return {
        f"input_{title}" if title in taken else title: labels.get(title, {}).get(
            row.cells[title], row.cells[title]
        )
        for title in layout.carried
    }


def _add_whole(table: Table, layout: TextLayout, source: ResponseSource) -> dict[int, list[str]]:
    """Add a response for each row, or for each id where several rows, of raters say, have the same texts."""
    ids: dict[int, list[str]] = {}
    seen: dict[str, dict[str, object]] = {}
    without_id = layout.id is None and layout.participant is None
    empty: list[int] = []
    for count, row in enumerate(table.rows, 1):
        before = len(source.problems)
        texts = _step_texts(table, row, layout, source)
        identity = layout.id or layout.participant
        if without_id or identity is None:
            response_id: str | None = f"{table.path.stem}-{count}"
        elif not any(texts.values()) and not clean_name(row.cells[identity]):
            empty.append(row.number)
            continue
        else:
            response_id = _read_id(table, row, identity, source)
        scenario = table.read(row, layout.scenario, "an id", source.problems) if layout.scenario else None
        _check_carried(table, row, layout, source)
        if response_id is None or len(source.problems) > before:
            continue
        ids[row.number] = [response_id]
        if layout.id is not None and seen.get(response_id) == texts and layout.rater:
            continue
        seen.setdefault(response_id, texts)
        participant = {"participant": row.cells[who]} if (who := layout.participant) and layout.id else {}
        metadata = {**_metadata(table, row, layout, participant), **participant}
        source.add(table.row_place(row), response_id, texts, (scenario or "").strip(), metadata)
    if without_id:
        source.notes.guess(
            f"{table.where}: no column holds an id; the ids are {table.path.stem}-1 and so on."
        )
    if empty:
        rows = first_few(list(map(str, empty)))
        source.notes.leave_out(len(empty), f"{table.where}: left out rows without id and text: {rows}.")
    return ids


def _read_id(table: Table, row: Row, title: str, source: ResponseSource) -> str | None:
    read = partial(clean_id, note=f". See column {title!r}")
    text = table.read(row, title, "an id", source.problems)
    if text is None:
        return None
    try:
        return read(text)
    except ValueError as error:
        source.problems.add(f"{table.row_place(row)}: {error}.")
        return None


def _step_texts(table: Table, row: Row, layout: TextLayout, source: ResponseSource) -> dict[str, object]:
    """Return what a row holds of each step: its text, or its items where each has a column."""
    texts: dict[str, object] = {}
    items: dict[str, dict[int, str]] = {}
    for column in layout.columns:
        text = table.read(row, column.title, "a text", source.problems) or ""
        if clean_name(text) in MISSING - {""}:
            text = ""
        if column.number is None:
            texts[column.title if column.step == "" else column.step] = text
        else:
            items.setdefault(column.step, {})[column.number] = text
    for step, by_number in items.items():
        entries = [by_number.get(number, "") for number in range(1, max(by_number) + 1)]
        while entries and not entries[-1].strip():
            entries.pop()
        texts.setdefault(step, entries)
    return texts


def _check_carried(table: Table, row: Row, layout: TextLayout, source: ResponseSource) -> None:
    # A date is as good as any text in other columns, a value that is not there is not.
    for title in layout.carried:
        if title in row.issues and not row.cells[title]:
            table.read(row, title, "a value", source.problems)


def _add_by_step(table: Table, layout: TextLayout, source: ResponseSource) -> dict[int, list[str]]:
    """Add a response for each id, whose steps stand in rows of their own."""
    identity = layout.id or layout.participant
    texts: dict[str, dict[str, object]] = {}
    rows: dict[str, list[Row]] = {}
    for row in table.rows:
        named = _read_id(table, row, identity, source) if identity else (table.sheet or table.path.stem)
        step = step_called(source.task, row.cells[layout.step or ""], numbers=True)
        text = table.read(row, layout.columns[0].title, "a text", source.problems)
        if named is None or text is None or not step:
            continue
        rows.setdefault(named, []).append(row)
        written = texts.setdefault(named, {})
        if isinstance(earlier := written.get(step), str):
            text = f"{earlier}\n{text}"
        written[step] = text
    for name, written in texts.items():
        row = rows[name][0]
        scenario = row.cells[layout.scenario].strip() if layout.scenario else ""
        metadata = shared_values(_metadata(table, row, layout) for row in rows[name])
        source.add(table.row_place(row), name, written, scenario, metadata)
    return {}


def shared_values(rows: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return what stands beside the steps of one response, where it is not another for each of them."""
    found: dict[str, set[str]] = {}
    for row in rows:
        for title, text in row.items():
            found.setdefault(title, set()).update({text.strip()} - {""})
    return {title: min(texts, default="") for title, texts in found.items() if len(texts) < 2}
