"""Where the variance of points comes from, how reliable one scorer or several are, and how many would do."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from creaeval.agreement.scorers.studies import find_studies
from creaeval.errors import SettingError
from creaeval.wording import first_few

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd

    from creaeval.agreement.options import AgreementOptions
    from creaeval.agreement.rating_data import RatingData
    from creaeval.agreement.scorers.studies import Study
    from creaeval.stats.variance.reliability import CoefficientKind

VARIANCE_COLUMNS = [
    *("kind", "dimension", "effect", "design", "variance", "low", "high", "share", "estimate", "estimator"),
    *("n", "levels", "reason", "note"),
]
RELIABILITY_COLUMNS = [
    *("kind", "dimension", "coefficient", "value", "low", "high", "raters", "target", "needed", "needed_low"),
    *("needed_high", "n", "design", "reason", "note"),
]
D_STUDY_COLUMNS = [
    *("kind", "dimension", "design", "objects", "of", "number", "generalizability", "dependability"),
    *("target", "needed_for_ranking", "needed_for_level", "n", "reason", "note"),
]
DESIGN_COLUMNS = [
    *("kind", "dimension", "design", "responses", "raters", "ratings", "density", "raters_per_response"),
    *("single_responses", "single_raters", "islands", "note"),
]
NUMBERS = (1, 2, 3, 5, 10)
# An interval that is narrower claims certainty.
_NO_WIDTH = 1e-9
KINDS: tuple[CoefficientKind, ...] = ("absolute", "consistent")


def reliability_tables(
    data: RatingData, options: AgreementOptions, *, numbers: Sequence[int] = NUMBERS
) -> dict[str, pd.DataFrame]:
    """Study the points of raters, or of the judges of one method, by dimension.

    Parameters
    ----------
    data : RatingData
        Of raters alone, or of the judges of one method.
    options : AgreementOptions
        ``persons``, ``facet`` and ``cluster`` make further factors, see
        ``find_studies``; ``target`` is the reliability wanted, ``raters``
        says for whom intervals hold (default: raters like these), ``confidence`` and ``seed`` are of these.
    numbers : sequence of int
        Numbers of raters or judges that ``d_study`` shows.

    Returns
    -------
    dict of str to pandas.DataFrame
        An undefined value is missing, and ``reason`` says why; ``note`` says what else to know.

        ``variance``: a row for each dimension and effect, such as ``response``, ``rater`` and ``response x
        rater``, the last of a dimension with the error; ``variance`` in squared points with its interval and
        ``share``, ``estimate`` where that is negative and counts as 0, ``estimator`` ``anova`` (complete
        crossed data) or ``reml``. ``n`` counts responses (or objects), ``levels`` those of other factors.

        ``reliability``: a row for each dimension and coefficient, of a ``single`` rater or the ``mean`` of
        as many as there are (``raters``; the harmonic mean where responses differ), for levels
        (``absolute``) or for rankings by the same raters (``consistent``); ``needed`` is the smallest number
        of raters that reaches ``target``, ``inf`` where none does.

        ``d_study``: the same coefficients for ``number`` of raters, ``generalizability`` for rankings and
        ``dependability`` for levels, with one level of a further facet.

        ``design``: who rated what: ``crossed``, ``incomplete`` (some ratings are missing, everything is
        linked), ``nested`` (nobody rated more than one response) or ``disconnected``, with the number of
        islands; ``note`` says what follows.

    Raises
    ------
    SettingError
        A number makes no sense, or a column is not known.

    Notes
    -----
    Brennan (2001), Generalizability Theory; see :mod:`creaeval.stats.variance.components` and
    :mod:`creaeval.stats.variance.reliability`.
    """
    import pandas as pd

    if min(numbers) < 1:
        raise SettingError(f"numbers of raters: expected 1 or more, not {min(numbers)}.")
    studies = find_studies(data, options)
    d_study = pd.DataFrame(
        [row for study in studies for row in _d_study(study, numbers)], columns=D_STUDY_COLUMNS
    )
    return {
        "variance": pd.DataFrame(
            [row for study in studies for row in _variance(study)], columns=VARIANCE_COLUMNS
        ),
        "reliability": pd.DataFrame(
            [row for study in studies for row in _reliability(study)], columns=RELIABILITY_COLUMNS
        ),
        "d_study": d_study.astype({"needed_for_ranking": "Int64", "needed_for_level": "Int64"}),
        "design": pd.DataFrame([_design(study) for study in studies], columns=DESIGN_COLUMNS),
    }


def _variance(study: Study) -> Iterator[tuple[object, ...]]:
    from creaeval.stats.variance.reliability import variance_limits

    found = study.components
    levels = " x ".join(map(str, found.levels[1:])) if found.defined else ""
    reason, note = (
        study.why_undefined,
        " ".join([*study.notes, *map(study.words, found.notes)]),
    )
    limits = variance_limits(study.draws, study.options.confidence)
    for part, (low, high) in zip(found.components, limits, strict=True):
        values = (part.variance, float(low), float(high), part.share, part.estimate)
        rest = (found.method if found.defined else "", found.levels[0], levels, reason, note)
        yield (study.kind, study.dimension, study.effect(part.effect), study.shape, *values, *rest)


def _reliability(study: Study) -> Iterator[tuple[object, ...]]:
    from creaeval.stats.variance.reliability import raters_needed, reliability

    found, options = study.components, study.options
    settings = {"draws": study.draws, "confidence": options.confidence}
    design = found.design
    n_levels = found.levels[2] if "facet" in found.factors and found.defined else 1
    averaged = design.raters_per_response if found.defined else 1.0
    for name, number, levels in (("single", 1.0, 1), ("mean", averaged, n_levels)):
        for kind in KINDS:
            value = reliability(found, kind, number, levels, **settings)  # type: ignore[arg-type]
            needed = raters_needed(found, kind, options.target, **settings)  # type: ignore[arg-type]
            reasons = dict.fromkeys(filter(None, (needed.reason, value.reason)))
            reason = study.reason or study.words(next(iter(reasons), ""))
            ends = (value.value, value.low, value.high)
            needs = (options.target, needed.n_raters, needed.low, needed.high)
            if value.high - value.low <= _NO_WIDTH:
                # Such as raters who agree in full: so few data cannot tell that they always would.
                ends, needs = (value.value, math.nan, math.nan), (*needs[:2], math.nan, math.nan)
                reason = "; ".join(filter(None, (reason, "no interval: it would have no width")))
            raters = number if found.defined else math.nan
            yield (
                *(study.kind, study.dimension, f"{name} {kind}", *ends, raters, *needs),
                *(found.levels[0], design.kind, reason, study.draws.note),
            )


def _d_study(study: Study, numbers: Sequence[int]) -> Iterator[tuple[object, ...]]:
    from creaeval.stats.variance.reliability import raters_needed, reliability

    found, target = study.components, study.options.target
    needed = [raters_needed(found, kind, target) for kind in ("consistent", "absolute")]
    reasons = [study.why_undefined]
    if not reasons[0]:
        columns = ("needed_for_ranking", "needed_for_level")
        parts = zip(columns, needed, strict=True)
        reasons = [f"{column}: {study.words(number.reason)}" for column, number in parts if number.reason]
    notes = [*study.notes, *map(study.words, found.notes)]
    if facet := study.names.get("facet"):
        notes.append(f"With 1 {facet} each.")
    whole = [int(number.n_raters) if math.isfinite(number.n_raters) else None for number in needed]
    end = (target, *whole, found.levels[0], "; ".join(filter(None, reasons)), " ".join(notes))
    scorers = f"{study.names['rater']}s"
    for number in numbers:
        values = [reliability(found, kind, number).value for kind in ("consistent", "absolute")]
        yield (study.kind, study.dimension, study.shape, study.objects, scorers, number, *values, *end)


def _design(study: Study) -> tuple[object, ...]:
    design = study.components.design
    return (
        *(study.kind, study.dimension, design.kind, design.n_responses, design.n_raters, design.n_ratings),
        *(design.density, design.raters_per_response, design.single_responses, design.single_raters),
        *(len(design.islands) or int(design.n_ratings > 0), _what_follows(study)),
    )


def _what_follows(study: Study) -> str:
    design, scorers, objects = study.components.design, f"{study.names['rater']}s", f"{study.objects}s"
    if design.kind == "nested":
        return f"No two {objects} share a {scorers[:-1]}: leniency cannot be told from error."
    if design.kind == "disconnected":
        names = [first_few([study.labels[code] for code in island.raters]) for island in design.islands]
        shares = zip(names, design.islands, strict=True)
        islands = "; ".join(f"{name} ({island.share:.0%})" for name, island in shares)
        return (
            f"{len(names)} islands without a {study.objects} in common: {islands} of the ratings. "
            f"{scorers.capitalize()} and {objects} of different islands cannot be compared: leniency, fair "
            "means and ranks hold within an island."
        )
    if design.kind == "incomplete" and design.n_ratings:
        return (
            f"{design.density:.0%} of all {scorers} x {objects} are rated, and all are linked: values are "
            f"adjusted for which {scorers} each {study.objects} had."
        )
    return ""
