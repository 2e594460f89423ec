"""Tokens with their probabilities: read from replies, kept in the ledger."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from creaeval.llm import Ledger
from creaeval.llm.chat import ChatReply, ChatRequest, Message, Settings, Usage
from creaeval.llm.logprobs import Token, read_tokens, tokens_from_json, tokens_to_json
from creaeval.llm.records import NewCall
from loopback import Scripted

from .protocols import spell
from .test_hosted import reply_from

if TYPE_CHECKING:
    from pathlib import Path


def entry(token: str, chance: float, *others: tuple[str, float]) -> dict[str, Any]:
    tops = [{"token": other, "logprob": math.log(value)} for other, value in others]
    return {"token": token, "logprob": math.log(chance), "top_logprobs": tops}


def shares(token: Token) -> dict[str, float]:
    return {text: round(math.exp(chance), 4) for text, chance in token.chances}


def test_the_token_itself_counts_once_whether_or_not_it_is_among_the_likeliest() -> None:
    among, beside = read_tokens([entry("4", 0.5, ("4", 0.5), ("5", 0.3)), entry("4", 0.1, ("5", 0.6))])
    assert shares(among) == {"4": 0.5, "5": 0.3}
    assert shares(beside) == {"4": 0.1, "5": 0.6}


def test_what_is_very_rare_or_impossible_is_left_out_but_never_the_token_itself() -> None:
    tops = [{"token": "5", "logprob": -12.0}, {"token": "6", "logprob": -0.1}]
    given = {"token": "4", "logprob": None, "top_logprobs": tops}
    (token,) = read_tokens([given])
    assert token == Token("4", (("4", -9999.0), ("6", -0.1)))
    assert tokens_from_json(tokens_to_json([token])) == (token,)


def test_a_token_that_is_all_but_certain_still_shows_that_others_were_named() -> None:
    tops = [{"token": t, "logprob": chance} for t, chance in (("4", -1e-7), ("5", -17.0), ("6", -16.0))]
    (token,) = read_tokens([{"token": "4", "logprob": -1e-7, "top_logprobs": tops}])
    assert [text for text, _ in token.chances] == ["4", "6"]
    assert tokens_from_json(tokens_to_json([token])) == (token,)


def test_bytes_tell_what_a_token_is_where_it_is_no_whole_character() -> None:
    parts = [
        {"token": "\\xc3", "bytes": [0xC3], "logprob": 0.0},
        {"token": "\\xbc", "bytes": [0xBC], "logprob": 0},
    ]
    tokens = read_tokens(parts)
    kept = tokens_from_json(tokens_to_json(tokens))
    assert kept == tokens
    assert "".join(token.text for token in kept).encode(errors="surrogateescape").decode() == "ü"


def test_tokens_that_read_the_same_are_added_up_where_they_are_kept() -> None:
    (token,) = tokens_from_json(tokens_to_json(read_tokens([entry("4", 0.5, ("4", 0.5), ("4", 0.25))])))
    assert shares(token) == {"4": 0.75}


def test_no_tokens_are_kept_as_nothing() -> None:
    assert tokens_to_json(read_tokens([])) is None
    assert tokens_from_json(None) == ()


@pytest.mark.parametrize(
    ("prefix", "place", "count"),
    [("openai", "top_logprobs", 20), ("openai-responses", "top_logprobs", 20), ("qwen", "top_logprobs", 5)],
)
def test_as_many_alternatives_are_asked_for_as_the_provider_names(
    prefix: str, place: str, count: int
) -> None:
    text = '{"a": "4"}'
    _, server = reply_from(prefix, Scripted(text, logprobs=spell(text)), logprobs=True)
    assert server.requests[0][place] == count


@pytest.mark.parametrize("prefix", ["openai", "openai-responses", "google", "vllm"])
def test_alternatives_come_through_every_protocol(prefix: str) -> None:
    text = '{"a": "4"}'
    scripted = Scripted(text, logprobs=spell(text, [{"4": 0.5, "5": 0.25, "6": 0.125}]))
    reply, _ = reply_from(prefix, scripted, logprobs=True)
    (digit,) = [token for token in read_tokens(reply.logprobs) if token.text == "4"]
    assert shares(digit) == {"4": 0.5, "5": 0.25, "6": 0.125}


def kept(reply: ChatReply) -> NewCall:
    request = ChatRequest("s", (Message("user", "u"),), {"type": "object"}, "n", Settings(logprobs=True))
    return NewCall("k" * 64, {"provider": "p", "model": "m"}, "judge", {}, request, 0, reply)


def test_the_ledger_keeps_them_sums_them_up_and_prunes_them(tmp_path: Path) -> None:
    reply = ChatReply("4", "stop", Usage(), 0.1, "m", [entry("4", 0.5, ("4", 0.5), ("5", 0.25))])
    with Ledger.open(tmp_path / "l.db") as ledger:
        stored = ledger.put(kept(reply))
        assert [shares(token) for token in stored.tokens] == [{"4": 0.5, "5": 0.25}]
        assert ledger.find("k" * 64) == stored
        ledger.put(replace(kept(replace(reply, logprobs=())), key="o" * 64))
        assert ledger.check().unchecked == 0
        ledger.export_calls(tmp_path / "c.jsonl")
        lines = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()]
        assert [line["logprobs"] is None for line in lines] == [False, True]
        ledger.abandon(["k" * 64])
        ledger.prune(0, dry=False)
        assert ledger.check().unchecked == 0
    assert b"0.28768" not in (tmp_path / "l.db").read_bytes()
    assert b"-1.38629" not in (tmp_path / "l.db").read_bytes()
