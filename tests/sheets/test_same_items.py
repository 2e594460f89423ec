"""The analyst's comparison of items, read and repaired."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from creaeval.sheets import StepTexts
from creaeval.sheets.read_replies import read_evidence
from creaeval.sheets.replies import evidence_reply
from creaeval.tasks import load_task

if TYPE_CHECKING:
    from creaeval.sheets import StepEvidence

CGPST = load_task("cgpst")
STEP = CGPST.steps[0]
TEXTS = StepTexts("step1", "A\nB\nC", {1: "A", 2: "B", 3: "C"})
FINDING = {"quotes": [], "observation": "Seen.", "status": "present"}


def evidence(**same: dict[str, Any]) -> StepEvidence:
    """Read a reply about three challenges, with what is said of each in its comparison."""
    items = {
        f"item_{n}": {
            "category": "Technology",
            "fluency": FINDING,
            "elaboration": FINDING,
            "originality": FINDING,
            **same.get(f"item_{n}", {"same_as": [], "why_same": ""}),
        }
        for n in (1, 2, 3)
    }
    form = evidence_reply("cgpst", STEP, CGPST.categories, (1, 2, 3))
    reply = form.model_validate({"memory": "Three.", "items": items})
    return read_evidence(STEP, reply, TEXTS, {1: False, 2: False, 3: False}, None)[0]


def test_each_of_two_items_that_say_the_same_names_the_other_and_why() -> None:
    found = evidence(item_3={"same_as": ["item_1"], "why_same": "Both name lost trust."})
    assert [item.same_as for item in found.items] == [(3,), (), (1,)]
    assert [item.why_same for item in found.items] == ["Both name lost trust.", "", "Both name lost trust."]
    assert found.notes == ()


def test_an_item_that_is_not_there_and_a_comparison_with_itself_are_left_out_with_a_note() -> None:
    found = evidence(item_2={"same_as": ["item_9", "item_2", "item_1"], "why_same": "Trust."})
    assert [item.same_as for item in found.items] == [(2,), (1,), ()]
    assert found.notes == (
        "item_2: 'item_9' in its comparison is no item of this step and was left out",
        "item_2: its comparison with itself was left out",
    )


def test_numbers_are_read_as_names() -> None:
    assert [item.same_as for item in evidence(item_1={"same_as": [2], "why_same": "x"}).items] == [
        (2,),
        (1,),
        (),
    ]


def test_an_item_that_was_not_compared_is_noted() -> None:
    found = evidence(item_1={})
    assert [item.same_as for item in found.items] == [(), (), ()]
    assert found.notes == ("item_1 was not compared with the other items",)


@given(
    same=st.dictionaries(
        st.sampled_from(["item_1", "item_2", "item_3"]),
        st.lists(st.sampled_from(["item_1", "item_2", "item_3", "item_4", "x"]), max_size=4),
    )
)
def test_sameness_has_no_direction_and_no_item_is_its_own_twin(same: dict[str, list[str]]) -> None:
    found = evidence(**{name: {"same_as": others, "why_same": "w"} for name, others in same.items()})
    pairs = {(item.item, other) for item in found.items for other in item.same_as}
    assert pairs == {(b, a) for a, b in pairs}
    assert all(a != b and b in (1, 2, 3) for a, b in pairs)
