"""Write tables as a paper prints them: Markdown and LaTeX, with everything in long form beside it as CSV.

The layout follows from a frame's columns: methods across and dimensions down, ablations, a grid of analysts
and judges, or the frame as it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import TYPE_CHECKING, Literal

from creaeval.agreement.pair_values import AVG
from creaeval.report.formatting import span
from creaeval.report.markup import escape_latex, escape_markdown, latex_grid, markdown_grid, write_text
from creaeval.runs import write_table
from creaeval.stats.measures import measure_label

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pandas as pd

#: Stands where a value is undefined.
UNDEFINED = "–"
#: What marks say in files.
BEST = "Best in bold, second best in italics or underlined."
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
    below = [*map(str, frame.attrs.get("notes", ())), *notes]
    return [
        write_table(frame, folder / f"{name}.csv"),
        write_text(folder / f"{name}.md", markdown_tables(tables, caption, below)),
        write_text(folder / f"{name}.tex", latex_tables(tables, caption, below)),
    ]


def lay_out_tables(frame: pd.DataFrame) -> list[WideTable]:
    """Lay a long frame out as it is read, one table a measure or a single one."""
    # Of each measure: dimensions down and methods across (their judges with a column judge, pairs of these
    # with first and second); with difference, methods down and measures across; with analyst and judge but no
    # dimension, a grid. Used where they are there: low, high, n, defined, reason, rank, significant, and the
    # frame's attrs["notes"].
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
        parts.append(markdown_grid(list(map(escape_markdown, table.header)), rows))
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
        header, notes_below = list(map(escape_latex, table.header)), list(map(escape_latex, below))
        parts.append(latex_grid(header, lines, escape_latex(title), ruled, notes_below))
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


def _cross(part: pd.DataFrame, down: str, across: str) -> tuple[list[str], dict[str, list[Cell]]]:
    """Lay one column down and another across: its values, and by row the cells with n behind them."""
    columns = list(dict.fromkeys(part[across].astype(str)))
    rows = {}
    for name, group in part.groupby(down, sort=False):
        cells = {str(row[across]): _value(row) for _, row in group.iterrows()}
        rows[str(name)] = [*(cells.get(column, Cell("")) for column in columns), *_n(group)]
    return columns, rows


def _n(rows: pd.DataFrame) -> list[Cell]:
    return [Cell(span(rows["n"]))] if "n" in rows else []


def _methods(part: pd.DataFrame, measure: str) -> WideTable:
    """Lay dimensions down and methods, or their judges, across."""
    columns, rows = _cross(part, "dimension", "label")
    names = dict(zip(part["dimension"], part["name" if "name" in part else "dimension"], strict=True))
    ruled = frozenset(number for number, dimension in enumerate(rows) if dimension == AVG and number)
    header = ["", *columns, *(["n"] if "n" in part else [])]
    notes = []
    if "rank" in part and part["rank"].notna().any():
        notes.append(BEST)
        if "significant" in part and part["significant"].eq(True).any():
            notes.append("* p < .05 against the second best.")
    notes += _undefined(part.assign(place=part["label"] + ", " + part["dimension"].map(names).astype(str)))
    lines = [[Cell(str(names[dimension])), *cells] for dimension, cells in rows.items()]
    return WideTable(_title(measure), header, lines, ruled, notes)


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
    judges, rows = _cross(part, "analyst", "judge")
    header = ["analyst", *judges, *(["n"] if "n" in part else [])]
    places = part["analyst"].astype(str) + ", " + part["judge"].astype(str)
    lines = [[Cell(analyst), *cells] for analyst, cells in rows.items()]
    return WideTable(_title(measure), header, lines, notes=_undefined(part.assign(place=places)))


def _ablations(frame: pd.DataFrame) -> WideTable:
    """Lay methods down; across, of each measure, the value and its change."""
    measures = list(dict.fromkeys(frame["measure"].astype(str)))
    rows: list[list[Cell]] = []
    for method, group in frame.groupby("method", sort=False):
        by_measure = {str(row["measure"]): row for _, row in group.iterrows()}
        cells = [Cell(str(method))]
        for measure in measures:
            if (row := by_measure.get(measure)) is None:
                cells += [Cell(""), Cell("")]
            else:
                cells += [_value(row, star=False), _change(row, full=not rows)]
        rows.append([*cells, *_n(group)])
    header = ["", *(name for measure in measures for name in (_title(measure), "change"))]
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
        whole = round(percent)
        shown += f" ({'−' if whole < 0 else '+' if whole > 0 else ''}{abs(whole)}%)"
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
    is_starred = star and _is_true(row.get("significant"))
    return Cell(paper_number(float(row["value"])), _interval(low, high), mark, is_starred)


def _is_true(value: object) -> bool:
    import pandas as pd

    return value is not None and not pd.isna(value) and bool(value)  # type: ignore[call-overload]


def _interval(low: float, high: float) -> str:
    return "" if math.isnan(low) else f"[{paper_number(low, 2)}, {paper_number(high, 2)}]"


def _title(measure: str) -> str:
    return measure_label(measure)


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
