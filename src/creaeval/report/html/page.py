"""Write a report as one HTML file, whole or not at all, and over nothing but a report.

It is written part by part, so that memory does not grow with its responses.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import StringIO
from statistics import fmean
from typing import TYPE_CHECKING, Any, TextIO

from creaeval.errors import SettingError
from creaeval.report.display import DisplayTable, plain_table
from creaeval.report.html.cells import make_grids, remarks
from creaeval.report.html.data import Figure, ReportData, RunPart, Section
from creaeval.report.html.index import Index, index_run, mean_table, response_table, scorer_name
from creaeval.report.html.response import PageView, page_view
from creaeval.report.html.scores import ScoreTable, judges_of, raters_of, score_table
from creaeval.report.participants import ABOUT, participant_rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from jinja2 import Environment

    from creaeval.methods import Outcome

# What HTML may not hold, and halves of surrogate pairs, which no file can.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")

_MOST_MEANS = 4
# What every report of ours has at its beginning.
_OURS, _HEAD = b'<meta name="generator" content="creaeval">', 4096


@dataclass(frozen=True)
class CaseView:
    """A page with two methods side by side."""

    key: str
    id: str
    left: PageView
    right: PageView
    table: ScoreTable


def render_report(data: ReportData) -> str:
    """Write a report as text; see :func:`write_report`, which large ones are better given to.

    Parameters
    ----------
    data : ReportData
        What it shows.

    Returns
    -------
    str
        An HTML document.
    """
    file = StringIO()
    write_report(data, file)
    return file.getvalue()


def write_report(data: ReportData, file: TextIO) -> None:
    """Write a report as one self-contained HTML document.

    Styles and script are inline and named by their hashes in a Content-Security-Policy that allows nothing
    else: neither the network nor anything that stands in a response can be run or loaded. All texts are
    escaped; figures are images. Pages of responses are blocks of text, no elements, until they are opened, so
    that many of them weigh little.

    Parameters
    ----------
    data : ReportData
        What it shows. Outcomes and responses are read from their ledgers meanwhile, a few at a time.
    file : text file
        Where it goes, in UTF-8.
    """
    indexes = [index_run(part, number) for number, part in enumerate(data.runs)]
    css, script = _static("report.css"), _static("report.js")
    template = _environment().get_template("report.html.jinja")
    for chunk in template.generate(
        data=data,
        headline=_headline(data, indexes),
        css=css,
        script=script,
        policy=(
            f"default-src 'none'; style-src '{_csp_hash(css)}'; script-src '{_csp_hash(script)}'; "
            "img-src data:; base-uri 'none'; form-action 'none'"
        ),
        sections=list(map(_section, _sections(data, indexes))),
        lists=list(zip(data.runs, indexes, strict=True)),
        cases=[(f"c-{place}", case) for place, case in enumerate(data.cases)],
        case_views=lambda: _case_views(data, indexes),
        pages=lambda: _pages(data, indexes),
    ):
        file.write(chunk)


def check_target(path: Path) -> None:
    """Check that a report can be written to a file: a new one, or one that a report of ours is in."""
    if path.is_dir():
        raise SettingError(f"{path}: this is a folder; --out expects a file such as {path / 'report.html'}.")
    if not path.exists():
        return
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        message = f"{path}: cannot be read ({error.strerror}); name another file with --out."
        raise SettingError(message) from None
    if head and _OURS not in head:
        raise SettingError(f"{path}: this file is no report of creaeval; name another one with --out.")


def write_page(data: ReportData, path: Path) -> None:
    """Write a report to a file; an earlier report there stays until the new one is whole."""
    check_target(path)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("w", encoding="utf-8", newline="\n") as file:
            write_report(data, file)
        unfinished.replace(path)
    except OSError as error:
        raise SettingError(f"{path}: cannot be written ({error.strerror}).") from error
    finally:
        with suppress(OSError):
            unfinished.unlink()


def _pages(data: ReportData, indexes: list[Index]) -> Iterator[PageView]:
    for number, (part, index) in enumerate(zip(data.runs, indexes, strict=True)):
        for place, outcome in enumerate(part.run.outcomes):
            yield _page(part, index, outcome, f"{number}-{place}")


def _page(part: RunPart, index: Index, outcome: Outcome, key: str) -> PageView:
    scenario = part.run.scenarios.get(index.scenarios.get(outcome.response_id, ""))
    return page_view(part, outcome, index.ratings.get(outcome.response_id, []), key, scenario)


def _case_views(data: ReportData, indexes: list[Index]) -> Iterator[CaseView]:
    for place, case in enumerate(data.cases):
        left, right = (
            _page(part, index, part.run.outcomes[index.places[case.response_id]], f"c-{place}.{side}")
            for part, index, side in (
                (data.runs[case.left], indexes[case.left], "a"),
                (data.runs[case.right], indexes[case.right], "b"),
            )
        )
        judges = [
            scorer for view in (left, right) for scorer in judges_of(view.outcome.sheets, f"{view.run}: ")
        ]
        raters = raters_of(indexes[case.left].ratings.get(case.response_id, []))
        table = score_table(data.runs[case.left].run.task, [*judges, *raters], beside="judge")
        yield CaseView(f"c-{place}", case.response_id, left, right, table)


def _sections(data: ReportData, indexes: list[Index]) -> list[Section]:
    """Put the mean scores of each run first, and last what failed and every response."""
    scores, rest = [], []
    for part, index in zip(data.runs, indexes, strict=True):
        suffix = f": {part.name}" if len(data.runs) > 1 else ""
        lines = plain_table(
            response_table(part, index),
            f"{len(index.lines)} responses",
            digits=2,
            notes=["Where a response has several sheets, their mean."] if index.lines else (),
            links=index.links,
        )
        scores.append(Section(f"Scores{suffix}", [mean_table(part, index)]))
        if len(participants := part.run.participants):
            rows = participant_rows(part.run.task, participants)
            scores.append(
                Section(
                    f"Participants{suffix}", [plain_table(rows, "By participant", digits=2, notes=[ABOUT])]
                )
            )
        if any(line.failures for line in index.lines):
            rest.append(_failures(index, suffix))
        rest.append(Section(f"Responses{suffix}", [lines]))
    return [*scores, *data.sections, *rest]


def _headline(data: ReportData, indexes: list[Index]) -> list[tuple[str, str, str]]:
    """Put the mean Totals of a single run behind the first number of the headline."""
    if len(indexes) != 1:
        return list(data.headline)
    most = data.runs[0].run.task.max
    means = [
        (f"Mean Total, {scorer_name(*scorer)}", f"{fmean(totals):.1f}", f"of {most:.4g}, n {len(totals)}")
        for scorer, points in indexes[0].points.items()
        if (totals := points.get("total"))
    ]
    return [*data.headline[:1], *means[:_MOST_MEANS], *data.headline[1:]]


def _failures(index: Index, suffix: str) -> Section:
    import pandas as pd

    rows = [
        (line.id, failure.where, failure.model, failure.reason)
        for line in index.lines
        for failure in line.failures
    ]
    frame = pd.DataFrame(rows, columns=["Response", "Stage", "Model", "Reason"])
    caption = f"{len({row[0] for row in rows})} not scored, or not by every judge, or not in full"
    return Section(f"Failures{suffix}", [plain_table(frame, caption, links=index.links)])


def _section(section: Section) -> dict[str, Any]:
    parts: list[dict[str, Any]] = []
    for part in section.parts:
        if isinstance(part, DisplayTable):
            parts.append({"kind": "table", "table": part, "grids": make_grids(part), "note": remarks(part)})
        elif isinstance(part, Figure):
            encoded = base64.b64encode(part.svg.encode()).decode("ascii")
            parts.append({"kind": "figure", "figure": part, "data": encoded})
        else:
            parts.append({"kind": "text", "text": part})
    return {"title": section.title, "folded": section.folded, "parts": parts}


@cache
def _static(name: str) -> str:
    text = (files("creaeval.report.html") / "templates" / name).read_text(encoding="utf-8")
    # Browsers hash what they parsed, in which every line end is a newline.
    return text.replace("\r\n", "\n")


def _csp_hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
    return f"sha256-{digest}"


def _writable(value: Any) -> Any:
    from markupsafe import Markup

    if isinstance(value, str) and not isinstance(value, Markup):
        return _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", value)
    return value


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("creaeval.report.html", "templates"),
        undefined=StrictUndefined,
        autoescape=True,
        finalize=_writable,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
