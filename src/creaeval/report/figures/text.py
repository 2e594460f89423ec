"""Names that users chose, made fit to stand in a figure.

The data beside a figure keep them whole.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

#: DejaVu Sans comes with matplotlib; for scripts that it lacks, the first of these that is installed.
_FURTHER = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Source Han Sans SC",
    "WenQuanYi Zen Hei",
    "PingFang SC",
    "Hiragino Sans",
    "Microsoft YaHei",
    "Malgun Gothic",
    "Noto Sans",
    "Arial Unicode MS",
)
_UNKNOWN = "?"


@lru_cache(maxsize=1)
def families() -> list[str]:
    """List the fonts to take, the first that has a letter draws it; other ones are not installed here."""
    from matplotlib import font_manager

    installed = {font.name for font in font_manager.fontManager.ttflist}
    return ["DejaVu Sans", *(name for name in _FURTHER if name in installed)]


def chars(inches: float, points: float) -> int:
    """Return how many letters of this size in points fit into a width; at least 4."""
    return max(4, int(inches * 72 / (0.62 * points)))


def labels(names: Iterable[str], width: int, lines: int = 2) -> dict[str, str]:
    """Make a label of each name that fits, and differs from the other ones."""
    plain = {name: _clean(name) for name in names}
    shown: dict[str, str] = {}
    for name, text in plain.items():
        label = _fit(text, width, lines)
        number = 2
        while label in shown.values():
            mark = f" ({number})"
            label = _fit(_shorten(text, width * lines - len(mark) - 1) + mark, width, lines)
            number += 1
        shown[name] = label
    return {name: escape(label) for name, label in shown.items()}


def escape(text: str) -> str:
    """Keep matplotlib from reading a formula between two dollars."""
    return text.replace("$", r"\$")


def _clean(name: str) -> str:
    spaced = re.sub(r"\s+", " ", name)
    # Categories C…: control characters, marks of direction, lone surrogates, private use, unassigned.
    seen = "".join(c for c in spaced if unicodedata.category(c)[0] != "C").strip()
    return "".join(c if _has_glyph(c) else _UNKNOWN for c in seen) or "(no name)"


@lru_cache(maxsize=4096)
def _has_glyph(character: str) -> bool:
    return any(ord(character) in _glyphs(family) for family in families())


@lru_cache(maxsize=16)
def _glyphs(family: str) -> frozenset[int]:
    from matplotlib import font_manager

    font = font_manager.get_font(font_manager.findfont(family))
    return frozenset(font.get_charmap())


def _shorten(text: str, most: int) -> str:
    """Take out the middle: names of models differ at their ends as often as at their beginnings."""
    if len(text) <= most:
        return text
    begin = max(1, (most - 1) * 3 // 5)
    end = max(1, most - 1 - begin)
    return f"{text[:begin].rstrip()}…{text[-end:].lstrip()}"


def _fit(text: str, width: int, lines: int) -> str:
    """Break a text at its signs, if need be with less of its middle; if nothing helps, anywhere."""
    most = width * lines
    for length in range(most, most * 2 // 3, -1):
        shorter = _shorten(text, length)
        if len(made := _broken(shorter, width)) <= lines:
            # As narrow as the same number of lines can be, so that none holds a single letter.
            least = max(1, max(map(len, made)) * 2 // 3)
            narrow = (_broken(shorter, narrower) for narrower in range(least, width + 1))
            return "\n".join(next(broken for broken in narrow if len(broken) <= len(made)))
    cut = _shorten(text, most)
    return "\n".join(cut[start : start + width].strip() for start in range(0, len(cut), width))


def _broken(text: str, width: int) -> list[str]:
    """Fill lines, breaking behind spaces and signs that join names but not within numbers such as 1.5."""
    parts = re.findall(r"(?:[^ ._/:@-]|\.(?=\d))*[ ._/:@-]?", text)
    made = [""]
    for part in parts:
        if made[-1] and len((made[-1] + part).rstrip()) > width:
            made.append("")
        made[-1] += part
        while len(made[-1].rstrip()) > width:
            made[-1:] = [made[-1][:width], made[-1][width:]]
    return [line.strip() for line in made if line.strip()]
