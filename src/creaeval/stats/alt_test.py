"""The alternative annotator test: may a judge stand in for a human annotator.

Sources
-------
Calderon, Reichart and Dror (2025), The Alternative Annotator Test for LLM-as-a-Judge: How to Statistically
Justify Replacing Human Annotators with LLMs, ACL 2025, pp. 16051-16081, arXiv 2501.10970; the paper's own
program and FAQ at github.com/nitaytech/AltTest. What was settled from the program and the FAQ (read in
November 2026; the paper itself only in summaries):

- One annotator is left out at a time. On each item the judge's and the left-out annotator's alignment with
  the other annotators of that item is computed: the share of equal scores, or minus the root mean squared
  difference.
- ``W_f = 1`` where the judge is aligned at least as well, ``W_h = 1`` where the annotator is; on a tie both
  are 1. ``rho_f`` and ``rho_h`` are their means.
- ``H0: rho_f <= rho_h - epsilon`` is tested one-sided by a t-test of ``d = W_h - W_f`` against epsilon,
  alternative ``mean d < epsilon``. Annotators with fewer than 30 items are skipped, as the program does; the
  FAQ advises a rank test for these.
- The p-values are corrected by Benjamini and Yekutieli (2001) at q = 0.05. The winning rate is the share of
  rejected null hypotheses; the judge passes from 0.5. The average advantage probability is the mean of
  ``rho_f``.
- Items with fewer than two annotators or without the judge's score are left out. The FAQ asks for at least
  three annotators, since two have no consensus; the program does not enforce it, this module does.
- epsilon, the allowance for the judge being cheaper: 0.2 for experts, 0.15 for skilled annotators, 0.1 for
  crowds; smaller where annotators agree little.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

MINIMUM_ANNOTATORS: Final = 3
MINIMUM_ITEMS: Final = 30
_Q: Final = 0.05
_PASSES_FROM: Final = 0.5


@dataclass(frozen=True)
class AnnotatorComparison:
    """The judge against one left-out annotator.

    Attributes
    ----------
    n : int
        Items that the annotator, the judge and at least one other annotator scored.
    rho_judge, rho_annotator : float
        Share of these items on which the judge (the annotator) is aligned with the others at least as well;
        nan for no item.
    p_value : float
        Of the t-test, one-sided and uncorrected; nan where there are too few items or annotators.
    rejected : bool
        The judge wins: the null hypothesis is rejected after correction.
    """

    n: int
    rho_judge: float
    rho_annotator: float
    p_value: float
    rejected: bool


@dataclass(frozen=True)
class AlternativeAnnotatorTest:
    """Outcome of the alternative annotator test.

    Attributes
    ----------
    decision : {"passes", "fails", "not decidable"}
        "passes" from a winning rate of 0.5.
    reason : str
        Why it is not decidable; else what decided.
    winning_rate : float
        Share of tested annotators that the judge wins against; nan where not decidable.
    average_advantage_probability : float
        Mean of `rho_judge` over the annotators with enough items; for comparing judges. nan if there is none.
    annotators : tuple of AnnotatorComparison
        One a column.
    n_items, n_left_out : int
        Items used; items without the judge's score or with fewer than two annotators.
    warnings : tuple of str
        What a reader has to know.
    """

    decision: Literal["passes", "fails", "not decidable"]
    reason: str
    winning_rate: float
    average_advantage_probability: float
    annotators: tuple[AnnotatorComparison, ...]
    n_items: int
    n_left_out: int
    warnings: tuple[str, ...]


def alternative_annotator_test(
    judge: ArrayLike,
    annotators: ArrayLike,
    *,
    epsilon: float,
    alignment: Literal["accuracy", "rmse"] = "rmse",
    names: Sequence[str] | None = None,
) -> AlternativeAnnotatorTest:
    """Test whether a judge represents the annotators at least as well as one of them would.

    Parameters
    ----------
    judge : array_like, shape (n,)
        Scores of the judge, nan for missing ones.
    annotators : array_like, shape (n, m)
        Scores of the annotators, nan for missing ones.
    epsilon : float
        Allowance for the judge being cheaper, 0 to 1; the module names the paper's.
    alignment : {"rmse", "accuracy"}
        "rmse" for scores, where near is better than far; "accuracy" for categories, where only equal counts.
    names : sequence of str, optional
        What the annotators are called in `warnings`, one a column; their column numbers if not given.

    Returns
    -------
    AlternativeAnnotatorTest
        "not decidable", with the reason, for fewer than three annotators with enough items.

    Raises
    ------
    ValueError
        Where shapes differ or a setting makes no sense.
    """
    if not 0.0 <= epsilon <= 1.0:
        raise ValueError(f"epsilon must lie between 0 and 1, but is {epsilon}.")
    if alignment not in ("accuracy", "rmse"):
        raise ValueError(f'alignment must be "accuracy" or "rmse", but is "{alignment}".')
    scores = np.asarray(judge, dtype=float)
    ratings = np.asarray(annotators, dtype=float)
    if scores.ndim != 1 or ratings.ndim != 2 or len(scores) != len(ratings):
        raise ValueError(
            "The judge must have shape (items,) and the annotators (items, annotators), "
            f"but have {scores.shape} and {ratings.shape}."
        )
    called = [*map(str, range(ratings.shape[1]))] if names is None else [*names]
    if len(called) != ratings.shape[1]:
        raise ValueError(f"{ratings.shape[1]} annotators need as many names, but got {len(called)}.")
    keep = ~np.isnan(scores) & ((~np.isnan(ratings)).sum(axis=1) >= 2)
    scores, ratings = scores[keep], ratings[keep]
    warnings: list[str] = []

    outcomes = []
    for left_out in range(ratings.shape[1]):
        judge_wins, annotator_wins = _indicators(scores, ratings, left_out, alignment)
        outcomes.append((judge_wins, annotator_wins))
    enough = [column for column, (wins, _) in enumerate(outcomes) if len(wins) >= MINIMUM_ITEMS]
    decidable = len(enough) >= MINIMUM_ANNOTATORS

    p_values = np.full(len(outcomes), np.nan)
    rejected = np.zeros(len(outcomes), dtype=bool)
    if decidable:
        for column in enough:
            differences = outcomes[column][1] - outcomes[column][0]
            p_values[column] = _one_sided(differences, epsilon)
            if np.ptp(differences) == 0.0:
                warnings.append(
                    f"Annotator {called[column]}: every item has the same outcome, "
                    "so the test is certain either way."
                )
        rejected[enough] = benjamini_yekutieli(p_values[enough], _Q)
    skipped = [name for column, name in enumerate(called) if column not in enough]
    if decidable and skipped:
        warnings.append(f"Not tested for fewer than {MINIMUM_ITEMS} items: annotators {', '.join(skipped)}.")

    comparisons = tuple(
        AnnotatorComparison(
            n=len(judge_wins),
            rho_judge=float(judge_wins.mean()) if len(judge_wins) else math.nan,
            rho_annotator=float(annotator_wins.mean()) if len(annotator_wins) else math.nan,
            p_value=float(p_values[column]),
            rejected=bool(rejected[column]),
        )
        for column, (judge_wins, annotator_wins) in enumerate(outcomes)
    )
    advantage = float(np.mean([comparisons[column].rho_judge for column in enough])) if enough else math.nan
    winning_rate = float(rejected[enough].mean()) if decidable else math.nan
    decision: Literal["passes", "fails", "not decidable"]
    if not decidable:
        decision = "not decidable"
        reason = (
            f"The test needs {MINIMUM_ANNOTATORS} annotators, but there are {ratings.shape[1]}."
            if ratings.shape[1] < MINIMUM_ANNOTATORS
            else f"The test needs {MINIMUM_ANNOTATORS} annotators with {MINIMUM_ITEMS} items each, but "
            f"{len(enough)} of {ratings.shape[1]} have as many."
        )
    else:
        decision = "passes" if winning_rate >= _PASSES_FROM else "fails"
        reason = f"The judge wins against {int(rejected.sum())} of {len(enough)} annotators; half are needed."
    return AlternativeAnnotatorTest(
        decision=decision,
        reason=reason,
        winning_rate=winning_rate,
        average_advantage_probability=advantage,
        annotators=comparisons,
        n_items=int(keep.sum()),
        n_left_out=int((~keep).sum()),
        warnings=tuple(warnings),
    )


def benjamini_yekutieli(p_values: ArrayLike, q: float = 0.05) -> NDArray[np.bool_]:
    """Say which null hypotheses are rejected at a false discovery rate under any dependence.

    Parameters
    ----------
    p_values : array_like, shape (m,)
        nan (an undefined test) is counted and never rejected.
    q : float
        Level.

    Returns
    -------
    array of bool, shape (m,)
        True for the `k` smallest p, where `k` is the largest rank with ``p[k] <= k / m * q / (1 + 1/2 + ... +
        1/m)``.

    Notes
    -----
    Benjamini and Yekutieli (2001), The control of the false discovery rate in multiple testing under
    dependency.
    """
    raw = np.asarray(p_values, dtype=float)
    if raw.ndim != 1:
        raise ValueError(f"p-values must be one-dimensional, but have shape {raw.shape}.")
    m = len(raw)
    rejected = np.zeros(m, dtype=bool)
    if not m:
        return rejected
    order = np.argsort(raw, kind="stable")  # nan last
    ranks = np.arange(1, m + 1)
    below = np.flatnonzero(raw[order] <= ranks / m * q / (1.0 / ranks).sum())
    if len(below):
        rejected[order[: below[-1] + 1]] = True
    return rejected


def _indicators(
    judge: NDArray[np.float64],
    ratings: NDArray[np.float64],
    left_out: int,
    alignment: Literal["accuracy", "rmse"],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    others = np.delete(ratings, left_out, axis=1)
    own = ratings[:, left_out]
    keep = ~np.isnan(own) & (~np.isnan(others)).any(axis=1)
    judge, own, others = judge[keep], own[keep], others[keep]

    # Sums instead of means and without the root: both sides are divided by the same number of others.
    def closeness(values: NDArray[np.float64]) -> NDArray[np.float64]:
        if alignment == "accuracy":
            equal: NDArray[np.float64] = (values[:, np.newaxis] == others).sum(axis=1).astype(float)
            return equal
        squares: NDArray[np.float64] = np.nansum((values[:, np.newaxis] - others) ** 2, axis=1)
        return -squares

    of_judge, of_own = closeness(judge), closeness(own)
    slack = 1e-12 * np.maximum(1.0, np.abs(of_own))  # equal but for rounding is a tie
    return (of_judge >= of_own - slack).astype(float), (of_own >= of_judge - slack).astype(float)


def _one_sided(differences: NDArray[np.float64], epsilon: float) -> float:
    from scipy.special import stdtr

    shifted = differences - epsilon
    n = len(shifted)
    if np.ptp(differences) == 0.0:
        return math.nan if shifted[0] == 0.0 else float(shifted[0] > 0.0)
    return float(stdtr(n - 1, shifted.mean() / (shifted.std(ddof=1) / math.sqrt(n))))
