"""Where two runs differ most, with the evidence of both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.agreement.long_table import compared_dimensions
from creaeval.data.points import points_range
from creaeval.runs import Run
from creaeval.tasks import resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pandas as pd

    from creaeval.data import Rating, Scores
    from creaeval.methods import Outcome
    from creaeval.sheets.evidence import DimensionEvidence, Quote, StepEvidence
    from creaeval.tasks import Task

    Given = Mapping[str, Mapping[str, float]]

COLUMNS = [
    "response_id",
    "dimension",
    "a",
    "b",
    "difference",
    "share_of_scale",
    "ratings",
    "evidence_a",
    "evidence_b",
]


def largest_differences(
    task: Task,
    runs: tuple[Run | Scores, Run | Scores],
    given: tuple[Given, Given],
    ratings: Iterable[Rating],
    most: int,
) -> pd.DataFrame:
    """List the responses and dimensions in which two runs differ most.

    Parameters
    ----------
    task : Task
        The task.
    runs : tuple of Run or Scores
        Runs A and B.
    given : tuple of mapping
        For each run, by identity and response, its score.
    ratings : iterable of Rating
        People's scores, shown beside.
    most : int
        Rows at most.

    Returns
    -------
    pandas.DataFrame
        The scores, ``difference`` (A minus B, in points) and ``share_of_scale`` (its size as a share of the
        dimension's range, by which the rows are ordered, since ranges differ), the ratings, and for each run
        the evidence: of items one after the other, quotes after the analyst's own words.
        Empty where a method gathers none. Sums over dimensions are left out.
    """
    import pandas as pd

    found: list[tuple[float, str, str, float, float]] = []
    for identity in compared_dimensions(task):
        low, high = points_range(task, *resolve(task, identity))
        b = given[1].get(identity, {})
        for response_id, points in given[0].get(identity, {}).items():
            if response_id in b and points != b[response_id]:
                share = abs(points - b[response_id]) / (high - low)
                found.append((share, identity, response_id, points, b[response_id]))
    found.sort(key=lambda row: -row[0])  # stable: else in the order of the sheet
    found = found[:most]
    by_response: dict[str, list[Rating]] = {}
    for rating in ratings:
        by_response.setdefault(rating.response_id, []).append(rating)
    places = [(response_id, identity) for _, identity, response_id, _, _ in found]
    evidence = [_evidence(run, places) for run in runs]
    rows = [
        (
            *(response_id, identity, a, b, a - b, share),
            _rated(by_response.get(response_id, ()), identity),
            *(of_run.get((response_id, identity), "") for of_run in evidence),
        )
        for share, identity, response_id, a, b in found
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _rated(ratings: Sequence[Rating], identity: str) -> str:
    given = [(rating.rater, rating.sheet.final(identity)) for rating in ratings]
    return "; ".join(f"{rater}: {points:g}" for rater, points in given if points is not None)


def _evidence(run: Run | Scores, places: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Look up what was gathered for responses and identities, in one pass over the outcomes."""
    if not isinstance(run, Run):
        return {}
    wanted: dict[str, list[str]] = {}
    for response_id, identity in places:
        wanted.setdefault(response_id, []).append(identity)
    return {
        (outcome.response_id, identity): evidence_text(run.task, outcome, identity)
        for outcome in run.outcomes
        for identity in wanted.get(outcome.response_id, ())
    }


def evidence_text(task: Task, outcome: Outcome, identity: str) -> str:
    """Write the evidence of one dimension on one line.

    Parameters
    ----------
    task : Task
        The task.
    outcome : Outcome
        Of the response; of evidence gathered several times, the first.
    identity : str
        Of a dimension, or of a group, whose members follow each other.

    Returns
    -------
    str
        Empty where nothing was gathered. A quote that is not word for word in its own item or step says so;
        one that stands only nearly in the response is in no quotation marks.
    """
    step_id, _, part = identity.partition(".")
    step = outcome.evidence.step(step_id) if outcome.evidence is not None else None
    if step is None:
        return ""
    groups = {group.id: group.members for group in task.step(step_id).groups}
    return " ".join(text for name in groups.get(part, (part,)) for text in _lines(step, name))


def _lines(step: StepEvidence, name: str) -> Iterator[str]:
    for one in step.given_items:
        if name in one.dimensions:
            category = (
                f" (category {one.category})" if one.category and not one.dimensions[name].observation else ""
            )
            yield f"[{one.item}] {_said(one.dimensions[name])}{category}"
    if name in step.dimensions:
        yield _said(step.dimensions[name])


def _said(finding: DimensionEvidence) -> str:
    return " ".join(" ".join([finding.observation, *map(_cited, finding.quotes)]).split())


def _cited(quote: Quote) -> str:
    where = f" in {quote.place}" if quote.place else ""
    if quote.outcome == "not found":
        return f"“{quote.text}” (not found)"
    if quote.words:
        return f"[nearly{where}: {quote.text}; written: {quote.words}]"
    if quote.outcome == "nearly":
        return f"[nearly: {quote.text}]"
    return f"“{quote.text}”" + (f" ({where.strip()})" if where else "")
