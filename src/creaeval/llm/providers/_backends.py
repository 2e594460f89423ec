"""Build pydantic-ai's model of each provider over its own client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from creaeval.llm.providers._pydantic_ai import output_form

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from openai import AsyncOpenAI
    from openai._types import RequestOptions
    from pydantic_ai.models import Model, ModelRequestParameters

    from creaeval.llm.chat import Settings
    from creaeval.llm.providers.table import Provider

Mode = Literal["native", "tool", "text"]
# Servers of one's own often ask for no key, and the clients insist on one.
_NO_KEY = "no-key"


@dataclass(frozen=True)
class Backend:
    """A model of pydantic-ai, ready to be asked.

    Parameters
    ----------
    model : pydantic_ai.models.Model
        The model.
    close : callable
        Closes its client.
    free_choice : pydantic_ai.models.Model, optional
        The same model without a forced tool choice, where the provider refuses that while it reasons.
    """

    model: Model[Any]
    close: Callable[[], Awaitable[None]]
    free_choice: Model[Any] | None = None

    @property
    def mode(self) -> Mode:
        """How the model is made to answer in the form of a schema."""
        return "native" if self.model.profile.get("supports_json_schema_output") else "tool"

    def model_for(self, settings: Settings) -> Model[Any]:
        """Choose the model for these settings."""
        return self.model if self.free_choice is None or settings.reasoning == "none" else self.free_choice


def build_backend(provider: Provider, model: str, base_url: str, key: str, http: Any = None) -> Backend:
    """Build a model; retries of the client are switched off, since the ask loop records each attempt.

    Parameters
    ----------
    provider : Provider
        Whose model.
    model : str
        Its name.
    base_url : str
        The server.
    key : str
        The key; may be empty for a server that asks for none.
    http : optional
        The HTTP client to use, of the library `http_library` names.

    Returns
    -------
    Backend
    """
    build = {
        "chat": _openai,
        "responses": _openai,
        "anthropic": _anthropic,
        "google": _google,
        "groq": _groq,
        "mistral": _mistral,
    }[provider.api]
    return build(provider, model, base_url, key or _NO_KEY, http)


def http_library(provider: Provider) -> Any:
    """Return the HTTP library of a provider's client, ``httpx`` or ``httpx2``."""
    if provider.api == "groq":
        import httpx

        return httpx
    import httpx2

    return httpx2


def schema_form(provider: Provider, model: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Say how a schema is sent and what pydantic-ai makes of it.

    Parameters
    ----------
    provider : Provider
        Whose model.
    model : str
        Its name.
    schema : mapping
        The schema.

    Returns
    -------
    dict
        ``mode`` and ``schema``.
    """
    backend = build_backend(provider, model, provider.url, "", http_library(provider).AsyncClient())
    _, prepared = backend.model.prepare_request(None, output_form(schema, "Answer", backend.mode))
    return {"mode": backend.mode, "schema": _sent(prepared)}


def _sent(prepared: ModelRequestParameters) -> Mapping[str, Any]:
    if prepared.output_object is not None:
        return prepared.output_object.json_schema
    return prepared.output_tools[0].parameters_json_schema


def _openai(provider: Provider, model: str, base_url: str, key: str, http: Any) -> Backend:
    from openai import AsyncOpenAI, DefaultAioHttpClient
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.alibaba import AlibabaProvider
    from pydantic_ai.providers.deepseek import DeepSeekProvider
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    # The aiohttp transport takes a third less processor time than the default one.
    client = AsyncOpenAI(
        base_url=base_url, api_key=key, max_retries=0, http_client=http or DefaultAioHttpClient()
    )
    _send_as_it_is(client)
    if provider.api == "responses":
        return Backend(
            OpenAIResponsesModel(model, provider=OpenAIProvider(openai_client=client)), client.close
        )
    if provider.dialect == "deepseek":
        return Backend(OpenAIChatModel(model, provider=DeepSeekProvider(openai_client=client)), client.close)
    if provider.dialect == "qwen":
        alibaba = AlibabaProvider(openai_client=client)
        free = OpenAIModelProfile(supports_forced_tool_choice=False)
        return Backend(
            OpenAIChatModel(model, provider=alibaba),
            client.close,
            free_choice=OpenAIChatModel(model, provider=alibaba, profile=free),
        )
    if provider.dialect == "openai":
        return Backend(OpenAIChatModel(model, provider=OpenAIProvider(openai_client=client)), client.close)
    # Untouched: the strict form turns lengths into words, and llama.cpp then writes to the token limit.
    plain = OpenAIModelProfile(json_schema_transformer=None, openai_chat_supports_max_completion_tokens=False)
    compatible = OpenAICompatibleProvider("compatible", openai_client=client, profile=plain)
    return Backend(OpenAIChatModel(model, provider=compatible), client.close)


def _send_as_it_is(client: AsyncOpenAI) -> None:
    """Have a client post chat completions without its walk through all types that a request could have.

    pydantic-ai has written the request already, and the walk takes a fifth of a call's processor time.
    """
    from openai import NotGiven, Omit
    from openai.types.chat import ChatCompletion

    async def create(
        *,
        extra_headers: Mapping[str, str] | None = None,
        extra_body: Mapping[str, Any] | None = None,
        timeout: Any = None,
        **fields: Any,
    ) -> ChatCompletion:
        body = {name: value for name, value in fields.items() if not isinstance(value, NotGiven | Omit)}
        options: dict[str, Any] = {"headers": extra_headers or {}}
        if not isinstance(timeout, NotGiven | Omit | None):
            options["timeout"] = timeout
        answer: ChatCompletion = await client.post(
            "/chat/completions",
            body={**body, **(extra_body or {})},
            cast_to=ChatCompletion,
            options=cast("RequestOptions", options),
        )
        return answer

    setattr(client.chat.completions, "create", create)  # noqa: B010 - the type is the client's own


def _anthropic(_: Provider, model: str, base_url: str, key: str, http: Any) -> Backend:
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = AsyncAnthropic(base_url=base_url, api_key=key, max_retries=0, http_client=http)
    return Backend(AnthropicModel(model, provider=AnthropicProvider(anthropic_client=client)), client.close)


def _google(provider: Provider, model: str, base_url: str, key: str, http: Any) -> Backend:
    from google.genai import Client
    from google.genai.types import HttpOptions
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    http = http or http_library(provider).AsyncClient(timeout=None)  # each request brings its own
    options = HttpOptions(base_url=base_url, httpx_async_client=http)
    client = Client(vertexai=False, api_key=key, http_options=options)
    return Backend(GoogleModel(model, provider=GoogleProvider(client=client)), http.aclose)


def _groq(_: Provider, model: str, base_url: str, key: str, http: Any) -> Backend:
    from groq import AsyncGroq
    from pydantic_ai.models.groq import GroqModel
    from pydantic_ai.providers.groq import GroqProvider

    client = AsyncGroq(base_url=base_url, api_key=key, max_retries=0, http_client=http)
    return Backend(GroqModel(model, provider=GroqProvider(groq_client=client)), client.close)


def _mistral(provider: Provider, model: str, base_url: str, key: str, http: Any) -> Backend:
    from mistralai.client import Mistral
    from pydantic_ai.models.mistral import MistralModel
    from pydantic_ai.providers.mistral import MistralProvider

    http = http or http_library(provider).AsyncClient(timeout=None)
    client = Mistral(api_key=key, server_url=base_url, async_client=http)
    return Backend(MistralModel(model, provider=MistralProvider(mistral_client=client)), http.aclose)
