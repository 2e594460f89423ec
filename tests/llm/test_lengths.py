"""Long texts of a reply are kept, huge ones cut, and those that a grammar broke off marked."""

from __future__ import annotations

import json
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from creaeval.llm.replies.lengths import LONGEST_LIST, LONGEST_TEXT, fit_lengths

from .replies import read_as


class Note(BaseModel):
    """A form whose text is bounded for decoding alone."""

    text: Annotated[str, Field(json_schema_extra={"maxLength": 10})]
    quotes: list[str] = []


def test_a_text_of_several_thousand_characters_is_cut_with_a_mark_and_a_note() -> None:
    value, notes = fit_lengths({"a": [{"b": "x" * 9000}]}, {})
    assert value["a"][0]["b"] == "x" * (LONGEST_TEXT - 1) + "…"
    assert notes == ("a.b: cut to 8000 of 9000 characters",)


def test_a_long_list_keeps_its_beginning_and_says_so() -> None:
    value, notes = fit_lengths({"quotes": [str(n) for n in range(1000)]}, {})
    assert value["quotes"] == [str(n) for n in range(LONGEST_LIST)]
    assert notes == ("quotes: the first 200 of 1000 entries were kept",)


@pytest.mark.parametrize(
    ("text", "kept", "noted"),
    [
        ("exactly twenty signs", "exactly twenty signs…", True),
        ("it ends in a full stop"[:19] + ".", "it ends in a full s.", False),
        ("it ends in a space  ", "it ends in a space…", True),
        # The next token did not fit.
        ("thirteen lett", "thirteen lett…", True),
        ("elevensigns", "elevensigns", False),
        ("更多的字更多的字更多的字更多的字更多的字", "更多的字更多的字更多的字更多的字更多的字…", True),
        ("更多的字更多的字更多的字更多的字更多的。", "更多的字更多的字更多的字更多的字更多的。", False),
    ],
)
def test_a_text_that_reaches_the_bound_on_decoding_is_marked(text: str, kept: str, noted: bool) -> None:
    schema = {"properties": {"text": {"type": "string", "maxLength": 20}}}
    value, notes = fit_lengths({"text": text}, schema)
    assert value == {"text": kept}
    assert notes == (("text: broken off at 20 characters by the bound on decoding",) if noted else ())


def test_no_reply_is_refused_for_its_length() -> None:
    # The schema that is sent to a model without a grammar names no length, so nothing is marked either.
    reply = json.dumps({"text": "far more than ten signs", "quotes": ["a"] * 50})
    value = read_as(Note, reply).value
    assert value.text == "far more than ten signs"
    assert len(value.quotes) == 50


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=5),
    max_leaves=20,
)


@given(value=json_values)
def test_what_is_of_ordinary_length_stays_as_it_is(value: object) -> None:
    assert fit_lengths(value, {}) == (value, ())
