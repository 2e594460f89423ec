"""What SaMer is trained on: texts with one rater's points, and pairs of them."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from creaeval.data import Rating
from creaeval.methods.samer import Part
from creaeval.sheets import ScoreSheet, StepScores
from creaeval.tasks import load_task
from creaeval.training.samer_pairs import Labelled, cases_of, label, make_pairs
from uses import use

from .samer_data import SCENARIOS, rating, response, walk


def text(group: str, step: str = "plan", response_id: str = "R") -> Labelled:
    return Labelled(response_id, Part(step, None, "asked", "written"), group, {}, 0)


def test_every_step_is_a_text_with_the_points_of_its_dimensions() -> None:
    task = walk()
    found, left_out = label(cases_of(task, [response(task, 4)], SCENARIOS), [rating(task, 4)])
    # Response 4 is of level 1: depth 1, order 4 - 1, wit 1.
    assert [(one.part.step, one.points, one.overall) for one in found] == [
        ("plan", {"plan.depth": 1, "plan.order": 3}, 4),
        ("tale", {"tale.wit": 1}, 1),
    ]
    assert [one.part.instruction for one in found] == [
        "The hill.\n\nPlan a walk.",
        "The hill.\n\nTell a tale of it.",
    ]
    assert {one.group for one in found} == {"hill"}
    assert left_out == {}


def test_what_a_rater_left_open_is_left_out_and_counted() -> None:
    task = walk()
    sheet = ScoreSheet(
        response_id="R00", scorer="A", steps=(StepScores(step="plan", written={"depth": 2.0}),)
    )
    cases = cases_of(task, [response(task, number) for number in range(2)], SCENARIOS)
    found, left_out = label(cases, [Rating(response_id="R00", rater="A", sheet=sheet)])
    assert found == []
    assert left_out == {
        "rated without plan.order": 1,
        "rated without tale.wit": 1,
        "not rated by this rater": 2,
    }


def test_uses_are_texts_of_their_own() -> None:
    task = load_task("aut")
    uses = [use("u1", "a doorstop"), use("u2", ""), use("u3", "a\npillow")]
    sheets = [
        ScoreSheet(
            response_id=one.id, scorer="A", steps=(StepScores(step="uses", written={"originality": n}),)
        )
        for n, one in enumerate(uses, 1)
    ]
    ratings = [Rating(response_id=sheet.response_id, rater="A", sheet=sheet) for sheet in sheets]
    found, _ = label(cases_of(task, uses, {}), ratings)
    assert [(one.response_id, one.part.response, one.points) for one in found] == [
        ("u1", "a doorstop", {"uses.originality": 1}),
        ("u3", "a pillow", {"uses.originality": 3}),
    ]
    assert found[0].part.instruction.startswith("brick\n\nObject: brick")
    assert make_pairs(found, most=9, seed=0) == [(0, 1)]


def test_only_texts_of_one_scenario_and_step_are_paired() -> None:
    texts = [text("a"), text("b"), text("a"), text("a", "tale"), text("b"), text("a")]
    assert make_pairs(texts, most=100, seed=0) == [(0, 2), (0, 5), (1, 4), (2, 5)]


@given(
    st.lists(st.sampled_from("abc"), max_size=12), st.integers(1, 70), st.integers(0, 3), st.integers(0, 3)
)
def test_pairs_are_bounded_and_the_same_for_a_seed(
    groups: list[str], most: int, seed: int, other: int
) -> None:
    texts = [text(group) for group in groups]
    found = make_pairs(texts, most=most, seed=seed)
    everything = [
        (first, second)
        for second in range(len(groups))
        for first in range(second)
        if groups[first] == groups[second]
    ]
    assert len(found) == min(most, len(everything))
    assert set(found) <= set(everything)
    assert len(set(found)) == len(found)
    assert found == make_pairs(texts, most=most, seed=seed)
    if most >= len(everything):
        assert found == make_pairs(texts, most=most, seed=other) == sorted(everything)


def test_of_many_pairs_each_is_as_likely_as_any_other() -> None:
    # 4 texts of one group have 6 pairs; 3 of them are drawn 2000 times, so each about 1000 times (sd 22).
    texts = [text("a")] * 4
    drawn = Counter(pair for seed in range(2000) for pair in make_pairs(texts, most=3, seed=seed))
    assert len(drawn) == 6
    assert all(abs(number - 1000) < 110 for number in drawn.values())
