"""Two runs over the same responses side by side: scores, agreement, what they took, where they part."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from creaeval.agreement.agree import agree
from creaeval.agreement.long_table import carried_columns, compared_dimensions, of_stage, scores_of
from creaeval.agreement.methods.comparison import COLUMNS as AGREEMENT_COLUMNS
from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.pairs import AVG
from creaeval.agreement.rating_data import Unit
from creaeval.agreement.runs.conditions import check_conditions
from creaeval.agreement.runs.largest import largest_differences
from creaeval.agreement.runs.run_records import (
    changed_responses,
    differing_settings,
    failures_of_both,
    usage,
)
from creaeval.errors import SettingError
from creaeval.runs import Run
from creaeval.tasks import identities
from creaeval.wording import first_few

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    import pandas as pd

    from creaeval.agreement.runs.conditions import Condition
    from creaeval.data import Rating, Scores
    from creaeval.sheets import ScoreSheet
    from creaeval.tasks import Task

COLUMNS = [
    "dimension",
    "mean_a",
    "mean_b",
    "difference",
    "low",
    "high",
    "standardized",
    "equal",
    "n",
    "n_missing",
    "reason",
]
# Scores of several judges are means, whose last digits rounding makes up.
_EQUAL = 1e-9


@dataclass(frozen=True)
class RunComparison:
    """Two runs, A and B, side by side.

    Attributes
    ----------
    task : Task
        The task.
    names : tuple of str
        What A and B are: the ids of runs, or files.
    tables : mapping of str to pandas.DataFrame
        ``settings``, ``usage`` and ``failures`` (see ``run_records``); ``responses``,
        those that only one run has (``response_id``, ``run``); ``differences`` (see :func:`compare_runs`);
        ``agreement`` with ratings, see ``compare_methods``, where first is
        A and second B; ``largest`` (see :func:`~creaeval.agreement.runs.largest.largest_differences`);
        ``conditions`` if there are any (see :func:`~creaeval.agreement.runs.conditions.check_conditions`).
    notes : tuple of str
        What a reader has to know.
    """

    task: Task
    names: tuple[str, str]
    tables: Mapping[str, pd.DataFrame]
    notes: tuple[str, ...]


def compare_runs(
    task: Task,
    first: Run | Scores,
    second: Run | Scores,
    ratings: Sequence[Rating] = (),
    options: AgreementOptions | None = None,
    *,
    conditions: Sequence[Condition] = (),
    most: int = 100,
) -> RunComparison:
    """Compare two runs on the responses that both have.

    Parameters
    ----------
    task : Task
        The task of both.
    first, second : Run or Scores
        A and B.
    ratings : sequence of Rating
        People's, for agreement.
    options : AgreementOptions, optional
        How agreement is measured and differences are resampled; the paper's measures and those of conditions.
    conditions : sequence of Condition
        From :func:`~creaeval.agreement.runs.conditions.read_conditions`.
    most : int
        Rows of the largest differences at most.

    Returns
    -------
    RunComparison
        ``differences`` has a row for each identity that a run scored, and ``AVG``, the mean of a response's
        compared dimensions. Values are the final ones; of several judges (or repeats) the mean, where all of
        them gave one. ``difference`` is the mean of A minus B over the ``n`` responses that have both, with a
        bootstrap interval; ``standardized`` is it in units of the root mean square of the two standard
        deviations (Cumming 2012, d_av); ``equal`` the share of equal values; ``n_missing`` counts responses
        of both runs in which one has no value. Agreement takes the judges' own values, as methods are
        compared.

    Raises
    ------
    SettingError
        The runs are of different tasks or have no response in common, a setting is not known, or a condition
        needs ratings.
    """
    import pandas as pd

    for run in (first, second):
        if isinstance(run, Run) and run.task.id != task.id:
            raise SettingError(
                f"Run {run.id} is of task {run.task.id}, not of {task.id}: they cannot be compared."
            )
    measures = [one.measure for one in conditions if one.is_agreement]
    if measures and not ratings:
        raise SettingError(f"A condition on {measures[0]} needs ratings.")
    scores = [one if not isinstance(one, Run) else scores_of(one) for one in (first, second)]
    names = (scores[0].source, scores[1].source)
    had = [dict.fromkeys([*one.metadata, *(sheet.response_id for sheet in one.sheets)]) for one in scores]
    both = [one for one in had[0] if one in had[1]]
    if not both:
        raise SettingError(
            f"{names[0]} and {names[1]} have no response in common: one has "
            f"{first_few(list(had[0])) or 'none'}, the other {first_few(list(had[1])) or 'none'}."
        )
    only = [(one, "A") for one in had[0] if one not in had[1]]
    only += [(one, "B") for one in had[1] if one not in had[0]]
    given = (_values(task, scores[0].sheets), _values(task, scores[1].sheets))
    options = options or AgreementOptions()
    chosen = of_stage(ratings, options.stage) if ratings else []
    units = [Unit(response_id) for response_id in both]
    labels = options.drawn(units, carried_columns(scores, chosen))
    found, warnings = _differences(given, both, labels, options)
    tables = {
        "settings": differing_settings(first, second),
        "responses": pd.DataFrame(only, columns=["response_id", "run"]),
        "differences": found,
        "usage": usage(first, second),
        "failures": failures_of_both(first, second),
    }
    notes = _notes(first, second, scores, only, both)
    notes += warnings
    if ratings:
        wanted = options.change(measures=[*options.measures, *measures], values="model")
        tables["agreement"], said = _agreement(task, scores, ratings, wanted)
        notes += [one for one in said if one not in notes]
    tables["largest"] = largest_differences(task, (first, second), given, chosen, most)
    if conditions:
        tables["conditions"] = check_conditions(conditions, tables)
    return RunComparison(task, names, tables, tuple(notes))


def _values(task: Task, sheets: Sequence[ScoreSheet]) -> dict[str, dict[str, float]]:
    """Average final values over judges and repeats, where all that score an identity scored a response."""
    of_response: dict[str, list[ScoreSheet]] = {}
    for sheet in sheets:
        of_response.setdefault(sheet.response_id, []).append(sheet)
    compared = set(compared_dimensions(task))
    found: dict[str, dict[str, float]] = {}
    for identity in identities(task):
        judges = {_judging(sheet) for sheet in sheets if sheet.final(identity) is not None}
        found[identity] = {}
        for response_id, of in of_response.items():
            points = {_judging(sheet): sheet.final(identity) for sheet in of}
            known = [value for value in points.values() if value is not None]
            if judges and len(known) == len(judges):
                found[identity][response_id] = math.fsum(known) / len(known)
    dimensions = [one for one, values in found.items() if one in compared and values]
    found[AVG] = {
        response_id: math.fsum(values) / len(values)
        for response_id in of_response
        if (values := [found[one][response_id] for one in dimensions if response_id in found[one]])
        and len(values) == len(dimensions)
    }
    return found


def _judging(sheet: ScoreSheet) -> tuple[str, int, int]:
    """Return whose sheet it is, and of which repeat of evidence and of judging."""
    return sheet.scorer, sheet.evidence_repeat, sheet.judge_repeat


def _differences(
    given: tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]],
    ids: Sequence[str],
    labels: Sequence[Hashable],
    options: AgreementOptions,
) -> tuple[pd.DataFrame, list[str]]:
    import numpy as np
    import pandas as pd

    from creaeval.stats.resample import bootstrap, mean

    rows: list[list[object]] = []
    warnings: dict[str, None] = {}
    for identity in given[0]:
        if not (given[0][identity] or given[1][identity]):
            continue
        rows_of_both = [row for row, name in enumerate(ids) if all(name in part[identity] for part in given)]
        a, b = (np.array([part[identity][ids[row]] for row in rows_of_both]) for part in given)
        units = [labels[row] for row in rows_of_both]
        n, reason = len(units), ""
        low = high = math.nan
        if not n:
            rows.append([identity, *[math.nan] * 7, 0, len(ids), "no response has a value in both runs"])
            continue
        if options.resamples:
            estimate = bootstrap(
                mean,
                [a - b],
                n_resamples=options.resamples,
                confidence=options.confidence,
                groups=units,
                seed=options.seed,
            )
            low, high, reason = estimate.low, estimate.high, estimate.note
            if options.cluster:
                warnings |= dict.fromkeys(estimate.warnings)
        spread = math.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2) if n > 1 else 0.0
        difference = float((a - b).mean())
        if spread <= _EQUAL:
            reason = "; ".join(filter(None, (reason, "no standardized size: neither run's scores vary")))
        size = difference / spread if spread > _EQUAL else math.nan
        equal = float((np.abs(a - b) <= _EQUAL).mean())
        rows.append(
            [identity, a.mean(), b.mean(), difference, low, high, size, equal, n, len(ids) - n, reason]
        )
    return pd.DataFrame(rows, columns=COLUMNS), list(warnings)


def _agreement(
    task: Task, scores: Sequence[Scores], ratings: Sequence[Rating], options: AgreementOptions
) -> tuple[pd.DataFrame, list[str]]:
    """Take the comparison of the report on agreement, which treats stages, means and slots of raters."""
    import pandas as pd

    named = [replace(part, method=run) for run, part in zip("AB", scores, strict=True)]
    report = agree(task, named, ratings, options)
    notes = list(report.notes)
    # Where a run has no score that can be compared, there is one method only.
    return report.tables.get("comparison", pd.DataFrame(columns=AGREEMENT_COLUMNS)), notes


def _notes(
    first: Run | Scores,
    second: Run | Scores,
    scores: Sequence[Scores],
    only: Sequence[tuple[str, str]],
    both: Sequence[str],
) -> list[str]:
    notes = []
    for run, of in zip("AB", scores, strict=True):
        if lone := [one for one, which in only if which == run]:
            notes.append(f"In {run} alone, so left out ({len(lone)}): {first_few(lone)}.")
        scored = {sheet.response_id for sheet in of.sheets}
        if unscored := [one for one in both if one not in scored]:
            notes.append(f"Without a score in {run}: {len(unscored)} of the {len(both)} responses of both.")
    if changed := changed_responses(first, second):
        notes.append(
            f"Of the same id in both runs, but not the same text ({len(changed)}): {first_few(changed)}."
        )
    for run, one in zip("AB", (first, second), strict=True):
        if not isinstance(one, Run):
            notes.append(f"{run} is a file of scores: what it was made with, and what it took, is not known.")
        elif one.state != "finished":
            notes.append(f"Run {run} ({one.id}) is {one.state}, so responses may be missing.")
    return notes
