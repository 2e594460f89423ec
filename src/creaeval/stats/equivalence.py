"""Is one as good as another, within a margin: two one-sided tests of a difference.

A test that finds no difference does not show that there is none. These turn the burden round: a difference of
the margin or more is what the data must speak against.

Sources
-------
Schuirmann, D. J. (1987). A comparison of the two one-sided tests procedure and the power approach for
assessing the equivalence of average bioavailability. Journal of Pharmacokinetics and Biopharmaceutics, 15,
657-680.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from creaeval.stats.draws import interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from creaeval.stats.measures import Better


@dataclass(frozen=True)
class Equivalence:
    """Two one-sided tests of a difference d (first minus second) against a margin m.

    Attributes
    ----------
    difference, margin : float
        d and m, in the measure's own unit.
    p_lower : float
        Of the hypothesis d <= -m: a small one says that the first is not lower by the margin or more.
    p_upper : float
        Of the hypothesis d >= m: a small one says that it is not higher by the margin or more.
    p_equivalence : float
        The larger of both; below alpha, -m < d < m.
    p_noninferior : float
        Of the hypothesis that the first is worse by the margin or more: `p_lower` where higher values are
        better, `p_upper` where lower ones are. nan where neither is, as a value is best near 0.
    low, high : float
        Interval of d at the level 1 - 2 alpha; equivalence at alpha is that it lies within -m and m.
    confidence : float
        1 - 2 alpha.
    reason : str
        Why the tests are undefined (nan), or what a reader has to know of the interval; "" if nothing.
    """

    difference: float
    margin: float
    p_lower: float
    p_upper: float
    p_equivalence: float
    p_noninferior: float
    low: float
    high: float
    confidence: float
    reason: str


def equivalence_of_error(
    difference: float,
    standard_error: float,
    margin: float,
    *,
    better: Better = "higher",
    alpha: float = 0.05,
    degrees_of_freedom: float = math.inf,
) -> Equivalence:
    """Test a difference for equivalence and non-inferiority by its standard error.

    Parameters
    ----------
    difference : float
        First minus second; nan where undefined.
    standard_error : float
        Of the difference, in the same unit.
    margin : float
        The smallest difference that would matter, above 0.
    better : {"higher", "lower", "near 0"}
        Which values of the measure are better.
    alpha : float
        Level of each one-sided test, above 0 and below .5.
    degrees_of_freedom : float
        Of the standard error; without them the tests are by the normal distribution.

    Returns
    -------
    Equivalence
        ``p_lower = P(T >= (d + m) / se)`` and ``p_upper = P(T <= (d - m) / se)``; nan where the standard
        error is 0 or undefined.

    Raises
    ------
    ValueError
        A margin that is not above 0, or an alpha outside 0 to .5.
    """
    from scipy.special import stdtr, stdtrit

    _check(margin, alpha)
    if math.isnan(difference) or not standard_error > 0:
        reason = "the difference is undefined" if math.isnan(difference) else "no standard error"
        return _undefined(difference, margin, alpha, reason)
    # Of so many degrees of freedom Student's distribution is the normal one.
    df = min(degrees_of_freedom, 1e12)
    reach = float(stdtrit(df, 1 - alpha)) * standard_error
    p_lower = float(stdtr(df, -(difference + margin) / standard_error))
    p_upper = float(stdtr(df, (difference - margin) / standard_error))
    limits = (difference - reach, difference + reach)
    return _result(difference, margin, (p_lower, p_upper), better, limits, alpha)


def equivalence_of_draws(
    difference: float,
    draws: NDArray[np.float64],
    margin: float,
    *,
    n: int,
    better: Better = "higher",
    alpha: float = 0.05,
) -> Equivalence:
    """Test a difference for equivalence and non-inferiority by its values on resamples.

    Parameters
    ----------
    difference : float
        First minus second, on the data; nan where undefined.
    draws : array of float, shape (r,)
        The difference on each resample of both together; nan where undefined.
    margin : float
        The smallest difference that would matter, above 0.
    n : int
        Responses or clusters that it rests on; fewer than five give no test.
    better : {"higher", "lower", "near 0"}
        Which values of the measure are better.
    alpha : float
        Level of each one-sided test, above 0 and below .5.

    Returns
    -------
    Equivalence
        p-values are the share of resamples at the margin or beyond, the data counted among them, which is the
        percentile interval turned round; nan where there is no interval.

    Raises
    ------
    ValueError
        A margin that is not above 0, or an alpha outside 0 to .5.
    """
    _check(margin, alpha)
    ends = interval(difference, draws, n=n, confidence=1 - 2 * alpha)
    if math.isnan(ends.low):
        return _undefined(difference, margin, alpha, ends.note or "the difference is undefined")
    defined = draws[~np.isnan(draws)]
    p_lower, p_upper = (
        (1 + int(beyond.sum())) / (1 + len(defined)) for beyond in (defined <= -margin, defined >= margin)
    )
    return _result(
        difference, margin, (p_lower, p_upper), better, (ends.low, ends.high), alpha, reason=ends.note
    )


def _check(margin: float, alpha: float) -> None:
    if not margin > 0:
        raise ValueError(f"a margin of equivalence is above 0, but is {margin}")
    if not 0 < alpha < 0.5:
        raise ValueError(f"alpha lies between 0 and 0.5, but is {alpha}")


def _result(
    difference: float,
    margin: float,
    p: tuple[float, float],
    better: Better,
    limits: tuple[float, float],
    alpha: float,
    reason: str = "",
) -> Equivalence:
    p_noninferior = {"higher": p[0], "lower": p[1], "near 0": math.nan}[better]
    return Equivalence(difference, margin, *p, max(p), p_noninferior, *limits, 1 - 2 * alpha, reason)


def _undefined(difference: float, margin: float, alpha: float, reason: str) -> Equivalence:
    return Equivalence(difference, margin, *(math.nan,) * 6, 1 - 2 * alpha, reason)
