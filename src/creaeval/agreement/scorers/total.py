"""How reliable a scorer's Total is, judged by how its dimensions go together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from creaeval.agreement.rating_data import RatingData
    from creaeval.tasks import Task

TOTAL_COLUMNS = ["scorer", "kind", "stratified_alpha", "cronbach_alpha", "n", "strata", "reason"]


def total_reliability(data: RatingData) -> pd.DataFrame:
    """Estimate the reliability of every scorer's Total, with the task's steps as strata.

    A step with a single dimension has no reliability that could be told, so it joins the step before it; the
    first joins the step after it.

    Returns
    -------
    pandas.DataFrame
        One row a scorer: ``stratified_alpha`` with the steps as strata, and beside it ``cronbach_alpha`` over
        all dimensions, which takes the steps to measure one thing. ``n`` counts the responses with all
        dimensions, the others are left out; ``strata`` lists the steps with their numbers of dimensions, as
        in ``step4 + step5 (3)``. An undefined value is missing, and ``reason`` says why.

    Notes
    -----
    Internal consistency: a scorer with a halo over the dimensions looks reliable. Cronbach, Schönemann and
    McKie (1965), see :func:`creaeval.stats.alpha.stratified_alpha`.
    """
    import numpy as np
    import pandas as pd

    from creaeval.stats.alpha import cronbach_alpha, stratified_alpha

    strata = _strata(data.task)
    dimensions = [dimension for _, members in strata for dimension in members]
    described = ", ".join(f"{' + '.join(steps)} ({len(members)})" for steps, members in strata)
    table = []
    for scorer in data.scorers:
        groups = [
            np.hstack([data.take(dimension, [scorer]) for dimension in members]) for _, members in strata
        ]
        together = np.hstack(groups)
        n = int((~np.isnan(together)).all(axis=1).sum())
        stratified = cronbach = math.nan
        if len(dimensions) < 2:
            reason = "the task has a single dimension"
        else:
            stratified, cronbach = stratified_alpha(groups), cronbach_alpha(together)
            reason = _why_undefined(n) if math.isnan(stratified) else ""
        table.append((data.label(scorer), scorer.kind, stratified, cronbach, n, described, reason))
    return pd.DataFrame(table, columns=TOTAL_COLUMNS)


def _why_undefined(n: int) -> str:
    if n < 2:
        return "fewer than 2 responses with all dimensions"
    return "the Totals are all equal"


def _strata(task: Task) -> list[tuple[list[str], list[str]]]:
    """Group the compared dimensions by step, two or more a group where the task has as many."""
    from creaeval.agreement.long_table import compared_dimensions

    by_step: dict[str, list[str]] = {}
    for dimension in compared_dimensions(task):
        by_step.setdefault(dimension.split(".")[0], []).append(dimension)
    strata: list[tuple[list[str], list[str]]] = []
    for step, members in by_step.items():
        if strata and (len(members) == 1 or len(strata[-1][1]) == 1):
            strata[-1][0].append(step)
            strata[-1][1].extend(members)
        else:
            strata.append(([step], [*members]))
    return strata
