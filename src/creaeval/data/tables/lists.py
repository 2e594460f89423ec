"""Several uses in one cell: what parts them, found out over all cells of a table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from creaeval.data.items import tidy
from creaeval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

#: What may stand between uses of one line, and how often it must for a cell to be a list beyond doubt.
_MARKS = (";", "|", "•", "；", "、", " / ")
_INLINE_NUMBER = re.compile(r"(?:^|(?<=[\s;；]))[(\[]?(\d{1,2})[.)\]:、．](?=\s*\D)")
_CIRCLED = {ord(circled): f" {number}. " for number, circled in enumerate("①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳", 1)}
_MOSTLY, _RARELY = 0.5, 0.2
_ENUMERATED = re.compile(r"^[^,.!?]{1,30}(?:,\s+[^,.!?]{1,30}){2,}$")


def find_separator(cells: Sequence[str], where: str, listing: bool) -> tuple[str | None, str]:
    """Find what parts the uses in the cells of a table.

    Parameters
    ----------
    cells : sequence of str
        All that are not blank.
    where : str
        The place for messages.
    listing : bool
        Whether a cell is likely to hold several: one row is all that a person wrote about an object.

    Returns
    -------
    tuple of (str or None, str)
        The separator (a line break, a mark, ``"1."`` for numbers within a line; None where each cell is one
        use) and what to tell of it, which is nothing where there was nothing to find out.

    Raises
    ------
    DataError
        Some cells look like lists and others do not.
    """
    lines = [cell for cell in cells if "\n" in cell and len(_lines(cell)) > 1]
    if lines:
        return "\n", f"{where}: {_of(lines, cells)} several lines; each line is one use."
    numbered = [cell for cell in cells if len(split_numbers(cell)) > 1]
    if numbered:
        return "1.", f"{where}: {_of(numbered, cells)} a numbered list; each number is one use."
    for mark in _MARKS:
        marked = [cell for cell in cells if mark in cell.strip(f"{mark} ")]
        if marked:
            return _by_mark(mark, marked, cells, where, listing)
    return _by_commas(cells, where) if listing and cells else (None, "")


def _by_mark(
    mark: str, marked: Sequence[str], cells: Sequence[str], where: str, listing: bool
) -> tuple[str | None, str]:
    """Decide whether a mark that stands in some cells parts uses; DataError where it may be either."""
    lists = [cell for cell in marked if len(_parts(cell, mark)) > 2]
    share = len(marked) / len(cells)
    many = len(marked) > 1 and (share >= _MOSTLY or (listing and lists and share > _RARELY))
    if many or (len(marked) == len(cells) and (lists or listing)):
        return mark, f"{where}: {_of(marked, cells)} {mark!r}, which parts uses."
    if lists and share >= _RARELY:
        raise DataError(
            f"{where}: {_of(marked, cells)} {mark!r}, as in {marked[0]!r:.60}: several uses, or one with "
            f"{mark!r} in it? Say --split '{mark}', or --split none if each cell is one use."
        )
    return None, (
        f"{where}: {_of(marked, cells)} {mark!r}, and each was read as one use. If it parts uses, say "
        f"--split '{mark}'."
    )


def _by_commas(cells: Sequence[str], where: str) -> tuple[str | None, str]:
    """Say that commas part nothing; DataError where cells look like lists of them."""
    commas = [cell for cell in cells if _ENUMERATED.match(cell.strip())]
    if len(commas) > len(cells) * _RARELY:
        raise DataError(
            f"{where}: {_of(commas, cells)} commas, as in {commas[0]!r:.60}: several uses, or one? Say "
            "--split ',', or --split none if each cell is one use."
        )
    if sum(", " in cell for cell in cells) * 2 >= len(cells):
        return None, f"{where}: commas were read as part of the uses; if they part uses, say --split ','."
    return None, ""


def split_uses(cell: str, separator: str | None) -> list[str]:
    """Split a cell into uses, without numbers and bullets of a list; one blank text if there is nothing."""
    if separator is None:
        return [tidy(cell)]
    if separator == "\n":
        parts = [part for line in _lines(cell) for part in _unlisted(line)]
    elif separator == "1.":
        parts = split_numbers(cell) or [cell]
    else:
        parts = _parts(tidy(cell), separator)
    return [part for part in map(str.strip, parts) if part] or [""]


def split_numbers(cell: str) -> list[str]:
    """Split ``1. a wall 2. a hat`` at its numbers; nothing if they do not count from 1."""
    if ord(cell.lstrip()[:1] or " ") in _CIRCLED:
        cell = cell.translate(_CIRCLED).strip()
    if not cell.lstrip("([ \t\n")[:1].isdecimal():
        return []
    found = list(_INLINE_NUMBER.finditer(cell))
    in_order = [match for number, match in enumerate(found, 1) if int(match[1]) == number]
    if len(in_order) < len(found) or not found or cell[: found[0].start()].strip():
        return []
    ends = [*(match.start() for match in found[1:]), len(cell)]
    return [cell[match.end() : end].strip(" \t\n;；") for match, end in zip(found, ends, strict=True)]


def _lines(cell: str) -> list[str]:
    return [line for line in cell.splitlines() if line.strip()]


def _unlisted(line: str) -> list[str]:
    """Take the number or the bullet off a line."""
    inline = split_numbers(line)
    if len(inline) > 1:
        return inline
    return [re.sub(r"^\s*(?:[•‣◦▪●○∙·*]\s*|[-–—+]\s+|[(\[]?\d{1,2}\s*[.)\]:、．](?!\d)\s*)+", "", line)]


def _parts(cell: str, mark: str) -> list[str]:
    return [part for part in cell.split(mark) if part.strip()]


def _of(some: Sequence[str], cells: Sequence[str]) -> str:
    return "the cells hold" if len(some) == len(cells) else f"{len(some):,} of {len(cells):,} cells hold"
