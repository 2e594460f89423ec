"""Intraclass correlations: the six forms of Shrout and Fleiss, with their intervals.

A value means little without its form: a judge who always gives 3 points more has ICC(C,1) = 1 and a low
ICC(A,1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from creaeval.stats.correlation import FloatArray, is_constant, numbers, pairs

if TYPE_CHECKING:
    import numpy.typing as npt

IccName = Literal["ICC(1)", "ICC(A,1)", "ICC(C,1)", "ICC(k)", "ICC(A,k)", "ICC(C,k)"]

_Limits: TypeAlias = tuple[float, float]

# The name of McGraw and Wong, that of Shrout and Fleiss, and what is asked.
_FORMS: tuple[tuple[IccName, str, str], ...] = (
    ("ICC(1)", "ICC(1,1)", "one-way random, one rating: each target has raters of its own"),
    ("ICC(A,1)", "ICC(2,1)", "two-way, absolute agreement of single raters"),
    ("ICC(C,1)", "ICC(3,1)", "two-way, consistency of single raters, level aside"),
    ("ICC(k)", "ICC(1,k)", "one-way random, mean of k ratings"),
    ("ICC(A,k)", "ICC(2,k)", "two-way, absolute agreement of the mean of k raters"),
    ("ICC(C,k)", "ICC(3,k)", "two-way, consistency of the mean of k raters, level aside"),
)


@dataclass(frozen=True)
class IccForm:
    """One form of the intraclass correlation.

    Attributes
    ----------
    name : str
        After McGraw and Wong (1996), such as "ICC(A,1)".
    shrout_fleiss : str
        After Shrout and Fleiss (1979), such as "ICC(2,1)".
    description : str
        The model and what is asked, in words.
    value : float
        At most 1. Negative values are as computed. nan if undefined.
    f, df1, df2, p : float
        The F test against a value of 0, its degrees of freedom and its p-value.
    lower, upper : float
        The confidence limits; nan where there is no value or no interval.
    why_undefined : str
        Why there is no value, or "".
    why_no_interval : str
        Why there is a value without an interval, or "".
    """

    name: str
    shrout_fleiss: str
    description: str
    value: float
    f: float
    df1: float
    df2: float
    p: float
    lower: float
    upper: float
    why_undefined: str
    why_no_interval: str = ""


@dataclass(frozen=True)
class IccTable:
    """All six forms for the same ratings.

    Attributes
    ----------
    forms : tuple of IccForm
        ICC(1), ICC(A,1), ICC(C,1), ICC(k), ICC(A,k), ICC(C,k).
    n : int
        Targets with all their ratings; the values rest on these.
    k : int
        Raters.
    left_out : int
        Targets left out because a rating is missing.
    confidence : float
        The confidence of the limits.
    """

    forms: tuple[IccForm, ...]
    n: int
    k: int
    left_out: int
    confidence: float

    def __getitem__(self, name: str) -> IccForm:
        """Look up a form by either name, "ICC(A,1)" or "ICC(2,1)"."""
        for form in self.forms:
            if name in (form.name, form.shrout_fleiss):
                return form
        known = ", ".join(f"{form.name} = {form.shrout_fleiss}" for form in self.forms)
        raise KeyError(f"{name!r} is no form of the ICC; those are {known}")


def icc(ratings: npt.ArrayLike, confidence: float = 0.95) -> IccTable:
    """All six forms of the intraclass correlation, with F tests and confidence limits.

    Parameters
    ----------
    ratings : array-like of float, shape (targets, raters)
        Scores in points, two or more raters. Targets with a missing rating (nan) are left out.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    IccTable
        The forms, and the number of targets they rest on. All are nan with fewer than 2 targets or if every
        rater is constant. From the mean squares of targets (R), raters (C), error (E) and within targets (W):

        | form | value |
        |---|---|
        | ICC(1) | (R - W) / (R + (k-1) W) |
        | ICC(A,1) | (R - E) / (R + (k-1) E + k (C - E) / n) |
        | ICC(C,1) | (R - E) / (R + (k-1) E) |
        | ICC(k) | (R - W) / R |
        | ICC(A,k) | (R - E) / (R + (C - E) / n) |
        | ICC(C,k) | (R - E) / R |

        A form for means is nan where its denominator is not positive: ratings differ less between targets
        than chance would give, and a mean of them has no reliability to estimate.

    Raises
    ------
    ValueError
        If this is no matrix of finite numbers with two or more columns, or the confidence is not between 0
        and 1.

    Notes
    -----
    The limits of ICC(A,1) and ICC(A,k) use Satterthwaite's degrees of freedom. The F tests of ICC(A,·) are
    those of ICC(C,·), as in the sources. Two-way random and mixed models have the same values; they differ in
    what may be inferred.

    References
    ----------
    Shrout, P. E., & Fleiss, J. L. (1979). Intraclass correlations: Uses in assessing rater reliability.
    Psychological Bulletin, 86, 420-428. McGraw, K. O., & Wong, S. P. (1996). Forming inferences about some
    intraclass correlation coefficients. Psychological Methods, 1, 30-46 (with the correction in 1, 390).
    """
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, such as 0.95, not at {confidence}")
    ratings = numbers(ratings, dimensions=2)
    k = ratings.shape[1]
    complete = complete_rows(ratings)
    n = len(complete)
    if reason := _why_undefined(complete):
        nan = math.nan
        forms = tuple(IccForm(*names, nan, nan, nan, nan, nan, nan, nan, reason) for names in _FORMS)
    else:
        squares = _MeanSquares.of(complete)
        forms = tuple(_form(names, squares, confidence) for names in _FORMS)
    return IccTable(forms, n=n, k=k, left_out=len(ratings) - n, confidence=confidence)


def icc_agreement(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """ICC(A,1) of two raters; see `icc`."""
    return icc(np.column_stack(pairs(x, y)))["ICC(A,1)"].value


def icc_one_way(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """ICC(1) of two raters; see `icc`."""
    return icc(np.column_stack(pairs(x, y)))["ICC(1)"].value


def complete_rows(ratings: FloatArray) -> FloatArray:
    """Rows of a matrix without a missing value; there must be two or more columns.

    Parameters
    ----------
    ratings : ndarray of float, shape (targets, raters)
        Missing values are nan.

    Returns
    -------
    ndarray of float, shape (m, raters)
        The complete rows.

    Raises
    ------
    ValueError
        If there are fewer than two columns.
    """
    if ratings.shape[1] < 2:
        raise ValueError(
            f"two or more columns are needed, one for each rater; this has the shape {ratings.shape}"
        )
    return ratings[~np.isnan(ratings).any(axis=1)]


def _why_undefined(complete: FloatArray) -> str:
    if len(complete) < 2:
        return "fewer than 2 targets with all their ratings"
    if all(is_constant(rater) for rater in complete.T):
        return "every rater is constant"
    return ""


@dataclass(frozen=True)
class _MeanSquares:
    """The two-way analysis of variance; `within` is the one-way error."""

    n: int
    k: int
    rows: float
    columns: float
    error: float
    within: float

    @classmethod
    def of(cls, ratings: FloatArray) -> _MeanSquares:
        n, k = ratings.shape
        centred = ratings - ratings.mean()
        rows, columns = centred.mean(axis=1), centred.mean(axis=0)
        noise = ratings.size * (1e-13 * float(np.max(np.abs(ratings)))) ** 2

        def squares(deviations: FloatArray, times: int = 1) -> float:
            total = times * float(np.sum(deviations**2))
            return total if total > noise else 0.0

        return cls(
            n=n,
            k=k,
            rows=squares(rows, k) / (n - 1),
            columns=squares(columns, n) / (k - 1),
            error=squares(centred - rows[:, None] - columns) / ((n - 1) * (k - 1)),
            within=squares(centred - rows[:, None]) / (n * (k - 1)),
        )


def _fraction(form: IccName, s: _MeanSquares) -> tuple[float, float]:
    """Numerator and denominator."""
    if form == "ICC(1)":
        return s.rows - s.within, s.rows + (s.k - 1) * s.within
    if form == "ICC(A,1)":
        return s.rows - s.error, s.rows + (s.k - 1) * s.error + s.k * (s.columns - s.error) / s.n
    if form == "ICC(C,1)":
        return s.rows - s.error, s.rows + (s.k - 1) * s.error
    if form == "ICC(k)":
        return s.rows - s.within, s.rows
    if form == "ICC(A,k)":
        return s.rows - s.error, s.rows + (s.columns - s.error) / s.n
    return s.rows - s.error, s.rows


def _value(form: IccName, squares: _MeanSquares) -> float:
    above, below = _fraction(form, squares)
    # 0 but for rounding: two targets on which two raters contradict each other.
    return above / below if below > 1e-12 * abs(above) else math.nan


def _form(names: tuple[IccName, str, str], s: _MeanSquares, confidence: float) -> IccForm:
    from scipy.special import fdtrc

    form = names[0]
    value = _value(form, s)
    one_way = form in ("ICC(1)", "ICC(k)")
    error = s.within if one_way else s.error
    df1 = s.n - 1
    df2 = s.n * (s.k - 1) if one_way else df1 * (s.k - 1)
    f = s.rows / error if error > 0 else math.inf if s.rows > 0 else math.nan
    p = float(fdtrc(df1, df2, f)) if f < math.inf else 0.0
    if math.isnan(value):
        why = "targets differ too little for a mean of ratings"
        return IccForm(*names, value, f, df1, df2, p, lower=math.nan, upper=math.nan, why_undefined=why)
    lower, upper, why = _limits(form, s, (df1, df2), confidence)
    return IccForm(*names, value, f, df1, df2, p, lower, upper, why_undefined="", why_no_interval=why)


def _limits(
    form: IccName, s: _MeanSquares, df: tuple[int, int], confidence: float
) -> tuple[float, float, str]:
    """Return the limits of a form, or why there are none."""
    one_way = form in ("ICC(1)", "ICC(k)")
    error = s.within if one_way else s.error
    if error == 0 and (form not in ("ICC(A,1)", "ICC(A,k)") or s.columns == 0):
        return math.nan, math.nan, "no interval: without any disagreement it would have no width"
    if form in ("ICC(A,1)", "ICC(A,k)"):
        lower, upper = _agreement_limits(s, confidence)
    else:
        lower, upper = _f_limits(s.rows, error, s.k, df, confidence)
    if not form.endswith("1)"):
        lower, upper = _stepped_up(lower, s.k), _stepped_up(upper, s.k)
    if math.isnan(lower) or math.isnan(upper):
        return math.nan, math.nan, "no interval: the data set it no lower limit"
    return lower, upper, ""


def _f_limits(rows: float, error: float, k: int, df: tuple[int, int], confidence: float) -> _Limits:
    """Limits of ICC(1) and ICC(C,1), from F / F(df1, df2) and F · F(df2, df1)."""
    from scipy.special import fdtri

    cumulated = (1 + confidence) / 2
    low = error * float(fdtri(*df, cumulated))
    high = error / float(fdtri(*reversed(df), cumulated))
    return _ratio(rows - low, rows + (k - 1) * low), _ratio(rows - high, rows + (k - 1) * high)


def _agreement_limits(s: _MeanSquares, confidence: float) -> _Limits:
    """Limits of ICC(A,1) with Satterthwaite's degrees of freedom for the mixture of raters and error."""
    from scipy.special import fdtri

    value = _value("ICC(A,1)", s)
    n, k = s.n, s.k
    columns = k * value * s.columns
    error = (n * (1 + (k - 1) * value) - k * value) * s.error
    spread = columns**2 / (k - 1) + error**2 / ((n - 1) * (k - 1))
    df = (columns + error) ** 2 / spread if spread > 0 else 0.0
    if df < 1:
        # A negative value sets raters off against error; the limits could then shut out the value itself.
        return math.nan, math.nan
    above, below = (float(fdtri(*pair, (1 + confidence) / 2)) for pair in ((n - 1, df), (df, n - 1)))
    mixture = k * s.columns + (k * n - k - n) * s.error
    return (
        _ratio(n * (s.rows - above * s.error), above * mixture + n * s.rows),
        _ratio(n * (below * s.rows - s.error), mixture + n * below * s.rows),
    )


def _stepped_up(single: float, k: int) -> float:
    """Spearman and Brown's reliability of the mean of k; without limit, so nan, at -1 / (k - 1) and below."""
    below = 1 + (k - 1) * single
    return k * single / below if below > 1e-12 else math.nan


def _ratio(above: float, below: float) -> float:
    # 0 but for rounding: two targets on which two raters contradict each other.
    return above / below if below > 1e-12 * abs(above) else math.nan
