"""Variance components of balanced data, from the expected mean squares of the analysis of variance.

Sources
-------
Brennan (2001), Generalizability Theory, ch. 3: sums of squares of crossed and nested designs, and
``E MS(A) = sum over B that contains A of var(B) * ratings of each level of B``. Shavelson and Webb (1991),
Generalizability Theory: A Primer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.stats.correlation import FloatArray

    Axes: TypeAlias = tuple[int, ...]

Number = TypeVar("Number", float, "FloatArray")

__all__ = ["Term", "crossed_terms", "expected_variances", "mean_squares", "ratings_per_level"]


@dataclass(frozen=True)
class Term:
    """An effect of a balanced design.

    Attributes
    ----------
    effect : tuple of str
        Its name, as in ("response", "rater").
    axes : tuple of int
        Axes of the array that identify a level of it; of responses within clusters both.
    pooled : tuple of tuple of int
        Crossed effects whose sums of squares it has; of responses within clusters that of responses and that
        of the interaction.
    """

    effect: tuple[str, ...]
    axes: Axes
    pooled: tuple[Axes, ...]


def crossed_terms(factors: Sequence[str]) -> list[Term]:
    """List all effects of crossed factors, main effects first and the residual last."""
    axes = _all_axes(len(factors))
    return [Term(tuple(factors[axis] for axis in effect), effect, (effect,)) for effect in axes]


def mean_squares(data: FloatArray, terms: Sequence[Term]) -> list[tuple[int, float]]:
    """Degrees of freedom and sum of squares of each term."""
    squares = _sums_of_squares(data)
    freedom = {effect: math.prod(data.shape[axis] - 1 for axis in effect) for effect in squares}
    return [
        (sum(freedom[effect] for effect in term.pooled), sum(squares[effect] for effect in term.pooled))
        for term in terms
    ]


def expected_variances(
    terms: Sequence[Term], ratings_per_level: Sequence[float], squares: Sequence[Number]
) -> list[Number]:
    """Solve the expected mean squares for the variances, which can be negative."""
    multiples = {term.axes: number for term, number in zip(terms, ratings_per_level, strict=True)}
    variances: dict[Axes, Number] = {}
    for term, square in reversed(list(zip(terms, squares, strict=True))):
        rest = square
        for larger, variance in variances.items():
            if set(term.axes) < set(larger):
                rest = rest - variance * multiples[larger]
        variances[term.axes] = rest / multiples[term.axes]
    return [variances[term.axes] for term in terms]


def _all_axes(n: int) -> list[Axes]:
    return [effect for size in range(1, n + 1) for effect in combinations(range(n), size)]


def _sums_of_squares(data: FloatArray) -> dict[Axes, float]:
    # The deviations that belong to an effect: its means less the deviations of all effects within it.
    centred = data - data.flat[0]  # first, so that equal scores differ by nothing
    centred = centred - centred.mean()
    deviations: dict[Axes, FloatArray] = {}
    squares = {}
    for effect in _all_axes(data.ndim):
        rest = tuple(axis for axis in range(data.ndim) if axis not in effect)
        deviation: FloatArray = centred.mean(axis=rest, keepdims=True)
        for smaller, part in deviations.items():
            if set(smaller) < set(effect):
                deviation = deviation - part
        deviations[effect] = deviation
        squares[effect] = float((deviation**2).sum()) * ratings_per_level(data.shape, effect)
    return squares


def ratings_per_level(shape: Sequence[int], axes: Axes) -> int:
    """Multiply the levels of the factors that an effect has not."""
    return math.prod(count for axis, count in enumerate(shape) if axis not in axes)
