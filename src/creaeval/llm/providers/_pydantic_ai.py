"""Write a request of ours as pydantic-ai takes it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.tools import ToolDefinition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic_ai.settings import ModelSettings

    from creaeval.llm.chat import ChatRequest, Settings
    from creaeval.llm.providers._backends import Mode
    from creaeval.llm.providers.table import Provider

_TEXT = ModelRequestParameters()


def settings_to_send(
    provider: Provider, settings: Settings, extra: Mapping[str, Any] | None = None
) -> ModelSettings:
    """Write settings as pydantic-ai takes them.

    Parameters
    ----------
    provider : Provider
        Whose model.
    settings : Settings
        Our settings.
    extra : mapping, optional
        Further fields of the request's body.

    Returns
    -------
    ModelSettings
        Theirs; what is None is left out.
    """
    sent: dict[str, Any] = {"max_tokens": settings.max_tokens, "timeout": settings.timeout}
    if settings.temperature is not None:
        sent["temperature"] = settings.temperature
    if settings.seed is not None:
        sent["seed"] = settings.seed
    body = dict(extra or {}) | (json.loads(settings.extra_body) if settings.extra_body else {})
    if settings.reasoning is not None:
        if provider.dialect == "qwen":
            # DashScope only knows on and off; `check_settings` refuses the levels between.
            body["enable_thinking"] = settings.reasoning != "none"
        elif provider.api in ("chat", "responses") and provider.dialect != "deepseek":
            # Sent word for word, where pydantic-ai's `thinking` is dropped for names it does not know.
            sent["openai_reasoning_effort"] = settings.reasoning
        else:
            sent["thinking"] = False if settings.reasoning == "none" else settings.reasoning
    if settings.logprobs:
        client = "google" if provider.api == "google" else "openai"
        sent |= {f"{client}_logprobs": True, f"{client}_top_logprobs": provider.alternatives}
    if body:
        sent["extra_body"] = body
    return cast("ModelSettings", sent)


def json_schema_format(schema: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Write OpenAI's ``response_format`` for a schema.

    Sent as a further field of the body it arrives untouched, and OpenAI's client does not walk through the
    whole schema, which takes a third of a call's processor time.

    Parameters
    ----------
    schema : mapping
        The schema.
    name : str
        Its name.

    Returns
    -------
    dict
    """
    return {
        "type": "json_schema",
        "json_schema": {"name": name, "schema": schema, "strict": True},
    }


def conversation(request: ChatRequest) -> list[ModelMessage]:
    """Write a conversation as pydantic-ai takes it.

    Parameters
    ----------
    request : ChatRequest
        What to ask.

    Returns
    -------
    list of ModelMessage
        The turns; the instructions go with each of the user's.
    """
    turns: list[ModelMessage] = []
    for message in request.messages:
        if message.role == "user":
            turns.append(ModelRequest(parts=[UserPromptPart(message.text)], instructions=request.system))
        else:
            turns.append(ModelResponse(parts=[TextPart(message.text)]))
    return turns


def output_form(schema: Mapping[str, Any], name: str, mode: Mode) -> ModelRequestParameters:
    """Ask for an answer in the form of a schema.

    Parameters
    ----------
    schema : mapping
        The schema.
    name : str
        Its name.
    mode : {"native", "tool", "text"}
        By the server's own structured output, as the arguments of a tool, or not at all (where a grammar
        constrains the answer instead).

    Returns
    -------
    ModelRequestParameters
    """
    if mode == "text":
        return _TEXT
    if mode == "native":
        wanted = OutputObjectDefinition(json_schema=dict(schema), name=name, strict=True)
        return ModelRequestParameters(output_mode="native", allow_text_output=False, output_object=wanted)
    tool = ToolDefinition(name=name, parameters_json_schema=dict(schema), kind="output", strict=True)
    return ModelRequestParameters(output_mode="tool", allow_text_output=False, output_tools=[tool])
