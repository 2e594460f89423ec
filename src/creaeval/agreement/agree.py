"""Everything about the agreement of judges with people, and of people with each other, in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from creaeval.agreement.apart import mark, trained_judges
from creaeval.agreement.long_table import long_table, rated
from creaeval.agreement.options import AgreementOptions, make_options
from creaeval.agreement.pairs import AVG, find_groups
from creaeval.agreement.protocol import COLUMNS, SHARE, Agreement, measure_agreement
from creaeval.agreement.sources import as_ratings, as_scores
from creaeval.errors import SettingError
from creaeval.stats.measures import PAPER, get_measure, measure_label
from creaeval.wording import first_few

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pandas as pd

    from creaeval.agreement.rating_data import RatingData
    from creaeval.agreement.sources import Source
    from creaeval.tasks import Task

    Tables = dict[str, pd.DataFrame]


@dataclass(frozen=True, repr=False)
class AgreementReport:
    """Tables about agreement, and what must be said of them; it prints as its summary and notes.

    Attributes
    ----------
    task : Task
        The task.
    options : AgreementOptions
        How agreement was measured.
    data : RatingData
        All points that were compared; raters are slots where different people fill them.
    tables : mapping of str to pandas.DataFrame
        ``agreement`` (cells, then means) and ``means`` (see
        :class:`~creaeval.agreement.protocol.Agreement`), ``raters``, ``severity``, ``fair_means``, ``halo``,
        ``halo_means``, ``variance``, ``reliability``, ``d_study``, ``design``; where there is a Total,
        ``total_reliability``; with judges ``calibration`` and ``stand_in``; where there are more raters than
        any response has, ``by_rater`` and ``slots``; with several methods ``comparison``; with several
        raters ``mean_rater`` and with participants who wrote several responses ``participants`` (see
        :mod:`creaeval.agreement.participants`); with a margin ``equivalence``; ``by_column``,
        ``differential``,
        ``within`` and ``self_preference`` if columns were asked for. None has points of responses that their
        judge was trained on, but for the rows of ``agreement`` and ``means`` whose method and judge say
        ``(with training data)``, if asked for.
    notes : tuple of str
        What a reader has to know.
    """

    task: Task
    options: AgreementOptions
    data: RatingData
    tables: Mapping[str, pd.DataFrame]
    notes: tuple[str, ...]

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The identities compared."""
        return self.data.dimensions

    @property
    def summary(self) -> pd.DataFrame:
        """The means over dimensions: a row a judge, method or ``human-human``, a column a measure."""
        means = self.tables["means"]
        rows = means[means["dimension"].eq(AVG) & ~means["metric"].str.endswith(SHARE)]
        wide = rows.pivot_table(index=["method", "judge"], columns="metric", values="value", sort=False)
        wide = wide.reindex(columns=[name for name in self.options.measures if name in wide.columns])
        wide = wide.rename(columns=measure_label).rename_axis(columns=None)
        wide["n"] = rows.groupby(["method", "judge"], sort=False)["n"].min()
        return wide.reset_index()

    def __repr__(self) -> str:
        table = self.summary.to_string(index=False, float_format=lambda value: f"{value:.3f}", na_rep="–")
        return "\n".join([f"Agreement, task {self.task.id}, means over dimensions", table, *self.notes])

    def _repr_html_(self) -> str:
        from html import escape

        table = self.summary.to_html(index=False, float_format=lambda value: f"{value:.3f}", na_rep="–")
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        return f"<p>Agreement, task {escape(self.task.id)}, means over dimensions</p>{table}<ul>{notes}</ul>"


def agree(
    task: Task,
    scores: Source,
    ratings: Source,
    options: AgreementOptions | None = None,
    **settings: Any,
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
    options : AgreementOptions, optional
        How agreement is measured.
    **settings
        Single settings of :class:`~creaeval.agreement.options.AgreementOptions` in place of the usual ones,
        such as ``measures=["qwk"]`` or ``cluster="scenario"``.

    Returns
    -------
    AgreementReport

    Raises
    ------
    DataError
        Scores or ratings cannot be read, or hold one response twice.
    SettingError
        A setting, column or stage is not known, or there is nothing to compare.

    References
    ----------
    arXiv 2609.03432, section 4: agreement with each rater, averaged; AVG is the mean over dimensions.
    """
    options = make_options(options, settings)
    judged, people = as_scores(scores, task), as_ratings(ratings, task)
    if not people:
        raise SettingError("There are no ratings of these responses to agree with.")
    every, notes = long_table(task, judged, people, options)
    trained = trained_judges(task, judged, people, options)
    knows_some = any(ids for part in judged for ids in part.trained_on.values())
    if knows_some and not every.judges and len(every.raters) < 2 and trained is None:
        raise SettingError(" ".join(["No score is left to compare with the ratings.", *notes]))
    data, more = rated(every)
    notes += more
    if options.correct:
        from creaeval.agreement.scorers.calibration import correct

        data, more = correct(data, options)
        every, notes = data, notes + more
    shown, tables, more = _protocol(data, options, may_be_empty=trained is not None)
    notes += more
    if trained is not None:
        tables |= _beside(tables, trained, options)
    more_tables, more = _methods(shown, options)
    tables |= more_tables
    notes += more
    tables |= _scorers(data, every, options)
    more_tables, more = _reliability(data, options)
    tables |= more_tables
    notes += more
    tables |= dict(_columns(data, shown, options))
    tables |= _by_means(data, options, tables["means"])
    if options.resamples:
        notes.append(f"{options.intervals} Those of the ICCs of all raters together are analytic.")
    return AgreementReport(task, options, shown, tables, tuple(notes))


def _beside(tables: Tables, trained: RatingData, options: AgreementOptions) -> Tables:
    """Set trained judges with all they scored beside the others, who come without their training data."""
    import pandas as pd

    agreement = measure_agreement(trained, options)
    cells, means = mark(agreement.cells, trained), mark(agreement.means, trained)
    of_people = tables["means"]["method"].eq("")
    means = pd.concat([tables["means"][~of_people], means, tables["means"][of_people]])
    others = tables["agreement"].iloc[: len(tables["agreement"]) - len(tables["means"])]
    return {"agreement": pd.concat([others, cells, means]), "means": means}


def _protocol(
    data: RatingData, options: AgreementOptions, *, may_be_empty: bool = False
) -> tuple[RatingData, Tables, list[str]]:
    """Measure agreement by the protocol; by slot where different people fill one, and by person beside."""
    import pandas as pd

    from creaeval.agreement.slots import needs_slots, put_into_slots, swap_slots

    slots = needs_slots(data)
    shown = put_into_slots(data) if slots else data
    empty = pd.DataFrame(columns=COLUMNS)
    nothing = may_be_empty and not find_groups(shown)
    agreement = Agreement(empty, empty, ()) if nothing else measure_agreement(shown, options)
    tables = {"agreement": pd.concat([agreement.cells, agreement.means]), "means": agreement.means}
    notes = list(agreement.warnings)
    if options.margin is not None and shown.judges and agreement.values is not None:
        from creaeval.agreement.methods.equivalence import equivalence

        tables["equivalence"] = equivalence(agreement.values)
    if slots:
        notes.append(
            "There are more raters than responses commonly have: they are put into slots by name; by_rater "
            "has the agreement with each person, slots how far values move when people are dealt anew."
        )
        tables["by_rater"] = measure_agreement(data, options).cells
        tables["slots"] = swap_slots(shown, options)
    return shown, tables, notes


def _methods(shown: RatingData, options: AgreementOptions) -> tuple[Tables, list[str]]:
    """Compare the first method with each other one."""
    import pandas as pd

    from creaeval.agreement.methods.comparison import compare_methods, correct_family

    if len(shown.methods) < 2:
        return {}, []
    if not any(get_measure(name).comparable for name in options.measures):
        return {}, [f"None of these measures is compared between methods: take {' or '.join(PAPER)}."]
    first, *others = shown.methods
    compared = [compare_methods(shown, first, other, options) for other in others]
    notes = []
    if len(options.cluster) > 1:
        first_factor, second_factor = options.cluster
        notes.append(
            f"Permutations swap the methods of whole groups by {first_factor}; {second_factor} plays no part."
        )
    return {"comparison": correct_family(pd.concat(compared))}, notes


def _scorers(data: RatingData, every: RatingData, options: AgreementOptions) -> Tables:
    """Describe judges and raters by themselves; the Total takes dimensions that nobody rated, too."""
    from creaeval.agreement.scorers.calibration import calibration
    from creaeval.agreement.scorers.halo import halo, halo_means
    from creaeval.agreement.scorers.raters import rater_coefficients
    from creaeval.agreement.scorers.severity import fair_means, severity
    from creaeval.agreement.scorers.stand_in import stand_in
    from creaeval.agreement.scorers.total import total_reliability

    between = halo(data)
    tables = {
        "raters": rater_coefficients(data, options),
        "severity": severity(data, options),
        "halo": between,
        "halo_means": halo_means(between),
        "fair_means": fair_means(data, options),
    }
    if data.task.total != "none":
        tables["total_reliability"] = total_reliability(every)
    if data.judges:
        tables["calibration"] = calibration(data)
        tables["stand_in"] = stand_in(data, options.epsilon)
    return tables


def _reliability(data: RatingData, options: AgreementOptions) -> tuple[Tables, list[str]]:
    """Study the points of raters and of the judges of each method; say which raters cannot be compared."""
    import pandas as pd

    from creaeval.agreement.scorers.reliability import reliability_tables

    parts = []
    for method in ("", *data.methods):
        of_method = data.select(scorers=lambda scorer, method=method: scorer.method == method)  # type: ignore[misc]
        tables = reliability_tables(of_method, options)
        parts.append({name: table.assign(method=method) for name, table in tables.items()})
    joined = {name: pd.concat([part[name] for part in parts], ignore_index=True) for name in parts[0]}
    design = joined["design"]
    apart = design[design["design"].eq("disconnected") & design["kind"].eq("rater")]
    notes = [
        f"{first_few(rows['dimension'].tolist())}: raters fall into {note}"
        for note, rows in apart.groupby("note", sort=False)
    ]
    reliable = "these raters alone" if options.raters == "fixed" else "raters like these"
    average = "raters like these" if options.raters == "random" else "these raters"
    notes.append(
        f"Reliability and its {options.confidence:.0%} intervals are for {reliable}; leniency and fair means "
        f"are beside the average of {average}."
    )
    return joined, notes


def _columns(
    data: RatingData, shown: RatingData, options: AgreementOptions
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the tables that go by carried columns."""
    import pandas as pd

    if options.groups:
        yield "by_column", pd.concat(_by_group(shown, name, options) for name in options.groups)
    if options.groups and data.judges:
        from creaeval.agreement.differential import differential

        yield "differential", pd.concat(differential(data, name, options) for name in options.groups)
    if options.within and data.judges:
        from creaeval.agreement.within import agreement_within

        yield "within", agreement_within(data, options)
    if options.writer is not None and data.judges:
        from creaeval.agreement.scorers.self_preference import self_preference

        families = options.families
        yield "self_preference", self_preference(data, options.writer, families=families, options=options)


def _by_means(data: RatingData, options: AgreementOptions, means: pd.DataFrame) -> Tables:
    """Hold judges against the raters' mean, and compare participants' means, where there is any."""
    from creaeval.agreement.participants import mean_rater, participant_means

    tables = {
        "mean_rater": mean_rater(data, options, means),
        "participants": participant_means(data, options),
    }
    return {name: table for name, table in tables.items() if len(table)}


def _by_group(shown: RatingData, name: str, options: AgreementOptions) -> pd.DataFrame:
    import pandas as pd

    values = [value or "" for value in shown.column(name)]
    options = options.change(measures=[*options.measures, "bias"])
    parts = []
    for value in sorted(set(values)):
        units = {unit for unit, own in zip(shown.units, values, strict=True) if own == value}
        chosen = shown.select(units=units)
        if chosen.raters and find_groups(chosen):
            means = measure_agreement(chosen, options).means
            means.insert(0, "group", value)
            means.insert(0, "column", name)
            parts.append(means)
    if not parts:
        raise SettingError(f"{name}: no value of this column has two scorers of the same responses.")
    return pd.concat(parts)
