"""What a response costs: seconds, tokens, calls and money of every method, as in Table 5 of the paper."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pandas as pd

    from creaeval.methods import CallSummary, Outcome
    from creaeval.runs import Run

COST_COLUMNS = [
    "method",
    "run",
    "analyst",
    "judge",
    "evidence_repeats",
    "judge_repeats",
    "per",
    "measure",
    "p50",
    "p95",
    "mean",
    "total",
    "n",
    "failed",
    "not_asked",
    "reason",
]
MEASURES = (
    "seconds",
    "tokens",
    "input_tokens",
    "cached_tokens",
    "output_tokens",
    "reasoning_tokens",
    "calls",
    "failed_attempts",
    "cost_usd",
)
#: Stands for all judges of a run together in the column ``judge``.
ALL_JUDGES = "(all)"


class _Spent(NamedTuple):
    """What went into one response."""

    values: Mapping[str, float]
    failed: bool


def cost_per_response(runs: Sequence[Run]) -> pd.DataFrame:
    """Say what the responses of each run took, at the median and at the 95th percentile.

    Parameters
    ----------
    runs : sequence of Run
        Of any methods and tasks.

    Returns
    -------
    pandas.DataFrame
        One row for each run, judge and measure. A judge's row has the analyst's calls and that judge's, as
        one judge alone would take; of several, the rows of judge ``(all)`` have all calls, the analyst's
        once. ``per`` is what the task calls a response, such as ``use``; those that share a call have equal
        shares of it. ``p50`` and ``p95`` interpolate
        linearly between the sorted values (NumPy's default, type 7 of Hyndman and Fan 1996); ``mean`` and
        ``total`` are over the same ``n``. ``failed`` counts those among them with a failure, and
        ``not_asked`` those that led to no call, which are no part of n. An undefined value is missing, and
        ``reason`` says why.

        The measures: ``seconds`` is the requests' time summed as if they were made one after another, which
        is no wall time; ``tokens`` is input and output; ``cached_tokens`` are part of the input,
        ``reasoning_tokens`` of the output; ``calls`` has replies used and rejected, ``failed_attempts`` those
        that brought none, which are in no other measure; ``cost_usd`` is undefined where a call has no price.

    Notes
    -----
    Calls that the ledger answered keep the seconds, tokens and cost of when they were made, and each run that
    used them has them. What an earlier attempt at a failed response took is in the ledger's accounts, not
    here. Table 5 of the paper (arXiv 2609.03432) has p50 and p95 of seconds and of tokens; how it
    interpolates and what it counts as time is not known to us.
    """
    import pandas as pd

    return pd.DataFrame([row for run in runs for row in _rows(run)], columns=COST_COLUMNS)


def _rows(run: Run) -> Iterator[tuple[object, ...]]:
    judges = [str(judge["name"]) for judge in run.manifest["judges"]]
    if len(judges) > 1:
        judges.append(ALL_JUDGES)
    analyst = (run.manifest.get("analyst") or {}).get("name", "")
    repeats = (run.manifest.get("evidence_repeats", 1), run.manifest.get("judge_repeats", 1))
    spent: defaultdict[str, list[_Spent]] = defaultdict(list)
    not_asked = 0
    unpriced: dict[str, dict[str, None]] = {judge: {} for judge in judges}
    for outcome in run.outcomes:
        if not outcome.calls:
            not_asked += 1
            continue
        for judge in judges:
            calls = [call for call in outcome.calls if _is_of(call, judge, judges)]
            unpriced[judge] |= dict.fromkeys(call.model for call in calls if call.cost_usd is None)
            apart = len(judges) > 1 and judge != ALL_JUDGES
            attempts = math.nan if apart else float(outcome.failed_attempts)
            spent[judge].append(_Spent(_sums(calls, attempts), _failed(outcome, judge)))
    for judge in judges:
        head = (run.manifest["method"], run.id, analyst, judge, *repeats, run.task.noun)
        reasons = {
            "failed_attempts": "not known of each judge by itself",
            "cost_usd": f"no price is known of {', '.join(unpriced[judge])}",
        }
        yield from _measures(head, spent[judge], not_asked, reasons)


def _is_of(call: CallSummary, judge: str, judges: Sequence[str]) -> bool:
    return len(judges) == 1 or judge == ALL_JUDGES or call.role != "judge" or call.model == judge


def _failed(outcome: Outcome, judge: str) -> bool:
    """Whether something failed on the way to this judge's sheet; of all judges, on the way to any."""
    return any(
        judge in (ALL_JUDGES, failure.model) or failure.stage != "judge" for failure in outcome.failures
    )


def _sums(calls: Sequence[CallSummary], failed_attempts: float) -> dict[str, float]:
    def shares(values: Iterable[float]) -> float:
        return sum(value / call.shared_by for value, call in zip(values, calls, strict=True))

    return {
        "seconds": shares(call.seconds for call in calls),
        "tokens": shares(call.input_tokens + call.output_tokens for call in calls),
        "input_tokens": shares(call.input_tokens for call in calls),
        "cached_tokens": shares(call.cached_tokens for call in calls),
        "output_tokens": shares(call.output_tokens for call in calls),
        "reasoning_tokens": shares(call.reasoning_tokens for call in calls),
        "calls": shares(1 for _ in calls),
        "failed_attempts": failed_attempts,
        "cost_usd": shares(math.nan if call.cost_usd is None else call.cost_usd for call in calls),
    }


def _measures(
    head: tuple[object, ...], spent: Sequence[_Spent], not_asked: int, reasons: Mapping[str, str]
) -> Iterator[tuple[object, ...]]:
    import numpy as np

    counts = (len(spent), sum(one.failed for one in spent), not_asked)
    for measure in MEASURES:
        values = np.array([one.values[measure] for one in spent], dtype=float)
        reason = "nobody was asked" if not len(values) else ""
        if np.isnan(values).any():
            reason = reasons[measure]
        found = (math.nan,) * 4
        if not reason:
            p50, p95 = np.percentile(values, [50, 95])
            found = (float(p50), float(p95), float(values.mean()), float(values.sum()))
        yield (*head, measure, *found, *counts, reason)
