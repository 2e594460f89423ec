"""Variance components drawn as the data leave them open: what intervals are made from.

Generalized confidence intervals: what is computed from the components is computed from each draw. With few
raters their variance has few degrees of freedom; these intervals are wide then, where intervals from an
approximate F distribution (McGraw and Wong's of ICC(A,1)) or from resampled responses are too narrow.
docs/agreement.md tabulates how often they cover.

Sources
-------
Weerahandi (1993), Generalized confidence intervals, JASA 88, 899-905. Wald (1940), A note on the analysis of
variance with unequal class frequencies, Annals of Mathematical Statistics 11, 96-100: the pivot of effects
with unequal errors. Thomas and Hultquist (1978), Interval estimation for the unbalanced case of the one-way
random effects model, Annals of Statistics 6, 582-587. Ionan, Polley, McShane and Dobbin (2014), Comparison of
confidence interval methods for an intra-class correlation coefficient, BMC Med. Res. Methodol. 14:121.
Shoemaker (2003), Fixing the F test for equal variances, American Statistician 57, 105-114: degrees of
freedom from kurtosis.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from creaeval.stats.draws import FEWEST, TOO_FEW
from creaeval.stats.variance.anova import crossed_terms, expected_variances
from creaeval.stats.variance.two_way import fit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from creaeval.stats.correlation import FloatArray
    from creaeval.stats.variance.components import Components, Effect
    from creaeval.stats.variance.design import Design, IntArray, Ratings
    from creaeval.stats.variance.two_way import Fit

RaterKind: TypeAlias = Literal["random", "fixed"]

__all__ = ["ComponentDraws", "RaterKind", "draw_components"]

N_DRAWS = 10_000
# Tails: the variance of a mean square over that of normal values. Few responses cannot show short ones.
_SHORTEST, _LONG, _FEW = 0.5, 2.0, 100
_LONG_TAILS = "points have long tails and responses are few: intervals cover less than they say"
_MOST_GROUPS = 32


@dataclass(frozen=True)
class ComponentDraws:
    """Components as the data leave them open.

    Attributes
    ----------
    values : array of float, shape (draws, components)
        Variances, in the order of :attr:`Components.components`; no rows where they cannot be drawn.
    reason : str
        Why there are none; "" otherwise.
    note : str
        What to know of intervals from these.
    """

    values: FloatArray
    reason: str
    note: str = ""


def draw_components(
    ratings: Ratings,
    components: Components,
    rng: np.random.Generator,
    *,
    raters: RaterKind = "random",
    normal: bool = False,
    n_draws: int = N_DRAWS,
) -> ComponentDraws:
    """Draw variance components for intervals.

    Parameters
    ----------
    ratings : Ratings
        What the components were estimated from.
    components : Components
        From :func:`~creaeval.stats.variance.components.estimate_components`.
    rng : numpy Generator
        Same generator, same draws.
    raters : {"random", "fixed"}
        Whether intervals are to hold for raters like these, or for these raters alone. The variance of
        `fixed` raters is that of their severities, known but for the error of these.
    normal : bool
        Take responses' effects and errors as normal. If not, their chi-squared draws have the degrees of
        freedom that their own kurtosis leaves: with the long tails of skewed points they have far fewer.
    n_draws : int
        Number of draws.

    Returns
    -------
    ComponentDraws
        None with fewer than five responses (or clusters), nor for fixed raters that cross a facet.

    Raises
    ------
    ValueError
        Raters of another kind.

    Notes
    -----
    Let e be the residual sum of squares over a chi-squared draw, least squares effects of raters with the
    precision matrix P of eigenvalues l_j, and t_j their components along its eigenvectors. The raters'
    variance v solves ``sum t_j^2 / (v + e / l_j) = chi-squared draw``, an exact pivot. The same holds nearly
    for the responses' effects, their errors taken as independent, and for the means of clusters. For crossed
    data and normal values these are the mean squares over chi-squared draws. They are where there is a
    facet, too, whatever the tails; if such data are incomplete, mean squares are taken to be those that the
    components would give with as many ratings of each level. Negative draws count as 0.
    """
    if raters not in ("random", "fixed"):
        raise ValueError(f'raters must be "random" or "fixed", but are {raters!r}.')
    reason = _why_no_draws(components, raters)
    if reason:
        return ComponentDraws(np.empty((0, len(components.components))), reason)
    if "facet" in components.factors:
        return _draw_squares(ratings, components, rng, n_draws)
    squares = fit(ratings, components.design)
    shortest = _SHORTEST if components.design.n_responses >= _FEW else 1.0
    tails = 1.0, 1.0
    if not normal:
        own = _tail_of_errors(ratings, squares), _tail_of_responses(components, squares)
        tails = max(own[0], shortest), max(own[1], shortest)
    values = _draw_effects(ratings, components, squares, tails, raters, rng, n_draws)
    few = components.design.n_responses < _FEW and max(tails) > _LONG
    return ComponentDraws(values, "", _LONG_TAILS if few else "")


def _why_no_draws(components: Components, raters: RaterKind) -> str:
    if not components.defined:
        return components.reason
    numbers = [components.design.n_responses]
    numbers += [components.levels[-1]] if "cluster" in components.factors else []
    if min(numbers) < FEWEST:
        return TOO_FEW
    if "facet" in components.factors and raters == "fixed":
        return "raters that cross a facet are random here"
    return ""


def _draw_squares(
    ratings: Ratings, components: Components, rng: np.random.Generator, n_draws: int
) -> ComponentDraws:
    """Three crossed factors: expected mean squares are mean squares over draws of chi-squared over df."""
    terms = crossed_terms(components.factors)
    levels = {term.axes: int(ratings.crossing(term.effect).max()) + 1 for term in terms}
    n = len(ratings.value)
    multiples = [n / levels[term.axes] for term in terms]
    drawn: list[FloatArray] = []
    degrees: dict[tuple[int, ...], int] = {}
    for term in terms:
        within = [axes for axes in levels if set(axes) < set(term.axes)]
        degrees[term.axes] = levels[term.axes] - 1 - sum(degrees[axes] for axes in within)
        square = sum(
            part.estimate * number
            for part, larger, number in zip(components.components, terms, multiples, strict=True)
            if set(term.axes) <= set(larger.axes)
        )
        if degrees[term.axes] < 1:
            empty = np.empty((0, len(terms)))
            return ComponentDraws(empty, f"{' x '.join(term.effect)} has no degree of freedom left")
        drawn.append(square * degrees[term.axes] / rng.chisquare(degrees[term.axes], n_draws))
    variances = expected_variances(terms, multiples, drawn)
    return ComponentDraws(np.maximum(np.column_stack(variances), 0.0), "")


def _draw_effects(
    ratings: Ratings,
    components: Components,
    squares: Fit,
    tails: tuple[float, float],
    raters: RaterKind,
    rng: np.random.Generator,
    n_draws: int,
) -> FloatArray:
    columns: dict[Effect, FloatArray] = {}
    residual = squares.sum_of_squares / _chi_squared(squares.degrees_of_freedom, tails[0], rng, n_draws)
    columns["response", "rater"] = residual
    columns["rater",] = _draw_raters(squares, residual, rng, raters)
    if ratings.cluster is None:
        groups = components.design.response_island
        within, degrees = _centre(squares.response, groups)
        chi_squared = _chi_squared(degrees, tails[1], rng, n_draws)
        columns["response",] = _pivot(within, squares.response_error, residual, chi_squared)
    else:
        columns |= _draw_clusters(ratings, components.design, squares, columns, tails[1], rng)
    return np.column_stack([columns[part.effect] for part in components.components])


def _draw_raters(
    squares: Fit, residual: FloatArray, rng: np.random.Generator, raters: RaterKind
) -> FloatArray:
    if not len(squares.rater):
        return np.zeros_like(residual)
    precision, vectors = np.linalg.eigh(squares.precision)
    contrasts = precision > 1e-10 * precision[-1]
    error = 1.0 / precision[contrasts]
    along = vectors[:, contrasts].T @ squares.rater
    if raters == "random":
        return _pivot(along, error, residual, rng.chisquare(len(along), len(residual)))
    spread = np.sqrt(residual[:, np.newaxis] * error)
    drawn = ((along + spread * rng.normal(size=spread.shape)) ** 2).sum(axis=1)
    # A square of an estimate is too large by its error variance, that of a draw around it by twice that.
    corrected: FloatArray = np.maximum(drawn - 2.0 * residual * error.sum(), 0.0) / len(along)
    return corrected


def _draw_clusters(
    ratings: Ratings,
    design: Design,
    squares: Fit,
    drawn: Mapping[Effect, FloatArray],
    tail: float,
    rng: np.random.Generator,
) -> dict[Effect, FloatArray]:
    """Responses within clusters, then clusters from the means of their responses."""
    residual = drawn["response", "rater"]
    cluster = np.zeros(ratings.n_responses, dtype=np.intp)
    cluster[ratings.response] = ratings.cluster  # type: ignore[assignment]
    within, degrees = _centre(squares.response, cluster)
    n_draws = len(residual)
    chi_squared = _chi_squared(degrees, tail, rng, n_draws)
    responses = _pivot(within, squares.response_error, residual, chi_squared)
    sizes = np.bincount(cluster)
    means = np.bincount(cluster, squares.response) / sizes
    error = np.bincount(cluster, squares.response_error) / sizes**2
    noise = responses[:, np.newaxis] / sizes + residual[:, np.newaxis] * error
    if design.islands:  # effects of raters sum to 0 within each, so clusters' means have the raters' mean
        island = np.zeros(len(sizes), dtype=np.intp)
        island[cluster] = design.response_island
        noise += drawn["rater",][:, np.newaxis] / np.bincount(design.rater_island)[island]
    between = _solve((means - means.mean()) ** 2, noise, rng.chisquare(len(sizes) - 1, n_draws))
    return {("response",): responses, ("cluster",): between}


def _tail_of_errors(ratings: Ratings, squares: Fit) -> float:
    """Spread of responses' sums of squares over what normal errors would give."""
    freedom, mean_square = squares.degrees_of_freedom, squares.sum_of_squares / squares.degrees_of_freedom
    if mean_square == 0.0:
        return 1.0
    sums = np.bincount(ratings.response, squares.residual**2)
    share = freedom / (len(ratings.value) - ratings.n_responses)
    apart = sums - mean_square * share * (ratings.per_response - 1)
    return float(apart @ apart) / (2.0 * mean_square**2 * freedom)


def _tail_of_responses(components: Components, squares: Fit) -> float:
    """1 and half the excess kurtosis (Fisher's G2) of responses' effects over their standard deviations."""
    response, residual = components.variance("response"), components.variance("response", "rater")
    spread = np.sqrt(response + components.variance("cluster") + residual * squares.response_error)
    effects, _ = _centre(squares.response, components.design.response_island)
    if not spread.all() or not effects.any():
        return 1.0
    scaled = effects / spread
    n, squared = len(scaled), (scaled - scaled.mean()) ** 2
    excess = float((squared**2).mean() / squared.mean() ** 2) - 3.0
    return 1.0 + (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * excess + 6.0) / 2.0


def _chi_squared(degrees: int, tail: float, rng: np.random.Generator, n_draws: int) -> FloatArray:
    """Draw chi-squared, with the spread that values with such tails have; at least one degree of freedom."""
    tail = min(tail, float(degrees))
    return tail * rng.chisquare(degrees / tail, n_draws)


def _centre(effects: FloatArray, groups: IntArray) -> tuple[FloatArray, int]:
    sizes = np.bincount(groups)
    return effects - (np.bincount(groups, effects) / sizes)[groups], len(effects) - len(sizes)


def _pivot(
    effects: FloatArray, error: FloatArray, residual: FloatArray, chi_squared: FloatArray
) -> FloatArray:
    """Draw the variance of effects whose errors have the variances ``error * residual``."""
    order = np.argsort(error)
    parts = np.array_split(order, min(len(order), _MOST_GROUPS))
    levels, which = np.unique(np.round(error, 12), return_inverse=True)
    if len(levels) <= _MOST_GROUPS:
        parts = [np.flatnonzero(which.ravel() == level) for level in range(len(levels))]
    squares = np.array([float(effects[part] @ effects[part]) for part in parts])
    noise = np.array([error[part].mean() for part in parts])
    return _solve(squares, residual[:, np.newaxis] * noise, chi_squared)


def _solve(squares: FloatArray, noise: FloatArray, chi_squared: FloatArray) -> FloatArray:
    """Solve ``sum squares / (v + noise) = chi_squared`` for v, or 0 where it would be negative."""
    total = squares.sum()
    # The sum's inverse is concave in v: Newton's steps from the left never pass the root.
    v: FloatArray = np.maximum(total / chi_squared - noise.max(axis=1), 0.0)
    if total == 0.0:
        return v
    for _ in range(50):
        terms = 1.0 / (v[:, np.newaxis] + noise)
        value = terms @ squares
        step = (1.0 / chi_squared - 1.0 / value) * value**2 / (terms**2 @ squares)
        before, v = v, np.maximum(v + step, 0.0)
        if float(np.abs(v - before).max()) <= 1e-10 * float(v.max()):
            break
    return v
