"""How numbers are written, the same in every medium: ``.638``, ``−.010``, ``1,200``; and how texts break."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

#: Stands where a value is undefined.
UNDEFINED = "–"
_LEADING_ZERO = re.compile(r"(?<!\d)0(?=\.\d)")


def number(value: float, form: str = ",.3f") -> str:
    """Write a number by a format of Python's, without the zero before the point and with a true minus.

    What rounds to zero has no sign.
    """
    if math.isnan(value):
        return UNDEFINED
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = format(value, form)
    if not re.search("[1-9]", text):
        text = text.lstrip("+-")
    return _LEADING_ZERO.sub("", text).replace("-", "−")


def interval(low: float, high: float, digits: int = 2) -> str:
    """Write an interval, ``[−.20, .10]``; nothing where there is none."""
    return "" if math.isnan(low) else f"[{number(low, f',.{digits}f')}, {number(high, f',.{digits}f')}]"


def p_value(p: float) -> str:
    """Write a p value, ``.012`` or ``<.001``; nothing where there was no test."""
    return "" if math.isnan(p) else "<.001" if p < 0.001 else number(p)


def span(numbers: Iterable[float]) -> str:
    """Write whole numbers that may be the same: ``40``, or ``19–40``."""
    whole = [int(value) for value in numbers]
    low, high = min(whole), max(whole)
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def one_line(text: str) -> str:
    """Replace line ends and control characters by a space."""
    return "".join(character if character.isprintable() else " " for character in text)


def fold(text: str, room: float, width: Callable[[str], float] = len) -> list[str]:
    """Break a text into lines that fit, behind blanks and signs where there are any."""
    lines = [""]
    for word in re.findall(r"[^\s_\-/:]*[\s_\-/:]?", one_line(text)):
        if width(lines[-1] + word.rstrip()) <= room:
            lines[-1] += word
            continue
        lines.append("")
        for character in word:
            if width(lines[-1] + character) > room:
                lines.append("")
            lines[-1] += character
    return [line.strip() for line in lines if line.strip()] or [""]
