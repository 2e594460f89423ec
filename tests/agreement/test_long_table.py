"""Sheets of judges and raters in one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from agreement.sheets_of_points import FOCUS, ratings, scores, sheets
from agreement.tables import judge
from booklets import booklet, cgpst, scored
from creaeval.agreement.long_table import compared_dimensions, long_table, method_labels, rated, scores_of
from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.rating_data import RatingData, Scorer, Unit
from creaeval.data import Rating, Scores
from creaeval.errors import DataError, SettingError
from creaeval.sheets import ItemScores, ScoreSheet, StepScores
from creaeval.tasks import load_task

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ELABORATION, FLUENCY = "step1.elaboration", "step1.fluency"


def points(data: RatingData, dimension: str = FOCUS) -> dict[tuple[str, int, str], float]:
    """Points of one dimension by response, item and scorer."""
    frame = data.table()
    frame = frame[frame["dimension"].eq(dimension)]
    items = frame["item"].fillna(0).astype(int)
    return dict(
        zip(zip(frame["response_id"], items, frame["scorer"], strict=True), frame["points"], strict=True)
    )


def laid_out(scores: Sequence[Scores], ratings: Sequence[Rating] = (), **settings: Any) -> RatingData:
    return long_table(cgpst(), scores, ratings, AgreementOptions(**settings))[0]


def people(name: str, values: Sequence[float], source: str = "r.csv", **more: Any) -> list[Rating]:
    return [
        one.model_copy(update={"source": source, **more}) for one in ratings(sheets(name, {"focus": values}))
    ]


def challenges(
    scorer: str, elaboration: Sequence[int | None], response_id: str = "R0", written: float | None = None
) -> ScoreSheet:
    """A sheet of step 1: points for elaboration by item, None for an invalid one; and a written sum."""
    step = cgpst().step("step1")
    items = [
        ItemScores.build(step, n, invalid="perhaps")
        if given is None
        else ItemScores.build(step, n, {"elaboration": given}, category="Technology")
        for n, given in enumerate(elaboration, 1)
    ]
    sums = {} if written is None else {"elaboration": written}
    scores = StepScores.build(cgpst(), step, items=items, written=sums)
    return ScoreSheet.build(cgpst(), response_id, scorer, [scores])


def test_the_papers_20_dimensions_are_compared_with_integrity_merged() -> None:
    names = compared_dimensions(cgpst())
    assert len(names) == 20
    assert "step2.integrity" in names
    assert not {"step2.stem_kvp", "step1.overall", "total"} & set(names)


def test_of_items_their_own_dimensions_are_compared_and_a_task_without_items_has_no_others() -> None:
    means, each = (compared_dimensions(cgpst(), items) for items in ("mean", "each"))
    scored = {"step1": ["elaboration", "originality"], "step3": ["elaboration", "originality"]}
    scored["step4"] = ["correctly_written", "relevance"]
    assert means == [f"{step}.{part}" for step, parts in scored.items() for part in parts]
    # Item by item, whether an item is valid has points, too.
    assert set(each) == {*means, "step1.fluency", "step3.fluency"}
    for items in ("sum", "mean", "each"):
        assert compared_dimensions(load_task("aut"), items) == ["uses.originality"]


def test_judges_and_raters_are_scorers_of_their_kind_method_and_repeats() -> None:
    again = sheets("j", {"focus": [5, 6]}, repeat=2)
    data = laid_out([scores("m", sheets("j", {"focus": [3, None]}), again)], people("A", [1, 2]))
    assert data.scorers == (judge("j"), judge("j", repeat=2), Scorer("A"))
    assert points(data) == {
        ("R0", 0, "j"): 3, ("R0", 0, "j#2"): 5, ("R1", 0, "j#2"): 6, ("R0", 0, "A"): 1, ("R1", 0, "A"): 2,
    }  # fmt: skip
    assert data.dimensions == tuple(compared_dimensions(cgpst()))
    focus = cgpst().step("step2").dimension("focus").scale
    assert data.scales[FOCUS] == (focus.min, focus.max)


def test_judges_are_taken_as_they_wrote_or_as_computed_and_raters_as_they_wrote_if_they_did() -> None:
    judged = [scores("m", [challenges("j", [2, 1], written=9), challenges("k", [2, 0])])]
    given = ratings([challenges("A", [1, 1], written=4), challenges("B", [1, 1])])
    of_people = {("R0", 0, "A"): 4, ("R0", 0, "B"): 2}
    assert points(laid_out(judged, given), ELABORATION) == {("R0", 0, "j"): 9, **of_people}
    assert points(laid_out(judged, given, values="final"), ELABORATION) == {
        ("R0", 0, "j"): 3, ("R0", 0, "k"): 2, **of_people,
    }  # fmt: skip


def test_items_are_summed_or_averaged_over_valid_ones_or_stand_for_themselves() -> None:
    given = ratings([challenges("A", [2, None, 1]), challenges("A", [None, None], "R1")])
    sums, means, each = (laid_out([], given, items=items) for items in ("sum", "mean", "each"))
    assert points(sums, ELABORATION) == {("R0", 0, "A"): 3, ("R1", 0, "A"): 0}
    # Without a valid item there is no mean.
    assert points(means, ELABORATION) == {("R0", 0, "A"): 1.5}
    # An invalid item has its validity alone.
    assert points(each, ELABORATION) == {("R0", 1, "A"): 2, ("R0", 3, "A"): 1}
    assert points(each, FLUENCY) == {
        ("R0", 1, "A"): 1, ("R0", 2, "A"): 0, ("R0", 3, "A"): 1, ("R1", 1, "A"): 0, ("R1", 2, "A"): 0,
    }  # fmt: skip
    scale = cgpst().step("step1").dimension("elaboration").scale
    assert means.scales[ELABORATION] == each.scales[ELABORATION] == (scale.min, scale.max)
    assert sums.scales[ELABORATION][1] > scale.max


def test_one_stage_is_taken_and_has_to_be_named_where_there_are_several() -> None:
    blind, later = people("A", [1, 2], stage="blind"), people("A", [3, 4], stage="calibrated")
    assert points(laid_out([], [*blind, *later], stage="calibrated")) == {
        ("R0", 0, "A"): 3,
        ("R1", 0, "A"): 4,
    }
    assert points(laid_out([], blind)) == {("R0", 0, "A"): 1, ("R1", 0, "A"): 2}
    with pytest.raises(SettingError, match=r"of several stages: blind, \(none\)\. Choose one with --stage"):
        laid_out([], [*blind, *people("A", [3, 4])])
    with pytest.raises(SettingError, match=r"--stage last: no rating is of this stage\. Known stages: blind"):
        laid_out([], blind, stage="last")


@pytest.mark.parametrize("mean", ["mean", "Average", "Human mean", "rater_mean"])
def test_a_mean_of_raters_is_left_out_beside_single_ones(mean: str) -> None:
    data, notes = long_table(cgpst(), [], [*people(mean, [1, 2]), *people("A", [1, 3])])
    assert data.raters == (Scorer("A"),)
    assert notes == [f"Left out: {mean}, which is no single rater."]


def test_a_mean_alone_is_set_beside_judges_where_they_scored() -> None:
    judged = scores("m", sheets("j", {"focus": [3, None, 4]}))
    data, notes = long_table(cgpst(), [judged], people("mean", [1, 2, 3]))
    assert {key: value for key, value in points(data).items() if key[2] == "mean"} == {
        ("R0", 0, "mean"): 1,
        ("R2", 0, "mean"): 3,
    }
    assert len(notes) == 1
    assert notes[0].startswith("There is only mean of the raters and no single one")
    # Without judges nothing is known of what they scored.
    alone, _ = long_table(cgpst(), [], people("mean", [1, 2, 3]))
    assert len(alone.units) == 3


def test_methods_are_named_by_their_name_file_or_number() -> None:
    files = [("", "a/one.csv"), ("m", "x"), ("m", "y"), ("n", "z"), ("n", "z"), ("o", "x")]
    assert method_labels([scores(method, source=source) for method, source in files]) == [
        "one.csv", "m (x)", "m (y)", "n (z) 1", "n (z) 2", "o",
    ]  # fmt: skip
    two = [scores("m", sheets("j", {"focus": [n]}), source=f"{n}.csv") for n in (1, 2)]
    data = laid_out(two)
    assert data.judges == (judge("j", "m (1.csv)"), judge("j", "m (2.csv)"))


@pytest.mark.parametrize("stage", ["", "blind"])
def test_two_values_of_a_rater_are_refused_with_both_files(stage: str) -> None:
    given = [*people("A", [1, 2], "one.csv", stage=stage), *people("A", [1, 4], "two.csv", stage=stage)]
    with pytest.raises(DataError, match="A scorer may score a response once in each dimension") as refused:
        laid_out([], given)
    # The same value twice is one too many, too.
    assert refused.value.problems[1:] == (
        "rater A, response R0, step2.focus: 1 and 1 (one.csv, two.csv)",
        "rater A, response R1, step2.focus: 2 and 4 (one.csv, two.csv)",
    )


def test_two_values_of_a_judge_or_of_an_item_are_refused() -> None:
    given = sheets("j", {"focus": [3]})
    with pytest.raises(DataError, match=r"judge j, response R0, step2\.focus: 3 and 3 \(f\.csv\)"):
        laid_out([scores("m", given, given, source="f.csv")])
    with pytest.raises(DataError, match=r"rater A, response R0, item 2, step1\.elaboration: 1 and 0"):
        laid_out([], ratings([challenges("A", [2, 1]), challenges("A", [0, 0])]), items="each")


def test_values_of_other_repeats_methods_and_kinds_are_not_the_same_twice() -> None:
    given = sheets("A", {"focus": [3]}), sheets("A", {"focus": [4]}, repeat=2)
    data = laid_out([scores("m", *given), scores("n", *given)], people("A", [5]))
    assert sorted(points(data).values()) == [3, 3, 4, 4, 5]


def test_columns_are_carried_unless_ratings_contradict_each_other() -> None:
    given = [
        *people("A", [1, 2], metadata={"plot": "p", "who": "x"}),
        *people("B", [1], metadata={"plot": "p", "who": "y"}),
    ]
    # Of R0 the raters do not agree who; of R1 there is one rater.
    assert laid_out([], given).carried == {
        "plot": {"R0": "p", "R1": "p"},
        "who": {"R1": "x"},
    }
    # What scores carry counts before what ratings do, and is carried for responses nobody rated, too.
    judged = Scores("m", tuple(sheets("j", {"focus": [3]})), {"R0": {"who": "z"}, "R9": {"plot": "q"}}, "f")
    data = laid_out([judged], given)
    assert data.carried["who"] == {"R0": "z", "R1": "x"}
    assert data.carried["plot"]["R9"] == "q"
    assert data.column("who") == ["z", "x"]
    always = [*people("A", [1], metadata={"who": "x"}), *people("B", [1], metadata={"who": "y"})]
    assert laid_out([], always).carried == {}


def test_a_run_carries_its_scenario(tmp_path: Path) -> None:
    run = scored(tmp_path, booklet())
    taken = scores_of(run)
    assert taken.metadata[booklet().id] == {"scenario": booklet().scenario, **booklet().metadata}
    assert taken.source == run.id
    assert scores_of(taken) is taken


def test_an_id_that_looks_like_that_of_an_item_keeps_its_columns() -> None:
    sheet = challenges("A", [2, 1], "R0 item 2")
    rating = Rating(response_id=sheet.response_id, rater="A", sheet=sheet, metadata={"plot": "p"})
    data = laid_out([], [rating, *ratings([challenges("A", [1, 0])])], items="each")
    assert data.units == (Unit("R0", 1), Unit("R0", 2), Unit("R0 item 2", 1), Unit("R0 item 2", 2))
    assert data.column("plot") == [None, None, "p", "p"]


def test_dimensions_that_nobody_rated_are_named_and_left_out() -> None:
    data = laid_out([scores("m", sheets("j", {"focus": [3], "adequacy": [4]}))], people("A", [1]))
    kept, notes = rated(data)
    assert kept.dimensions == (FOCUS,)
    assert set(kept.table()["dimension"]) == {FOCUS}
    left = [name for name in compared_dimensions(cgpst()) if name != FOCUS]
    assert notes == [f"Nobody rated 19 dimensions: {', '.join(left)}."]
    assert rated(kept) == (kept, [])
    with pytest.raises(SettingError, match="None of the ratings is of a dimension that is compared"):
        rated(laid_out([scores("m", sheets("j", {"focus": [3]}))]))
