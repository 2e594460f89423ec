"""Check that settings reach the wire: the layer below drops what it believes a model cannot take."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

from creaeval.errors import Problems, SettingError
from creaeval.llm.chat import ChatRequest, Message
from creaeval.llm.providers._backends import build_backend, http_library
from creaeval.llm.providers._pydantic_ai import conversation, output_form, settings_to_send

if TYPE_CHECKING:
    from collections.abc import Mapping

    from creaeval.llm.chat import Settings
    from creaeval.llm.providers._backends import Backend
    from creaeval.llm.providers.table import Provider

_SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}
# What the protocols call a setting.
_NAMES = {
    "temperature": ("temperature",),
    "seed": ("seed", "random_seed"),
    "max_tokens": ("max_completion_tokens", "max_tokens", "max_output_tokens", "maxOutputTokens"),
}
_LOGPROBS = ("logprobs", "top_logprobs", "responseLogprobs")


class _Recorded(BaseException):
    def __init__(self, body: Mapping[str, Any]) -> None:
        self.body = body


async def check_settings(provider: Provider, model: str, settings: Settings, name: str) -> None:
    """Make a request that goes nowhere, and see that every setting is in it.

    A run that reports temperature 0.2 must have sent it.

    Parameters
    ----------
    provider : Provider
        Whose model.
    model : str
        The name sent to the server.
    settings : Settings
        What must be sent.
    name : str
        The model's name for the message.

    Raises
    ------
    SettingError
        Settings that would be dropped or changed, each with what to do.
    """
    problems = Problems(SettingError)
    body = await sent_body(provider, model, settings)
    for setting, names in _NAMES.items():
        wanted = getattr(settings, setting)
        found = [value for key, value in _fields(body) if key in names]
        if wanted is not None and wanted not in found:
            instead = "max_tokens=…" if setting == "max_tokens" else f"{setting}=default"
            beside = f" with reasoning={settings.reasoning}" if settings.reasoning else ""
            problems.add(
                f"{name} takes no {setting}{beside}: found {wanted}, which would not be sent. "
                f"Allow that with --set {instead}, or choose another model."
            )
    further = json.loads(settings.extra_body) if settings.extra_body else {}
    if lost := [key for key, value in further.items() if body.get(key) != value]:
        problems.add(
            f"{name} takes no extra_body: found {settings.extra_body}, of which {', '.join(lost)} would not "
            "be sent. Leave it out for this model."
        )
    if settings.logprobs and not any(key in _LOGPROBS for key, _ in _fields(body)):
        problems.add(f"{name} gives no token probabilities with these settings.")
    if settings.reasoning is not None:
        problems.extend(_reasoning_problems(provider, model, settings, name, body))
    problems.stop()


async def sent_body(provider: Provider, model: str, settings: Settings) -> Mapping[str, Any]:
    """Return the body of a request with these settings, as it would be sent.

    Parameters
    ----------
    provider : Provider
        Whose model.
    model : str
        The name sent to the server.
    settings : Settings
        The settings.

    Returns
    -------
    dict
    """
    from pydantic_ai.direct import model_request

    request = ChatRequest("-", (Message("user", "-"),), _SCHEMA, "Answer", settings)
    backend = _backend(provider, model)
    try:
        # What is warned of here is found in the body, or not found there.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            await model_request(
                backend.model_for(settings),
                conversation(request),
                model_settings=settings_to_send(provider, settings),
                model_request_parameters=output_form(_SCHEMA, "Answer", backend.mode),
            )
    except _Recorded as recorded:
        return recorded.body
    finally:
        await backend.close()
    raise RuntimeError(f"the client of {provider.prefix} made no request")


def _backend(provider: Provider, model: str) -> Backend:
    """Build a backend whose transport records a request instead of sending it."""
    library = http_library(provider)

    class Recorder(library.AsyncBaseTransport):  # type: ignore[name-defined, misc]
        async def handle_async_request(self, request: Any) -> Any:
            await request.aread()
            raise _Recorded(json.loads(request.content))

    http = library.AsyncClient(transport=Recorder(), timeout=5)
    return build_backend(provider, model, "http://127.0.0.1:9", "", http)


def _reasoning_problems(
    provider: Provider, model: str, settings: Settings, name: str, body: Mapping[str, Any]
) -> list[str]:
    wanted = settings.reasoning
    effective = effective_reasoning(body)
    problems: list[str] = []
    if provider.dialect == "qwen" and wanted != "none":
        problems.append(
            f"{name} takes no reasoning={wanted}: the provider knows no levels. "
            "Allow its own with --set reasoning=default, or switch it off with --set reasoning=none."
        )
    elif wanted == "none":
        # Nothing said is nothing lost where the model does not reason by itself.
        by_itself = _backend(provider, model).model.profile.get("thinking_enabled_by_default")
        if effective not in (None, "none") or (effective is None and by_itself):
            least = effective if effective not in (None, "on") else ""
            how = f"the least that can be sent is {least}" if least else "it cannot be switched off"
            problems.append(
                f"{name} reasons always: found reasoning=none, but {how}. "
                f"Allow that with --set reasoning={least or 'default'}."
            )
    elif effective not in (wanted, "on"):
        would = f"would be sent as {effective}" if effective else "would not be sent"
        problems.append(
            f"{name} does not take reasoning={wanted}, which {would}. "
            "Allow the provider's own with --set reasoning=default, or choose another level or model."
        )
    if (
        provider.api == "anthropic"
        and effective not in (None, "none")
        and body.get("temperature") not in (None, 1)
    ):
        problems.append(
            f"{name} takes no temperature while it reasons: found {settings.temperature} and "
            f"reasoning={wanted}. Leave one of them to it with --set temperature=default or "
            "--set reasoning=default."
        )
    budget = int(dict(_fields(body)).get("budget_tokens") or 0)
    if budget >= settings.max_tokens:
        problems.append(
            f"{name} reasons with {budget} tokens at reasoning={wanted}: found max_tokens "
            f"{settings.max_tokens}, which must be more. "
            f"Allow that with --set max_tokens={budget + settings.max_tokens}."
        )
    return problems


def effective_reasoning(body: Mapping[str, Any]) -> str | None:
    """Read from a request's body how much the model is told to reason.

    Parameters
    ----------
    body : mapping
        The body.

    Returns
    -------
    str or None
        ``none``, a level, ``on`` where a budget of tokens says it, or None where nothing is said.
    """
    fields = dict(_fields(body))
    # The most telling first: a level beside a switch says more than the switch.
    for key in ("reasoning_effort", "effort", "thinking_level"):
        if fields.get(key):
            return str(fields[key]).lower()
    if "thinking_budget" in fields:
        return "on" if fields["thinking_budget"] else "none"
    if "enable_thinking" in fields:
        return "on" if fields["enable_thinking"] else "none"
    thinking = body.get("thinking")
    if isinstance(thinking, dict):
        return "none" if thinking.get("type") == "disabled" else "on"
    return None


def _fields(node: Any) -> list[tuple[str, Any]]:
    """List all fields at any depth, the schema and the messages left out."""
    found: list[tuple[str, Any]] = []
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("messages", "input", "contents", "tools", "response_format", "responseJsonSchema"):
                continue
            found.append((key, value))
            found += _fields(value)
    return found
