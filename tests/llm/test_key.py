from __future__ import annotations

from dataclasses import replace

import pytest

from creaeval.llm.chat import ChatRequest, Message, Settings
from creaeval.llm.key import answer_settings, call_key, schema_hash

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
        replace(REQUEST, settings=Settings(reasoning="none")),
        replace(REQUEST, settings=Settings(reasoning="low")),
        replace(REQUEST, settings=Settings(extra_body='{"top_k": 5}')),
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


def test_settings_that_say_nothing_leave_keys_as_they_were_before_there_were_such_settings() -> None:
    assert answer_settings(Settings()) == {"temperature": 0.2, "max_tokens": 4096, "seed": 1}
    further = Settings(reasoning="low", extra_body='{"top_k": 5}')
    assert answer_settings(further) == {
        "temperature": 0.2,
        "max_tokens": 4096,
        "seed": 1,
        "reasoning": "low",
        "extra_body": '{"top_k": 5}',
    }


def test_a_reply_without_token_probabilities_does_not_serve_whoever_asks_for_them() -> None:
    assert call_key(IDENTITY, replace(REQUEST, settings=Settings(logprobs=True)), 0) != KEY
    assert call_key(IDENTITY, replace(REQUEST, settings=Settings(logprobs=False)), 0) == KEY


def test_the_form_in_which_a_schema_is_sent_counts_in_place_of_the_schema() -> None:
    own = schema_hash(REQUEST.schema)
    assert call_key(IDENTITY, REQUEST, 0, own) == KEY
    sent = schema_hash({"mode": "tool", "schema": REQUEST.schema})
    assert call_key(IDENTITY, REQUEST, 0, sent) != KEY
    other = replace(REQUEST, schema={"type": "object"})
    assert call_key(IDENTITY, other, 0, sent) == call_key(IDENTITY, REQUEST, 0, sent)


def test_a_key_can_be_made_of_any_text() -> None:
    assert len(call_key(IDENTITY, replace(REQUEST, system="half \ud800 and \x00"), 0)) == 64
