"""Settings that would be dropped or changed on the way are found before anything is sent.

The table follows what pydantic-ai 2.68 was measured to send; see the module under test.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import creaeval
from booklets import scenarios, variant
from creaeval.errors import SettingError
from creaeval.llm import Ledger
from creaeval.llm.chat import ChatRequest, Message, Settings
from creaeval.llm.providers._checks import effective_reasoning, sent_body
from creaeval.llm.providers.hosted import HostedModel
from creaeval.llm.providers.table import COMPATIBLE, PROVIDERS
from creaeval.runs import RunStore
from llm.protocols import wanted
from loopback import Loopback, Scripted
from scripted import ScriptedModel

from .support import hosted, served

if TYPE_CHECKING:
    from pathlib import Path

NOWHERE = "http://127.0.0.1:9"


def problems(model: HostedModel, **settings: Any) -> tuple[str, ...]:
    """Check a model with its defaults and these settings, without a server."""
    try:
        asyncio.run(model.check(replace(model.defaults, **settings)))
    except SettingError as error:
        return error.problems
    return ()


COLD: dict[str, Any] = {"temperature": None}
OFF: dict[str, Any] = {"reasoning": "none"}
LOW: dict[str, Any] = {"reasoning": "low"}


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("openai:gpt-4o-mini", {}),
        ("openai:gpt-5", COLD),
        ("openai:gpt-5", {**COLD, "reasoning": "minimal"}),
        ("openai:gpt-5.4", {}),
        ("openai:gpt-5.4", OFF),
        ("openai:gpt-5.4", {**LOW, **COLD}),
        ("openai:gpt-5.6-sol", OFF),
        ("openai:o3", {**COLD, "reasoning": "medium"}),
        ("openai-responses:gpt-5.4", OFF),
        ("openai-responses:gpt-5.4", {**LOW, **COLD}),
        ("anthropic:claude-haiku-4-5", {}),
        ("anthropic:claude-haiku-4-5", OFF),
        ("anthropic:claude-haiku-4-5", {**LOW, **COLD}),
        ("anthropic:claude-haiku-4-5", {**LOW, "temperature": 1.0}),
        ("anthropic:claude-haiku-4-5", {**COLD, "reasoning": "medium", "max_tokens": 16384}),
        ("anthropic:claude-opus-4-6", {**LOW, **COLD}),
        ("anthropic:claude-opus-4-8", COLD),
        ("anthropic:claude-opus-5-5", {**LOW, **COLD}),
        ("anthropic:claude-haiku-5-5", {**OFF, **COLD}),
        ("google:gemini-2.5-flash", {}),
        ("google:gemini-2.5-flash", OFF),
        ("google:gemini-2.5-flash", LOW),
        ("google:gemini-3.1-pro-preview", LOW),
        ("google:gemini-3.1-pro-preview", {"reasoning": "high"}),
        ("deepseek:deepseek-chat", OFF),
        ("deepseek:deepseek-v4-pro", OFF),
        ("deepseek:deepseek-v4-pro", LOW),
        ("qwen:qwen3.6-plus-2026-04-02", {}),
        ("qwen:qwen3.6-plus-2026-04-02", OFF),
        ("mistral:mistral-large-latest", OFF),
        ("mistral:mistral-medium-latest", OFF),
        ("mistral:mistral-medium-latest", {"reasoning": "high"}),
        ("groq:openai/gpt-oss-120b", LOW),
        ("groq:qwen/qwen3.8-27b", OFF),
        ("groq:llama-3.3-70b-versatile", OFF),
        *(
            ("vllm:ours", {"reasoning": level})
            for level in ("none", "minimal", "low", "medium", "high", "xhigh")
        ),
        ("ollama:ours", {"seed": 7, "temperature": 1.3, "max_tokens": 99}),
        ("llamacpp:ours", {"extra_body": '{"top_k": 5}'}),
        ("openai:gpt-4o-mini", {"extra_body": '{"a": {"b": [1]}}'}),
        ("anthropic:claude-haiku-4-5", {"extra_body": '{"top_k": 5}'}),
        ("groq:llama-3.3-70b-versatile", {"extra_body": '{"top_k": 5}'}),
    ],
)
def test_what_is_sent_as_it_is_passes(name: str, settings: dict[str, Any]) -> None:
    prefix, _, model = name.partition(":")
    assert problems(hosted(prefix, model, NOWHERE), **settings) == ()


TEMPERATURE = ("temperature", "0.2", "--set temperature=default")


@pytest.mark.parametrize(
    ("name", "settings", "setting", "value", "way_out"),
    [
        ("openai:gpt-5", {}, *TEMPERATURE),
        ("openai:o3", {}, *TEMPERATURE),
        ("openai:gpt-5.6-sol", {}, *TEMPERATURE),
        ("openai:gpt-5.4", LOW, *TEMPERATURE),
        ("openai-responses:gpt-5.4", LOW, *TEMPERATURE),
        ("openai-responses:gpt-5.4", {"seed": 1}, "seed", "1", "--set seed=default"),
        ("anthropic:claude-haiku-4-5", {"seed": 17}, "seed", "17", "--set seed=default"),
        ("anthropic:claude-opus-4-8", {}, *TEMPERATURE),
        ("anthropic:claude-opus-4-6", LOW, *TEMPERATURE),
        ("anthropic:claude-haiku-4-5", LOW, *TEMPERATURE),
        # Its API refuses a limit that the reasoning alone could use up: 10,000 tokens at medium.
        (
            "anthropic:claude-haiku-4-5",
            {**COLD, "reasoning": "medium"},
            "max_tokens",
            "4096",
            "--set max_tokens=14096",
        ),
        (
            "anthropic:claude-opus-4-6",
            {**COLD, "reasoning": "minimal"},
            "reasoning",
            "minimal",
            "reasoning=default",
        ),
        ("anthropic:claude-opus-5-5", {**OFF, **COLD}, "reasoning", "none", "--set reasoning=low"),
        ("anthropic:claude-sonnet-5-5", {**OFF, **COLD}, "reasoning", "none", "--set reasoning=default"),
        ("google:gemini-3.1-pro-preview", OFF, "reasoning", "none", "--set reasoning=low"),
        (
            "google:gemini-3.1-pro-preview",
            {"reasoning": "minimal"},
            "reasoning",
            "minimal",
            "reasoning=default",
        ),
        ("groq:openai/gpt-oss-120b", OFF, "reasoning", "none", "--set reasoning=low"),
        ("groq:qwen/qwen3.8-27b", LOW, "reasoning", "low", "--set reasoning=default"),
        ("groq:llama-3.3-70b-versatile", LOW, "reasoning", "low", "--set reasoning=default"),
        ("mistral:mistral-medium-latest", LOW, "reasoning", "low", "--set reasoning=default"),
        ("mistral:mistral-large-latest", LOW, "reasoning", "low", "--set reasoning=default"),
        ("deepseek:deepseek-chat", LOW, "reasoning", "low", "--set reasoning=default"),
        ("qwen:qwen3.6-plus-2026-04-02", LOW, "reasoning", "low", "--set reasoning=none"),
        ("qwen:qwen-plus", {"reasoning": "high"}, "reasoning", "high", "--set reasoning=default"),
        (
            "google:gemini-2.5-flash",
            {"extra_body": '{"top_k": 5}'},
            "extra_body",
            '{"top_k": 5}',
            "Leave it out",
        ),
        (
            "mistral:mistral-large-latest",
            {"extra_body": '{"a": 1}'},
            "extra_body",
            '{"a": 1}',
            "Leave it out",
        ),
        # A field of one's own that takes another setting's place.
        ("vllm:ours", {"extra_body": '{"temperature": 1}'}, *TEMPERATURE),
    ],
)
def test_what_would_be_dropped_or_changed_is_named_with_the_way_out(
    name: str, settings: dict[str, Any], setting: str, value: str, way_out: str
) -> None:
    prefix, _, model = name.partition(":")
    (problem,) = problems(hosted(prefix, model, NOWHERE), **settings)
    assert problem.startswith(name)
    assert setting in problem
    assert value in problem
    assert way_out in problem


def test_a_server_that_is_not_openai_is_judged_by_the_models_name_too() -> None:
    # pydantic-ai drops a temperature for names like those of OpenAI's reasoning models, whoever serves them.
    assert problems(served(NOWHERE)) == ()
    model = HostedModel("openai:gpt-5", "gpt-5", COMPATIBLE, base_url=NOWHERE)
    assert problems(model)[0].startswith("openai:gpt-5 takes no temperature: found 0.2")


def test_all_that_would_be_lost_is_listed_at_once() -> None:
    found = problems(hosted("anthropic", "claude-opus-4-8", NOWHERE), seed=3, reasoning="minimal")
    assert [line.partition(":")[2].partition(",")[0].partition(": ")[0] for line in found] == [
        "claude-opus-4-8 takes no temperature with reasoning=minimal",
        "claude-opus-4-8 takes no seed with reasoning=minimal",
        "claude-opus-4-8 does not take reasoning=minimal",
    ]
    assert all(line.startswith("anthropic:claude-opus-4-8 ") for line in found)


def test_what_a_request_carries_is_what_was_set() -> None:
    settings = Settings(0.7, 321, 5, 33.0)
    body = asyncio.run(sent_body(PROVIDERS["vllm"], "ours", settings))
    assert (body["model"], body["temperature"], body["max_tokens"], body["seed"]) == ("ours", 0.7, 321, 5)
    body = asyncio.run(sent_body(PROVIDERS["mistral"], "mistral-large-latest", settings))
    assert (body["temperature"], body["max_tokens"], body["random_seed"]) == (0.7, 321, 5)
    body = asyncio.run(sent_body(PROVIDERS["google"], "gemini-2.5-flash", settings))
    sent = body["generationConfig"]
    assert (sent["temperature"], sent["maxOutputTokens"], sent["seed"]) == (0.7, 321, 5)
    body = asyncio.run(sent_body(PROVIDERS["qwen"], "qwen-plus", replace(settings, reasoning="none")))
    assert (body["enable_thinking"], body["max_completion_tokens"]) == (False, 321)


@pytest.mark.parametrize(
    ("body", "level"),
    [
        ({}, None),
        ({"reasoning_effort": "none"}, "none"),
        ({"reasoning": {"effort": "low", "context": "all_turns"}}, "low"),
        ({"thinking": {"type": "enabled", "budget_tokens": 2048}}, "on"),
        ({"thinking": {"type": "disabled"}}, "none"),
        ({"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}, "high"),
        ({"generationConfig": {"thinkingConfig": {"thinking_budget": 0}}}, "none"),
        ({"generationConfig": {"thinkingConfig": {"thinking_budget": 8192}}}, "on"),
        ({"generationConfig": {"thinkingConfig": {"thinking_level": "LOW"}}}, "low"),
        ({"enable_thinking": False}, "none"),
        ({"enable_thinking": True}, "on"),
        # The words of a prompt and of a schema are no settings.
        ({"messages": [{"reasoning_effort": "low"}], "tools": [{"effort": "high"}]}, None),
    ],
)
def test_how_much_a_model_is_told_to_reason_is_read_from_the_body(body: Any, level: str | None) -> None:
    assert effective_reasoning(body) == level


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "why": {"type": "string", "minLength": 1, "maxLength": 20},
        "score": {"type": "integer", "minimum": 0, "maximum": 3},
        "status": {"type": "string", "enum": ["present", "none"]},
        "marks": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        "other": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    },
    "required": ["why", "score", "status", "marks", "other"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("name", "mode", "untouched"),
    [
        ("vllm:ours", "native", True),
        ("openai:gpt-5.4", "native", True),
        ("openai-responses:gpt-5.4", "native", True),
        ("anthropic:claude-haiku-4-5", "native", False),
        ("google:gemini-2.5-flash", "native", True),
        ("mistral:mistral-large-latest", "tool", True),
        ("groq:openai/gpt-oss-120b", "native", False),
        ("groq:llama-3.3-70b-versatile", "tool", True),
        ("deepseek:deepseek-chat", "tool", False),
        ("qwen:qwen-plus", "tool", True),
    ],
)
def test_the_form_of_a_schema_that_decides_a_calls_key_is_the_form_in_which_it_is_sent(
    name: str, mode: str, untouched: bool
) -> None:
    prefix, _, model_name = name.partition(":")

    async def go(root: str) -> HostedModel:
        model = hosted(prefix, model_name, root)
        settings = replace(model.defaults, timeout=5.0)
        try:
            await model.request(ChatRequest("", (Message("user", "Rate it."),), SCHEMA, "Sheet", settings))
        finally:
            await model.close()
        return model

    with Loopback(lambda *_: Scripted("{}")) as server:
        form = asyncio.run(go(server.root)).form(SCHEMA)
    (body,) = server.requests
    sent_name, sent = wanted(body)
    assert sent_name in ("Sheet", "")  # Anthropic's native output has no name
    # Google is told the name as the schema's title, and a call's key holds the name anyway.
    sent.pop("title", None)
    if prefix == "vllm":
        assert form is SCHEMA
    else:
        assert form == {"mode": mode, "schema": sent}
    assert json.dumps(sent).find("maxLength") > 0
    assert (sent == SCHEMA) is untouched
    in_tool = bool(body.get("tools"))
    assert in_tool is (mode == "tool")


def test_another_order_of_a_schema_has_another_form() -> None:
    model = hosted("anthropic", "claude-haiku-4-5", NOWHERE)
    reordered = {**SCHEMA, "properties": dict(reversed(SCHEMA["properties"].items()))}
    forms = [model.form(schema)["schema"]["properties"] for schema in (SCHEMA, reordered, SCHEMA)]
    assert [next(iter(form)) for form in forms] == ["why", "other", "why"]
    assert model.form(SCHEMA) == model.form(dict(SCHEMA))


@pytest.mark.parametrize("role", ["analyst", "judge"])
def test_a_run_with_a_setting_that_would_be_lost_stops_before_its_first_request(
    tmp_path: Path, role: str
) -> None:
    with Loopback(lambda *_: Scripted("{}")) as server:
        strict = hosted("anthropic", "claude-opus-4-8", server.root)
        scripted = ScriptedModel()
        roles = (
            {"analyst": strict, "judges": scripted}
            if role == "analyst"
            else {"analyst": scripted, "judges": strict}
        )
        with pytest.raises(SettingError, match=r"anthropic:claude-opus-4-8 takes no temperature: found 0\.7"):
            creaeval.score(
                [variant("a"), variant("b")],
                scenarios=scenarios(),
                settings={f"{role}.temperature": 0.7},
                ledger=tmp_path / "l.db",
                **roles,  # type: ignore[arg-type]
            )
    assert server.requests == []
    assert scripted.requests == []
    with Ledger.open(tmp_path / "l.db") as ledger:
        assert ledger.totals() == []
        (stored,) = RunStore(ledger).list()
        run = RunStore(ledger).load(stored.id)
    assert (run.state, len(run.outcomes), len(run.sheets)) == ("failed", 0, 0)


def test_what_is_left_to_the_provider_lets_the_run_go_on(tmp_path: Path) -> None:
    answer = ScriptedModel()
    with Loopback(lambda *_: Scripted(fault="bad_request")) as server:
        run = creaeval.score(
            [variant("a")],
            scenarios=scenarios(),
            analyst=answer,
            judges=hosted("anthropic", "claude-opus-4-8", server.root),
            settings={"temperature": "default"},
            ledger=tmp_path / "l.db",
        )
    assert len(server.requests) == 1
    assert "temperature" not in server.requests[0]
    assert [failure.stage for failure in run.outcomes[0].failures] == ["judge"]
