"""Everything about the agreement of judges with people, and of people with each other, in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from creaeval.agreement.agreement import measure_agreement
from creaeval.agreement.pair_values import find_groups
from creaeval.agreement.points import (
    collect_points,
    compared_dimensions,
    dimension_ranges,
    response_of,
    scores_of,
    without_means,
)
from creaeval.agreement.prepare import (
    carried_columns,
    column_of,
    describe_intervals,
    make_resampling,
    of_stage,
    rated_dimensions,
)
from creaeval.agreement.sources import as_ratings, as_scores
from creaeval.errors import SettingError
from creaeval.stats.measures import PAPER, get_measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from creaeval.agreement.pair_values import Resampling
    from creaeval.agreement.points import Items, Values
    from creaeval.agreement.prepare import Carried
    from creaeval.agreement.sources import Source
    from creaeval.tasks import Task


@dataclass(frozen=True)
class AgreementReport:
    """Tables about agreement, and what must be said of them.

    Attributes
    ----------
    task : Task
        The task.
    dimensions : tuple of str
        The identities compared.
    measures : tuple of str
        The measures of the main tables.
    points : pandas.DataFrame
        The long data that all is made of: see :func:`creaeval.agreement.points.collect_points`. ``person`` is
        the scorer's own name, where ``scorer`` is a slot that different people fill.
    tables : mapping of str to pandas.DataFrame
        ``agreement`` (cells, then means) and ``means`` (see :class:`Agreement`), ``raters``, ``severity``,
        ``halo``, ``halo_means``, ``variance``, ``d_study``; where there is a Total, ``total_reliability``;
        with judges ``calibration`` and ``stand_in``; where there are more raters than any response has,
        ``by_rater`` and ``slots``; with several methods ``comparison``; ``by_column``, ``within`` and
        ``self_preference`` if columns were asked for.
    notes : tuple of str
        What a reader has to know.
    """

    task: Task
    dimensions: tuple[str, ...]
    measures: tuple[str, ...]
    points: pd.DataFrame
    tables: Mapping[str, pd.DataFrame]
    notes: tuple[str, ...]


def agree(
    task: Task,
    scores: Source,
    ratings: Source,
    *,
    measures: Sequence[str] = PAPER,
    values: Values = "model",
    items: Items = "sum",
    stage: str | None = None,
    by: Sequence[str] = (),
    within: Sequence[str] = (),
    clusters: Sequence[str] = (),
    interval: Literal["percentile", "bca"] = "percentile",
    n_resamples: int = 2000,
    seed: int = 0,
    correct: bool = False,
    epsilon: float = 0.2,
    target: float = 0.8,
    persons: str | None = None,
    facet: str | None = None,
    writer: str | None = None,
    families: Mapping[str, str] | None = None,
) -> AgreementReport:
    """Measure how well judges agree with people, people with each other, and where they differ.

    Parameters
    ----------
    task : Task
        The task.
    scores : Run, Scores, path, DataFrame, list of dict, or sequence of them
        The judges', one for each method; the first is compared with the others. Empty for people alone.
    ratings : Rating, path, DataFrame, list of dict, or sequence of them
        People's.
    measures : sequence of str
        Keys of measures.
    values, items
        As for :func:`~creaeval.agreement.points.collect_points`.
    stage : str, optional
        Which stage of the ratings; needed where there are several.
    by : sequence of str
        Columns that responses or ratings carry: the means, with the bias, for each of their values.
    within : sequence of str
        Such columns that part the responses into groups, several together: Pearson's r within these.
    clusters : sequence of str
        Up to two such columns whose values are resampled whole; two of them as crossed factors.
    interval : {"percentile", "bca"}
        Kind of bootstrap interval.
    n_resamples : int
        Bootstrap resamples; 0 for none.
    seed : int
        Same seed, same numbers.
    correct : bool
        Put all judges' points on the raters' scale first, by curves fitted on other responses (or clusters).
    epsilon : float
        Allowance of the alternative annotator test.
    target : float
        Reliability that the D-study looks for.
    persons, facet : str, optional
        Columns that name who wrote a response and what it answers (a scenario), where everybody answered all
        of them: the variance is then that of persons x raters x scenarios.

    writer : str, optional
        Column that names who wrote a response: whether judges favour their own family's work.
    families : mapping of str to str, optional
        As for :func:`~creaeval.agreement.self_preference.self_preference`.

    Returns
    -------
    AgreementReport

    Raises
    ------
    SettingError
        A setting, column or stage is not known, or there is nothing to compare.
    """
    import pandas as pd

    from creaeval.agreement.comparison import compare_methods, correct_family
    from creaeval.agreement.slots import needs_slots, put_into_slots, swap_slots

    measures = tuple(dict.fromkeys(measures))
    chosen, notes = without_means(of_stage(as_ratings(ratings, task), stage))
    judged = list(map(scores_of, as_scores(scores, task)))
    carried = carried_columns(judged, chosen)
    points = collect_points(task, judged, chosen, values=values, items=items)
    dimensions, left = rated_dimensions(points, compared_dimensions(task, items))
    if left:
        notes.append(f"Nobody rated {len(left)} dimensions: {', '.join(left)}.")
    units = list(map(str, points["response_id"].unique()))
    resampling = make_resampling(
        units,
        carried,
        items=items,
        clusters=clusters,
        interval=interval,
        n_resamples=n_resamples,
        seed=seed,
    )
    if correct:
        from creaeval.agreement.calibration import correct as corrected

        points, said = corrected(points, dimensions, resampling.clusters, seed=seed)
        notes += said
    slots = needs_slots(points)
    # Everything by person, but the protocol's tables by slot where different people fill one.
    shown = (put_into_slots(points) if slots else points).assign(person=points["scorer"])
    shown = shown[shown["dimension"].isin(dimensions)]
    found = measure_agreement(shown, dimensions, measures=measures, resampling=resampling)
    notes += found.warnings
    tables = {"agreement": pd.concat([found.cells, found.means]), "means": found.means}
    if slots:
        notes.append(
            "There are more raters than responses commonly have: they are put into slots by name; by_rater "
            "has the agreement with each person, slots how far values move when people are dealt anew."
        )
        people = measure_agreement(points, dimensions, measures=measures, resampling=resampling)
        tables["by_rater"] = people.cells
        tables["slots"] = swap_slots(shown, dimensions, measures=measures, seed=seed)
    methods = list(dict.fromkeys(points.loc[points["kind"].eq("judge"), "method"].astype(str)))
    if len(methods) > 1 and not any(get_measure(name).comparable for name in measures):
        notes.append(f"None of these measures is compared between methods: take {' or '.join(PAPER)}.")
    elif len(methods) > 1:
        tables["comparison"] = correct_family(
            pd.concat(
                compare_methods(
                    shown, dimensions, methods[0], other, measures=measures, resampling=resampling
                )
                for other in methods[1:]
            )
        )
        if resampling.second_clusters is not None:
            notes.append(
                f"Permutations swap the methods of whole groups by {clusters[0]}; {clusters[1]} plays no "
                "part."
            )
    threefold = None
    if persons is not None or facet is not None:
        if persons is None or facet is None:
            raise SettingError("Persons and a facet go together: name both columns.")
        threefold = (persons, facet)
    tables |= _more(task, points, dimensions, resampling, items, epsilon)
    tables |= _variance(points, dimensions, methods, target, threefold, carried, units)
    groups = [
        _by(shown, dimensions, name, column_of(carried, name), measures, resampling)
        for name in dict.fromkeys(by)
    ]
    if groups:
        tables["by_column"] = pd.concat(groups)
    if within and methods:
        from creaeval.agreement.within import agreement_within

        parted = _crossed([column_of(carried, name) for name in within], units)
        tables["within"] = agreement_within(points, dimensions, parted, resampling)
    if writer is not None and methods:
        from creaeval.agreement.self_preference import self_preference

        writers = column_of(carried, writer)
        tables["self_preference"] = self_preference(
            points, dimensions, writers, families=families, resampling=resampling
        )
    if n_resamples:
        notes.append(
            f"{describe_intervals(resampling, clusters, items)} Those of the ICCs of all raters together are "
            "analytic."
        )
    return AgreementReport(task, tuple(dimensions), tuple(measures), shown, tables, tuple(notes))


def _crossed(columns: Sequence[Mapping[str, str]], units: Sequence[str]) -> dict[str, str]:
    """Give each unit the values of all columns together; one that lacks a value is in no group."""
    values = {unit: [of.get(response_of(unit)) for of in columns] for unit in units}
    return {unit: "\x1f".join(filter(None, of)) for unit, of in values.items() if all(of)}


def _more(
    task: Task,
    points: pd.DataFrame,
    dimensions: Sequence[str],
    resampling: Resampling,
    items: Items,
    epsilon: float,
) -> dict[str, pd.DataFrame]:
    from creaeval.agreement.calibration import calibration
    from creaeval.agreement.halo import halo, halo_means
    from creaeval.agreement.raters import rater_coefficients
    from creaeval.agreement.reliability import total_reliability
    from creaeval.agreement.severity import severity
    from creaeval.agreement.stand_in import stand_in

    between = halo(points, dimensions)
    tables = {
        "raters": rater_coefficients(points, dimensions, resampling),
        "severity": severity(points, dimensions, dimension_ranges(task, dimensions, items)),
        "halo": between,
        "halo_means": halo_means(between),
    }
    if task.total != "none":
        tables["total_reliability"] = total_reliability(points, task)
    if points["kind"].eq("judge").any():
        tables["calibration"] = calibration(points, dimensions)
        tables["stand_in"] = stand_in(points, dimensions, epsilon=epsilon)
    return tables


def _variance(
    points: pd.DataFrame,
    dimensions: Sequence[str],
    methods: Sequence[str],
    target: float,
    threefold: tuple[str, str] | None,
    carried: Carried,
    units: Sequence[str],
) -> dict[str, pd.DataFrame]:
    import pandas as pd

    from creaeval.agreement.variance import d_study_table, variance_components

    design: dict[str, object] = {}
    if threefold is not None:
        persons, facet = threefold
        objects, levels = (
            {u: of[response_of(u)] for u in units if response_of(u) in of}
            for of in (column_of(carried, persons), column_of(carried, facet))
        )
        design = {"objects": objects, "facet": levels, "object_name": persons, "facet_name": facet}
    components, studies = [], []
    for method in ("", *methods):
        of = points[points["method"].eq(method)]
        kind = "judge" if method else "rater"
        components.append(variance_components(of, dimensions, kind, **design).assign(method=method))  # type: ignore[arg-type]
        studies.append(d_study_table(of, dimensions, kind, target, **design).assign(method=method))  # type: ignore[arg-type]
    return {"variance": pd.concat(components), "d_study": pd.concat(studies)}


def _by(
    points: pd.DataFrame,
    dimensions: Sequence[str],
    name: str,
    column: Mapping[str, str],
    measures: Sequence[str],
    resampling: Resampling,
) -> pd.DataFrame:
    import pandas as pd

    values = points["response_id"].map(lambda unit: column.get(response_of(str(unit)), ""))
    wanted = list(dict.fromkeys([*measures, "bias"]))
    parts = []
    for value, chosen in points.groupby(values, sort=True):
        if find_groups(chosen) and chosen["kind"].eq("rater").any():
            means = measure_agreement(chosen, dimensions, measures=wanted, resampling=resampling).means
            means.insert(0, "group", str(value))
            means.insert(0, "column", name)
            parts.append(means)
    if not parts:
        raise SettingError(f"{name}: no value of this column has two scorers of the same responses.")
    return pd.concat(parts)
