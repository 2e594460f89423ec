"""A model behind OpenAI's API or any server that speaks it, through pydantic_ai.direct."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from creaeval.llm._failed import call_error
from creaeval.llm._scrub import SHORTEST_KEY, scrub
from creaeval.llm.chat import AttemptError, ChatReply, ChatRequest, Finish, Settings, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from openai import AsyncOpenAI
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.models.openai import OpenAIChatModel

OPENAI_URL = "https://api.openai.com/v1"
# Servers of one's own often ask for no key, and the client insists on one.
_NO_KEY = "no-key"


class OpenAICompatible:
    """A ChatModel over OpenAI's chat completions.

    Parameters
    ----------
    name : str
        What the user types.
    model : str
        The name sent to the server.
    base_url : str
        The server, with ``/v1`` where it has one.
    api_key : str
        The key; never shown or stored. Empty for a server that asks for none.
    concurrency : int
        Requests allowed at once.
    free : bool
        Whether a call costs nothing.
    identity : mapping, optional
        Instead of provider, base URL and model, for a model that they do not identify.
    grammar : callable, optional
        Turns the schema into a grammar of llama.cpp that is sent in its place.
    """

    def __init__(
        self,
        name: str,
        model: str,
        *,
        base_url: str = OPENAI_URL,
        api_key: str,
        concurrency: int = 8,
        free: bool = False,
        identity: Mapping[str, str] | None = None,
        grammar: Callable[[Mapping[str, Any]], str] | None = None,
    ) -> None:
        self.name = name
        self.concurrency = concurrency
        self.free = free
        self.base_url = base_url
        shown = without_credentials(base_url)
        self.identity: Mapping[str, str] = identity or {
            "provider": "openai",
            "base_url": shown,
            "model": model,
        }
        self._official = base_url.rstrip("/") == OPENAI_URL
        self._grammar = grammar
        self._where = f"{name} at {shown}"
        self._model_name = model
        self._key = api_key
        self._client: AsyncOpenAI | None = None
        self._model: OpenAIChatModel | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._checked: set[Settings] = set()

    async def start(self) -> None:
        """Make the client; no request is sent.

        Raises
        ------
        SettingError
            Never from here; a setting is checked before the first request that uses it.
        """
        # aiohttp's sessions belong to one event loop, so a new loop gets a new client.
        loop = asyncio.get_running_loop()
        if self._model is not None and self._loop is loop:
            return
        from openai import AsyncOpenAI, DefaultAioHttpClient

        from creaeval.llm._pydantic_ai import build_model

        self._loop = loop
        # The ask loop retries and records each attempt; retries of the client would be invisible.
        self._client = AsyncOpenAI(
            base_url=self.base_url,
            api_key=self._key or _NO_KEY,
            max_retries=0,
            http_client=DefaultAioHttpClient(),
        )
        self._model = build_model(self._client, self._model_name, official=self._official)

    async def close(self) -> None:
        """Close the client's connections."""
        client, self._client, self._model = self._client, None, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.close()

    async def request(self, request: ChatRequest) -> ChatReply:
        """Make one attempt at a request.

        Parameters
        ----------
        request : ChatRequest
            What to ask.

        Returns
        -------
        ChatReply
            The answer.

        Raises
        ------
        CallError
            The attempt failed.
        PermanentCallError
            No request to this model can succeed.
        SettingError
            The model cannot honour a setting.
        """
        from pydantic_ai.direct import model_request
        from pydantic_ai.exceptions import AgentRunError

        from creaeval.llm._pydantic_ai import check_settings, conversation, parameters, settings_to_send

        await self.start()
        if self._model is None or self._client is None:
            raise RuntimeError("start made no client")
        if request.settings not in self._checked:
            check_settings(
                self._client, self._model_name, request.settings, self.name, official=self._official
            )
            self._checked.add(request.settings)
        messages: list[ModelMessage] = conversation(request)
        grammar = None if self._grammar is None else self._grammar(request.schema)
        shape: ModelRequestParameters = parameters(request, native=grammar is None)
        started = time.monotonic()
        try:
            # The transport's timeout starts anew with every piece of a slow reply; this one does not.
            async with asyncio.timeout(request.settings.timeout):
                response = await model_request(
                    self._model,
                    messages,
                    model_settings=settings_to_send(request.settings, grammar),
                    model_request_parameters=shape,
                )
        except TimeoutError:
            message = f"{self._where}: no answer in {request.settings.timeout:g} s"
            raise AttemptError(message, kind="timeout") from None
        except (AgentRunError, IndexError) as error:
            raise call_error(error, self._where, self._key) from error
        return self._reply(response, time.monotonic() - started)

    def _reply(self, response: ModelResponse, seconds: float) -> ChatReply:
        details: dict[str, Any] = response.provider_details or {}
        text = response.text or ""
        finish: Finish = "other"
        if response.finish_reason in ("stop", "length"):
            finish = response.finish_reason
        elif response.finish_reason == "content_filter":
            finish = "refusal"
            text = text or str(details.get("refusal") or "")
        used = response.usage
        reasoning = used.output_reasoning_tokens or 0
        usage = Usage(used.input_tokens, used.cache_read_tokens, used.output_tokens, reasoning)
        # A server may repeat the key in anything it writes.
        text = text.replace(self._key, "[key]") if len(self._key) >= SHORTEST_KEY else text
        return ChatReply(text, finish, usage, seconds, scrub(response.model_name or "", self._key))


def without_credentials(url: str) -> str:
    """Return a base URL without user, password, query and a final slash.

    Parameters
    ----------
    url : str
        The URL.

    Returns
    -------
    str
        What may be shown and stored.
    """
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", ""))
