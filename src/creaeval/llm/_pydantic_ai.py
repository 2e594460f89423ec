"""The one place that knows pydantic-ai's shapes: build a model, a conversation, and check what is sent."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from openai import AsyncOpenAI
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings

from creaeval.errors import SettingError
from creaeval.llm.chat import ChatRequest, Message, Settings

if TYPE_CHECKING:
    from pydantic_ai.providers import Provider


def build_model(client: AsyncOpenAI, model: str, *, official: bool) -> OpenAIChatModel:
    """Build a pydantic-ai model over a client.

    Parameters
    ----------
    client : openai.AsyncOpenAI
        The client.
    model : str
        The name sent to the server.
    official : bool
        True for api.openai.com, which wants the schema in its strict form; other servers get it untouched,
        since the strict form turns lengths into words and llama.cpp then writes to the token limit.

    Returns
    -------
    OpenAIChatModel
        The model.
    """
    provider: Provider[AsyncOpenAI]
    if official:
        provider = OpenAIProvider(openai_client=client)
    else:
        profile = OpenAIModelProfile(
            json_schema_transformer=None, openai_chat_supports_max_completion_tokens=False
        )
        provider = OpenAICompatibleProvider("compatible", openai_client=client, profile=profile)
    return OpenAIChatModel(model, provider=provider)


def settings_to_send(settings: Settings, grammar: str | None = None) -> ModelSettings:
    """Write settings as pydantic-ai takes them.

    Parameters
    ----------
    settings : Settings
        Our settings.
    grammar : str, optional
        A grammar of llama.cpp to send along.

    Returns
    -------
    ModelSettings
        Theirs; what is None is left out.
    """
    sent = ModelSettings(max_tokens=settings.max_tokens, timeout=settings.timeout)
    if settings.temperature is not None:
        sent["temperature"] = settings.temperature
    if settings.seed is not None:
        sent["seed"] = settings.seed
    if grammar is not None:
        sent["extra_body"] = {"grammar": grammar}
    return sent


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


def parameters(request: ChatRequest, *, native: bool = True) -> ModelRequestParameters:
    """Ask for the server's own structured output.

    Parameters
    ----------
    request : ChatRequest
        What to ask.
    native : bool
        False where a grammar constrains the answer instead.

    Returns
    -------
    ModelRequestParameters
        The form of the answer.
    """
    if not native:
        return ModelRequestParameters()
    wanted = OutputObjectDefinition(json_schema=dict(request.schema), name=request.schema_name, strict=True)
    return ModelRequestParameters(output_mode="native", allow_text_output=False, output_object=wanted)


class _Recorded(BaseException):
    def __init__(self, body: dict[str, Any]) -> None:
        self.body = body


class _Recorder(AsyncOpenAI):
    async def post(self, *_path: Any, **options: Any) -> Any:
        raise _Recorded(options["body"])


def check_settings(client: AsyncOpenAI, model: str, settings: Settings, name: str, *, official: bool) -> None:
    """Make a request that goes nowhere, and see that every setting is in it.

    pydantic-ai drops what it believes a model cannot take, sometimes with a warning; a run that reports
    temperature 0.2 must have sent it.

    Parameters
    ----------
    client : openai.AsyncOpenAI
        The real client, whose transport is borrowed and not used.
    model : str
        The name sent to the server.
    settings : Settings
        What must be sent.
    name : str
        The model's name for the message.
    official : bool
        As in `build_model`.

    Raises
    ------
    SettingError
        Settings that would be dropped.
    """
    recorder = _Recorder(base_url=client.base_url, api_key="none", http_client=client._client)
    request = ChatRequest("", (Message("user", "-"),), {"type": "object", "properties": {}}, "none", settings)
    body: dict[str, Any] = {}
    # One step reaches the recorder, so no other task runs while warnings are held back.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        coroutine = model_request(
            build_model(recorder, model, official=official),
            conversation(request),
            model_settings=settings_to_send(settings),
            model_request_parameters=parameters(request),
        )
        try:
            coroutine.send(None)
        except _Recorded as recorded:
            body = recorded.body
        finally:
            coroutine.close()
    limit = body.get("max_completion_tokens", body.get("max_tokens"))
    sent = {"temperature": body.get("temperature"), "seed": body.get("seed"), "max_tokens": limit}
    dropped = [key for key, value in sent.items() if value != getattr(settings, key)]
    if dropped:
        names = " and ".join(dropped)
        found = ", ".join(f"{key} {getattr(settings, key)}" for key in dropped)
        raise SettingError(
            f"{name} takes no {names}: found {found}, which would not be sent. "
            f"Set {names} to none, or choose another model."
        )
