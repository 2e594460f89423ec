"""Least squares of responses and raters, with the responses absorbed: what severity and intervals rest on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import eye_array

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from creaeval.stats.correlation import FloatArray
    from creaeval.stats.variance.design import Design, Ratings

__all__ = ["Fit", "absorb", "fit", "residual_freedom"]


@dataclass(frozen=True)
class Fit:
    """Responses and raters as fixed effects.

    Attributes
    ----------
    rater : array of float, shape (raters,)
        Effects, which sum to 0 within each island; empty where raters are nested within responses.
    precision : array of float, shape (raters, raters)
        Inverse of their covariance over the residual variance, where it has one.
    response : array of float, shape (responses,)
        Means less the effects of the raters.
    response_error : array of float, shape (responses,)
        Variances of their errors over the residual variance.
    residual : array of float, shape (ratings,)
        What is left of each rating.
    degrees_of_freedom : int
        Of the residual.
    """

    rater: FloatArray
    precision: FloatArray
    response: FloatArray
    response_error: FloatArray
    residual: FloatArray
    degrees_of_freedom: int

    @property
    def sum_of_squares(self) -> float:
        """Of the residual."""
        return float(self.residual @ self.residual)


def absorb(
    ratings: Ratings, weights: FloatArray, level: csr_array | None = None
) -> tuple[FloatArray, FloatArray]:
    """Set up the equations of raters with responses absorbed: ``V^-1 = I - w J`` within each response.

    With ``w = 1 / m`` responses are fixed; with ``w = s / (1 + s m)`` they are random and s is their variance
    over the residual's. The unknowns are raters' effects, or what `level` makes these from.
    """
    incidence = ratings.incidence
    level = eye_array(ratings.n_raters, format="csr") if level is None else level
    rows = (incidence @ level).tocsr()  # responses x unknowns
    sums = np.bincount(ratings.response, ratings.value, minlength=ratings.n_responses)
    by_rater = np.bincount(ratings.rater, ratings.value, minlength=ratings.n_raters)
    weighted = rows.multiply(weights[:, np.newaxis]).tocsr()
    matrix = level.T @ level.multiply(ratings.per_rater[:, np.newaxis]).tocsr() - rows.T @ weighted
    return matrix.toarray(), level.T @ by_rater - rows.T @ (weights * sums)


def residual_freedom(design: Design) -> int:
    """Degrees of freedom of the residual where responses and raters are fixed; of responses if nested."""
    left = design.n_ratings - design.n_responses
    return left if design.kind == "nested" else left - design.n_raters + max(len(design.islands), 1)


def fit(ratings: Ratings, design: Design) -> Fit:
    """Fit responses and raters; only responses where raters are nested within these."""
    numbers = ratings.per_response.astype(float)
    means = np.bincount(ratings.response, ratings.value) / numbers
    if design.kind == "nested":
        left = ratings.value - means[ratings.response]
        return Fit(np.empty(0), np.empty((0, 0)), means, 1.0 / numbers, left, residual_freedom(design))
    matrix, right = absorb(ratings, 1.0 / numbers)
    covariance = np.linalg.pinv(matrix, rcond=1e-10, hermitian=True)
    effects = covariance @ right
    incidence = ratings.incidence
    responses = means - incidence @ effects / numbers
    spread = incidence @ covariance
    error = 1.0 / numbers + np.asarray(incidence.multiply(spread).sum(axis=1)).ravel() / numbers**2
    left = ratings.value - responses[ratings.response] - effects[ratings.rater]
    return Fit(effects, matrix, responses, error, left, residual_freedom(design))
