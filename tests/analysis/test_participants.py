"""Participants' scores from those of their uses, and published figures of AUT and TTCW by the same path."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import creaeval
from creaeval.analysis import export_participants, participants, participants_reliability
from creaeval.data import read_ratings, read_scores
from creaeval.tasks import load_task
from data_folder import shared_data
from scripted import ScriptedModel, WithChances, text_of

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from creaeval.llm import ChatRequest
    from creaeval.runs import Run

TO_THREE_PLACES = 5.001e-4


def scored(folder: Path, *uses: tuple[str, str, int | None], **options: Any) -> Run:
    """Score uses of (participant, object); a judge gives the points that stand in the text, None is blank."""
    lines = [
        f"u{n},{thing},{'' if given is None else f'worth {given}'},{who}"
        for n, (who, thing, given) in enumerate(uses)
    ]
    (folder / "uses.csv").write_text(
        "\n".join(["id,object,use,participant", *lines]) + "\n", encoding="utf-8"
    )

    def answer(request: ChatRequest) -> str:
        found = {
            name: {"originality": int(text.rpartition(" ")[2])}
            for line in text_of(request).splitlines()
            if line.startswith("item_")
            for name, _, text in [line.partition(":")]
        }
        return json.dumps({"uses": {"items": found}})

    judge = ScriptedModel("j", answer=answer, **options)
    return creaeval.score(
        folder / "uses.csv", task="aut", method="direct", judges=[judge], ledger=folder / "l.db"
    )


def table_of(frame: pd.DataFrame, *columns: str) -> list[tuple[Any, ...]]:
    plain = frame.astype(object).where(frame.notna(), None)
    return list(plain[list(columns)].itertuples(index=False, name=None))


def test_uses_of_a_participant_are_counted_and_averaged_by_object_and_over_all(tmp_path: Path) -> None:
    run = scored(
        tmp_path,
        ("p1", "brick", 1),
        ("p1", "brick", 4),
        ("p1", "brick", 5),
        ("p1", "brick", None),
        ("p1", "rope", 2),
        ("p2", "brick", 3),
        ("p2", "rope", None),
    )
    found = table_of(
        participants(run), "participant", "object", "fluency", "scored", "mean", "maximum", "top2"
    )
    assert found == [
        ("p1", "brick", 3, 3, pytest.approx(10 / 3), 5, 4.5),
        ("p1", "rope", 1, 1, 2, 2, 2),
        ("p1", "(all)", 4, 4, 3, 5, 4.5),
        ("p2", "brick", 1, 1, 3, 3, 3),
        ("p2", "rope", 0, 0, None, None, None),
        ("p2", "(all)", 1, 1, 3, 3, 3),
    ]


def test_reliability_is_cronbachs_alpha_of_the_means_of_those_with_every_object(tmp_path: Path) -> None:
    run = scored(
        tmp_path,
        *(("p1", "brick", 1), ("p1", "brick", 2), ("p1", "rope", 2)),
        *(("p2", "brick", 3), ("p2", "rope", 3)),
        *(("p3", "brick", 4), ("p3", "rope", 5)),
        *(("p4", "brick", 5), ("p4", "rope", None)),
    )
    # Means 1.5 2, 3 3, 4 5: variances 19/12 and 7/3, of the sums 3.5 6 9 it is 91/12.
    expected = 2 * (1 - (19 / 12 + 7 / 3) / (91 / 12))
    ((alpha, n, objects, reason),) = table_of(
        participants_reliability(run), "alpha", "participants", "objects", "reason"
    )
    assert (alpha, n, objects, reason) == (pytest.approx(expected), 3, 2, "")
    written = export_participants(run, tmp_path)
    assert [path.name for path in written] == ["participants.csv", "participants_reliability.csv"]


@pytest.mark.parametrize(
    ("uses", "reason"),
    [
        ([("p1", "brick", 1), ("p2", "brick", 2)], "there is a single object"),
        ([("p1", "brick", 1), ("p2", "rope", 2)], "fewer than 2 participants have scores for every object"),
        (
            [("p1", "brick", 1), ("p1", "rope", 2), ("p2", "brick", 2), ("p2", "rope", 1)],
            "the participants are all equal",
        ),
    ],
)
def test_reliability_that_cannot_be_told_says_why(tmp_path: Path, uses: Any, reason: str) -> None:
    found = participants_reliability(scored(tmp_path, *uses))
    assert table_of(found, "alpha", "reason") == [(None, reason)]


def test_where_a_judge_failed_on_uses_they_are_counted_and_no_number_hides_it(tmp_path: Path) -> None:
    def invalid(request: ChatRequest) -> int:
        return 9 if "Object: rope" in text_of(request) else 0

    run = scored(tmp_path, ("p1", "brick", 2), ("p1", "rope", 5), invalid=invalid)
    found = table_of(participants(run), "object", "fluency", "scored", "unjudged", "mean", "maximum", "top2")
    assert found == [
        ("brick", 1, 1, 0, 2, 2, 2),
        ("rope", None, 0, 1, None, None, None),
        ("(all)", None, 1, 1, None, None, None),
    ]
    ((n, reason),) = table_of(participants_reliability(run), "participants", "reason")
    assert (n, reason) == (0, "fewer than 2 participants have scores for every object")


def test_a_judge_of_expected_scores_has_its_participants_by_the_name_on_its_sheets(tmp_path: Path) -> None:
    (tmp_path / "uses.csv").write_text(
        "id,object,use,participant\nu1,brick,hat,p\nu2,brick,boat,p\nu3,rope,,p\n", encoding="utf-8"
    )
    values = {"aut_scores.uses.items.item_1.originality": 4}
    # The first use's score may be a 3 in one case of four, the second's is known by half.
    judge = WithChances(ScriptedModel("j", values=values), {"4": {"4": 0.75, "3": 0.25}, "1": {"1": 0.5}})
    run = creaeval.score(
        tmp_path / "uses.csv", task="aut", method="direct-expected", judges=judge, ledger=tmp_path / "l.db"
    )
    frame = participants(run)
    found = table_of(frame, "object", "judge", "fluency", "scored", "unjudged", "mean")
    name = "j (expected)"
    assert found == [
        ("brick", name, 2, 1, 0, pytest.approx(3.75)),
        ("rope", name, 0, 0, 0, None),
        ("(all)", name, 2, 1, 0, pytest.approx(3.75)),
    ]


def test_a_judge_without_any_sheet_still_has_its_rows(tmp_path: Path) -> None:
    run = scored(tmp_path, ("p1", "brick", 2), invalid=lambda _: 9)
    assert table_of(participants(run), "object", "judge", "fluency", "unjudged") == [
        ("brick", "j", None, 1),
        ("(all)", "j", None, 1),
    ]


def test_a_run_without_participants_has_no_such_tables(tmp_path: Path) -> None:
    run = scored(tmp_path, ("", "brick", 2))
    assert participants(run).empty
    assert export_participants(run, tmp_path) == []


def means(report: creaeval.analysis.AgreementReport, measure: str) -> dict[str, dict[str, float]]:
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
    found = means(creaeval.agree(task, scores, ratings, measures=["qwk"], n_resamples=0), "qwk")
    for judge, expected in TTCW_QWK.items():
        names = ("fluency", "flexibility", "originality", "elaboration", "AVG")
        assert [found[judge][name] for name in names] == pytest.approx(expected, abs=TO_THREE_PLACES)


def test_published_predictions_for_uses_go_with_mean_ratings_as_published() -> None:
    task = load_task("aut")
    path = shared_data("aut/aut.csv")
    report = creaeval.agree(
        task, read_scores(path, task), read_ratings(path, task), measures=["pearson"], n_resamples=0
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
    assert report.points["response_id"].nunique() == 1000
