from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from creaeval.llm.replies.coerce import coerce, fold_name
from creaeval.llm.replies.reply import ReplyProblem
from creaeval.llm.replies.schema import reply_schema

from .replies import read_as

Points = Annotated[int, Field(ge=0, le=10)]


class Form(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Valid(Form):
    valid: Literal["yes"]
    points: Points


class Invalid(Form):
    valid: Literal["perhaps", "no way"]


class Doubtful(Form):
    valid: Literal["no"]


class Sheet(Form):
    status: Literal["present", "absent"] = "present"
    answer: Literal["Yes", "No"] = "No"
    weight: Annotated[float, Field(ge=0, le=1)] = 0.0
    level: Literal[1, 2, 3] = 1
    free: int = 0
    maybe: Points | None = None
    words: str = ""
    either: int | str = 0
    quotes: list[str] = []
    rows: list[Valid] = []
    item: Annotated[Valid | Invalid, Field(discriminator="valid")] | None = None
    plain_item: Valid | Doubtful | None = None


class Tree(Form):
    points: Points
    children: list[Tree] = []


def sheet(**values: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    read = read_as(Sheet, json.dumps(values))
    return read.value.model_dump(include=set(Sheet.model_fields), exclude_unset=True), read.notes


@pytest.mark.parametrize(
    ("written", "read", "note"),
    [
        ({"status": " Present "}, {"status": "present"}, "status: ' Present ' read as 'present'"),
        ({"answer": "yes"}, {"answer": "Yes"}, "answer: 'yes' read as 'Yes'"),
        ({"answer": True}, {"answer": "Yes"}, "answer: True read as 'Yes'"),
        ({"answer": False}, {"answer": "No"}, "answer: False read as 'No'"),
        ({"weight": "0.5"}, {"weight": 0.5}, "weight: '0.5' read as 0.5"),
        ({"weight": "1"}, {"weight": 1.0}, "weight: '1' read as 1"),
        ({"level": "2"}, {"level": 2}, "level: '2' read as 2"),
        ({"free": "-12"}, {"free": -12}, "free: '-12' read as -12"),
        ({"maybe": "7/10"}, {"maybe": 7}, "maybe: '7/10' read as 7"),
        (
            {"rows": [{"valid": "yes", "Points": "7"}]},
            {"rows": [{"valid": "yes", "points": 7}]},
            "rows.0.points",
        ),
        (
            {"item": {"valid": "Yes", "points": "7"}},
            {"item": {"valid": "yes", "points": 7}},
            "item.points: '7'",
        ),
        (
            {"item": {"Valid": "No Way"}},
            {"item": {"valid": "no way"}},
            "item.valid: 'No Way' read as 'no way'",
        ),
        (
            {"plain_item": {"valid": False}},
            {"plain_item": {"valid": "no"}},
            "plain_item.valid: False read as 'no'",
        ),
        ({"STATUS": "absent"}, {"status": "absent"}, "status: written as 'STATUS'"),
    ],
)
def test_what_is_plainly_meant_is_understood_and_noted(
    written: dict[str, Any], read: dict[str, Any], note: str
) -> None:
    value, notes = sheet(**written)
    assert value == read
    assert any(one.startswith(note) for one in notes)


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ({"status": "presents"}, "status: found 'presents'"),
        ({"status": True}, "status: found True"),
        ({"item": {"valid": True, "points": 7}}, "item.valid: found True"),
        (
            {"item": {"valid": "Yes", "points": "12/10"}},
            "points: found '12/10', expected a whole number from 0 to 10",
        ),
        ({"item": {"points": 7}}, "item.valid: found nothing"),
        ({"weight": "1/1"}, "weight: found '1/1'"),
        ({"weight": True}, "weight: found True"),
        ({"level": "4"}, "level: found '4'"),
        ({"level": "3/3"}, "level: found '3/3'"),
        ({"free": "7/10"}, "free: found '7/10'"),
        ({"free": 1e300}, "free: found 1e+300"),
        ({"maybe": "null"}, "found 'null'"),
        ({"words": 7}, "words: found 7"),
        ({"words": True}, "words: found True"),
        ({"quotes": "one"}, "quotes: found 'one'"),
        ({"quotes": [7]}, "quotes.0: found 7"),
        ({"rows": {"valid": "yes", "points": 7}}, "rows: found {"),
        ({"extra": 1}, "extra: found 1, expected no such field"),
    ],
)
def test_what_is_not_plain_is_refused_as_it_was_written(written: dict[str, Any], problem: str) -> None:
    with pytest.raises(ReplyProblem) as caught:
        sheet(**written)
    assert problem in str(caught.value)


def test_texts_are_never_altered() -> None:
    written = {"words": " Yes ", "either": "7", "quotes": ["7/10", "７", " True "]}
    assert sheet(**written, free="1") == ({**written, "free": 1}, ("free: '1' read as 1",))


def test_a_definition_that_contains_itself_is_followed() -> None:
    read = read_as(Tree, '{"points": "1", "children": [{"points": "2/10", "Children": [{"points": "３"}]}]}')
    assert read.value == Tree(points=1, children=[Tree(points=2, children=[Tree(points=3, children=[])])])
    assert len(read.notes) == 4


def test_a_spelling_that_two_fields_share_is_not_taken_for_either() -> None:
    schema: dict[str, Any] = {"properties": {"step_1": {}, "Step 1": {}, "other": {}}}
    read = coerce({"STEP-1": 1, "Other": 2, "-": 3}, schema)
    assert read.value == {"STEP-1": 1, "other": 2, "-": 3}
    assert read.notes == ["other: written as 'Other'"]


@pytest.mark.parametrize(
    "name", ["Stem & KVP", "stem_kvp", "STEM-KVP", "Ｓｔｅｍ＆ＫＶＰ", "stem\u00a0kvp", "«stem» kvp:"]
)
def test_names_fold_to_the_same(name: str) -> None:
    assert fold_name(name) == "stemkvp"


def test_names_that_differ_in_letters_digits_or_signs_stay_apart() -> None:
    assert len({fold_name(name) for name in ("step1", "step2", "step²", "stép1", "step+1", "1step", "")}) == 7


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-9, 99) | st.floats(allow_nan=False) | st.text(max_size=6),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from([*Sheet.model_fields, "Status", "points", "valid"]), inner, max_size=4
            )
        ),
    )
)
def test_any_value_can_be_met_and_what_is_valid_stays_as_it_is(value: Any) -> None:
    read = coerce(value, reply_schema(Sheet))
    json.dumps(read.value)
    try:
        Sheet.model_validate_json(json.dumps(value), strict=True)
    except ValueError:
        return
    assert read.notes == read.problems == []


def test_deep_values_are_refused_and_not_crashes() -> None:
    deep: Any = {"points": "x"}
    for _ in range(300):
        deep = {"points": 1, "children": [deep]}
    with pytest.raises(ReplyProblem):
        read_as(Tree, json.dumps(deep))
