"""Write tables as one Excel workbook, rows as they come.

The parts of the file are written here (ECMA-376, SpreadsheetML): openpyxl's writer of rows takes five times
as long, and leaves temporary files and noise behind when it is interrupted.
"""

from __future__ import annotations

import math
import re
from contextlib import ExitStack
from functools import lru_cache
from numbers import Integral, Real
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Self
from xml.sax.saxutils import escape, quoteattr
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from openpyxl.utils import get_column_letter  # type: ignore[import-untyped,unused-ignore]

from creaeval.errors import SettingError
from creaeval.runs.csv_file import no_formula

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import pandas as pd

#: Characters that fit into a sheet's name and into its cells.
_SHEET_NAME, _CELL = 31, 32_767
# Rows that fit into a sheet, less the heading and the one that says what did not fit.
_MOST_DATA = 1_048_576 - 2
_CUT = " … (cut)"
# Widths of columns, in characters, and how many rows decide them.
_NARROW, _BROAD, _LOOKED_AT = 6, 50, 100
# What XML cannot hold.
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_KINDS = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_FROZEN = (
    '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" '
    'state="frozen"/></sheetView></sheetViews>'
)
# The second style is that of headings: bold.
_FONT = '<sz val="11"/><name val="Calibri"/>'
_PLAIN = '<xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>'
_BOLD = '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>'
_STYLES = (
    f'{_XML}<styleSheet xmlns="{_MAIN}"><fonts><font>{_FONT}</font><font><b/>{_FONT}</font></fonts>'
    '<fills><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>'
    f"</fills><borders><border/></borders><cellStyleXfs>{_PLAIN}</cellStyleXfs><cellXfs>{_PLAIN}"
    f"{_BOLD}</cellXfs>"
    '<cellStyles><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)


class Workbook:
    """A workbook with a sheet a table, in which no cell can act as a formula.

    Rows go to temporary files as they come, so that memory does not grow with them. The heading row is frozen
    and columns are as wide as the first rows need. What does not fit into a sheet is counted in its last row.
    To be used in a ``with`` statement, which removes the temporary files.
    """

    def __init__(self) -> None:
        self._sheets: dict[str, _Sheet] = {}
        self._files = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    def append(self, name: str, frame: pd.DataFrame) -> None:
        """Put a table into a sheet, or behind the rows that it has; ``name`` must be legal."""
        if name not in self._sheets:
            file = self._files.enter_context(TemporaryFile())  # noqa: SIM115 - __exit__ closes it
            self._sheets[name] = _Sheet(file, frame)
        self._sheets[name].append(frame)

    def save(self, path: Path, first: Sequence[str] = ()) -> Path:
        """Write the workbook, sheets named by ``first`` first; SettingError where there is no sheet."""
        if not self._sheets:
            raise SettingError(f"{path.name}: there is no table to write; a workbook has one sheet at least.")
        names = sorted(self._sheets, key=lambda name: [*first, name].index(name))
        with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=4) as archive:
            for part, text in _parts(names).items():
                # Without the time, so that equal tables make equal files.
                archive.writestr(ZipInfo(part), text, ZIP_DEFLATED, compresslevel=4)
            for number, name in enumerate(names, 1):
                with archive.open(f"xl/worksheets/sheet{number}.xml", "w", force_zip64=True) as file:
                    self._sheets[name].finish(file)
        return path


class _Sheet:
    """The rows of one sheet, in a temporary file."""

    def __init__(self, file: IO[bytes], frame: pd.DataFrame) -> None:
        titles = list(map(str, frame.columns))
        self._letters = [get_column_letter(place) for place in range(1, len(titles) + 1)]
        self._file = file
        self._rows, self._left = 0, 0
        columns = "".join(
            f'<col min="{place}" max="{place}" width="{_width(frame, place - 1)}" customWidth="1"/>'
            for place in range(1, len(titles) + 1)
        )
        columns = f"<cols>{columns}</cols>" if columns else ""
        self._write(f'{_XML}<worksheet xmlns="{_MAIN}">{_FROZEN}{columns}<sheetData>')
        self._write(self._row([f' s="1"{_text_cell(title) or "/>"}' for title in titles]))

    def append(self, frame: pd.DataFrame) -> None:
        fitting = frame.iloc[: max(_MOST_DATA - (self._rows - 1), 0)]
        self._left += len(frame) - len(fitting)
        columns = [map(_cell, fitting.iloc[:, place].astype(object)) for place in range(frame.shape[1])]
        self._write("".join(self._row(row) for row in zip(*columns, strict=True)))

    def finish(self, file: IO[bytes]) -> None:
        """End the sheet and copy it to a file."""
        if self._left:
            said = f"… {self._left:,} more rows do not fit into a sheet; the csv file has all."
            self._write(self._row([_text_cell(said)]))
        self._write("</sheetData></worksheet>")
        self._file.seek(0)
        while block := self._file.read(1 << 20):
            file.write(block)

    def _row(self, cells: Iterable[str]) -> str:
        self._rows += 1
        places = (
            f'<c r="{letter}{self._rows}"{cell}'
            for letter, cell in zip(self._letters, cells, strict=False)
            if cell
        )
        return f'<row r="{self._rows}">{"".join(places)}</row>'

    def _write(self, text: str) -> None:
        self._file.write(text.encode())


def write_workbook(frames: Mapping[str, pd.DataFrame], path: Path) -> Path:
    """Write tables as one workbook, a sheet a table; SettingError where there is none."""
    with Workbook() as book:
        for name, frame in zip(sheet_names(list(frames)), frames.values(), strict=True):
            book.append(name, frame)
        return book.save(path)


def sheet_names(names: Sequence[str]) -> list[str]:
    """Make legal names of sheets, each its own: at most 31 characters, and without those Excel refuses."""
    taken: set[str] = set()
    legal = []
    for name in names:
        plain = re.sub(r"[\[\]:*?/\\\x00-\x1f]", "_", name).strip("' ") or "table"
        # Excel keeps this name for itself.
        plain = "History_" if plain.casefold() == "history" else plain
        shown, number = plain[:_SHEET_NAME].rstrip("' "), 1
        while shown.casefold() in taken:
            number += 1
            mark = f" {number}"
            shown = plain[: _SHEET_NAME - len(mark)] + mark
        taken.add(shown.casefold())
        legal.append(shown)
    return legal


def _parts(names: Sequence[str]) -> dict[str, str]:
    """Make what a workbook has beside its sheets."""
    numbers = range(1, len(names) + 1)
    sheets = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{number}" r:id="rId{number}"/>'
        for number, name in zip(numbers, names, strict=True)
    )
    related = "".join(
        f'<Relationship Id="rId{n}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in numbers
    )
    kinds = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{_KINDS}.worksheet+xml"/>'
        for n in numbers
    )
    relationships = f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">'
    return {
        "[Content_Types].xml": f'{_XML}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_KINDS}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_KINDS}.styles+xml"/>{kinds}</Types>',
        "_rels/.rels": f'{relationships}<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'{_XML}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{sheets}</sheets>'
        "</workbook>",
        "xl/_rels/workbook.xml.rels": f'{relationships}{related}<Relationship Id="rId{len(names) + 1}" '
        f'Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": _STYLES,
    }


def _width(frame: pd.DataFrame, place: int) -> int:
    texts = (str(value) for value in frame.iloc[:_LOOKED_AT, place].dropna())
    return min(max(max(map(len, (str(frame.columns[place]), *texts))) + 2, _NARROW), _BROAD)


def _cell(value: object) -> str:
    """Write a value as the rest of a cell behind its place; nothing for a missing one."""
    import numpy as np
    import pandas as pd

    if isinstance(value, str):
        return _text_cell(value)
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool | np.bool_):
        return f' t="b"><v>{int(value)}</v></c>'
    if isinstance(value, Integral):
        return f"><v>{int(value)}</v></c>"
    if isinstance(value, Real) and math.isfinite(value):
        return f"><v>{float(value)!r}</v></c>"
    return _text_cell(str(value))


# Names of methods, judges and dimensions stand in every row.
@lru_cache(maxsize=1024)
def _text_cell(text: str) -> str:
    harmless = no_formula(_ILLEGAL.sub("", text))
    cut = harmless if len(harmless) <= _CELL else f"{harmless[: _CELL - len(_CUT)]}{_CUT}"
    return f' t="inlineStr"><is><t xml:space="preserve">{escape(cut)}</t></is></c>' if cut else ""
