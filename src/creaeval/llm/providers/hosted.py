"""A model behind a provider's API, through pydantic_ai.direct."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from creaeval.llm._scrub import SHORTEST_KEY, scrub
from creaeval.llm.chat import AttemptError, ChatReply, ChatRequest, Finish, Limits, Settings, Usage
from creaeval.llm.providers._failed import call_error

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pydantic_ai.messages import ModelResponse

    from creaeval.llm.prices import Price
    from creaeval.llm.providers._backends import Backend
    from creaeval.llm.providers.table import Provider

_MOST_FORMS = 256


class HostedModel:
    """A ChatModel that a provider, or a server of one's own, offers over HTTP.

    Parameters
    ----------
    name : str
        What the user types.
    model : str
        The name sent to the server.
    provider : Provider
        Which protocol it speaks, and how.
    base_url : str, optional
        Another server than the provider's own.
    api_key : str
        The key; never shown or stored. Empty for a server that asks for none.
    defaults : Settings, optional
        What holds where the user says nothing.
    limits : Limits, optional
        How fast it may be asked where the user says nothing.
    price : Price, optional
        What its tokens cost; None where that is not known.
    identity : mapping, optional
        Instead of provider, base URL and model, for a model that they do not identify.
    grammar : callable, optional
        Turns the schema into a grammar of llama.cpp that is sent in its place.
    """

    def __init__(
        self,
        name: str,
        model: str,
        provider: Provider,
        *,
        base_url: str = "",
        api_key: str = "",
        defaults: Settings | None = None,
        limits: Limits | None = None,
        price: Price | None = None,
        identity: Mapping[str, str] | None = None,
        grammar: Callable[[Mapping[str, Any]], str] | None = None,
    ) -> None:
        self.name = name
        self.model = model
        self.provider = provider
        self.base_url = base_url or provider.url
        shown = without_credentials(self.base_url)
        self.identity: Mapping[str, str] = identity or {
            "provider": provider.prefix,
            "base_url": shown,
            "model": model,
        }
        self.free = provider.own
        self.defaults = defaults or provider.defaults
        self.limits = limits or Limits()
        self.price = price
        self.where = f"{name} at {shown}"
        self._key = api_key
        self._grammar = grammar
        self._backend: Backend | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._checked: set[Settings] = set()
        self._forms: dict[int, tuple[Mapping[str, Any], Mapping[str, Any]]] = {}

    async def start(self) -> None:
        """Make the client; no request is sent.

        Raises
        ------
        SettingError
            Never from here; a setting is checked by `check`.
        """
        # A client's sessions belong to one event loop, so a new loop gets a new client.
        loop = asyncio.get_running_loop()
        if self._backend is not None and self._loop is loop:
            return
        from creaeval.llm.providers._backends import build_backend

        self._loop = loop
        self._backend = build_backend(self.provider, self.model, self.base_url, self._key)

    async def close(self) -> None:
        """Close the client's connections."""
        backend, self._backend = self._backend, None
        if backend is not None and self._loop is asyncio.get_running_loop():
            await backend.close()

    async def check(self, settings: Settings) -> None:
        """Check that every setting would be sent, by a request that goes nowhere.

        Parameters
        ----------
        settings : Settings
            What must be sent.

        Raises
        ------
        SettingError
            Settings that would be dropped or changed on the way.
        """
        # Repeats differ in nothing but the seed's number.
        known = settings if settings.seed is None else replace(settings, seed=1)
        if known in self._checked:
            return
        from creaeval.llm.providers._checks import check_settings

        await check_settings(self.provider, self.model, settings, self.name)
        self._checked.add(known)

    def form(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a schema in the form in which it is sent, which decides the answer as much as its content.

        Parameters
        ----------
        schema : mapping
            The JSON schema of an answer.

        Returns
        -------
        mapping
            The schema itself if it is sent untouched, else how it is sent and what becomes of it.
        """
        if self._grammar is not None or self.provider.schema_untouched:
            return schema
        known = self._forms.get(id(schema))
        if known is None:
            from creaeval.llm.providers._backends import schema_form

            if len(self._forms) >= _MOST_FORMS:
                self._forms.clear()
            # The schema is kept beside its form, so that no other object gets its id.
            known = self._forms[id(schema)] = (schema, schema_form(self.provider, self.model, schema))
        return known[1]

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

        from creaeval.llm.providers._pydantic_ai import (
            conversation,
            json_schema_format,
            output_form,
            settings_to_send,
        )

        await self.start()
        await self.check(request.settings)
        backend = self._backend
        if backend is None:
            raise AttemptError(f"{self.where}: it was closed during a request", kind="closed", retry=False)
        extra: dict[str, Any] = {}
        if self._grammar is not None:
            extra["grammar"] = self._grammar(request.schema)
        elif self.provider.schema_untouched:
            extra["response_format"] = json_schema_format(request.schema, request.schema_name)
        shape = output_form(request.schema, request.schema_name, "text" if extra else backend.mode)
        started = time.monotonic()
        try:
            # The transport's timeout starts anew with every piece of a slow reply; this one does not.
            async with asyncio.timeout(request.settings.timeout):
                response = await model_request(
                    backend.model_for(request.settings),
                    conversation(request),
                    model_settings=settings_to_send(self.provider, request.settings, extra),
                    model_request_parameters=shape,
                )
        except TimeoutError:
            message = f"{self.where}: no answer in {request.settings.timeout:g} s"
            raise AttemptError(message, kind="timeout") from None
        except (AgentRunError, LookupError, AttributeError, TypeError, ValueError, AssertionError) as error:
            # The latter are how the clients stumble over a body of the wrong form.
            raise call_error(error, self.where, self._key) from error
        if not response.parts and response.finish_reason is None:
            raise AttemptError(f"{self.where}: an answer without a reply in it", kind="malformed")
        return self._reply(response, time.monotonic() - started)

    def _reply(self, response: ModelResponse, seconds: float) -> ChatReply:
        details: dict[str, Any] = response.provider_details or {}
        # An answer in the form of a tool call; two of them are two answers, which the reader refuses.
        # As it was written: read and written anew, a broken one would be lost, and a key that came twice.
        calls = [
            call.args if isinstance(call.args, str) else call.args_as_json_str()
            for call in response.tool_calls
        ]
        text = "\n".join(calls) if calls else response.text or ""
        finish: Finish = "other"
        if response.finish_reason in ("stop", "length"):
            finish = response.finish_reason
        elif response.finish_reason == "tool_call":
            finish = "stop"
        elif response.finish_reason == "content_filter":
            finish = "refusal"
            text = text or str(details.get("refusal") or details.get("block_reason_message") or "")
        used = response.usage
        reasoning = used.output_reasoning_tokens or 0
        usage = Usage(used.input_tokens, used.cache_read_tokens, used.output_tokens, reasoning)
        # A server may repeat the key in anything it writes.
        text = text.replace(self._key, "[key]") if len(self._key) >= SHORTEST_KEY else text
        model = scrub(response.model_name or "", self._key)
        return ChatReply(text, finish, usage, seconds, model, _logprobs(response))


def _logprobs(response: ModelResponse) -> Sequence[Mapping[str, Any]]:
    """Find the probabilities, which each protocol keeps elsewhere, and write them token by token."""
    details = [getattr(holder, "provider_details", None) or {} for holder in (response, *response.parts)]
    found = next((one["logprobs"] for one in details if one.get("logprobs")), ())
    if isinstance(found, dict):  # Google's
        chosen = found.get("chosen_candidates") or ()
        others = found.get("top_candidates") or [{} for _ in chosen]
        return [
            {**_googles(one), "top_logprobs": [_googles(other) for other in beside.get("candidates") or ()]}
            for one, beside in zip(chosen, others, strict=False)
        ]
    return found


def _googles(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {"token": entry["token"], "logprob": entry["log_probability"]}


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
