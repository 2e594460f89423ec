"""What the tests of the llm layer share."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from creaeval.llm.ask import Prompt
from creaeval.llm.chat import ChatReply, ChatRequest, Limits, Usage
from creaeval.llm.providers.hosted import HostedModel
from creaeval.llm.providers.table import COMPATIBLE, PROVIDERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pytest

KEY = "sk-test-4f9a8b7c6d5e"


class Step2(BaseModel):
    """The six dimensions of one step, with their points (shared/cases/README.md)."""

    model_config = ConfigDict(extra="forbid", strict=True)
    condition_phrase: Annotated[int, Field(alias="Condition Phrase", ge=0, le=2)]
    stem: Annotated[int, Field(alias="Stem & KVP", ge=0, le=3)]
    purpose: Annotated[int, Field(alias="Purpose", ge=0, le=3)]
    parameters: Annotated[int, Field(alias="FS Parameters", ge=0, le=2)]
    focus: Annotated[int, Field(alias="Focus", ge=1, le=10)]
    adequacy: Annotated[int, Field(alias="Adequacy", ge=1, le=10)]


class Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid")
    step: Annotated[Step2, Field(alias="Step-2")]


def verdict(focus: int = 7, **changes: int) -> str:
    """Write a verdict as the cases do."""
    points = {"Condition Phrase": 1, "Stem & KVP": 2, "Purpose": 2, "FS Parameters": 1}
    return json.dumps({"Step-2": {**points, "Focus": focus, "Adequacy": 6, **changes}})


PROMPT = Prompt("You judge.", "Rate response R1.")
LABEL = {"response_id": "R1", "step": "step2"}


class FakeModel:
    """A ChatModel that answers from a function of the request and its number."""

    free = True

    def __init__(
        self,
        answer: Callable[[ChatRequest, int], str | ChatReply | Exception],
        *,
        name: str = "fake:m1",
        concurrency: int = 4,
    ) -> None:
        self.name = name
        self.identity: Mapping[str, str] = {"provider": "fake", "base_url": "", "model": name}
        self.limits = Limits(concurrency=concurrency)
        self.requests: list[ChatRequest] = []
        self.started = 0
        self._answer = answer

    async def start(self) -> None:
        self.started += 1

    async def request(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        answer = self._answer(request, len(self.requests) - 1)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, ChatReply):
            return answer
        return ChatReply(answer, "stop", Usage(10, 2, 5, 1), 0.5, "m1-reported")

    async def close(self) -> None:
        pass


def served(url: str, **options: Any) -> HostedModel:
    """Make a model behind a loopback server that speaks OpenAI's protocol but is not OpenAI."""
    return HostedModel("openai:m1", "m1", COMPATIBLE, base_url=url, api_key=KEY, **options)


# One for each protocol and dialect.
MODELS = {
    "vllm": "ours",
    "openai": "gpt-5.4",
    "openai-responses": "gpt-5.4",
    "anthropic": "claude-haiku-4-5",
    "google": "gemini-2.5-flash",
    "mistral": "mistral-large-latest",
    "groq": "openai/gpt-oss-120b",
    "deepseek": "deepseek-chat",
    "qwen": "qwen-plus",
}


def address(prefix: str, root: str) -> str:
    """Return what a provider's base URL is on a loopback server, whose root is without ``/v1``."""
    return root if PROVIDERS[prefix].api in ("anthropic", "google", "groq", "mistral") else f"{root}/v1"


def hosted(prefix: str, model: str, root: str, **options: Any) -> HostedModel:
    """Make a provider's model behind a loopback server, whose URL is without ``/v1``."""
    provider = PROVIDERS[prefix]
    url = address(prefix, root)
    return HostedModel(f"{prefix}:{model}", model, provider, base_url=url, api_key=KEY, **options)


def without_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unset every variable that a provider reads."""
    for provider in PROVIDERS.values():
        for variable in (*provider.keys, *provider.url_variables):
            monkeypatch.delenv(variable, raising=False)
