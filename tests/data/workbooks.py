"""Excel workbooks the tests of this layer make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openpyxl import Workbook  # type: ignore[import-untyped,unused-ignore]

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LONG = ["response_id", "rater", "dimension", "score"]


def workbook(path: Path, *rows: Sequence[Any], formats: dict[str, str] | None = None, **more: Any) -> Path:
    """Write a workbook whose sheet ``ratings`` has these rows; ``more`` are further sheets by name."""
    book = Workbook()
    book.remove(book.active)
    for name, content in {"ratings": rows, **more}.items():
        sheet = book.create_sheet(name.removesuffix("_hidden"))
        if name.endswith("_hidden"):
            sheet.sheet_state = "hidden"
        for row in content:
            sheet.append(list(row))
    for cell, form in (formats or {}).items():
        book.worksheets[0][cell].number_format = form
    book.save(path)
    return path
