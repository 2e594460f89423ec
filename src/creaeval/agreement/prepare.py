"""What every comparison begins with: ratings of one stage, rated dimensions, and how to resample."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.agreement.pair_values import Resampling
from creaeval.agreement.points import response_of
from creaeval.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd

    from creaeval.agreement.points import Items
    from creaeval.data import Rating, Scores
    from creaeval.stats.draws import Method

#: Carried columns by name, then by response id.
Carried = dict[str, dict[str, str]]


def of_stage(ratings: Sequence[Rating], stage: str | None) -> list[Rating]:
    """Take the ratings of one stage, which has to be named where there are several."""
    known = list(dict.fromkeys(rating.stage for rating in ratings))
    if stage is None:
        if len(known) > 1:
            names = ", ".join(name or "(none)" for name in known)
            raise SettingError(f"The ratings are of several stages: {names}. Choose one with --stage.")
        return list(ratings)
    if stage not in known:
        named = ", ".join(filter(None, known)) or "none"
        raise SettingError(f"--stage {stage}: no rating is of this stage. Known stages: {named}.")
    return [rating for rating in ratings if rating.stage == stage]


def rated_dimensions(points: pd.DataFrame, compared: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split the dimensions into those that somebody rated and the others."""
    rated = set(points.loc[points["kind"].eq("rater"), "dimension"])
    if not rated:
        raise SettingError("None of the ratings is of a dimension that is compared.")
    return [one for one in compared if one in rated], [one for one in compared if one not in rated]


def carried_columns(scores: Iterable[Scores], ratings: Iterable[Rating]) -> Carried:
    """Collect carried columns by name and response; one that ratings contradict each other in is left out."""
    found: Carried = {}
    contradicted: set[tuple[str, str]] = set()
    for rating in ratings:
        for name, text in rating.metadata.items():
            if found.setdefault(name, {}).setdefault(rating.response_id, text) != text:
                contradicted.add((name, rating.response_id))
    for name, response_id in contradicted:
        del found[name][response_id]
    for one in scores:
        for response_id, extra in one.metadata.items():
            for name, text in extra.items():
                found.setdefault(name, {})[response_id] = text
    return {name: of for name, of in found.items() if of}


def column_of(carried: Carried, name: str) -> dict[str, str]:
    """Return a carried column by response id, or say which there are."""
    if name not in carried:
        known = ", ".join(carried) or "none"
        raise SettingError(f"{name}: the responses carry no such column; they carry {known}.")
    return carried[name]


def of_units(units: Sequence[str], column: Mapping[str, str]) -> dict[str, str]:
    """Give units (responses, or items of them) the value of their response; who has none is on its own."""
    return {unit: column.get(response_of(unit), unit) for unit in units}


def make_resampling(
    units: Sequence[str],
    carried: Carried,
    *,
    items: Items,
    clusters: Sequence[str],
    interval: Method,
    n_resamples: int,
    seed: int,
) -> Resampling:
    """Say how units are resampled: whole, or in the clusters that one or two carried columns name."""
    if len(clusters) > 2:
        raise SettingError(f"{len(clusters)} columns of clusters: expected one, or two that are crossed.")
    columns = [of_units(units, column_of(carried, name)) for name in clusters]
    if not columns and items == "each":
        # The items of a response belong together.
        columns = [{unit: response_of(unit) for unit in units}]
    return Resampling(
        n_resamples=n_resamples,
        method=interval,
        clusters=columns[0] if columns else None,
        second_clusters=columns[1] if len(columns) > 1 else None,
        seed=seed,
    )


def describe_intervals(resampling: Resampling, clusters: Sequence[str], items: Items) -> str:
    """Say what the intervals are, as a paper has to."""
    from creaeval.stats.draws import FEWEST

    drawn = "responses"
    if clusters:
        drawn = " and ".join(f"whole groups by {name}" for name in clusters)
    elif items == "each":
        drawn = "responses with all their items"
    kind = "BCa" if resampling.method == "bca" else "percentile"
    return (
        f"Intervals: {resampling.confidence:.0%} {kind} bootstrap of {drawn}, {resampling.n_resamples:,} "
        f"resamples, seed {resampling.seed}; none for fewer than {FEWEST} of them."
    )
