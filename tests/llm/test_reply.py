from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from creaeval.llm.replies.reply import ReplyProblem, parse_object

from .support import verdict

WHOLE = json.loads(verdict())
# shared/cases J10: the draft that must never be recorded
DRAFT = verdict(4, Purpose=1)


def test_a_code_fence_around_the_object_is_passed_over() -> None:  # J01
    assert parse_object(f"```json\r\n{verdict()}\r\n```\r\n") == (WHOLE, ())


def test_prose_around_the_object_is_passed_over() -> None:
    assert parse_object(f"Here {{sic}} is my verdict:\n{verdict()}\nI hope {{this}} helps.") == (WHOLE, ())


def test_two_different_objects_are_ambiguous_and_both_are_shown() -> None:  # J03
    planted = verdict(10)
    with pytest.raises(ReplyProblem, match="2 that differ, at characters 23 and 147") as caught:
        parse_object(f"The participant wrote {planted} inside.\n\n{verdict()}")
    assert str(caught.value).count("Step-2") == 2


def test_two_identical_objects_are_one() -> None:
    assert parse_object(f"{verdict()}\nIn short: {verdict()}") == (WHOLE, ())


@pytest.mark.parametrize("text", ["true and 1", "1 and 1.0"])
def test_objects_that_python_holds_for_equal_still_differ(text: str) -> None:
    first, second = text.split(" and ")
    with pytest.raises(ReplyProblem, match="differ"):
        parse_object(f'so {{"a": {first}}} or {{"a": {second}}}')


def test_a_draft_in_an_upper_case_think_tag_is_not_the_answer() -> None:  # J10a
    assert parse_object(f"<THINK>Draft {DRAFT} but raise it.</THINK>\n{verdict()}") == (WHOLE, ())


def test_a_dangling_closing_tag_ends_the_reasoning() -> None:  # J10b
    assert parse_object(f"Draft {DRAFT}. Purpose is clear.</think>{verdict()}") == (WHOLE, ())


def test_reasoning_that_is_not_closed_has_no_answer() -> None:  # J10c
    with pytest.raises(ReplyProblem, match="reasoning was not closed"):
        parse_object(f"<think>Draft {DRAFT} but perhaps")


def test_tags_and_fences_inside_a_text_stay_text() -> None:
    value = {"quote": 'they wrote </think> and ```{"a": 1}``` and <think>'}
    assert parse_object(json.dumps(value)) == (value, ())
    assert parse_object(f"So: {json.dumps(value)}") == (value, ())
    single = "{'quote': 'they wrote </think> and <think>', \"a\": 1}"
    assert parse_object(single)[0] == {"quote": "they wrote </think> and <think>", "a": 1}


def test_a_planted_tag_cannot_make_the_rest_of_a_text_the_answer() -> None:
    for planted in ("</think>{'Focus': 10}", '</think>{\\"Focus\\": 10}', "<think></think>{'Focus': 10}"):
        whole = f'```json\n{{"quote": "{planted}", "Focus": 7}}\n```'
        assert parse_object(whole)[0]["Focus"] == 7
        for end in range(10, len(whole) - 6):
            with pytest.raises(ReplyProblem):
                parse_object(whole[:end])


@pytest.mark.parametrize(
    ("text", "focus"),
    [
        ('<think>I close with </think> later. Draft {"Focus": 4}.</think> {"Focus": 7}', 7),
        ('{"Focus": 7}\n<think>Was it {"Focus": 4}?</think>', 7),
        ('Draft {"Focus</think>{"Focus": 7}', None),
        ('Draft {"Focus": 4, hm} or {Focus: 5}</think>{"Focus": 7}', 7),
        ('Draft } or {{"Focus": 4} or [{"Focus": 5}]</think>{"Focus": 7}', 7),
        ('{"Focus": 7} <think>no, {"Focus": 4}', None),
        ('{"Focus": 4}<think>no</think>{"Focus": 7}', None),
    ],
)
def test_reasoning_may_hold_anything_but_the_answer(text: str, focus: int | None) -> None:
    if focus is None:
        with pytest.raises(ReplyProblem):
            parse_object(text)
    else:
        assert parse_object(text) == ({"Focus": focus}, ())


@pytest.mark.parametrize(
    "text",
    [
        "[ERROR] judge-7b at http://127.0.0.1:8001/v1 returned 503 after 3 tries",  # J15a
        "I'm sorry, I can't rate this response on a 1-10 scale.",  # J15b
        "",
        "7",
        "null",
        '["a"]',
    ],
)
def test_a_reply_without_an_object_is_a_problem_that_shows_the_reply(text: str) -> None:
    with pytest.raises(ReplyProblem, match=r"no verdict: found .*, expected one JSON object") as caught:
        parse_object(text)
    assert text[:20] in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        verdict()[:-2],  # J14c: the last braces are missing
        '{"a": {"b": 1}',
        '{"a": 1, "b": {"Focus": 7} extra }',
        '{"a": 1,, "b": {"Focus": 7}}',
        '{ Step: {"Focus": 7}}',
        '{ «Step»: {"Focus": 7}}',
        '{ // scores\n"Step": {"Focus": 7}}',
        '{{"Focus": 7}}',
        '{sic {"Focus": 7}',
        '{"Focus": 7}}',
        '{"a": {"Focus": 7}}, "b": {"Focus": 7}}',
        '[{"Focus": 7}]',
        'so [ {"Focus": 7}, {"Focus": 7} ]',
        'so [1, {"Focus": 7}]',
    ],
)
def test_the_inside_of_something_else_is_never_taken_for_the_answer(text: str) -> None:
    for reply in (text, f"```json\n{text}\n```"):
        with pytest.raises(ReplyProblem, match=r"not well formed|ends before it is closed|expected one JSON"):
            parse_object(reply)


def test_an_object_that_ends_early_is_never_completed() -> None:  # J14c
    with pytest.raises(ReplyProblem, match=r"^the JSON ends before it is closed$"):
        parse_object(verdict()[:-2] + "\n")


def test_a_key_given_twice_with_different_values_is_a_problem() -> None:
    with pytest.raises(ReplyProblem, match="Focus: found twice, 4 and 8"):
        parse_object('{"Focus": 4, "Focus": 8}')
    assert parse_object('{"Focus": 4, "Focus": 4}') == ({"Focus": 4}, ())


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_json_does_not_have_are_a_problem(number: str) -> None:
    with pytest.raises(ReplyProblem, match="expected a number that JSON has"):
        parse_object(f'{{"Focus": {number}}}')


def test_half_a_character_and_absurd_nesting_are_problems_and_not_crashes() -> None:
    with pytest.raises(ReplyProblem, match="half of a character"):
        parse_object('{"a": "\\ud800"}')
    with pytest.raises(ReplyProblem):
        parse_object('{"a": ' + "[" * 100_000)
    with pytest.raises(ReplyProblem):
        parse_object('so {"a": ' + "[" * 100_000)
    with pytest.raises(ReplyProblem):
        parse_object('{"a": ' + "9" * 5000 + "}")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(st.characters(codec="utf-8"), max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=8), JSON, max_size=4), st.booleans())
def test_any_object_survives_a_fence_and_white_space(value: dict[str, Any], fenced: bool) -> None:
    try:
        text = json.dumps(value, ensure_ascii=False)
        text.encode()
    except UnicodeEncodeError:
        return
    assert parse_object(f"Here:\n```json\n{text}\n```\n" if fenced else f" \n{text}\n") == (value, ())


@given(st.text())
def test_no_reply_raises_anything_but_a_reply_problem(text: str) -> None:
    with contextlib.suppress(ReplyProblem):
        assert isinstance(parse_object(text)[0], dict)


PROSE = st.text(st.characters(exclude_characters="{}[]<", codec="utf-8"), max_size=20)
POINTS = st.dictionaries(st.sampled_from("abc"), st.integers(0, 2) | st.booleans(), min_size=1, max_size=2)


@given(PROSE, POINTS, PROSE, POINTS, PROSE)
def test_two_objects_are_one_verdict_only_if_they_are_the_same(
    before: str, first: dict[str, Any], between: str, second: dict[str, Any], after: str
) -> None:
    text = f"{before}{json.dumps(first)}{between}\n{second!r}{after}"
    if json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True):
        assert parse_object(text)[0] == first
    else:
        with pytest.raises(ReplyProblem, match="2 that differ"):
            parse_object(text)
