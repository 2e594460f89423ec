"""Numbers that others published, computed again: predictions of originality, the paper's means, a booklet."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from booklets import cgpst
from creaeval import stats
from creaeval.agreement import compared_dimensions
from creaeval.data import read_ratings
from creaeval.stats import resample
from data_folder import shared_data

if TYPE_CHECKING:
    import pandas as pd

TO_THREE_PLACES = 5.001e-4
PAPER: dict[str, Any] = json.loads(Path(__file__).with_name("paper_cells.json").read_text(encoding="utf-8"))

# -------------------------------------------- predictions of originality in the Alternative Uses Task (Ocsai)
# Pearson's r with the human mean on a sample of 1,000 test rows of gt_main2, as in the data's README, and the
# rows that have a prediction.
AUT_PREDICTIONS = {
    "pred_ocsai_chatgpt_w": (0.781, 1000),
    "pred_davinci_ft": (0.776, 1000),
    "pred_ocsai_davinci2_w": (0.753, 1000),
    "pred_gpt4_20shot": (0.666, 981),
    "pred_gpt4o_fewshot_w": (0.587, 1000),
    "pred_gpt4_0shot": (0.504, 990),
    "pred_ocs_main": (0.277, 993),
}


@pytest.fixture(scope="module")
def aut() -> pd.DataFrame:
    import pandas as pd

    # A response can be the word "null".
    return pd.read_csv(shared_data("aut/aut.csv"), keep_default_na=False, na_values=[""])


@pytest.fixture(scope="module")
def aut_test(aut: pd.DataFrame) -> pd.DataFrame:
    return aut[aut["split"].eq("test")]


def best_published(rows: pd.DataFrame) -> np.ndarray:
    both = rows[["pred_ocsai_chatgpt_w", "pred_ocsai_davinci2_w"]]
    return np.asarray(both.mean(axis=1), dtype=float)


@pytest.mark.parametrize("name", AUT_PREDICTIONS)
def test_published_predictions_correlate_with_people_as_published_each_on_the_rows_it_has(
    aut_test: pd.DataFrame, name: str
) -> None:
    predicted, human = (aut_test[column].to_numpy(float) for column in (name, "human_mean"))
    r, n = AUT_PREDICTIONS[name]
    assert stats.pearson(predicted, human) == pytest.approx(r, abs=TO_THREE_PLACES)
    assert len(stats.pairs(predicted, human)[0]) == n


def test_the_mean_of_two_predictions_is_the_best_published_and_its_interval_is_that_of_the_rows(
    aut_test: pd.DataFrame,
) -> None:
    best, human = best_published(aut_test), aut_test["human_mean"].to_numpy(float)
    assert stats.pearson(best, human) == pytest.approx(0.783, abs=TO_THREE_PLACES)
    found = resample.bootstrap(resample.pearson, [best, human], n_resamples=2000, seed=0)
    assert found.value == pytest.approx(stats.pearson(best, human), abs=1e-12)
    assert (found.n, found.n_missing, found.n_undefined) == (1000, 0, 0)
    # README: about .755 to .808; the ends vary by about .001 with the resamples.
    assert (found.low, found.high) == pytest.approx((0.755, 0.808), abs=0.002)
    # Fisher's interval, which takes both for normal, is near: tanh(atanh r ± 1.96 / sqrt(n - 3)).
    reach = 1.959964 / math.sqrt(997)
    fisher = [math.tanh(math.atanh(found.value) + sign * reach) for sign in (-1, 1)]
    assert (found.low, found.high) == pytest.approx(fisher, abs=0.01)


def test_a_mean_of_the_object_alone_correlates_with_people(aut: pd.DataFrame, aut_test: pd.DataFrame) -> None:
    # A known difference: README says .39, which these rows do not give with the means of the train rows. They
    # give .370; the means of the test rows themselves, .397, are near.
    human = aut_test["human_mean"].to_numpy(float)
    for split, right in (("train", 0.370), ("test", 0.397)):
        means = aut[aut["split"].eq(split)].groupby("prompt")["human_mean"].mean()
        predicted = aut_test["prompt"].map(means).to_numpy(float)
        assert stats.pearson(predicted, human) == pytest.approx(right, abs=TO_THREE_PLACES)


# ------------------------------------------------------------------------- the AVG rows of the paper's tables


def averages(table: dict[str, Any]) -> tuple[dict[str, float], dict[str, float]]:
    """The unweighted mean of each row's cells, and what is printed."""
    computed = {
        method: float(resample.mean(np.ones((1, len(row["cells"]))), np.array(row["cells"]))[0])
        for method, row in table["methods"].items()
    }
    return computed, {method: row["AVG"] for method, row in table["methods"].items()}


@pytest.mark.parametrize("name", PAPER["tables"])
def test_the_papers_average_is_the_unweighted_mean_of_its_20_cells(name: str) -> None:
    table = PAPER["tables"][name]
    computed, printed = averages(table)
    assert {len(row["cells"]) for row in table["methods"].values()} == {len(PAPER["dimensions"])} == {20}
    assert len(printed) == 8
    assert computed == pytest.approx(printed, abs=2e-4)


def test_the_papers_ttcw_average_is_the_mean_of_its_four_cells_but_for_one_row() -> None:
    computed, printed = averages(PAPER["Table 3, TTCW"])
    # A known difference: this row's cells have the mean 0.3564, and the paper prints 0.3558.
    assert (computed.pop("Direct Score"), printed.pop("Direct Score")) == pytest.approx((0.35635, 0.3558))
    assert len(printed) == 4
    assert computed == pytest.approx(printed, abs=2e-4)


# ---------------------------------------------------------------------------- rater against rater on A05_FS10

# Read off the released sheet: H01's and H02's points.
A05_FS10 = {
    "step1.fluency": (8, 8),
    "step1.flexibility": (5, 5),
    "step1.elaboration": (8, 8),
    "step1.originality": (3, 7),
    "step2.integrity": (8, 8),
    "step2.focus": (6, 6),
    "step2.adequacy": (8, 8),
    "step3.fluency": (7, 7),
    "step3.flexibility": (2, 2),
    "step3.elaboration": (14, 14),
    "step3.originality": (7, 9),
    "step4.correctly_written": (5, 5),
    "step4.relevance": (6, 8),
    "step5.correctly_used": (4, 4),
    "step6.relevance": (3, 3),
    "step6.effectiveness": (3, 3),
    "step6.criteria": (4, 3),
    "step6.impact": (4, 3),
    "step6.humaneness": (3, 2),
    "step6.development": (8, 4),
}


def test_two_raters_of_one_booklet_agree_on_its_20_dimensions_as_worked_out_by_hand() -> None:
    sheets = {r.rater: r.sheet for r in read_ratings([shared_data("cgpst/data_A.json")], cgpst())}
    names = compared_dimensions(cgpst())
    points = {name: tuple(sheets[rater].final(name) for rater in ("H01", "H02")) for name in names}
    assert points == A05_FS10
    first, second = np.array([*points.values()], dtype=float).T
    # n times sums of squares and products of deviations.
    n = len(A05_FS10)
    sum_x = sum(x for x, _ in A05_FS10.values())
    sum_y = sum(y for _, y in A05_FS10.values())
    square_x = n * sum(x * x for x, _ in A05_FS10.values()) - sum_x**2
    square_y = n * sum(y * y for _, y in A05_FS10.values()) - sum_y**2
    product = n * sum(x * y for x, y in A05_FS10.values()) - sum_x * sum_y
    assert (n, sum_x, sum_y) == (20, 116, 117)
    assert (square_x, square_y, product) == (20 * 824 - 116**2, 20 * 857 - 117**2, 20 * 819 - 116 * 117)
    # Thirteen dimensions are equal; H02 gives one point more in all.
    assert stats.exact_agreement(first, second) == 13 / 20
    assert stats.mean_difference(first, second) == pytest.approx(-1 / 20)
    assert stats.mean_absolute_error(first, second) == pytest.approx((4 + 2 + 2 + 1 + 1 + 1 + 4) / 20)
    qwk = 2 * product / (square_x + square_y + (sum_x - sum_y) ** 2)
    assert stats.quadratic_weighted_kappa(first, second) == pytest.approx(qwk)
    assert qwk == pytest.approx(0.8672, abs=5e-5)
    r = product / math.sqrt(square_x * square_y)
    assert stats.pearson(first, second) == pytest.approx(r)
    assert r == pytest.approx(0.8692, abs=5e-5)
    assert [sheets[rater].total for rater in ("H01", "H02")] == [116, 117]
    assert [sheets[rater].written_total for rater in ("H01", "H02")] == [116, 117]
