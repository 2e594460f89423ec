"""How reliable one rater is, or the mean of several, and how many are needed: from variance components.

Sources
-------
Brennan (2001), Generalizability Theory: generalizability (consistent) and dependability (absolute). Shrout
and Fleiss (1979), Intraclass correlations, Psychological Bulletin 86, 420-428.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from creaeval.stats.correlation import FloatArray
    from creaeval.stats.variance.component_draws import ComponentDraws
    from creaeval.stats.variance.components import Components, Effect

CoefficientKind: TypeAlias = Literal["consistent", "absolute"]

__all__ = ["CoefficientKind", "Needed", "Reliability", "raters_needed", "reliability", "variance_limits"]


@dataclass(frozen=True)
class Reliability:
    """A reliability coefficient.

    Attributes
    ----------
    kind : {"consistent", "absolute"}
        For ranking responses (generalizability), or for their level, too (dependability).
    n_raters, n_levels : float
        Raters, and levels of the facet, whose mean it is of.
    value : float
        From 0 to 1; nan where undefined.
    low, high : float
        Ends of the interval; nan where there is none.
    confidence : float
        Of the interval.
    reason : str
        Why the value or its interval is nan; "" otherwise.
    """

    kind: CoefficientKind
    n_raters: float
    n_levels: float
    value: float
    low: float
    high: float
    confidence: float
    reason: str


@dataclass(frozen=True)
class Needed:
    """The smallest number of raters whose mean reaches a reliability.

    Attributes
    ----------
    kind : {"consistent", "absolute"}
        Which coefficient.
    target : float
        The reliability wanted.
    n_raters : float
        A whole number; inf where no number reaches the target, nan where undefined.
    low, high : float
        Ends of the interval, which may be inf; nan where there is none.
    confidence : float
        Of the interval.
    reason : str
        Why the number is inf or nan, or has no interval; "" otherwise.
    """

    kind: CoefficientKind
    target: float
    n_raters: float
    low: float
    high: float
    confidence: float
    reason: str


def reliability(
    components: Components,
    kind: CoefficientKind,
    n_raters: float = 1.0,
    n_levels: float = 1.0,
    *,
    draws: ComponentDraws | None = None,
    confidence: float = 0.95,
) -> Reliability:
    """Compute the reliability of the mean of so many raters (and levels of the facet).

    Parameters
    ----------
    components : Components
        Where variances come from; negative estimates count as 0.
    kind : {"consistent", "absolute"}
        The consistent coefficient is of rankings by the same raters, or by adjusted means; the absolute one
        of levels, or of rankings of responses that had different raters.
    n_raters : float
        Raters averaged. For the mean of incomplete data take ``design.raters_per_response``, the harmonic
        mean: error variances are inverse to the number.
    n_levels : float
        Levels of the facet averaged, where there is one.
    draws : ComponentDraws, optional
        For the interval; none without.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    Reliability
        ``universe / (universe + error)``. The universe variance is that of responses, with clusters within
        and between these. The relative error is the sum of ``variance / levels`` over the interactions with
        responses, the absolute one that over all effects but the universe's.

    Raises
    ------
    ValueError
        A number below 1, or another kind or confidence.

    Notes
    -----
    For crossed data and no negative component these are ICC(C,k) and ICC(A,k); for nested raters ICC(k).
    """
    _check(kind, confidence, n_raters, n_levels)
    names = [part.effect for part in components.components]
    estimates = np.array([part.variance for part in components.components])
    universe, error = _split(names, estimates, kind, n_raters, n_levels)
    value = float(_ratio(universe, error))
    reason = components.reason if not components.defined else ""
    if not reason and math.isnan(value):
        reason = components.reason or "neither responses nor raters differ in what this compares"
    low = high = math.nan
    if not reason and draws is not None:
        reason = draws.reason
        if not reason:
            drawn = _ratio(*_split(names, draws.values, kind, n_raters, n_levels))
            low, high = _limits(drawn, confidence)
    return Reliability(kind, n_raters, n_levels, value, low, high, confidence, reason)


def raters_needed(
    components: Components,
    kind: CoefficientKind,
    target: float = 0.8,
    n_levels: float = 1.0,
    *,
    draws: ComponentDraws | None = None,
    confidence: float = 0.95,
) -> Needed:
    """Compute the smallest number of raters whose mean reaches a reliability.

    Parameters
    ----------
    components : Components
        Where variances come from; negative estimates count as 0.
    kind : {"consistent", "absolute"}
        As for :func:`reliability`.
    target : float
        Between 0 and 1.
    n_levels : float
        Levels of the facet averaged, where there is one.
    draws : ComponentDraws, optional
        For the interval; none without.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    Needed
        With errors E that raters do not share in and R that they divide, the smallest whole n with
        ``n >= R / (universe * (1 - target) / target - E)``.

    Raises
    ------
    ValueError
        A number below 1, or another kind, target or confidence.
    """
    _check(kind, confidence, 1.0, n_levels)
    if not 0.0 < target < 1.0:
        raise ValueError(f"target must lie between 0 and 1, but is {target}.")
    names = [part.effect for part in components.components]

    def number(variances: FloatArray) -> FloatArray:
        universe, error = _split(names, variances, kind, 1.0, n_levels)
        beside = _split(names, variances, kind, math.inf, n_levels)[1]
        room = universe * (1.0 - target) / target - beside
        with np.errstate(divide="ignore", invalid="ignore"):
            exact = np.where(room > 0.0, (error - beside) / room, math.inf)
        whole = np.maximum(np.ceil(exact * (1.0 - 1e-12)), 1.0)  # equal but for rounding
        result: FloatArray = np.where(universe + error > 0.0, whole, math.nan)
        return result

    value = float(number(np.array([part.variance for part in components.components])))
    reason = components.reason if math.isnan(value) else ""
    if not reason and math.isnan(value):
        reason = "neither responses nor raters differ in what this compares"
    low = high = math.nan
    if not reason and draws is not None:
        reason = draws.reason
        if not reason:
            low, high = _limits(number(draws.values), confidence, whole=True)
    if math.isinf(value):
        reason = f"no number of raters reaches {target:g}" + (f"; {reason}" if reason else "")
    return Needed(kind, target, value, low, high, confidence, reason)


def variance_limits(draws: ComponentDraws, confidence: float = 0.95) -> FloatArray:
    """Compute intervals of the components.

    Parameters
    ----------
    draws : ComponentDraws
        From :func:`draw_components`.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    array of float, shape (components, 2)
        Low and high ends; nan without draws.
    """
    return np.array([_limits(column, confidence) for column in draws.values.T])


def _split(
    names: list[Effect], variances: FloatArray, kind: CoefficientKind, n_raters: float, n_levels: float
) -> tuple[FloatArray, FloatArray]:
    """Sum up the universe and the error variance, along the last axis."""
    numbers = {"rater": n_raters, "facet": n_levels}
    universe = np.array([effect in (("response",), ("cluster",)) for effect in names], dtype=float)
    error = np.array([1.0 / math.prod(numbers.get(factor, 1.0) for factor in effect) for effect in names])
    if kind == "consistent":
        error *= np.array(["response" in effect for effect in names])
    return variances @ universe, variances @ (error * (1.0 - universe))


def _ratio(universe: FloatArray, error: FloatArray) -> FloatArray:
    whole = np.asarray(universe + error)
    result: FloatArray = np.divide(universe, whole, out=np.full(whole.shape, math.nan), where=whole > 0.0)
    return result


def _limits(drawn: FloatArray, confidence: float, *, whole: bool = False) -> tuple[float, float]:
    drawn = drawn[~np.isnan(drawn)]
    if not len(drawn):
        return math.nan, math.nan
    ends = (1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0
    low, high = np.quantile(drawn, ends, method="inverted_cdf" if whole else "linear")
    return float(low), float(high)


def _check(kind: str, confidence: float, *numbers: float) -> None:
    if kind not in ("consistent", "absolute"):
        raise ValueError(f'There is no coefficient {kind!r}: "consistent" or "absolute".')
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, but is {confidence}.")
    if min(numbers) < 1.0:
        raise ValueError(f"Numbers of raters and levels must be at least 1, but are {numbers}.")
