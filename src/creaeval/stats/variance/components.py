"""Variance components of ratings in any design: responses, raters, and one further factor or cluster.

Crossed and complete data have the estimates of the analysis of variance, which can be negative; all others,
those of restricted maximum likelihood (REML), which cannot. All effects are random.

Sources
-------
Brennan (2001), Generalizability Theory; Shavelson and Webb (1991), Generalizability Theory: A Primer. Bates,
Mächler, Bolker and Walker (2015), Fitting linear mixed-effects models using lme4, Journal of Statistical
Software 67(1). Putka, Le, McCloy and Diaz (2008), Ill-structured measurement designs in organizational
research, Journal of Applied Psychology 93, 959-981: why incomplete designs need them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from creaeval.stats.variance.anova import (
    Term,
    crossed_terms,
    expected_variances,
    mean_squares,
    ratings_per_level,
)
from creaeval.stats.variance.design import find_design
from creaeval.stats.variance.reml import crossed_criterion, fit_ratios, nested_criterion
from creaeval.stats.variance.two_way import fit, residual_freedom

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.stats.correlation import FloatArray
    from creaeval.stats.variance.design import Design, Ratings

Effect: TypeAlias = tuple[str, ...]

__all__ = [
    "MOST_CELLS",
    "MOST_RATERS",
    "Component",
    "Components",
    "Effect",
    "balanced",
    "estimate_components",
]

MOST_RATERS = 2000
"""Above it, unless raters are nested, components are not estimated: matrices over raters are dense."""
MOST_CELLS = 20_000_000
"""The same for the crossings of responses with raters and levels of a facet: 160 MB."""

_RESIDUAL = ("response", "rater")
_NESTED = [Term(("response",), (0,), ((0,),)), Term(_RESIDUAL, (0, 1), ((1,), (0, 1)))]
_CLUSTERED = [
    Term(("cluster",), (0,), ((0,),)),
    Term(("response",), (0, 1), ((1,), (0, 1))),
    Term(("rater",), (2,), ((2,),)),
    Term(_RESIDUAL, (0, 1, 2), ((0, 2), (1, 2), (0, 1, 2))),
]


@dataclass(frozen=True)
class Component:
    """A source of variance.

    Attributes
    ----------
    effect : tuple of str
        Its factors, such as ("response", "rater"). The last of a study is the residual: that interaction and
        error cannot be told apart; where raters are nested within responses, the raters' own variance is in
        it, too.
    estimate : float
        Estimated variance, in squared points; negative where the analysis of variance makes it so, nan where
        undefined.
    variance : float
        The estimate, or 0 where that is negative.
    share : float
        Of the sum of all `variance`; nan where that is 0.
    degrees_of_freedom, sum_of_squares, mean_square : float
        Of the analysis of variance; nan for REML.
    """

    effect: Effect
    estimate: float
    variance: float
    share: float
    degrees_of_freedom: float = math.nan
    sum_of_squares: float = math.nan
    mean_square: float = math.nan


@dataclass(frozen=True)
class Components:
    """The variance components of a set of ratings.

    Attributes
    ----------
    components : tuple of Component
        Main effects first, the residual last.
    method : {"anova", "reml"}
        How they were estimated.
    design : Design
        Who rated what.
    factors : tuple of str
        "response" and "rater", then "facet" or "cluster" where there is one.
    levels : tuple of int
        Numbers of levels of the factors.
    reason : str
        Why components are nan, or why they have no shares; "" otherwise.
    notes : tuple of str
        Negative estimates.
    """

    components: tuple[Component, ...]
    method: Literal["anova", "reml"]
    design: Design
    factors: tuple[str, ...]
    levels: tuple[int, ...]
    reason: str
    notes: tuple[str, ...] = ()

    def variance(self, *effect: str) -> float:
        """Look up a variance by its factors; 0 where the design has no such effect."""
        return next((part.variance for part in self.components if part.effect == effect), 0.0)

    @property
    def defined(self) -> bool:
        """Whether there are estimates."""
        return not math.isnan(self.components[-1].estimate)


def estimate_components(ratings: Ratings) -> Components:
    """Estimate the variance components of ratings.

    Parameters
    ----------
    ratings : Ratings
        From :func:`~creaeval.stats.variance.design.make_ratings`. With a facet, its `response` is what
        crosses the facet, such as the participant of several scenarios.

    Returns
    -------
    Components
        Of response, rater and the residual; of response and the residual where raters are nested; with a
        cluster, of it, of responses within it and the same; with a facet, of three factors and their
        two-way interactions. Undefined ones are nan, and `reason` says why: a factor with a single level, no
        response with two ratings, too few ratings, or effects that coincide. Where all ratings are equal,
        all variances are 0.

    Notes
    -----
    The residual of REML can be exactly 0, where raters differ by constants only: response and rater then have
    the variances of their effects, the limit of REML as the residual goes to 0.
    """
    design = find_design(ratings)
    terms = _terms(ratings, design)
    further = [name for name in ("facet", "cluster") if getattr(ratings, name) is not None]
    factors = ("response", "rater", *further)
    levels = tuple(len(np.unique(getattr(ratings, factor))) for factor in factors)
    reason = _why_undefined(ratings, design, terms, dict(zip(factors, levels, strict=True)))
    data = None if reason else balanced(ratings, design)
    method: Literal["anova", "reml"] = "reml" if data is None else "anova"
    tables: list[tuple[float, float]] = [(math.nan, math.nan)] * len(terms)
    if reason:
        estimates = [math.nan] * len(terms)
    elif data is not None:
        tables = [(float(freedom), squares) for freedom, squares in mean_squares(data, terms)]
        multiples = [ratings_per_level(data.shape, term.axes) for term in terms]
        estimates = expected_variances(terms, multiples, [squares / freedom for freedom, squares in tables])
        largest = max(squares / freedom for freedom, squares in tables)
        estimates = [0.0 if abs(estimate) <= 1e-13 * largest else estimate for estimate in estimates]
    else:
        estimates, reason = _restricted(ratings, design, len(terms))
    components = _complete(terms, estimates, tables)
    if not reason and math.isnan(components[0].share):
        reason = "all ratings are equal"
    notes = tuple(
        f"The variance of {' x '.join(part.effect)} is estimated as {part.estimate:.4g}: 0 is used."
        for part in components
        if part.estimate < 0.0
    )
    return Components(components, method, design, factors, levels, reason, notes)


def balanced(ratings: Ratings, design: Design) -> FloatArray | None:
    """Lay ratings out as an array with an axis a factor, or return None where they are not balanced."""
    order = np.lexsort([ratings.rater, ratings.response])
    numbers = ratings.per_response
    n, k = ratings.n_responses, ratings.n_raters
    if design.kind == "nested":
        if ratings.cluster is not None or len(set(numbers)) > 1:
            return None
        return ratings.value[order].reshape(n, -1)
    if design.kind != "crossed":
        return None
    if ratings.facet is not None:
        order = np.lexsort([ratings.facet, ratings.rater, ratings.response])
        return ratings.value[order].reshape(n, k, -1)
    if ratings.cluster is None:
        return ratings.value[order].reshape(n, k)
    sizes = np.bincount(ratings.cluster)
    if len(set(sizes)) > 1:
        return None
    order = np.lexsort([ratings.rater, ratings.response, ratings.cluster])
    return ratings.value[order].reshape(len(sizes), -1, k)


def _terms(ratings: Ratings, design: Design) -> list[Term]:
    if ratings.facet is not None:
        return crossed_terms(["response", "rater", "facet"])
    if ratings.cluster is not None:
        return _CLUSTERED if design.kind != "nested" else [_CLUSTERED[0], _CLUSTERED[1], _CLUSTERED[3]]
    return _NESTED if design.kind == "nested" else crossed_terms(["response", "rater"])


def _why_undefined(ratings: Ratings, design: Design, terms: Sequence[Term], levels: dict[str, int]) -> str:
    for factor in ("rater", "response", "facet", "cluster"):
        count = levels.get(factor, 2)
        if count < 2:
            name = "level of the facet" if factor == "facet" else factor
            return f"there is {'a single' if count else 'no'} {name}"
    if (ratings.per_response < 2).all():
        return "no response has two ratings"
    if design.kind != "nested" and design.n_raters > MOST_RATERS:
        return f"there are more than {MOST_RATERS} raters"
    if ratings.facet is not None:
        k, m = design.n_raters, levels["facet"]
        if design.n_responses * (1 + k + m) * (k + m + k * m) > MOST_CELLS:
            return "there are too many responses, raters and levels of the facet"
    elif design.kind != "nested" and residual_freedom(design) < 1:
        return (
            f"{design.n_ratings} ratings of {design.n_responses} responses by {design.n_raters} raters "
            "are too few to tell raters from error"
        )
    return _which_coincide(ratings, terms) if len(levels) > 2 else ""


def _which_coincide(ratings: Ratings, terms: Sequence[Term]) -> str:
    """Say which effects have the same levels, or that some cannot be told apart.

    Components can be estimated where the matrices ``Z Z'`` of their effects, centred, are linearly
    independent; these are their products: ``|Z_i' M Z_j|^2``.
    """
    codes = [ratings.crossing(term.effect) for term in terms]
    codes[-1] = np.arange(len(ratings.value))
    n = len(ratings.value)
    counts = [np.bincount(code).astype(float) for code in codes]
    products = np.empty((len(codes), len(codes)))
    for i, j in combinations(range(len(codes)), 2):
        pairs, cells = np.unique(np.column_stack([codes[i], codes[j]]), axis=0, return_counts=True)
        mixed = float(cells @ (counts[i][pairs[:, 0]] * counts[j][pairs[:, 1]]))
        products[i, j] = products[j, i] = (
            float(cells @ cells) - 2 * mixed / n + _power(counts[i], counts[j]) / n**2
        )
    for i, count in enumerate(counts):
        products[i, i] = float(count @ count) - 2 * float((count**3).sum()) / n + _power(count, count) / n**2
    scale = np.sqrt(np.diagonal(products))
    alike = products / scale / scale[:, np.newaxis]
    for i, j in combinations(range(len(codes)), 2):
        if alike[i, j] > 1.0 - 1e-9:
            names = [" x ".join(terms[part].effect) for part in (i, j)]
            return f"{names[0]} and {names[1]} have the same levels and cannot be told apart"
    if np.linalg.eigvalsh(alike)[0] < 1e-9:
        return "not all effects can be told apart in this design"
    return ""


def _power(first: FloatArray, second: FloatArray) -> float:
    return float(first @ first) * float(second @ second)


def _restricted(ratings: Ratings, design: Design, n_terms: int) -> tuple[list[float], str]:
    """Estimate by REML."""
    centred = ratings.value - ratings.value.mean()
    spread = float(centred @ centred)
    if spread <= len(centred) * (1e-13 * float(np.abs(ratings.value).max())) ** 2:
        return [0.0] * n_terms, "all ratings are equal"
    if ratings.facet is None:
        squares = fit(ratings, design)
        if squares.sum_of_squares <= 1e-20 * spread:
            if ratings.cluster is not None:
                return [math.nan] * n_terms, "raters differ by constants only, so there is no residual"
            return [*_exact(squares.response, squares.rater, design), 0.0], ""
    scale = math.sqrt(spread / len(centred))
    centred = centred / scale
    if ratings.facet is not None:
        ratios, residual = fit_ratios(crossed_criterion(ratings, centred), n_terms - 1)
    else:
        criterion = nested_criterion(ratings, centred, with_raters=design.kind != "nested")
        ratios, residual = fit_ratios(criterion, n_terms - 1)
        if ratings.cluster is not None:  # the criterion has responses first
            ratios[[0, 1]] = ratios[[1, 0]]
    if math.isnan(residual):
        return [math.nan] * n_terms, "raters differ by constants only, so there is no residual"
    return [float(variance) * scale**2 for variance in (*(ratios * residual), residual)], ""


def _exact(responses: FloatArray, raters: FloatArray, design: Design) -> list[float]:
    """Variances of effects that are known but for a constant of each island."""
    variances = []
    for effects, island in ((responses, design.response_island), (raters, design.rater_island)):
        if len(effects):
            sizes = np.bincount(island)
            centred = effects - (np.bincount(island, effects) / sizes)[island]
            freedom = len(effects) - len(sizes)
            variances.append(float(centred @ centred) / freedom if freedom else math.nan)
    return variances


def _complete(
    terms: Sequence[Term], estimates: Sequence[float], tables: Sequence[tuple[float, float]]
) -> tuple[Component, ...]:
    used = [0.0 if estimate < 0.0 else estimate for estimate in estimates]
    total = sum(used)
    return tuple(
        Component(
            effect=term.effect,
            estimate=estimate,
            variance=variance,
            share=variance / total if total > 0.0 else math.nan,
            degrees_of_freedom=freedom,
            sum_of_squares=squares,
            mean_square=squares / freedom,
        )
        for term, estimate, variance, (freedom, squares) in zip(terms, estimates, used, tables, strict=True)
    )
