"""The text of a Word table in the order it is read, nested tables, line breaks and list numbers included."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
#: Deleted or moved-away text, and the second copy that Word keeps of a text box for old readers.
_SKIPPED = {f"{_W}del", f"{_W}moveFrom", f"{_W}pPr", f"{_W}rPr", f"{_W}instrText", _FALLBACK}
_MARKS = {f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}tab": "\t", f"{_W}noBreakHyphen": "-"}


def table_rows(table: Any) -> Iterator[list[Any]]:
    """Yield the cells of each row of a ``w:tbl``; a cell merged into the one above it is left out."""
    for row in _children(table, "tr"):
        yield [cell for cell in _children(row, "tc") if not _continues_above(cell)]


def cell_text(cell: Any, list_mark: Callable[[Any], str]) -> str:
    """Return the text of a ``w:tc``, one line a paragraph; a row of a nested table is one line.

    ``list_mark`` gives the mark Word shows before a paragraph of a list, such as ``"1. "``, or nothing.
    """
    lines: list[str] = []
    for block in _children(cell, "p", "tbl"):
        if block.tag == f"{_W}p":
            text = _paragraph_text(block)
            lines.append(list_mark(block) + text if text.strip() else text)
        else:
            lines += [
                " | ".join(cell_text(inner, list_mark).strip() for inner in row) for row in table_rows(block)
            ]
    return "\n".join(lines)


def body_blocks(body: Any) -> tuple[list[Any], str]:
    """Return the tables of a ``w:body`` and the text that stands outside of them."""
    blocks = list(_children(body, "p", "tbl"))
    outside = " ".join(_paragraph_text(block) for block in blocks if block.tag == f"{_W}p")
    return [block for block in blocks if block.tag == f"{_W}tbl"], outside.strip()


def list_marks(numbering: Any | None, style_lists: dict[str, Any]) -> Callable[[Any], str]:
    """Make a function that gives the mark of a list paragraph (``w:p``): ``"2. "``, ``"• "`` or ``""``.

    Every level counts in digits from 1. ``style_lists`` has the ``w:numPr`` of paragraph styles by id.
    """
    formats = _formats(numbering) if numbering is not None else {}
    counts: Counter[tuple[str, int]] = Counter()

    def mark(paragraph: Any) -> str:
        properties = paragraph.find(f"{_W}pPr")
        if properties is None:
            return ""
        in_list = properties.find(f"{_W}numPr")
        style = properties.find(f"{_W}pStyle")
        if in_list is None and style is not None:
            in_list = style_lists.get(style.get(f"{_W}val"))
        if in_list is None or (list_id := _value(in_list, "numId", "0")) == "0":
            return ""
        level = int(_value(in_list, "ilvl", "0"))
        kind = formats.get((list_id, level), "decimal")
        if kind in {"bullet", "none"}:
            return "• " if kind == "bullet" else ""
        counts[list_id, level] += 1
        for deeper in [key for key in counts if key[0] == list_id and key[1] > level]:
            del counts[deeper]
        return f"{'   ' * level}{counts[list_id, level]}. "

    return mark


def _formats(numbering: Any) -> dict[tuple[str, int], str]:
    levels: dict[str, dict[int, str]] = {}
    for abstract in numbering.findall(f"{_W}abstractNum"):
        levels[abstract.get(f"{_W}abstractNumId")] = {
            int(level.get(f"{_W}ilvl", "0")): _value(level, "numFmt", "decimal")
            for level in abstract.findall(f"{_W}lvl")
        }
    return {
        (number.get(f"{_W}numId"), level): kind
        for number in numbering.findall(f"{_W}num")
        for level, kind in levels.get(_value(number, "abstractNumId", ""), {}).items()
    }


def _value(parent: Any, name: str, default: str) -> str:
    child = parent.find(f"{_W}{name}")
    return default if child is None else str(child.get(f"{_W}val", default))


def _children(parent: Any, *names: str) -> Iterator[Any]:
    """Yield the children of these kinds, also those inside content controls, insertions and custom XML."""
    tags = {f"{_W}{name}" for name in names}
    for child in parent:
        if child.tag in tags:
            yield child
        elif child.tag in {f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins", f"{_W}customXml"}:
            yield from _children(child, *names)


def _continues_above(cell: Any) -> bool:
    merge = cell.find(f"{_W}tcPr/{_W}vMerge")
    return merge is not None and merge.get(f"{_W}val", "continue") == "continue"


def _paragraph_text(element: Any) -> str:
    parts: list[str] = []
    for child in element:
        if child.tag in _SKIPPED:
            continue
        if child.tag in {f"{_W}t", f"{_MATH}t"}:
            parts.append(child.text or "")
        elif child.tag in _MARKS:
            parts.append(_MARKS[child.tag])
        else:
            inner = _paragraph_text(child)
            # A text box holds paragraphs of its own inside the paragraph it is anchored to.
            parts.append(f"{inner}\n" if child.tag == f"{_W}p" and inner else inner)
    return "".join(parts)
