"""Turn a DataFrame into cells of text with what they are sorted by."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from creaeval.report.html.data import Table

# A number with what belongs to it behind it, such as its interval.
_WITH_MORE = re.compile(r"(.*?\S)\s+([\[(].*[\])])", re.DOTALL)
_NUMBER = re.compile(r"\s*[<$]?\s*([+-]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.?\d+))")
_NO_NUMBER = ("", "–", "undefined")


@dataclass(frozen=True)
class Shown:
    """One cell; ``order`` is what it is sorted by, None for a missing one, ``link`` the page it leads to."""

    text: str
    order: float | str | None
    link: str = ""
    more: str = ""


@dataclass(frozen=True)
class Grid:
    """Headings with whether their column holds numbers, rows to sort, and rows that stay at the foot."""

    columns: tuple[tuple[str, bool], ...]
    rows: tuple[tuple[Shown, ...], ...]
    foot: tuple[tuple[Shown, ...], ...]


def make_grid(table: Table, places: Mapping[str, int]) -> Grid:
    """Lay a table out."""
    names = [str(name) for name in table.frame.columns]
    rows = [list(row) for row in table.frame.itertuples(index=False, name=None)]
    numeric = [place > 0 and _is_numeric([row[place] for row in rows]) for place in range(len(names))]
    # Whole numbers are shown as such, unless others of their column are not whole.
    digits = [0 if _is_whole([row[place] for row in rows]) else table.digits for place in range(len(names))]
    shown = [
        tuple(
            _cell(value, decimals, number, _link(table, name, value, places))
            for value, decimals, number, name in zip(row, digits, numeric, names, strict=True)
        )
        for row in rows
    ]
    cut = len(shown) - table.foot
    columns = tuple(zip((name.strip() for name in names), numeric, strict=True))
    return Grid(columns, tuple(shown[:cut]), tuple(shown[cut:]))


def _link(table: Table, name: str, value: Any, places: Mapping[str, int]) -> str:
    if table.links is None or name != table.links[0] or str(value) not in places:
        return ""
    return f"{table.links[1]}-{places[str(value)]}"


def _is_numeric(values: list[Any]) -> bool:
    known = [value for value in values if not _missing(value) and str(value).strip() not in _NO_NUMBER]
    if not known:
        return any(_missing(value) or value == "undefined" for value in values)
    return all(
        (isinstance(value, Real) and not isinstance(value, bool)) or _NUMBER.match(str(value))
        for value in known
    )


def _is_whole(values: list[Any]) -> bool:
    numbers = [float(value) for value in values if isinstance(value, Real) and not _missing(value)]
    return all(number.is_integer() for number in numbers)


def _missing(value: Any) -> bool:
    if value is None or value is NotImplemented:
        return True
    # pandas' own missing value compares with nothing, not even with itself.
    return type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and math.isnan(value))


def _cell(value: Any, digits: int, numeric: bool, link: str) -> Shown:
    if _missing(value) or value == "":
        # An empty text is a cell with nothing to say; what should be there and is not has a dash.
        return Shown("–" if _missing(value) else "", None, link)
    if isinstance(value, bool):
        return Shown("yes" if value else "no", str(value), link)
    if isinstance(value, Integral):
        return Shown(f"{int(value):,}", float(value), link)
    if isinstance(value, Real):
        number = float(value)
        return Shown(_number(number, digits), number, link)
    text = str(value)
    if numeric:
        match = _NUMBER.match(text)
        order = float(match[1].replace(",", "")) if match else None
        parts = _WITH_MORE.fullmatch(text)
        return Shown(parts[1], order, link, parts[2]) if parts else Shown(text, order, link)
    return Shown(text, text, link)


def _number(value: float, digits: int) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    text = f"{value:,.{digits}f}"
    # No number is less than zero by less than is shown.
    return text.lstrip("-") if float(text.replace(",", "")) == 0 else text
