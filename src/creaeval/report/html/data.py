"""What an HTML report shows: tables, figures, runs with their responses, cases side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from creaeval.report.display import DisplayTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.data import Rating
    from creaeval.runs import Run


@dataclass(frozen=True)
class Figure:
    """One figure: an SVG document, which is shown as an image, so that nothing in it can run."""

    caption: str
    svg: str
    note: str = ""


Part: TypeAlias = DisplayTable | Figure | str


@dataclass(frozen=True)
class Section:
    """A heading with tables, figures and paragraphs below it; ``folded`` ones are opened by the reader."""

    title: str
    parts: Sequence[Part]
    folded: bool = False


@dataclass(frozen=True)
class RunPart:
    """A run whose responses get a page each.

    Parameters
    ----------
    run : Run
        The run; its ledger must be open while the report is written.
    ratings : sequence of Rating
        People's scores of the same responses, of one stage.
    label : str
        What the run is called in the report; its method if empty.
    """

    run: Run
    ratings: Sequence[Rating] = ()
    label: str = ""

    @property
    def name(self) -> str:
        """What the run is called."""
        return self.label or str(self.run.manifest["method"])


@dataclass(frozen=True)
class Case:
    """One response under two methods; ``left`` and ``right`` are places in ``ReportData.runs``."""

    response_id: str
    left: int
    right: int


@dataclass(frozen=True)
class ReportData:
    """A whole report.

    Parameters
    ----------
    title : str
        Its heading.
    about : str
        Said below the heading: what it is about.
    facts : sequence of tuple of (str, str)
        Names and values at the end of the summary: what ran.
    headline : sequence of tuple of (str, str, str)
        The few numbers to see first: name, value, what to know about it.
    sections : sequence of Section
        The summary.
    runs : sequence of RunPart
        Whose responses get pages; empty for tables and figures alone.
    cases : sequence of Case
        Pages with two methods side by side.
    notes : sequence of str
        Said before all else, such as that ratings are made up.
    """

    title: str
    about: str = ""
    facts: Sequence[tuple[str, str]] = ()
    headline: Sequence[tuple[str, str, str]] = ()
    sections: Sequence[Section] = ()
    runs: Sequence[RunPart] = ()
    cases: Sequence[Case] = ()
    notes: Sequence[str] = ()
