"""Where the variance of points comes from, and how many raters or judges would be enough."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from creaeval.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from creaeval.agreement.options import AgreementOptions
    from creaeval.agreement.rating_data import RatingData, Scorer
    from creaeval.stats.variance import GStudy

    Floats = NDArray[np.float64]

Kind = Literal["rater", "judge"]
VARIANCE_COLUMNS = [
    "kind",
    "dimension",
    "effect",
    "design",
    "variance",
    "share",
    "estimate",
    "n",
    "levels",
    "left_out",
    "reason",
    "note",
]
D_STUDY_COLUMNS = [
    "kind",
    "dimension",
    "design",
    "of",
    "number",
    "generalizability",
    "dependability",
    "target",
    "needed_for_ranking",
    "needed_for_level",
    "n",
    "reason",
    "note",
]
NUMBERS = (1, 2, 3, 5, 10)


def variance_components(data: RatingData, options: AgreementOptions) -> pd.DataFrame:
    """Split the variance of points into that of responses, scorers and their interactions.

    Parameters
    ----------
    data : RatingData
        Of raters alone, or of the judges of one method.
    options : AgreementOptions
        Its ``persons`` and ``facet`` name the carried columns that tell who wrote a response and which
        scenario it answers, where everybody answered each: the objects of measurement are then these and not
        the responses. A response that lacks one is left out.

    Returns
    -------
    pandas.DataFrame
        One row for each dimension and ``effect``, such as ``response``, ``rater`` and ``response x rater``;
        the last of a dimension contains the error. ``estimate`` is the estimated variance in squared points,
        which can be negative; ``variance`` is 0 then, and ``share`` its share of the sum. ``n`` counts the
        responses (or objects) used and ``left_out`` the other ones that have any points; ``levels`` are the
        numbers of levels of the facets, as in ``3 x 4``. An undefined value is missing, and ``reason`` says
        why; ``note`` says what else to know.

    Notes
    -----
    Which design is estimated, by dimension:

    - Crossed, ``response x rater``: the responses that all scored, two or more.
    - ``rater within response``, where no two responses were scored by all: the responses with the most common
      number of ratings. The raters' own variance cannot be told from error then.
    - Judges with repeats make ``response x judge x repeat`` if all have the same repeats, and ``response x
      repeat`` if there is one judge. If they have not, the first repeat that all have stands for each.
    - With persons, ``participant x rater x scenario``: the participants with all scores. A judge's repeats
      would be a fourth factor, which is not estimated.

    Brennan (2001), Generalizability Theory; see :mod:`creaeval.stats.variance`.
    """
    import pandas as pd

    kind = _kind(data)
    table: list[tuple[object, ...]] = []
    for dimension in data.dimensions:
        found = _study(data, dimension, options)
        levels = " x ".join(map(str, found.study.levels[1:])) if found.study else ""
        n = found.study.levels[0] if found.study else 0
        rest = (n, levels, found.left_out, found.reason, " ".join(found.notes))
        values = {one.effect: one for one in found.study.components} if found.study else {}
        for effect in found.effects:
            one = values.get(effect)
            numbers = (one.variance, one.share, one.estimate) if one else (math.nan, math.nan, math.nan)
            table.append((kind, dimension, found.name(effect), found.design, *numbers, *rest))
    return pd.DataFrame(table, columns=VARIANCE_COLUMNS)


def d_study_table(
    data: RatingData,
    options: AgreementOptions,
    *,
    numbers: Sequence[int] = NUMBERS,
    n_second: int = 1,
) -> pd.DataFrame:
    """Tell how well the mean of so many raters or judges would measure, and how many are needed.

    Parameters
    ----------
    data, options
        As for :func:`variance_components`; ``options.target`` is the wanted coefficient.
    numbers : sequence of int
        Numbers of raters or judges to show.
    n_second : int
        Levels of the second facet (repeats or scenarios) that are averaged, where the design has one.

    Returns
    -------
    pandas.DataFrame
        One row for each dimension and ``number``; ``of`` says what is counted (raters, judges, or repeats of
        the only judge). ``generalizability`` is the coefficient for ranking responses, ``dependability`` that
        for their level; where raters are within responses, both are ICC(1,k). ``needed_for_ranking`` and
        ``needed_for_level`` are the smallest numbers that reach ``target``, the same in all rows of a
        dimension. ``n`` counts the responses (or objects) used. An undefined value is missing, and ``reason``
        says why.

    Raises
    ------
    SettingError
        A number makes no sense, or a column is not known.
    """
    import pandas as pd

    if min((*numbers, n_second)) < 1:
        raise SettingError(
            f"numbers of raters and of repeats: expected 1 or more, not {min((*numbers, n_second))}."
        )
    kind, target = _kind(data), options.target
    table: list[tuple[object, ...]] = []
    for dimension in data.dimensions:
        found = _study(data, dimension, options)
        notes = [*found.notes]
        if found.second:
            notes.append(f"With {n_second} {found.second}{'s' * (n_second != 1)} each.")
        needed, reasons = _needed(found, target, n_second)
        end = (
            target,
            *needed,
            found.study.levels[0] if found.study else 0,
            "; ".join(reasons),
            " ".join(notes),
        )
        for number, values in zip(numbers, _coefficients(found, numbers, n_second), strict=True):
            table.append((kind, dimension, found.design, found.of, number, *values, *end))
    frame = pd.DataFrame(table, columns=D_STUDY_COLUMNS)
    return frame.astype({"needed_for_ranking": "Int64", "needed_for_level": "Int64"})


@dataclass
class _Found:
    """The study of one dimension, with the names of its effects; without `study` it is undefined."""

    factors: tuple[str, ...]
    reason: str = ""
    study: GStudy | None = None
    left_out: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def nested(self) -> bool:
        return self.study is not None and self.study.design == "nested"

    @property
    def design(self) -> str:
        return f"{self.factors[1]} within {self.factors[0]}" if self.nested else " x ".join(self.factors)

    @property
    def of(self) -> str:
        return f"{self.factors[1]}s"

    @property
    def second(self) -> str:
        return self.factors[2] if len(self.factors) > 2 else ""

    @property
    def effects(self) -> list[tuple[str, ...]]:
        """What the study calls them: its objects are always responses."""
        from itertools import combinations

        if self.study is not None:
            return [one.effect for one in self.study.components]
        names = ("response", *self.factors[1:])
        return [effect for size in range(1, len(names) + 1) for effect in combinations(names, size)]

    def name(self, effect: tuple[str, ...]) -> str:
        if self.nested and len(effect) > 1:
            return self.design
        return " x ".join(self.factors[0] if one == "response" else one for one in effect)


def _kind(data: RatingData) -> Kind:
    return "judge" if data.judges else "rater"


def _study(data: RatingData, dimension: str, options: AgreementOptions) -> _Found:
    kind = _kind(data)
    points = data.take(dimension, data.scorers)
    repeats: dict[Scorer, dict[tuple[int, int], int]] = {}
    for column, scorer in enumerate(data.scorers):
        repeats.setdefault(scorer.judge, {})[scorer.repeat] = column
    if options.persons is None or options.facet is None:
        return _by_response(points, list(repeats.values()), kind)
    factors = (options.persons, kind, options.facet)
    if len(set(factors)) < 3 or options.facet == "response":
        raise SettingError(f"{' and '.join(factors)}: expected three names, none response.")
    if any(len(of_judge) > 1 for of_judge in repeats.values()):
        return _Found(factors, "the judges' repeats would be a fourth factor, which is not estimated")
    places = list(zip(data.column(options.persons), data.column(options.facet), strict=True))
    return _by_object(points, places, factors)


def _by_response(points: Floats, repeats: Sequence[Mapping[tuple[int, int], int]], kind: Kind) -> _Found:
    """Study responses, by scorers and where all judges have the same ones by repeats."""
    if all(len(of_judge) == 1 for of_judge in repeats):
        return _two_factors(points, ("response", kind), [])
    known = [set(of_judge) for of_judge in repeats]
    common = sorted(set.intersection(*known))
    notes: list[str] = []
    if any(one != known[0] for one in known):
        if not common:
            return _Found(("response", kind), "the judges have no repeat in common")
        evidence, repeat = common[0]
        notes.append(
            "Not all judges have the same repeats, so each stands with "
            f"its repeat {repeat} of evidence {evidence}."
        )
        chosen = [of_judge[common[0]] for of_judge in repeats]
        return _two_factors(points[:, chosen], ("response", kind), notes)
    if len(repeats) == 1:
        return _two_factors(
            points[:, [repeats[0][repeat] for repeat in common]], ("response", "repeat"), notes
        )
    chosen = [of_judge[repeat] for of_judge in repeats for repeat in common]
    cube = points[:, chosen].reshape(len(points), len(repeats), len(common))
    return _three_factors(cube, ("response", kind, "repeat"), notes)


def _two_factors(data: Floats, factors: tuple[str, str], notes: list[str]) -> _Found:
    """Study the responses that all scored or, where these are few, ratings within responses."""
    import numpy as np

    from creaeval.agreement.rating_data import mostly_crossed
    from creaeval.stats.variance import g_study, one_way_study

    data = data[~np.isnan(data).all(axis=1)]
    scored = data[:, ~np.isnan(data).all(axis=0)]
    if scored.shape[1] < data.shape[1]:
        notes.append(
            f"{data.shape[1] - scored.shape[1]} of {data.shape[1]} {factors[1]}s scored nothing here."
        )
    if scored.shape[1] < 2:
        count = "no" if not scored.shape[1] else "a single"
        return _Found(factors, f"there is {count} {factors[1]}", left_out=len(data), notes=notes)
    complete = int((~np.isnan(scored)).all(axis=1).sum())
    if mostly_crossed(~np.isnan(scored)):
        study = g_study(scored, facets=[factors[1]])
        return _Found(factors, _all_equal(study), study, study.n_left_out, [*notes, *study.warnings])
    why = _not_crossed(complete, f"{factors[1]}s", "response", f"all {scored.shape[1]}")
    study = one_way_study(scored, facet=factors[1])
    n, k = study.levels
    if n < 2:
        reason = f"{why}, and {n} responses have two {factors[1]}s"
        return _Found(factors, reason, left_out=len(data), notes=notes)
    notes.append(f"{why[0].upper()}{why[1:]}; these are the responses with {k} {factors[1]}s.")
    return _Found(factors, _all_equal(study), study, study.n_left_out, [*notes, *study.warnings])


def _three_factors(data: Floats, factors: tuple[str, str, str], notes: list[str]) -> _Found:
    import numpy as np

    from creaeval.stats.variance import g_study

    data = data[~np.isnan(data).all(axis=(1, 2))]
    complete = int((~np.isnan(data)).all(axis=(1, 2)).sum())
    for factor, count in zip(factors[1:], data.shape[1:], strict=True):
        if count < 2:
            reason = f"there is {'a single' if count else 'no'} {factor}"
            return _Found(factors, reason, left_out=len(data), notes=notes)
    if complete < 2:
        everything = f"all {data.shape[1]} in all {data.shape[2]} {factors[2]}s"
        reason = _not_crossed(complete, f"{factors[1]}s", factors[0], everything)
        return _Found(factors, reason, left_out=len(data), notes=notes)
    study = g_study(data, facets=factors[1:])
    warnings = [re.sub(r"\bresponse\b", lambda _: factors[0], warning) for warning in study.warnings]
    return _Found(factors, _all_equal(study), study, study.n_left_out, [*notes, *warnings])


def _by_object(
    laid: Floats, places: Sequence[tuple[str | None, str | None]], factors: tuple[str, str, str]
) -> _Found:
    """Lay responses out by who wrote them and what they answer."""
    import numpy as np

    placed = {
        row: (who, which)
        for row, (who, which) in enumerate(places)
        if who is not None and which is not None and not np.isnan(laid[row]).all()
    }
    outside = int((~np.isnan(laid).all(axis=1)).sum()) - len(placed)
    notes = [f"{outside} responses without {factors[0]} or {factors[2]} are left out."] if outside else []
    if len(set(placed.values())) < len(placed):
        where = [*placed.values()]
        who, which = next(place for place in where if where.count(place) > 1)
        reason = f"{factors[0]} {who} has more than one response for {factors[2]} {which}"
        return _Found(factors, reason, left_out=len({who for who, _ in where}), notes=notes)
    everyone = {name: number for number, name in enumerate(sorted({who for who, _ in placed.values()}))}
    levels = {name: number for number, name in enumerate(sorted({which for _, which in placed.values()}))}
    data = np.full((len(everyone), laid.shape[1], len(levels)), np.nan)
    for row, (who, which) in placed.items():
        data[everyone[who], :, levels[which]] = laid[row]
    scored = ~np.isnan(data).all(axis=(0, 2))
    if not scored.all():
        notes.append(f"{int((~scored).sum())} of {len(scored)} {factors[1]}s scored nothing here.")
    return _three_factors(data[:, scored], factors, notes)


def _not_crossed(complete: int, scorers: str, one: str, everything: str) -> str:
    count = {0: f"no {one} was", 1: f"only one {one} was"}.get(complete, f"only {complete} {one}s were")
    return f"{scorers} are not crossed: {count} scored by {everything}"


def _all_equal(study: GStudy) -> str:
    return "all points are equal, so there are no shares" if math.isnan(study.components[0].share) else ""


def _coefficients(found: _Found, numbers: Sequence[int], n_second: int) -> list[tuple[float, float]]:
    from creaeval.stats.variance import d_study

    if found.study is None:
        return [(math.nan, math.nan)] * len(numbers)
    second = n_second if found.second else None
    designs = [d_study(found.study, n_raters=number, n_repeats=second) for number in numbers]
    return [(one.generalizability, one.dependability) for one in designs]


def _needed(found: _Found, target: float, n_second: int) -> tuple[tuple[int | None, int | None], list[str]]:
    """Find the numbers that reach the target, and say why there is none."""
    from creaeval.stats.variance import needed

    if found.study is None or found.reason:
        return (None, None), [found.reason]
    second = n_second if found.second else None
    ranking = needed(found.study, target=target, coefficient="generalizability", n_repeats=second)
    level = needed(found.study, target=target, coefficient="dependability", n_repeats=second)
    reasons = [
        f"{column}: no number of {found.of} reaches {target:g}"
        for column, number in (("needed_for_ranking", ranking), ("needed_for_level", level))
        if number is None
    ]
    return (ranking, level), reasons
