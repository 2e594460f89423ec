"""Ids of uses, where a table names each, numbers those of each participant, or names none."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping, Sequence

    from creaeval.data.notes import Notes
    from creaeval.data.response_builder import ResponseSource
    from creaeval.data.tables.table import Table
    from creaeval.data.tables.text_layout import TextLayout

#: A column whose values are there so often holds who wrote something; one of ids may have a few mistakes.
_REPEATED, _MOSTLY = 0.6, 0.9


class IdRule(Enum):
    """How the ids of uses come about."""

    OWN = "as they stand"
    RESTARTING = "participant and number"
    RESTARTING_BY_OBJECT = "participant, object and number"
    PARTICIPANT = "numbered for each participant, by whom the column of ids is"
    MADE = "numbered for each participant and object"
    BY_ROW = "numbered for each row, which is a participant"
    BY_SHEET = "numbered for each sheet, which is a participant"


def find_id_rule(table: Table, layout: TextLayout, notes: Notes, noun: str, several_sheets: bool) -> IdRule:
    """Find out how the uses of a table are named, and say so where ids are made.

    ``several_sheets``: the table is one of several in a workbook that are not told apart by their objects.
    """
    if layout.id is None:
        return _without_ids(table, layout, notes, several_sheets)
    if layout.wide:
        return IdRule.PARTICIPANT
    values = [row.cells[layout.id].strip() for row in table.rows]
    if len(set(values)) == len(values):
        return IdRule.OWN
    if layout.participant is not None:
        return _restarting(table, layout, notes, values)
    if (
        len(values) > 3
        and len(set(values)) <= len(values) * _REPEATED
        and not _same_text(table, layout, values)
    ):
        notes.guess(
            f"{table.where}: values of {layout.id!r} stand in several rows, so they were read as the "
            f"participants, whose {noun}s are numbered."
        )
        return IdRule.PARTICIPANT
    return IdRule.OWN


def _without_ids(table: Table, layout: TextLayout, notes: Notes, several_sheets: bool) -> IdRule:
    if layout.participant is None and several_sheets:
        notes.guess(f"{table.where}: the participant is {table.sheet!r}, as the sheet.")
        return IdRule.BY_SHEET
    return IdRule.BY_ROW if layout.wide and layout.participant is None else IdRule.MADE


def say_made(rule: IdRule, first: str, table: Table, layout: TextLayout, source: ResponseSource) -> None:
    """Say that ids were made, as the ``first`` of them shows."""
    if rule not in {IdRule.MADE, IdRule.BY_ROW, IdRule.BY_SHEET}:
        return
    notes, noun = source.notes, source.task.noun
    parts = "object" if rule is IdRule.MADE and layout.participant is None else "participant, object"
    notes.guess(
        f"{table.where}: no column holds an id for each {noun}; ids are made of {parts} and number, as in "
        f"{first}."
    )


def _restarting(table: Table, layout: TextLayout, notes: Notes, values: Sequence[str]) -> IdRule:
    """Tell ids that begin anew for each participant, or for each object of one, from ids with a mistake."""
    people = [row.cells[layout.participant or ""] for row in table.rows]
    objects = [row.cells[layout.object] if layout.object else "" for row in table.rows]
    pairs, triples = set(zip(people, values, strict=True)), set(zip(people, objects, values, strict=True))
    if len(triples) <= len(values) * _MOSTLY or len(set(values)) >= len(values) * _MOSTLY:
        return IdRule.OWN
    rule = IdRule.RESTARTING_BY_OBJECT if len(pairs) < len(triples) else IdRule.RESTARTING
    notes.guess(f"{table.where}: values of {layout.id!r} begin anew; ids are made of {rule.value}.")
    return rule


def _same_text(table: Table, layout: TextLayout, values: Sequence[str]) -> bool:
    """Whether rows of one id have one text, as where each row is what one rater says of it."""
    texts: dict[str, set[str]] = {}
    for value, row in zip(values, table.rows, strict=True):
        texts.setdefault(value, set()).add(row.cells[layout.columns[0].title])
    return all(len(some) == 1 for some in texts.values())


def make_id(rule: IdRule, names: Mapping[str, str], part: str, made: Counter[tuple[str, str]]) -> str:
    """Make the id of a use: ``part`` is its number in its cell, nothing where it is alone there.

    ``made`` counts the uses numbered so far, by participant and object.
    """
    own, participant, its_object = (names.get(name, "") for name in ("id", "participant", "object"))
    if rule is IdRule.OWN:
        return f"{own}-{part}" if part else own
    parts: tuple[str, ...]
    if rule is IdRule.RESTARTING:
        parts = (participant, own, part)
    elif rule is IdRule.RESTARTING_BY_OBJECT:
        parts = (participant, its_object, own, part)
    else:
        made[participant, its_object] += 1
        parts = (participant, its_object, str(made[participant, its_object]))
    return "-".join(filter(None, parts))
