r"""Tables in LaTeX (package booktabs) that fit the page of the class ``article``, 345 pt wide.

Columns that do not fit stand in a further panel below, rows that do not in a further float.
"""

from __future__ import annotations

import math
from itertools import accumulate, groupby, zip_longest
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from creaeval.report.display.numbers import UNDEFINED, fold, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from creaeval.report.display.table import Cell, DisplayTable, Line

_SPECIAL = str.maketrans(
    {
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
    }
)
_LEGEND = "Best in bold, second best underlined."
#: Points: width of the text; of a line of a row's name, of a heading, of a text; and beside each column.
_TEXT_WIDTH, _NAME, _HEADING, _TEXT, _BESIDE = 345.0, 105.0, 46.0, 150.0, 6.0
#: Lines of a float, and points of a character's unit in the two sizes of type.
_LINES, _SIZE, _SMALL = 50, 8.5, 7.4
#: Characters that are narrower and wider than most in Computer Modern, whose bold is the widest.
_NARROW, _BROAD = frozenset("iIjltfr.,:;'!|()[]/- "), frozenset("mMwW−—%@&")


def latex_tables(tables: Iterable[DisplayTable], caption: str = "", notes: Iterable[str] = ()) -> str:
    """Write tables in LaTeX, each a float of its own or several, with the notes of all below the last."""
    tables, notes = list(tables), list(notes)
    blocks: list[str] = []
    for table in tables:
        title = ": ".join(filter(None, (caption, table.title)))
        blocks += _floats(table, title, notes if table is tables[-1] else [])
    return "\n\n".join(blocks) + "\n"


def escape_latex(text: str) -> str:
    """Make text that LaTeX prints as it is, on one line."""
    return one_line(text).translate(_SPECIAL).replace("−", "$-$").replace(UNDEFINED, "--")


def text_width(text: str, size: float = _SIZE) -> float:
    r"""Estimate from above how wide a text is in ``\footnotesize``, in points."""
    return size * sum(map(_units, text))


def _units(character: str) -> float:
    if character in _NARROW:
        return 0.4
    if character in _BROAD or east_asian_width(character) in "WF":
        return 1.0
    return 0.76 if character.isupper() else 0.56


def panels(table: DisplayTable) -> tuple[DisplayTable, ...]:
    """Break a table into panels of columns that fit the width of the text."""
    widths = [_column_width(table, place) for place in range(len(table.columns))]
    names = [table.corner, *(line.name for line in table.rows)]
    first = max(text_width(text) for name in names for text in fold(name, _NAME, text_width))
    return table.parts(widths, max(_TEXT_WIDTH - first, *widths, 1))


def _column_width(table: DisplayTable, place: int) -> float:
    line = table.columns[place]
    headings = [text for name in (line.name, line.group) for text in fold(name, _HEADING, text_width)]
    widths = [text_width(text) for text in headings]
    for cell in table.column(place):
        widths += [text_width(text) for text in fold(cell.text + "*" * cell.star, _TEXT, text_width)]
        widths.append(text_width(cell.behind, _SMALL))
    return max(widths) + _BESIDE


def _floats(table: DisplayTable, title: str, notes: Sequence[str]) -> Iterator[str]:
    """Write a table as floats, each with as many panels as a page holds."""
    blocks = [block for panel in panels(table) for block in _blocks(panel)]
    below = [*table.remarks, *([_LEGEND] if table.is_marked else []), *notes]
    if below:
        blocks.append(_notes(below))
    floats: list[list[str]] = []
    used = _LINES
    for text, height in blocks:
        if used + height > _LINES:
            floats.append([])
            used = 0
        floats[-1].append(text)
        used += height
    for number, texts in enumerate(floats):
        continued = " (continued)" if number else ""
        head = [r"\begin{table}", *([r"\addtocounter{table}{-1}"] if number else []), r"\centering"]
        head += [
            rf"\caption{{{escape_latex(title)}{continued}}}",
            r"\footnotesize\setlength{\tabcolsep}{3pt}",
        ]
        # LaTeX holds no more than 18 floats back.
        end = [r"\end{table}", *([r"\clearpage"] if number % 10 == 9 else [])]
        yield "\n".join([*head, "\n\\par\\medskip\n".join(texts), *end])


def _notes(notes: Sequence[str]) -> tuple[str, int]:
    height = sum(math.ceil(text_width(note) / _TEXT_WIDTH) for note in notes)
    text = "\\\\\n".join(_row([escape_latex(note)]) for note in notes)
    return rf"\begin{{minipage}}{{\linewidth}}\raggedright\footnotesize {text}\end{{minipage}}", height


def _blocks(panel: DisplayTable) -> Iterator[tuple[str, int]]:
    """Write a panel, in several pieces where it has more rows than a page holds; yield the heights, too."""
    head = _head(panel)
    pieces: list[list[str]] = [[]]
    group, summary = "", False
    for line, cells in zip(panel.rows, panel.cells, strict=True):
        lines = [r"\midrule"] if line.summary and not summary else []
        if line.group != group:
            lines += [
                _row([rf"\multicolumn{{{len(cells) + 1}}}{{l}}{{\textit{{{escape_latex(text)}}}}}"]) + r" \\"
                for text in fold(line.group, 2 * _TEXT, text_width)
            ]
        group, summary = line.group, line.summary
        lines += _body_row(line, cells)
        if pieces[-1] and len(head) + len(pieces[-1]) + len(lines) > _LINES - 4:
            pieces.append([])
        pieces[-1] += lines
    kinds = "".join("r" if panel.is_numeric(place) else "l" for place in range(len(panel.columns)))
    for lines in pieces:
        body = [r"\toprule", *head, r"\midrule", *lines, r"\bottomrule", r"\end{tabular}"]
        yield "\n".join([rf"\begin{{tabular}}{{@{{}}l{kinds}@{{}}}}", *body]), len(body) + 1


def _head(panel: DisplayTable) -> list[str]:
    """Write the headings, below those of the groups that columns stand under."""
    lines: list[str] = []
    if any(line.group for line in panel.columns):
        groups = [(name, len(list(of))) for name, of in groupby(panel.columns, key=lambda line: line.group)]
        for texts in _stacked([fold(name, _HEADING * count, text_width) for name, count in groups]):
            spans = zip((count for _, count in groups), texts, strict=True)
            lines.append(
                _row(["", *(rf"\multicolumn{{{count}}}{{c}}{{{text}}}" for count, text in spans)]) + r" \\"
            )
        ends = list(accumulate((count for _, count in groups), initial=1))
        rules = zip(groups, ends, ends[1:], strict=False)
        lines.append("".join(rf"\cmidrule(lr){{{a + 1}-{b}}}" for (name, _), a, b in rules if name))
    names = [
        fold(panel.corner, _NAME, text_width),
        *(fold(line.name, _HEADING, text_width) for line in panel.columns),
    ]
    return [*lines, *(_row(texts) + r" \\" for texts in _stacked(names))]


def _stacked(columns: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Yield the lines of headings that end on the same one."""
    height = max(map(len, columns))
    for left in range(height, 0, -1):
        yield [escape_latex(texts[-left]) if left <= len(texts) else "" for texts in columns]


def _body_row(line: Line, cells: Sequence[Cell]) -> list[str]:
    columns = [[escape_latex(text) for text in fold(line.name, _NAME, text_width)], *map(_cell, cells)]
    return [_row(texts) + r" \\" for texts in zip_longest(*columns, fillvalue="")]


def _cell(cell: Cell) -> list[str]:
    """Write a cell, what belongs to its value on a line below it."""
    texts = [escape_latex(text) for text in fold(cell.text, _TEXT, text_width)]
    if cell.mark:
        texts[0] = rf"\{'textbf' if cell.mark == 'best' else 'underline'}{{{texts[0]}}}"
    texts[0] += "$^{*}$" if cell.star else ""
    return [*texts, *([rf"{{\scriptsize {escape_latex(cell.behind)}}}"] if cell.behind else [])]


def _row(cells: Sequence[str]) -> str:
    """Join cells; behind the end of a row, LaTeX takes a bracket or asterisk for an option of it."""
    line = " & ".join(cells)
    return ("{}" if line.lstrip()[:1] in ("[", "*") else "") + line
