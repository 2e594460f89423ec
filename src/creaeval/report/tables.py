"""Write tables as a paper prints them: Markdown and LaTeX, with everything in long form beside it as CSV.

The layout follows from a frame's columns: methods across and dimensions down, ablations, a grid of analysts
and judges, or the frame as it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import TYPE_CHECKING, Literal

from creaeval.analysis.agreement import MEASURES
from creaeval.analysis.pair_values import AVG
from creaeval.report.formatting import span
from creaeval.report.markup import escape_latex, escape_markdown, latex_grid, markdown_grid
from creaeval.runs import write_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pandas as pd

#: Stands where a value is undefined.
UNDEFINED = "–"
_MOST_LINES = 10


@dataclass(frozen=True)
class Cell:
    """One cell, as plain text and what is to be done to it."""

    text: str
    interval: str = ""
    mark: Literal["", "best", "second"] = ""
    star: bool = False


@dataclass(frozen=True)
class WideTable:
    """A table as people read it."""

    title: str
    header: list[str]
    rows: list[list[Cell]]
    ruled: frozenset[int] = frozenset()
    notes: list[str] = field(default_factory=list)


def write_paper_table(
    frame: pd.DataFrame, folder: Path, name: str, *, caption: str, notes: Sequence[str] = ()
) -> list[Path]:
    """Write a table for a paper."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = lay_out_tables(frame)
    said = [*map(str, frame.attrs.get("notes", ())), *notes]
    written = [write_table(frame, folder / f"{name}.csv")]
    for ending, text in (
        ("md", markdown_tables(tables, caption, said)),
        ("tex", latex_tables(tables, caption, said)),
    ):
        path = folder / f"{name}.{ending}"
        path.write_text(text, encoding="utf-8", newline="\n")
        written.append(path)
    return written


def lay_out_tables(frame: pd.DataFrame) -> list[WideTable]:
    """Lay a long frame out as it is read; see :func:`write_paper_table`."""
    columns = set() if frame.empty else set(frame.columns)
    if {"measure", "method", "value", "difference"} <= columns:
        return [_ablations(frame)]
    if {"measure", "dimension", "method", "value"} <= columns:
        labelled = frame.assign(label=_labels(frame))
        if not labelled.duplicated(["measure", "dimension", "label"]).any():
            parts = labelled.groupby("measure", sort=False)
            return [_methods(part, str(measure)) for measure, part in parts]
    if {"measure", "analyst", "judge", "value"} <= columns:
        return [_grid(part, str(measure)) for measure, part in frame.groupby("measure", sort=False)]
    return [_plain(frame)]


def markdown_tables(tables: Sequence[WideTable], caption: str, notes: Sequence[str] = ()) -> str:
    """Write tables in Markdown, with the caption above and the notes below."""
    parts = [f"**{escape_markdown(caption)}**"]
    for table in tables:
        if table.title:
            parts.append(f"**{escape_markdown(table.title)}**")
        rows = [[_markdown(cell) for cell in row] for row in table.rows]
        parts.append(markdown_grid([escape_markdown(one) for one in table.header], rows))
        if table.notes:
            parts.append("\n".join(f"- {escape_markdown(note)}" for note in table.notes))
    if notes:
        parts.append("\n".join(f"- {escape_markdown(note)}" for note in notes))
    return "\n\n".join(parts) + "\n"


def latex_tables(tables: Sequence[WideTable], caption: str, notes: Sequence[str] = ()) -> str:
    """Write tables in LaTeX (package booktabs), each a float of its own."""
    parts = []
    for number, table in enumerate(tables, 1):
        lines: list[list[str]] = []
        ruled: set[int] = set()
        for place, row in enumerate(table.rows):
            if place in table.ruled:
                ruled.add(len(lines))
            lines.append([_latex(cell) for cell in row])
            if any(cell.interval for cell in row):
                lines.append(
                    [rf"{{\footnotesize {_latex_number(c.interval)}}}" if c.interval else "" for c in row]
                )
        below = [*table.notes, *(notes if number == len(tables) else ())]
        title = ": ".join(filter(None, (caption, table.title)))
        header = [escape_latex(one) for one in table.header]
        parts.append(latex_grid(header, lines, escape_latex(title), ruled, [*map(escape_latex, below)]))
    return "\n\n".join(parts) + "\n"


def paper_number(value: float, digits: int = 3) -> str:
    """Write a number without the zero before the point, such as ``.638`` or ``−.010``."""
    if math.isnan(value):
        return UNDEFINED
    rounded = round(value, digits)
    return ("−" if rounded < 0 else "") + f"{abs(rounded):.{digits}f}".removeprefix("0")


def _markdown(cell: Cell) -> str:
    text = escape_markdown(cell.text)
    around = {"best": "**", "second": "_", "": ""}[cell.mark]
    star = r"\*" if cell.star else ""
    interval = f" {escape_markdown(cell.interval)}" if cell.interval else ""
    return f"{around}{text}{around}{star}{interval}"


def _latex(cell: Cell) -> str:
    text = _latex_number(escape_latex(cell.text))
    if cell.mark:
        text = rf"\{'textbf' if cell.mark == 'best' else 'underline'}{{{text}}}"
    return text + ("$^{*}$" if cell.star else "")


def _latex_number(text: str) -> str:
    return text.replace("−", "$-$").replace(UNDEFINED, "--")


def _methods(part: pd.DataFrame, measure: str) -> WideTable:
    """Lay dimensions down and methods, or their judges, across."""
    columns = list(dict.fromkeys(part["label"]))
    names = dict(zip(part["dimension"], part["name" if "name" in part else "dimension"], strict=True))
    rows: list[list[Cell]] = []
    ruled: set[int] = set()
    for dimension, of in part.groupby("dimension", sort=False):
        if dimension == AVG and rows:
            ruled.add(len(rows))
        cells = {str(row["label"]): _value(row) for _, row in of.iterrows()}
        n = [Cell(_span(of))] if "n" in of else []
        rows.append([Cell(str(names[dimension])), *(cells.get(one, Cell("")) for one in columns), *n])
    header = ["", *columns, *(["n"] if "n" in part else [])]
    notes = []
    if "rank" in part and part["rank"].notna().any():
        stars = "significant" in part and part["significant"].eq(True).any()
        notes.append("Best in bold, second best in italics or underlined.")
        if stars:
            notes.append("* p < .05 against the second best.")
    notes += _undefined(part.assign(place=part["label"] + ", " + part["dimension"].map(names).astype(str)))
    return WideTable(_title(measure), header, rows, frozenset(ruled), notes)


def _labels(frame: pd.DataFrame) -> pd.Series[str]:
    """Name the columns: methods, or their judges, or pairs of these."""
    methods = frame["method"].astype(str)
    if "judge" in frame:
        scorers = frame["judge"].astype(str)
    elif {"first", "second"} <= set(frame.columns):
        second = frame["second"].astype(str)
        scorers = frame["first"].astype(str) + second.where(second.eq(""), " and " + second)
    else:
        return methods
    return scorers if methods.nunique() == 1 else methods + ": " + scorers


def _grid(part: pd.DataFrame, measure: str) -> WideTable:
    """Lay analysts down and judges across; what was not run stays empty."""
    judges = list(dict.fromkeys(part["judge"].astype(str)))
    rows: list[list[Cell]] = []
    for analyst, of in part.groupby("analyst", sort=False):
        cells = {str(row["judge"]): _value(row) for _, row in of.iterrows()}
        n = [Cell(_span(of))] if "n" in of else []
        rows.append([Cell(str(analyst)), *(cells.get(one, Cell("")) for one in judges), *n])
    header = ["analyst", *judges, *(["n"] if "n" in part else [])]
    places = part["analyst"].astype(str) + ", " + part["judge"].astype(str)
    return WideTable(_title(measure), header, rows, notes=_undefined(part.assign(place=places)))


def _ablations(frame: pd.DataFrame) -> WideTable:
    """Lay methods down; across, of each measure, the value and its change."""
    measures = list(dict.fromkeys(frame["measure"].astype(str)))
    rows: list[list[Cell]] = []
    for method, of in frame.groupby("method", sort=False):
        by_measure = {str(row["measure"]): row for _, row in of.iterrows()}
        cells = [Cell(str(method))]
        for measure in measures:
            row = by_measure.get(measure)
            cells += (
                [Cell(""), Cell("")]
                if row is None
                else [_value(row, star=False), _change(row, full=not rows)]
            )
        rows.append([*cells, *([Cell(_span(of))] if "n" in of else [])])
    header = ["", *(one for measure in measures for one in (_title(measure), "change"))]
    header += ["n"] if "n" in frame else []
    stars = "significant" in frame and frame["significant"].eq(True).any()
    notes = ["* p < .05 against the full method."] if stars else []
    places = frame["method"].astype(str) + ", " + frame["measure"].map(_title)
    return WideTable("", header, rows, notes=[*notes, *_undefined(frame.assign(place=places))])


def _change(row: pd.Series, *, full: bool) -> Cell:
    difference = float(row["difference"])
    if math.isnan(difference):
        # The full method, which comes first, has nothing it differs from.
        return Cell("" if full else UNDEFINED)
    percent = float(row.get("change_percent", math.nan))
    shown = paper_number(difference)
    if not math.isnan(percent):
        shown += (
            f" ({'−' if round(percent) < 0 else '+' if round(percent) > 0 else ''}{abs(round(percent))}%)"
        )
    low, high = (float(row.get(f"difference_{end}", math.nan)) for end in ("low", "high"))
    return Cell(shown, _interval(low, high), star=_is_true(row.get("significant")))


def _plain(frame: pd.DataFrame) -> WideTable:
    rows = [[Cell(_plain_text(value)) for value in row] for row in frame.itertuples(index=False)]
    return WideTable("", list(map(str, frame.columns)), rows)


def _plain_text(value: object) -> str:
    import pandas as pd

    if value is None or value is pd.NA:
        return UNDEFINED
    if isinstance(value, Integral) or not isinstance(value, Real):
        return str(value)
    return paper_number(float(value))


def _value(row: pd.Series, *, star: bool = True) -> Cell:
    import pandas as pd

    rank = row.get("rank")
    place = 0 if rank is None or pd.isna(rank) else int(rank)
    mark: Literal["", "best", "second"] = "best" if place == 1 else "second" if place == 2 else ""
    low, high = (float(row.get(end, math.nan)) for end in ("low", "high"))
    return Cell(
        paper_number(float(row["value"])),
        _interval(low, high),
        mark,
        star and _is_true(row.get("significant")),
    )


def _is_true(value: object) -> bool:
    import pandas as pd

    return value is not None and not pd.isna(value) and bool(value)  # type: ignore[call-overload]


def _interval(low: float, high: float) -> str:
    return "" if math.isnan(low) else f"[{paper_number(low, 2)}, {paper_number(high, 2)}]"


def _span(rows: pd.DataFrame) -> str:
    return span(rows["n"])


def _title(measure: str) -> str:
    return MEASURES.get(measure, measure)


def _undefined(part: pd.DataFrame) -> list[str]:
    """Say what is undefined, wholly or in part, and why."""
    lines = list(_undefined_lines(part))
    if len(lines) > _MOST_LINES:
        rest = len(lines) - _MOST_LINES
        lines[_MOST_LINES:] = [f"… and {rest} more such values; the CSV file has all."]
    return lines


def _undefined_lines(part: pd.DataFrame) -> Iterator[str]:
    for _, row in part.iterrows():
        reason = f": {row['reason']}" if row.get("reason") else ""
        numbers = set(str(row.get("defined", "")).split(" of "))
        if math.isnan(float(row["value"])):
            yield f"{UNDEFINED} {row['place']}{reason or ': undefined'}."
        elif len(numbers) > 1:
            yield f"{row['place']}: mean of {row['defined']} values, the others are undefined{reason}."
