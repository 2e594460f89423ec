from __future__ import annotations

from dataclasses import replace

import pytest

from creaeval.llm.chat import ChatRequest, Message, Settings
from creaeval.llm.key import call_key

IDENTITY = {"provider": "openai", "base_url": "https://a.example/v1", "model": "m1"}
REQUEST = ChatRequest(
    "You judge.", (Message("user", "Rate it."),), {"type": "object", "properties": {}}, "Sheet", Settings()
)
KEY = call_key(IDENTITY, REQUEST, 0)


@pytest.mark.parametrize(
    "request_",
    [
        replace(REQUEST, settings=Settings(temperature=0.7)),
        replace(REQUEST, settings=Settings(temperature=None)),
        replace(REQUEST, settings=Settings(max_tokens=100)),
        replace(REQUEST, settings=Settings(seed=2)),
        replace(REQUEST, settings=Settings(seed=None)),
        replace(REQUEST, system="You are the judge."),
        replace(REQUEST, messages=(Message("user", "Rate it!"),)),
        replace(REQUEST, messages=(*REQUEST.messages, Message("assistant", "{}"), Message("user", "Again."))),
        replace(REQUEST, messages=(Message("assistant", "Rate it."),)),
        replace(REQUEST, schema={"type": "object", "properties": {"a": {}}}),
        replace(REQUEST, schema_name="Sheet2"),
    ],
)
def test_whatever_can_change_the_answer_changes_the_key(request_: ChatRequest) -> None:
    assert call_key(IDENTITY, request_, 0) != KEY


@pytest.mark.parametrize("name", ["provider", "base_url", "model"])
def test_another_model_or_server_has_another_key(name: str) -> None:
    assert call_key({**IDENTITY, name: "other"}, REQUEST, 0) != KEY


def test_a_repetition_has_its_own_key() -> None:
    assert call_key(IDENTITY, REQUEST, 1) != KEY


def test_the_order_of_fields_in_a_schema_counts_since_the_model_writes_in_that_order() -> None:
    first = replace(REQUEST, schema={"properties": {"a": {}, "b": {}}})
    second = replace(REQUEST, schema={"properties": {"b": {}, "a": {}}})
    assert call_key(IDENTITY, first, 0) != call_key(IDENTITY, second, 0)


def test_the_timeout_and_the_writing_of_a_number_do_not_change_the_key() -> None:
    assert call_key(IDENTITY, replace(REQUEST, settings=Settings(timeout=5)), 0) == KEY
    zero = [call_key(IDENTITY, replace(REQUEST, settings=Settings(temperature=t)), 0) for t in (0, 0.0)]
    assert zero[0] == zero[1]


def test_a_key_can_be_made_of_any_text() -> None:
    assert len(call_key(IDENTITY, replace(REQUEST, system="half \ud800 and \x00"), 0)) == 64
