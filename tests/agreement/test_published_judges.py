"""Published figures of AUT and TTCW by the path that runs take."""

from __future__ import annotations

import pytest

import creaeval
from creaeval.data import read_ratings, read_scores
from creaeval.tasks import load_task
from data_folder import shared_data

TO_THREE_PLACES = 5.001e-4


def means(report: creaeval.agreement.AgreementReport, measure: str) -> dict[str, dict[str, float]]:
    table = report.tables["means"]
    chosen = table[table["metric"].eq(measure)]
    return {
        str(judge): {str(row.dimension).removeprefix("story."): float(row.value) for row in of.itertuples()}  # type: ignore[arg-type]
        for judge, of in chosen.groupby("judge", sort=False)
    }


# Fluency, Flexibility, Originality, Elaboration and their mean, over all 48 stories.
TTCW_QWK = {
    "cgpt": [-0.279, -0.027, 0.092, -0.027, -0.060],
    "gpt4": [-0.041, 0.125, 0.154, -0.020, 0.054],
    "gemini-pro": [-0.015, -0.071, -0.097, -0.034, -0.054],
    "claudev13": [-0.032, 0.047, 0.252, -0.069, 0.050],
    "claudev2": [-0.124, 0.046, -0.029, -0.064, -0.043],
    "claudev21": [-0.106, 0.065, 0.027, -0.029, -0.011],
    "claude3-opus": [0.072, 0.057, 0.587, 0.045, 0.190],
    "human-human": [0.553, 0.572, 0.719, 0.545, 0.597],
}


def test_recorded_judges_of_stories_agree_with_experts_as_recomputed_apart() -> None:
    task = load_task("ttcw")
    scores = read_scores(shared_data("ttcw/judge_verdicts.csv"), task, blank_is_no=True)
    ratings = read_ratings(shared_data("ttcw/expert_ratings.csv"), task)
    found = means(creaeval.agree(task, scores, ratings, measures=["qwk"], resamples=0), "qwk")
    for judge, expected in TTCW_QWK.items():
        names = ("fluency", "flexibility", "originality", "elaboration", "AVG")
        assert [found[judge][name] for name in names] == pytest.approx(expected, abs=TO_THREE_PLACES)


def test_published_predictions_for_uses_go_with_mean_ratings_as_published() -> None:
    task = load_task("aut")
    path = shared_data("aut/aut.csv")
    report = creaeval.agree(
        task, read_scores(path, task), read_ratings(path, task), measures=["pearson"], resamples=0
    )
    found = {judge: of["uses.originality"] for judge, of in means(report, "pearson").items()}
    expected = {
        "pred_gpt4_20shot": 0.666,
        "pred_ocsai_chatgpt_w": 0.781,
        "pred_davinci_ft": 0.776,
        "pred_ocsai_davinci2_w": 0.753,
        "pred_gpt4o_fewshot_w": 0.587,
        "pred_gpt4_0shot": 0.504,
        "pred_ocs_main": 0.277,
    }
    for judge, value in expected.items():
        assert found[judge] == pytest.approx(value, abs=TO_THREE_PLACES)
    assert "human-human" not in found
    assert any("There is only mean of the raters and no single one" in note for note in report.notes)
    # The 14,409 uses without a prediction say nothing of agreement.
    assert len(report.data.response_ids) == 1000
