"""Where the variance of scores comes from (G-study) and what more raters or repeats would bring (D-study).

Designs are fully crossed: response x rater, or response x rater x repeat (or scenario, or dimension); or
raters within responses, where each response has its own. All effects are random. Components are the ANOVA
estimates, from the expected mean squares of balanced data.

Sources
-------
Brennan (2001), Generalizability Theory, Springer: ch. 2 and 3. Shavelson and Webb (1991), Generalizability
Theory: A Primer. For one facet the generalizability coefficient of k raters is ICC(3,k) and the dependability
coefficient ICC(2,k) of Shrout and Fleiss (1979), as long as no component is negative; with raters within
responses both are ICC(1,k).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Component:
    """One source of variance.

    Attributes
    ----------
    effect : tuple of str
        Its factors, for instance ("response", "rater"). The one with all factors is the residual: that
        interaction and error cannot be told apart.
    degrees_of_freedom : int
        Of the effect.
    sum_of_squares, mean_square : float
        Of the effect; the mean square is nan without degrees of freedom.
    estimate : float
        Estimated variance, which can be negative; nan where undefined.
    variance : float
        The estimate, or 0 where it is negative; what a D-study uses.
    share : float
        Of the sum of all `variance`; nan where that is 0.
    """

    effect: tuple[str, ...]
    degrees_of_freedom: int
    sum_of_squares: float
    mean_square: float
    estimate: float
    variance: float
    share: float


@dataclass(frozen=True)
class GStudy:
    """Variance components of a design.

    Attributes
    ----------
    factors : tuple of str
        "response", then the facets.
    levels : tuple of int
        Number of levels of each factor that were used.
    n_left_out : int
        Responses left out because a score is missing, or because they have another number of ratings.
    components : tuple of Component
        Main effects first, the residual last.
    warnings : tuple of str
        Negative estimates and factors with a single level.
    design : {"crossed", "nested"}
        Whether all raters score all responses, or each response has raters of its own.
    """

    factors: tuple[str, ...]
    levels: tuple[int, ...]
    n_left_out: int
    components: tuple[Component, ...]
    warnings: tuple[str, ...]
    design: Literal["crossed", "nested"] = "crossed"


@dataclass(frozen=True)
class DStudy:
    """What a design would measure.

    Attributes
    ----------
    n_raters : int
        Raters averaged.
    n_repeats : int or None
        Levels of the second facet averaged; None with one facet.
    universe_variance : float
        Variance of the responses' true means.
    relative_error, absolute_error : float
        Error variance for ranking responses, and for their level.
    generalizability : float
        ``universe / (universe + relative error)``; nan where 0/0.
    dependability : float
        ``universe / (universe + absolute error)``; nan where 0/0.
    """

    n_raters: int
    n_repeats: int | None
    universe_variance: float
    relative_error: float
    absolute_error: float
    generalizability: float
    dependability: float


def g_study(scores: ArrayLike, *, facets: Sequence[str] | None = None) -> GStudy:
    """Estimate the variance components of crossed scores.

    Parameters
    ----------
    scores : array_like, shape (responses, raters) or (responses, raters, repeats)
        nan for missing scores; a response that lacks one is left out, because the estimates need balanced
        data.
    facets : sequence of str, optional
        Names of the facets; ("rater",) or ("rater", "repeat") if not given.

    Returns
    -------
    GStudy
        Mean squares are those of the analysis of variance; components come from their expectations,
        ``E MS(A) = sum over B that contain A of var(B) * product of the levels of factors not in B``.

    Raises
    ------
    ValueError
        Where the array has another number of dimensions, or names do not fit.
    """
    data = np.asarray(scores, dtype=float)
    if data.ndim not in (2, 3):
        raise ValueError(
            "Scores must have shape (responses, raters) or (responses, raters, repeats), "
            f"but have {data.shape}."
        )
    names = tuple(facets) if facets is not None else ("rater", "repeat")[: data.ndim - 1]
    factors = ("response", *names)
    if len(names) != data.ndim - 1 or len(set(factors)) != len(factors):
        raise ValueError(f"{data.ndim - 1} different names of facets are needed, but got {names}.")
    if np.isinf(data).any():
        raise ValueError("A score is infinite.")
    keep = ~np.isnan(data).any(axis=tuple(range(1, data.ndim)))
    data = data[keep]
    warnings = [
        f"There is a single {factor}, so nothing can be said about it."
        if count == 1
        else f"No {factor} has all its scores."
        for factor, count in zip(factors, data.shape, strict=True)
        if count < 2
    ]
    axes = [axis for size in range(1, data.ndim + 1) for axis in combinations(range(data.ndim), size)]
    squares = _sums_of_squares(data, axes)
    freedom = {effect: math.prod(max(data.shape[axis] - 1, 0) for axis in effect) for effect in axes}
    means = {effect: squares[effect] / freedom[effect] if freedom[effect] else math.nan for effect in axes}
    estimates: dict[tuple[int, ...], float] = {}
    for effect in reversed(axes):  # the residual first
        rest = means[effect] - sum(
            estimates[larger] * _others(data.shape, larger)
            for larger in estimates
            if set(effect) < set(larger)
        )
        estimates[effect] = rest / _others(data.shape, effect) if data.size else math.nan
    named = {effect: tuple(factors[axis] for axis in effect) for effect in axes}
    components = _components(
        [(named[effect], freedom[effect], squares[effect], estimates[effect]) for effect in axes]
    )
    warnings += _negative(components)
    return GStudy(factors, data.shape, int((~keep).sum()), components, tuple(warnings))


def one_way_study(scores: ArrayLike, *, facet: str = "rater") -> GStudy:
    """Estimate the variance components where each response has raters of its own.

    Parameters
    ----------
    scores : array_like, shape (responses, raters)
        nan for missing scores. Only the responses with the most common number k of ratings, two or more, are
        used, because the estimates need balanced data; of equally common numbers the largest counts.
    facet : str
        Name of the facet.

    Returns
    -------
    GStudy
        `design` is "nested", `levels` are the responses used and k. Two components, ("response",) and
        ("response", facet): raters within responses, with which the raters' own variance, their interaction
        with the response and error are one. They come from the one-way mean squares: ``within = MS within``,
        ``response = (MS between - MS within) / k``. In a D-study of k raters, generalizability and
        dependability are the same and equal to ICC(1,k), as long as the component is not negative.

    Raises
    ------
    ValueError
        Where the array has another number of dimensions or a score is infinite.

    Notes
    -----
    Brennan (2001), ch. 3, the design i:p. Shrout and Fleiss (1979), case 1. Where the same few raters score
    many responses, ratings of different responses are not independent, which the model takes them to be.
    """
    data = np.asarray(scores, dtype=float)
    if data.ndim != 2:
        raise ValueError(f"Scores must have shape (responses, raters), but have {data.shape}.")
    if np.isinf(data).any():
        raise ValueError("A score is infinite.")
    if facet == "response":
        raise ValueError('The facet needs another name than "response".')
    counts = (~np.isnan(data)).sum(axis=1)
    numbers, often = np.unique(counts[counts >= 2], return_counts=True)
    k = int(numbers[::-1][often[::-1].argmax()]) if len(numbers) else 0
    rows = data[counts == k] if k else data[:0]
    used = rows[~np.isnan(rows)].reshape(len(rows), k)
    n = len(used)
    centred = used - used.flat[0] if used.size else used  # so that equal scores differ by nothing
    means = centred.mean(axis=1) if k else np.empty(0)
    between = k * float(((means - means.mean()) ** 2).sum()) if n else math.nan
    within = float(((centred - means[:, np.newaxis]) ** 2).sum()) if n else math.nan
    residual = within / (n * (k - 1)) if n else math.nan
    response = (between / (n - 1) - residual) / k if n > 1 else math.nan
    components = _components(
        [
            (("response",), max(n - 1, 0), between, response),
            (("response", facet), n * max(k - 1, 0), within, residual),
        ]
    )
    warnings = [] if n > 1 else [f"{n} responses have two ratings or more; two are needed."]
    warnings += _negative(components)
    return GStudy(("response", facet), (n, k), len(data) - n, components, tuple(warnings), "nested")


def d_study(study: GStudy, *, n_raters: int, n_repeats: int | None = None) -> DStudy:
    """Compute how well the mean of so many raters and repeats would measure responses.

    Parameters
    ----------
    study : GStudy
        Where the components come from; negative estimates count as 0.
    n_raters : int
        Levels of the first facet.
    n_repeats : int, optional
        Levels of the second facet; needed if and only if there is one.

    Returns
    -------
    DStudy
        Relative error: the sum of ``variance / levels`` over the interactions of the response with facets.
        Absolute error: that and the same sum over the effects without the response.

    Raises
    ------
    ValueError
        Where numbers do not fit the design or are below 1.
    """
    numbers = _numbers(study, n_raters, n_repeats)
    relative = absolute = 0.0
    universe = math.nan
    for component in study.components:
        if component.effect == ("response",):
            universe = component.variance
            continue
        error = component.variance / math.prod(numbers.get(factor, 1) for factor in component.effect)
        absolute += error
        if "response" in component.effect:
            relative += error
    return DStudy(
        n_raters=n_raters,
        n_repeats=n_repeats,
        universe_variance=universe,
        relative_error=relative,
        absolute_error=absolute,
        generalizability=_ratio(universe, relative),
        dependability=_ratio(universe, absolute),
    )


def needed(
    study: GStudy,
    *,
    target: float = 0.8,
    coefficient: Literal["generalizability", "dependability"] = "generalizability",
    n_repeats: int | None = None,
) -> int | None:
    """Find the smallest number of raters that reaches a coefficient.

    Parameters
    ----------
    study : GStudy
        Where the components come from.
    target : float
        Wanted coefficient, between 0 and 1.
    coefficient : {"generalizability", "dependability"}
        "generalizability" if responses are to be ranked, "dependability" if their level matters.
    n_repeats : int, optional
        Levels of the second facet; needed if and only if there is one.

    Returns
    -------
    int or None
        None where no number reaches it or the components are undefined.

    Raises
    ------
    ValueError
        Where numbers do not fit the design or the target lies outside 0 to 1.
    """
    if not 0.0 < target < 1.0:
        raise ValueError(f"target must lie between 0 and 1, but is {target}.")
    if coefficient not in ("generalizability", "dependability"):
        raise ValueError(f'There is no coefficient "{coefficient}": "generalizability" or "dependability".')

    def reached(number: int) -> float:
        value: float = getattr(d_study(study, n_raters=number, n_repeats=n_repeats), coefficient)
        return value

    # The coefficient only rises with the number: double until it is reached, then halve the gap.
    nearly = target - 1e-12  # equal but for rounding
    above = 1
    while not reached(above) >= nearly:
        if above > 2**40 or math.isnan(reached(above)):
            return None
        above *= 2
    below = above // 2
    while above - below > 1:
        middle = (above + below) // 2
        if reached(middle) >= nearly:
            above = middle
        else:
            below = middle
    return above


def _components(
    sources: Sequence[tuple[tuple[str, ...], int, float, float]],
) -> tuple[Component, ...]:
    """Complete effects, degrees of freedom, sums of squares and estimates."""
    means = [squares / freedom if freedom else math.nan for _, freedom, squares, _ in sources]
    largest = max((abs(mean) for mean in means if not math.isnan(mean)), default=0.0)
    estimates = [0.0 if abs(value) <= 1e-13 * largest else value for *_, value in sources]  # rounding
    used = [0.0 if value < 0.0 else value for value in estimates]
    total = sum(used)
    return tuple(
        Component(
            effect=effect,
            degrees_of_freedom=freedom,
            sum_of_squares=squares,
            mean_square=mean,
            estimate=estimate,
            variance=variance,
            share=variance / total if total > 0.0 else math.nan,
        )
        for (effect, freedom, squares, _), mean, estimate, variance in zip(
            sources, means, estimates, used, strict=True
        )
    )


def _negative(components: Sequence[Component]) -> list[str]:
    return [
        f"The variance of {' x '.join(one.effect)} is estimated as {one.estimate:.4g}: 0 is used."
        for one in components
        if one.estimate < 0.0
    ]


def _sums_of_squares(
    data: NDArray[np.float64], effects: list[tuple[int, ...]]
) -> dict[tuple[int, ...], float]:
    if not data.size:
        return dict.fromkeys(effects, math.nan)
    # The deviations that belong to an effect: its means less the deviations of all effects within it.
    centred = data - data.flat[0]  # first, so that equal scores differ by nothing
    centred = centred - centred.mean()
    deviations: dict[tuple[int, ...], NDArray[np.float64]] = {}
    squares = {}
    for effect in effects:
        rest = tuple(axis for axis in range(data.ndim) if axis not in effect)
        deviation: NDArray[np.float64] = centred.mean(axis=rest, keepdims=True)
        for smaller, part in deviations.items():
            if set(smaller) < set(effect):
                deviation = deviation - part
        deviations[effect] = deviation
        squares[effect] = float((deviation**2).sum()) * _others(data.shape, effect)
    return squares


def _others(shape: tuple[int, ...], effect: tuple[int, ...]) -> int:
    return math.prod(count for axis, count in enumerate(shape) if axis not in effect)


def _ratio(universe: float, error: float) -> float:
    whole = universe + error
    return universe / whole if whole > 0.0 else math.nan


def _numbers(study: GStudy, n_raters: int, n_repeats: int | None) -> dict[str, int]:
    facets = study.factors[1:]
    if (n_repeats is None) != (len(facets) == 1):
        raise ValueError(
            f"The design has the facets {', '.join(facets)}: "
            + ("n_repeats is needed." if n_repeats is None else "n_repeats has no meaning.")
        )
    numbers = (n_raters,) if n_repeats is None else (n_raters, n_repeats)
    if min(numbers) < 1:
        raise ValueError(f"Numbers of levels must be at least 1, but are {numbers}.")
    return dict(zip(facets, numbers, strict=True))
