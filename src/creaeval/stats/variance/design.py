"""Ratings in long form, and the design they have: who rated what, and what that links.

The graph of responses and raters, with an edge for each rating, decides what can be compared: two raters are
compared through responses that both rated, or through a chain of such pairs. Where the graph falls apart,
differences between its parts may come from raters as well as from responses.

Sources
-------
Eckes (2015), Introduction to Many-Facet Rasch Measurement, ch. 6.3 and 9: rating designs and their connected
subsets. Brennan (2001), Generalizability Theory, ch. 1 and 7: crossed, nested and unbalanced designs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from creaeval.stats.correlation import FloatArray

IntArray: TypeAlias = "NDArray[np.intp]"
DesignKind = Literal["crossed", "incomplete", "nested", "disconnected"]

__all__ = ["Design", "DesignKind", "Island", "Ratings", "find_design", "make_ratings", "matrix_ratings"]


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings in long form, from :func:`make_ratings`; all arrays have the same length N.

    Attributes
    ----------
    response, rater : array of int, shape (N,)
        Numbers from 0 in the order of the codes.
    value : array of float, shape (N,)
        Points.
    facet, cluster : array of int, shape (N,), or None
        Numbers of the level of a further crossed factor, or of the response's cluster.
    response_codes, rater_codes : array
        The codes that were passed in, by number.
    """

    response: IntArray
    rater: IntArray
    value: FloatArray
    facet: IntArray | None
    cluster: IntArray | None
    response_codes: NDArray[np.int64]
    rater_codes: NDArray[np.int64]

    @property
    def n_responses(self) -> int:
        """Number of responses with a rating."""
        return len(self.response_codes)

    @property
    def n_raters(self) -> int:
        """Number of raters with a rating."""
        return len(self.rater_codes)

    @cached_property
    def per_response(self) -> IntArray:
        """Number of ratings of each response."""
        return np.bincount(self.response, minlength=self.n_responses)

    @cached_property
    def per_rater(self) -> IntArray:
        """Number of ratings by each rater."""
        return np.bincount(self.rater, minlength=self.n_raters)

    def crossing(self, effect: Sequence[str]) -> IntArray:
        """Give each combination of levels of such factors ("response", "rater", ...) a number, by rating."""
        columns = [getattr(self, factor) for factor in effect]
        numbers = np.unique(np.column_stack(columns), axis=0, return_inverse=True)[1]
        return numbers.ravel().astype(np.intp)

    @cached_property
    def incidence(self) -> csr_array:
        """Numbers of ratings by response and rater."""
        ones = np.ones(len(self.value))
        return csr_array((ones, (self.response, self.rater)), shape=(self.n_responses, self.n_raters))


@dataclass(frozen=True)
class Island:
    """A part of a disconnected design, within which everything is linked.

    Attributes
    ----------
    raters, responses : array of int
        Their codes.
    share : float
        Of all ratings.
    """

    raters: NDArray[np.int64]
    responses: NDArray[np.int64]
    share: float


@dataclass(frozen=True)
class Design:
    """Who rated what.

    Attributes
    ----------
    kind : {"crossed", "incomplete", "nested", "disconnected"}
        All raters rated all responses (at all levels of the facet); not all, but everything is linked, as
        with planned missing ratings; no rater rated more than one response; or the design falls into islands.
    n_ratings, n_responses, n_raters : int
        Ratings without missing values, and what they are of and by.
    density : float
        Ratings as a share of those of the crossed design; nan without ratings.
    raters_per_response : float
        Harmonic mean of the number of raters: that of the mean rating whose error variance is the average
        over responses. nan without ratings.
    single_responses, single_raters : int
        Responses with one rating, which say nothing about agreement, and raters with one rating.
    response_island, rater_island : array of int
        Number of the island of each response and rater, in the order of their codes; 0 is the largest. All 0
        in a nested design, where raters are taken as exchangeable.
    islands : tuple of Island
        Those of a disconnected design, the largest first; empty otherwise.
    """

    kind: DesignKind
    n_ratings: int
    n_responses: int
    n_raters: int
    density: float
    raters_per_response: float
    single_responses: int
    single_raters: int
    response_island: IntArray
    rater_island: IntArray
    islands: tuple[Island, ...]


def make_ratings(
    response: ArrayLike,
    rater: ArrayLike,
    values: ArrayLike,
    *,
    facet: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
) -> Ratings:
    """Check ratings in long form and number what they are of.

    Parameters
    ----------
    response, rater : array_like of int, shape (N,)
        Codes of what was rated and by whom.
    values : array_like of float, shape (N,)
        Points; a row with nan is left out.
    facet : array_like of int, shape (N,), optional
        Codes of a further factor that responses and raters may cross: a scenario (`response` is then who
        answered) or a repeat.
    cluster : array_like of int, shape (N,), optional
        Codes of what the response belongs to: participant, class, school.

    Returns
    -------
    Ratings
        Without missing values.

    Raises
    ------
    ValueError
        Where arrays differ in length, codes are no integers, a value is infinite, `facet` and `cluster` are
        both there, a response has two clusters, or a rater has two values for the same response (and level of
        the facet).
    """
    if facet is not None and cluster is not None:
        raise ValueError("Either a facet or a cluster can be estimated, not both.")
    value = np.asarray(values, dtype=float)
    if value.ndim != 1:
        raise ValueError(f"values must have one dimension, but have the shape {value.shape}.")
    if np.isinf(value).any():
        raise ValueError("A value is infinite.")
    keep = ~np.isnan(value)
    codes = {"response": response, "rater": rater, "facet": facet, "cluster": cluster}
    numbered = {
        name: _number(name, column, keep) if column is not None else None for name, column in codes.items()
    }
    (response_codes, rows), (rater_codes, columns) = numbered["response"], numbered["rater"]  # type: ignore[misc]
    levels, groups = (part[1] if part else None for part in (numbered["facet"], numbered["cluster"]))
    ratings = Ratings(rows, columns, value[keep], levels, groups, response_codes, rater_codes)
    _refuse_duplicates(ratings)
    if groups is not None and len(np.unique(np.column_stack([rows, groups]), axis=0)) > len(response_codes):
        raise ValueError("A response belongs to two clusters.")
    return ratings


def matrix_ratings(points: FloatArray) -> Ratings:
    """Put a matrix of responses and raters, nan where there are no points, in long form; codes are places."""
    is_there = ~np.isnan(points)
    rated, rates = is_there.any(axis=1), is_there.any(axis=0)
    response, rater = np.nonzero(is_there[rated][:, rates])
    codes = np.flatnonzero(rated), np.flatnonzero(rates)
    return Ratings(response, rater, points[is_there], None, None, *codes)


def _number(name: str, column: ArrayLike, keep: NDArray[np.bool_]) -> tuple[NDArray[np.int64], IntArray]:
    codes = np.asarray(column)
    if codes.shape != keep.shape:
        raise ValueError(f"{name} has the shape {codes.shape}, but values have {keep.shape}.")
    if codes.size and not np.issubdtype(codes.dtype, np.integer):
        raise ValueError(f"{name} codes must be integers, but are {codes.dtype}.")
    levels, numbers = np.unique(codes[keep], return_inverse=True)
    return levels.astype(np.int64), numbers.astype(np.intp)


def _refuse_duplicates(ratings: Ratings) -> None:
    cells = ratings.response * ratings.n_raters + ratings.rater
    if ratings.facet is not None:
        cells = cells * (int(ratings.facet.max(initial=0)) + 1) + ratings.facet
    if len(np.unique(cells)) < len(cells):
        _, first, counts = np.unique(cells, return_index=True, return_counts=True)
        cell = first[counts > 1][0]
        rater = ratings.rater_codes[ratings.rater[cell]]
        response = ratings.response_codes[ratings.response[cell]]
        raise ValueError(
            f"Rater {rater} has {counts[counts > 1][0]} values for response {response}"
            + ("." if ratings.facet is None else " at the same level of the facet.")
        )


def find_design(ratings: Ratings) -> Design:
    """Find out which design ratings have.

    Parameters
    ----------
    ratings : Ratings
        From :func:`make_ratings`; a facet counts only for whether the design is crossed.

    Returns
    -------
    Design
        Its kind, its islands and what is rated once. A design without ratings is called incomplete.
    """
    n, k = ratings.n_responses, ratings.n_raters
    rows, columns = ratings.incidence.nonzero()  # pairs of response and rater, levels of a facet together
    raters, responses = np.bincount(rows, minlength=n), np.bincount(columns, minlength=k)
    n_levels = 1 if ratings.facet is None else int(ratings.facet.max(initial=-1)) + 1
    cells = n * k * n_levels
    response_island, rater_island = np.zeros(n, dtype=np.intp), np.zeros(k, dtype=np.intp)
    kind: DesignKind = "incomplete"
    if cells and len(ratings.value) == cells:
        kind = "crossed"
    elif k and responses.max() == 1 and n > 1:
        kind = "nested"
    else:
        response_island, rater_island, n_islands = _islands(ratings)
        kind = "disconnected" if n_islands > 1 else kind
    return Design(
        kind=kind,
        n_ratings=len(ratings.value),
        n_responses=n,
        n_raters=k,
        density=len(ratings.value) / cells if cells else math.nan,
        raters_per_response=float(n / (1.0 / raters).sum()) if n else math.nan,
        single_responses=int((ratings.per_response == 1).sum()),
        single_raters=int((ratings.per_rater == 1).sum()),
        response_island=response_island,
        rater_island=rater_island,
        islands=_describe(ratings, response_island, rater_island) if kind == "disconnected" else (),
    )


def _islands(ratings: Ratings) -> tuple[IntArray, IntArray, int]:
    """Label the connected parts by numbers, the one with most ratings first."""
    n, k = ratings.n_responses, ratings.n_raters
    edges = (np.ones(len(ratings.value)), (ratings.response, ratings.rater + n))
    count, labels = connected_components(csr_array(edges, shape=(n + k, n + k)), directed=False)
    sizes = np.bincount(labels[ratings.response], minlength=count)
    order = np.empty(count, dtype=np.intp)
    order[np.argsort(-sizes, kind="stable")] = np.arange(count)
    return order[labels[:n]], order[labels[n:]], int(count)


def _describe(ratings: Ratings, response_island: IntArray, rater_island: IntArray) -> tuple[Island, ...]:
    counts = np.bincount(response_island[ratings.response])
    return tuple(
        Island(
            raters=ratings.rater_codes[rater_island == number],
            responses=ratings.response_codes[response_island == number],
            share=float(count / len(ratings.value)),
        )
        for number, count in enumerate(counts)
    )
