"""How lenient each rater is, and what each response would have got from the average rater.

Both come from one linear mixed model, ``rating = response + rater + error``, so that a rater's leniency is
adjusted for which responses the rater had, and a response's mean for which raters it had. Variances are taken
as known: they are those of the components.

Sources
-------
Henderson (1975), Best linear unbiased estimation and prediction under a selection model, Biometrics 31,
423-447: BLUE, BLUP and their error variances from one system of equations. Robinson (1991), That BLUP is a
good thing, Statistical Science 6, 15-32. Laird and Louis (1989), Empirical Bayes ranking methods, Journal of
Educational Statistics 14, 29-46: ranks from the posterior. Eckes (2015), Introduction to Many-Facet Rasch
Measurement, ch. 6: severity and fair averages.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array, eye_array, hstack
from scipy.special import stdtrit
from scipy.stats import rankdata

from creaeval.stats.draws import FEWEST, TOO_FEW
from creaeval.stats.variance.components import MOST_RATERS
from creaeval.stats.variance.two_way import absorb, residual_freedom

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from creaeval.stats.correlation import FloatArray
    from creaeval.stats.variance.component_draws import RaterKind
    from creaeval.stats.variance.components import Components
    from creaeval.stats.variance.design import IntArray, Ratings

__all__ = ["FairMeans", "Leniency", "fair_means", "rater_leniency"]

MOST_DRAWS, FEWEST_DRAWS = 1000, 200
_CELLS, _CELLS_AT_ONCE = 400_000, 4_000_000


@dataclass(frozen=True)
class Leniency:
    """How many points more each rater gives than the average rater.

    Attributes
    ----------
    raters : array of int, shape (k,)
        Their codes.
    leniency : array of float, shape (k,)
        In points; positive is lenient, negative severe. nan where undefined.
    se, low, high : array of float, shape (k,)
        Standard error and interval.
    n_ratings : array of int, shape (k,)
        Ratings by each.
    island : array of int, shape (k,)
        Part of a disconnected design; raters of different islands cannot be compared.
    confidence : float
        Of the interval.
    reason : str
        Why values are nan; "" otherwise.
    """

    raters: NDArray[np.int64]
    leniency: FloatArray
    se: FloatArray
    low: FloatArray
    high: FloatArray
    n_ratings: IntArray
    island: IntArray
    confidence: float
    reason: str


@dataclass(frozen=True)
class FairMeans:
    """What each response would get from the average rater.

    Attributes
    ----------
    responses : array of int, shape (n,)
        Their codes.
    n_ratings : array of int, shape (n,)
        Ratings of each.
    mean : array of float, shape (n,)
        Of its ratings as they are.
    fair_mean : array of float, shape (n,)
        Best prediction (BLUP): adjusted for the raters and drawn towards the mean of all, the more the fewer
        and the less reliable the ratings.
    se, low, high : array of float, shape (n,)
        Its standard error and interval.
    adjusted_mean : array of float, shape (n,)
        Adjusted for the raters alone (BLUE), with `adjusted_se`.
    adjusted_se : array of float, shape (n,)
        Its standard error.
    rank, rank_low, rank_high : array of float, shape (n,)
        Rank of the fair mean, 1 the highest, equal ones sharing the best; and the interval of the rank that
        the response would have if all was known.
    island : array of int, shape (n,)
        Part of a disconnected design; fair means of different islands cannot be compared, and ranks are
        within the island.
    confidence : float
        Of the intervals.
    reason : str
        Why values are nan; "" otherwise.
    """

    responses: NDArray[np.int64]
    n_ratings: IntArray
    mean: FloatArray
    fair_mean: FloatArray
    se: FloatArray
    low: FloatArray
    high: FloatArray
    adjusted_mean: FloatArray
    adjusted_se: FloatArray
    rank: FloatArray
    rank_low: FloatArray
    rank_high: FloatArray
    island: IntArray
    confidence: float
    reason: str


def rater_leniency(
    ratings: Ratings,
    components: Components,
    *,
    raters: RaterKind = "fixed",
    reference: ArrayLike | None = None,
    sampling: float = 0.0,
    confidence: float = 0.95,
) -> Leniency:
    """Estimate how lenient each rater is, adjusted for the responses the rater had.

    Parameters
    ----------
    ratings : Ratings
        Without a facet or clusters.
    components : Components
        Of the same ratings.
    raters : {"fixed", "random"}
        `fixed`: generalized least squares with random responses; values sum to 0 within each island, and are
        relative to these raters' mean. `random`: best predictions (BLUP), drawn towards 0, relative to the
        mean of all raters of whom these are a sample; its error is in the standard errors.
    reference : array_like of int, optional
        Codes of the raters whose mean is the average, for `fixed` ones; all if not given.
    sampling : float
        Variance of that mean where its raters are a sample, for `fixed` ones; it is added to the errors.
    confidence : float
        Between 0 and 1; intervals are Student's, with the residual's degrees of freedom, from five responses
        on.

    Returns
    -------
    Leniency
        nan where raters are nested within responses, random ones have no variance, or nobody is there to be
        compared with; where components are undefined, differences by least squares without an error. Each
        has its reason.

    Raises
    ------
    ValueError
        Ratings with a facet or clusters, or another confidence.
    """
    _check(ratings, raters, confidence)
    design = components.design
    estimate, se = (np.full(ratings.n_raters, math.nan) for _ in range(2))
    reason = components.reason if not components.defined else ""
    averaged = np.ones(ratings.n_raters, dtype=bool)
    if reference is not None:
        averaged = np.isin(ratings.rater_codes, reference)
    shared = len(ratings.value) > ratings.n_responses and ratings.n_raters <= MOST_RATERS
    if design.kind == "nested":
        reason = "no two raters rated the same response"
    elif raters == "random" and components.variance("rater") == 0.0:
        reason = "the variance of raters is estimated as 0"
    elif shared:
        kind = raters if components.defined else "fixed"
        system = _solve(ratings, components, kind, shrunk=components.defined, averaged=averaged)
        others = np.bincount(design.rater_island, averaged)[design.rater_island] - averaged
        errors = np.sqrt(
            np.einsum("ij,jk,ik->i", system.contrast, system.covariance, system.contrast) + sampling
        )
        estimate = np.where(others > 0, system.contrast @ system.estimate, math.nan)
        se = np.where(others > 0, errors, math.nan)
        compared = others > 0 if reference is None else others[~averaged] > 0
        if not compared.all():
            reason = reason or "a rater who is alone in an island cannot be compared"
    if not reason and design.n_responses < FEWEST:
        reason = TOO_FEW
    ends = _interval(estimate, se, components, confidence)
    return Leniency(
        ratings.rater_codes, estimate, se, *ends, ratings.per_rater, design.rater_island, confidence, reason
    )


def fair_means(
    ratings: Ratings,
    components: Components,
    rng: np.random.Generator,
    *,
    raters: RaterKind = "fixed",
    confidence: float = 0.95,
) -> FairMeans:
    """Estimate what each response would get from the average rater.

    Parameters
    ----------
    ratings : Ratings
        Without a facet or clusters.
    components : Components
        Of the same ratings.
    rng : numpy Generator
        For the intervals of ranks: quantiles of the ranks in 1,000 joint draws of all responses' values given
        the ratings (fewer, from 200, of more than 400 responses), extended to the rank of the fair mean where
        that lies outside.
    raters : {"fixed", "random"}
        Whether the average rater is the mean of these raters (of the response's island) or of all raters of
        whom these are a sample. Where raters are nested within responses they are random.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    FairMeans
        nan but for `mean`, where components are undefined.

    Raises
    ------
    ValueError
        Ratings with a facet or clusters, or another confidence.

    Notes
    -----
    Responses count as a random sample whichever rater they went to. Where lenient raters had the better
    responses on purpose, `adjusted_mean` is free of it and `fair_mean` in part.
    """
    _check(ratings, raters, confidence)
    design, numbers = components.design, ratings.per_response
    nothing = np.full(ratings.n_responses, math.nan)
    mean = np.bincount(ratings.response, ratings.value, minlength=len(nothing)) / numbers
    if not components.defined:
        rest, reason = (nothing,) * 9, components.reason
    else:
        kind: RaterKind = "random" if design.kind == "nested" else raters
        shrunk = _predict(ratings, components, kind, shrunk=True)
        plain = _predict(ratings, components, kind, shrunk=False)
        ends = _interval(shrunk.value, shrunk.se, components, confidence)
        ranks, reason = (nothing,) * 3, "responses differ by error only, so they have no ranks"
        if components.variance("response") > 0.0:
            ranks, reason = _ranks(shrunk, design.response_island, rng, confidence), ""
        rest = (shrunk.value, shrunk.se, *ends, plain.value, plain.se, *ranks)
    return FairMeans(ratings.response_codes, numbers, mean, *rest, design.response_island, confidence, reason)


@dataclass(frozen=True)
class _System:
    """Solution of the mixed-model equations once responses are absorbed.

    `level` times the estimate is what each rater adds to a response; `average` times it, what the average
    rater of each island adds to responses drawn from all; `contrast` times it, how lenient each rater is.
    """

    estimate: FloatArray
    covariance: FloatArray
    level: csr_array
    average: FloatArray
    contrast: FloatArray
    weights: FloatArray


@dataclass(frozen=True)
class _Prediction:
    """Values of responses: linear in the solution, by `slope`, with errors of their own."""

    value: FloatArray
    se: FloatArray
    slope: FloatArray
    root: FloatArray
    own_se: FloatArray


def _solve(
    ratings: Ratings,
    components: Components,
    raters: RaterKind,
    *,
    shrunk: bool,
    averaged: NDArray[np.bool_] | None = None,
) -> _System:
    """Set up and solve the equations for raters; responses are random (`shrunk`) or fixed.

    Of fixed raters the average is that of those `averaged`.
    """
    residual, response = components.variance("response", "rater"), components.variance("response")
    rater = 0.0 if components.design.kind == "nested" else components.variance("rater")
    numbers = ratings.per_response.astype(float)
    weights = response / (residual + response * numbers) if shrunk and residual > 0.0 else 1.0 / numbers
    k, island = ratings.n_raters, components.design.rater_island
    members = csr_array((np.ones(k), (np.arange(k), island)), shape=(k, int(island.max()) + 1))
    means = np.zeros((0, 0)) if not shrunk else np.eye(members.shape[1])
    if raters == "fixed":
        level, penalty = eye_array(k, format="csr"), np.zeros(k)
        within = members.T.toarray() * (1.0 if averaged is None else averaged)
        within /= np.maximum(within.sum(axis=1, keepdims=True), 1.0)
        average = within if shrunk else np.zeros_like(within)
        contrast = np.eye(k) - members @ within
    else:
        parts = [members] if shrunk else []
        parts += [eye_array(k, format="csr")] if rater > 0.0 else []
        level = hstack(parts, format="csr") if parts else csr_array((k, 0))
        n_effects = level.shape[1] - len(means)
        penalty = np.concatenate(
            [np.zeros(len(means)), np.full(n_effects, residual / rater if rater else 0.0)]
        )
        average = np.eye(members.shape[1], level.shape[1]) * shrunk
        contrast = np.eye(k, level.shape[1], len(means))
    matrix, right = absorb(ratings, weights, level)
    inverse = np.linalg.pinv(matrix + np.diag(penalty), rcond=1e-12, hermitian=True)
    covariance = (residual * inverse).astype(np.float64)
    return _System(inverse @ right, covariance, level, average, contrast, weights)


def _predict(ratings: Ratings, components: Components, raters: RaterKind, *, shrunk: bool) -> _Prediction:
    system = _solve(ratings, components, raters, shrunk=shrunk)
    sums = np.bincount(ratings.response, ratings.value)
    on_raters = (ratings.incidence @ system.level).toarray() * system.weights[:, np.newaxis]
    slope = system.average[components.design.response_island] - on_raters
    value = system.weights * sums + slope @ system.estimate
    own = components.variance("response", "rater") * system.weights
    values, vectors = np.linalg.eigh(system.covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    se = np.sqrt(((slope @ root) ** 2).sum(axis=1) + own)
    return _Prediction(value, se, slope, root, np.sqrt(own))


def _ranks(
    predicted: _Prediction, island: IntArray, rng: np.random.Generator, confidence: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Rank responses within islands, with intervals from joint draws."""
    ranks, low, high = (np.full(len(island), math.nan) for _ in range(3))
    for number in range(int(island.max()) + 1):
        rows = np.flatnonzero(island == number)
        slope = predicted.slope[rows] @ predicted.root
        n_draws = max(min(MOST_DRAWS, _CELLS // len(rows)), FEWEST_DRAWS)
        drawn = np.empty((n_draws, len(rows)), dtype=np.int32)
        for part in np.array_split(np.arange(n_draws), -(-n_draws * len(rows) // _CELLS_AT_ONCE)):
            values = rng.normal(size=(len(part), slope.shape[1])) @ slope.T
            values += predicted.own_se[rows] * rng.normal(size=values.shape) + predicted.value[rows]
            order = np.argsort(-values, axis=1)
            drawn[part[:, np.newaxis], order] = np.arange(1, len(rows) + 1)
        # Rounded, so that equal ratings by the same raters tie.
        ranks[rows] = rankdata(-np.round(predicted.value[rows], 9), method="min")
        drawn.sort(axis=0)
        below = int(n_draws * (1.0 - confidence) / 2.0)
        if len(island) >= FEWEST:
            low[rows] = np.minimum(drawn[below], ranks[rows])
            high[rows] = np.maximum(drawn[n_draws - 1 - below], ranks[rows])
    return ranks, low, high


def _interval(
    estimate: FloatArray, se: FloatArray, components: Components, confidence: float
) -> tuple[FloatArray, FloatArray]:
    freedom = residual_freedom(components.design)
    reach = float(stdtrit(freedom, (1.0 + confidence) / 2.0)) * se
    if components.design.n_responses < FEWEST:
        reach = np.full_like(se, math.nan)
    return estimate - reach, estimate + reach


def _check(ratings: Ratings, raters: str, confidence: float) -> None:
    if ratings.facet is not None or ratings.cluster is not None:
        raise ValueError("Leniency and fair means are of responses and raters, without facet or clusters.")
    if raters not in ("fixed", "random"):
        raise ValueError(f'raters must be "fixed" or "random", but are {raters!r}.')
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, but is {confidence}.")
