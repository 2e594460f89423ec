"""Gwet's AC1 and AC2: agreement beyond chance that does not collapse where nearly all get the same score.

Where two raters agree on "yes" for 118 of 125 targets and on "no" for none, Cohen's kappa is below 0 and AC1
is .94. Chance agreement depends on the number of categories that could be given, so both take the levels of
the scale; the levels that occur are not enough.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from creaeval.stats.correlation import on_levels, pairs

if TYPE_CHECKING:
    import numpy.typing as npt

    from creaeval.stats.measures import Levels


def gwet_ac1(x: npt.ArrayLike, y: npt.ArrayLike, levels: Levels) -> float:
    """Gwet's AC1 of two raters: every disagreement counts the same.

    Parameters
    ----------
    x, y : array-like of float, shape (n,)
        Two raters' scores of the same targets, in points. Pairs with a missing value (nan) are left out.
    levels : Levels
        Of the scale, used or not.

    Returns
    -------
    float
        (p_a - p_e) / (1 - p_e) with the share p_a of equal scores and p_e = Σ π (1 - π) / (q - 1), π being
        the share of each of the q levels among both raters' scores; from -1 to 1. nan if there are no pairs
        or a score is no level.

    Raises
    ------
    ValueError
        If x and y are not one-dimensional, of one length, finite and numbers.

    References
    ----------
    Gwet, K. L. (2008). Computing inter-rater reliability and its variance in the presence of high agreement.
    British Journal of Mathematical and Statistical Psychology, 61, 29-48.
    """
    x, y = pairs(x, y)
    if not x.size or not on_levels(np.concatenate([x, y]), levels).all():
        return math.nan
    return _beyond_chance(float(np.mean(x == y)), _unlikeness(x, y), ac1_weight(levels))


def gwet_ac2(x: npt.ArrayLike, y: npt.ArrayLike, levels: Levels) -> float:
    """Gwet's AC2 of two raters with quadratic weights: disagreement counts by its squared distance in points.

    Parameters
    ----------
    x, y : array-like of float, shape (n,)
        Two raters' scores of the same targets, in points. Pairs with a missing value (nan) are left out.
    levels : Levels
        Of the scale, used or not.

    Returns
    -------
    float
        (p_a - p_e) / (1 - p_e) with p_a the mean of the weights 1 - (x - y)² / (high - low)² and
        p_e = T Σ π (1 - π) / (q (q - 1)), T being the sum of the weights of all q · q pairs of levels and π
        the share of each level among both raters' scores; at most 1. nan if there are no pairs or a score is
        no level.

    Raises
    ------
    ValueError
        If x and y are not one-dimensional, of one length, finite and numbers.

    References
    ----------
    Gwet, K. L. (2014). Handbook of Inter-Rater Reliability (4th ed.), chapters 3 and 4. Advanced Analytics.
    """
    x, y = pairs(x, y)
    if not x.size or not on_levels(np.concatenate([x, y]), levels).all():
        return math.nan
    agreement = 1 - float(np.mean((x - y) ** 2)) / (levels.high - levels.low) ** 2
    return _beyond_chance(agreement, _unlikeness(x, y), ac2_weight(levels))


def ac1_weight(levels: Levels) -> float:
    """Return what Σ π (1 - π) is multiplied by, T / (q (q - 1)), with T = q."""
    return 1 / (levels.number - 1)


def ac2_weight(levels: Levels) -> float:
    """Return what Σ π (1 - π) is multiplied by, T / (q (q - 1)); all (i - j)² sum to q² (q² - 1) / 6."""
    q = levels.number
    return (q - q * (q + 1) / (6 * (q - 1))) / (q - 1)


def _unlikeness(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> float:
    """Σ π (1 - π) of both raters' scores together."""
    shares = np.unique(np.concatenate([x, y]), return_counts=True)[1] / (2 * x.size)
    return 1 - float(shares @ shares)


def _beyond_chance(agreement: float, unlike: float, weight: float) -> float:
    by_chance = weight * unlike
    return (agreement - by_chance) / (1 - by_chance)
