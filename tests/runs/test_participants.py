"""Participants' scores from those of their uses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import creaeval
from creaeval.runs import export_run
from creaeval.runs.participants import Use, count_words, summarise_uses
from scripted import ScriptedModel, WithChances, text_of

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from creaeval.llm import ChatRequest
    from creaeval.runs import Run


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
    columns = ("participant", "object", "n_uses", "fluency", "n_failed", "mean", "max", "top2", "top3")
    assert table_of(run.participants, *columns) == [
        ("p1", "brick", 4, 3, 0, pytest.approx(10 / 3), 5, 4.5, pytest.approx(10 / 3)),
        ("p1", "rope", 1, 1, 0, 2, 2, None, None),
        ("p1", "(all)", 5, 4, 0, 3, 5, 4.5, pytest.approx(11 / 3)),
        ("p2", "brick", 1, 1, 0, 3, 3, None, None),
        ("p2", "rope", 1, 0, 0, None, None, None, None),
        ("p2", "(all)", 2, 1, 0, 3, 3, None, None),
    ]
    assert set(run.participants["method"]) == {"direct"}
    assert set(run.participants["dimension"]) == {"uses.originality"}


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
        run.participants_reliability, "alpha", "participants", "objects", "reason"
    )
    assert (alpha, n, objects, reason) == (pytest.approx(expected), 3, 2, "")
    written = [path.name for path in export_run(run, tmp_path / "out")]
    assert {"participants.csv", "participants_reliability.csv"} < set(written)


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
    found = scored(tmp_path, *uses).participants_reliability
    assert table_of(found, "alpha", "reason") == [(None, reason)]


def test_uses_on_which_a_judge_failed_are_counted_apart(tmp_path: Path) -> None:
    def invalid(request: ChatRequest) -> int:
        return 9 if "Object: rope" in text_of(request) else 0

    run = scored(tmp_path, ("p1", "brick", 2), ("p1", "rope", 5), invalid=invalid)
    found = table_of(run.participants, "object", "n_uses", "fluency", "n_failed", "mean", "max", "top2")
    assert found == [
        ("brick", 1, 1, 0, 2, 2, None),
        ("rope", 1, 0, 1, None, None, None),
        ("(all)", 2, 1, 1, 2, 2, None),
    ]
    ((n, reason),) = table_of(run.participants_reliability, "participants", "reason")
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
    found = table_of(run.participants, "object", "judge", "n_uses", "fluency", "n_failed", "mean")
    name = "j (expected)"
    assert found == [
        ("brick", name, 2, 1, 1, pytest.approx(3.75)),
        ("rope", name, 1, 0, 0, None),
        ("(all)", name, 3, 1, 1, pytest.approx(3.75)),
    ]


def test_a_judge_without_any_sheet_still_has_its_rows(tmp_path: Path) -> None:
    run = scored(tmp_path, ("p1", "brick", 2), invalid=lambda _: 9)
    assert table_of(run.participants, "object", "judge", "fluency", "n_failed") == [
        ("brick", "j", 0, 1),
        ("(all)", "j", 0, 1),
    ]


def test_a_run_without_participants_has_no_such_tables(tmp_path: Path) -> None:
    run = scored(tmp_path, ("", "brick", 2))
    assert run.participants.empty
    assert run.participants_reliability.empty
    assert not [path for path in export_run(run, tmp_path / "out") if "participants" in path.name]


def test_uses_are_summed_up_as_by_hand() -> None:
    uses = [
        Use("brick", valid=True, points=1.0, category="build", words=1),
        Use("brick", valid=True, points=4.0, category="art", words=4),
        Use("brick", valid=True, points=2.5, category="build", words=2),
        Use("brick", valid=True, points=5.0, words=9),
        Use("brick", valid=False, points=None, category="none", words=3),
        Use("brick", valid=True, points=None, category="sport", words=7),
    ]
    # A blank or non-answer is nowhere but in n_uses, a use without a score nowhere but there and in n_failed.
    assert summarise_uses(uses) == {
        "n_uses": 6,
        "fluency": 4,
        "n_failed": 1,
        "mean": 12.5 / 4,
        "max": 5,
        "top2": 4.5,
        "top3": pytest.approx(11.5 / 3),
        "flexibility": 2,
        "elaboration": 16 / 4,
    }


def test_with_fewer_uses_than_it_takes_a_top_score_is_missing() -> None:
    two = summarise_uses([Use("a", valid=True, points=3.0, words=2), Use("a", valid=True, points=1.0)])
    assert (two["top2"], two["top3"], two["flexibility"]) == (2, None, None)
    assert summarise_uses([]) == {
        **dict.fromkeys(("n_uses", "fluency", "n_failed"), 0),
        **dict.fromkeys(("mean", "max", "top2", "top3", "flexibility", "elaboration")),
    }


def test_categories_of_different_objects_are_different() -> None:
    uses = [Use(name, valid=True, points=1.0, category="7") for name in ("brick", "brick", "rope")]
    assert summarise_uses(uses)["flexibility"] == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("a doorstop", 2),
        ("  it's a well-made – thing! ", 4),
        ("ein Türstopper für Füchse 🦊", 4),
        ("당신의 문", 2),
        ("压纸", 2),
        ("用 brick 盖房子", 5),
    ],
)
def test_words_are_counted_in_every_script(text: str, words: int) -> None:
    assert count_words(text) == words


@pytest.mark.parametrize("column", ["category", "Bucket"])
def test_a_carried_column_of_categories_gives_flexibility(tmp_path: Path, column: str) -> None:
    (tmp_path / "uses.csv").write_text(
        f"id,object,use,participant,{column}\nu1,brick,worth 2,p,toy\nu2,brick,worth 3,p,toy\n"
        "u3,rope,worth 1,p,toy\nu4,rope,worth 4,p,art\nu5,rope,,p,blank\n",
        encoding="utf-8",
    )
    run = creaeval.score(tmp_path / "uses.csv", task="aut", method="offline", ledger=tmp_path / "l.db")
    found = table_of(run.participants, "object", "fluency", "flexibility", "elaboration")
    assert found == [("brick", 2, 1, 2), ("rope", 2, 2, 2), ("(all)", 4, 3, 2)]
