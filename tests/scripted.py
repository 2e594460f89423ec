"""A model that answers any of our schemas by a script and keeps what it was asked."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from creaeval.llm import ChatReply, ChatRequest, Usage
from creaeval.llm.chat import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from loopback import Handler

    Write = Callable[[str], str]


def canned(path: str) -> str:
    """Say something that depends on the field alone; no quotes, and no items that say the same."""
    return "" if path.endswith((".quotes", ".same_as", ".why_same")) else f"Canned {path.partition('.')[2]}."


def fill(
    schema: Mapping[str, Any],
    path: str,
    values: Mapping[str, Any] | None = None,
    write: Write = canned,
) -> Any:
    """Make a valid reply to a JSON schema.

    Parameters
    ----------
    schema : mapping
        The schema, without references.
    path : str
        Where it stands, such as ``step1_evidence.items.item_1.category``; it starts with the schema's name.
    values : mapping of str to object
        By path, what to answer there instead of the lowest number, the first choice or what is written.
    write : callable
        Writes the text of a field; an empty one leaves a list empty.
    """
    if values and path in values:
        return values[path]
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return fill(schema["anyOf"][0], path, values, write)
    match schema["type"]:
        case "object":
            fields = schema.get("properties", {}).items()
            return {name: fill(field, f"{path}.{name}", values, write) for name, field in fields}
        case "array" if schema["items"]["type"] == "object":
            return [fill(schema["items"], path, values, write)]
        case "array":
            text = write(path)
            return [text[: schema["items"].get("maxLength")]] if text else []
        case "integer":
            return schema.get("minimum", 0)
        case "string":
            return write(path)[: schema.get("maxLength")]
        case other:
            raise AssertionError(f"{path}: no script for {other}")


def first_question(request: ChatRequest) -> tuple[str, str]:
    """What was asked first, also where it is asked anew with what was wrong."""
    return request.system, request.messages[0].text.partition("\n\nAn earlier reply")[0]


def text_of(request: ChatRequest) -> str:
    """All that a request says in words."""
    return "\n".join([request.system, *(message.text for message in request.messages)])


def stage_of(request: ChatRequest) -> str:
    """The step an analyst is asked for, or ``judge``."""
    step, evidence, _ = request.schema_name.partition("_evidence")
    return step if evidence else "judge"


def echo(pattern: str) -> Callable[[ChatRequest], str]:
    """Answer with whatever of a prompt matches, in every text of the reply."""

    def answer(request: ChatRequest) -> str:
        seen = " ".join(sorted(set(re.findall(pattern, text_of(request)))))
        return json.dumps(fill(request.schema, request.schema_name, write=lambda _: seen))

    return answer


def chances_of(text: str, chances: Mapping[str, Mapping[str, float]] | None = None) -> list[dict[str, Any]]:
    """Spell a reply token by token, each digit by itself, with probabilities as a provider names them.

    Parameters
    ----------
    text : str
        The reply.
    chances : mapping of str to mapping
        By a digit, the probability of each token there; every other token is all but certain.
    """
    from loopback import spell

    tokens = spell(text, [(chances or {}).get(d, {d: 0.9999}) for d in re.findall(r"\d", text)])
    rare = {"token": "~", "logprob": -9.3, "bytes": [126]}
    return [{**token, "top_logprobs": [*token["top_logprobs"], rare]} for token in tokens]


class WithChances:
    """A model that names the probabilities of its tokens where it is asked for them."""

    def __init__(
        self, model: ScriptedModel, chances: Mapping[str, Mapping[str, float]] | None = None
    ) -> None:
        self._model, self._chances = model, chances

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    async def request(self, request: ChatRequest) -> ChatReply:
        """Answer as the model does."""
        reply = await self._model.request(request)
        if not request.settings.logprobs:
            return reply
        return replace(reply, logprobs=chances_of(reply.text, self._chances))


class ScriptedModel:
    """A ChatModel that follows a script.

    Parameters
    ----------
    name : str
        Its name; its identity too unless one is given.
    values, write
        As for :func:`fill`.
    answer : callable, optional
        Returns the whole reply to a request instead.
    fails : callable, optional
        Returns the error to raise for a request, or None.
    invalid : callable, optional
        Returns how many replies to this request's conversation are unusable before one is usable.
    delay : float
        Seconds before each reply.
    """

    free = True

    def __init__(
        self,
        name: str = "scripted:one",
        *,
        values: Mapping[str, Any] | None = None,
        write: Write = canned,
        answer: Callable[[ChatRequest], str] | None = None,
        fails: Callable[[ChatRequest], Exception | None] | None = None,
        invalid: Callable[[ChatRequest], int] | None = None,
        delay: float = 0.0,
        concurrency: int = 4,
        identity: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.identity: Mapping[str, str] = identity or {
            "provider": "scripted",
            "base_url": "",
            "model": name,
        }
        self.limits = Limits(concurrency=concurrency)
        self.requests: list[ChatRequest] = []
        self.closed = 0
        self._values, self._write, self._answer = values, write, answer
        self._fails, self._invalid, self._delay = fails, invalid, delay

    async def start(self) -> None:
        """Start nothing."""

    async def request(self, request: ChatRequest) -> ChatReply:
        """Answer by the script."""
        self.requests.append(request)
        if self._delay:
            await asyncio.sleep(self._delay)
        if self._fails is not None and (error := self._fails(request)) is not None:
            raise error
        tries = sum(first_question(earlier) == first_question(request) for earlier in self.requests[:-1])
        if self._invalid is not None and tries < self._invalid(request):
            text = "{}"
        elif self._answer is not None:
            text = self._answer(request)
        else:
            text = json.dumps(fill(request.schema, request.schema_name, self._values, self._write))
        return ChatReply(text, "stop", Usage(input=100, cached=40, output=10), 0.5, self.name)

    async def close(self) -> None:
        """Count that it was closed."""
        self.closed += 1

    def asked(self, stage: str) -> list[ChatRequest]:
        """The requests of one stage: a step or ``judge``."""
        return [request for request in self.requests if stage_of(request) == stage]


def served(pattern: str) -> Handler:
    """Make a handler for the loopback server; its texts repeat what of the prompt matches."""
    from loopback import Scripted

    def handler(body: dict[str, Any], _: int) -> Scripted:
        wanted = body["response_format"]["json_schema"]
        seen = " ".join(sorted(set(re.findall(pattern, json.dumps(body["messages"])))))
        reply = fill(
            wanted["schema"], wanted["name"], write=lambda path: canned(path) and f"{seen} {canned(path)}"
        )
        return Scripted(json.dumps(reply))

    return handler
