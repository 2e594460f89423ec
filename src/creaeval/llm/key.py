"""The key of a call: same key, same answer."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from creaeval.llm.chat import ChatRequest, Settings


def call_key(identity: Mapping[str, str], request: ChatRequest, repeat: int = 0, form_hash: str = "") -> str:
    """Hash everything that can change the answer of a call.

    Parameters
    ----------
    identity : mapping of str to str
        The model's identity.
    request : ChatRequest
        What is asked. Its timeout is left out: it does not change an answer.
    repeat : int
        Number of the repetition, from 0.
    form_hash : str
        Hash of the schema in the form in which it is sent, if it is known.

    Returns
    -------
    str
        SHA-256 in 64 hexadecimal digits.
    """
    return key_of_parts(
        identity=identity,
        settings=answer_settings(request.settings),
        system=request.system,
        messages=[{"role": message.role, "text": message.text} for message in request.messages],
        schema_hash=form_hash or schema_hash(request.schema),
        schema_name=request.schema_name,
        repeat=repeat,
    )


def key_of_parts(
    *,
    identity: Mapping[str, str],
    settings: Mapping[str, Any],
    system: str,
    messages: Sequence[Mapping[str, str]],
    schema_hash: str,
    schema_name: str,
    repeat: int,
) -> str:
    """Compute the key from what the ledger keeps of a call, so that an imported line can be checked.

    Parameters
    ----------
    identity, settings : mapping
        As in the ledger.
    system : str
        The instructions.
    messages : sequence of mapping
        Turns as ``{"role": …, "text": …}``.
    schema_hash, schema_name : str
        The schema's hash and name.
    repeat : int
        Number of the repetition.

    Returns
    -------
    str
        SHA-256 in hexadecimal digits.
    """
    parts = {
        "identity": dict(identity),
        "settings": dict(settings),
        "system": system,
        "messages": [dict(message) for message in messages],
        "schema": schema_hash,
        "schema_name": schema_name,
        "repeat": repeat,
    }
    return _sha256(json.dumps(parts, sort_keys=True, separators=(",", ":")))


def answer_settings(settings: Settings) -> dict[str, Any]:
    """Return the settings that can change an answer.

    Parameters
    ----------
    settings : Settings
        All settings.

    Returns
    -------
    dict
        temperature, max_tokens and seed; the others where they are set. Token probabilities do not change an
        answer but are part of it: a reply without them does not serve whoever asks for them.
    """
    # 0 and 0.0 are one temperature, and json writes them differently.
    temperature = None if settings.temperature is None else float(settings.temperature)
    found = {"temperature": temperature, "max_tokens": settings.max_tokens, "seed": settings.seed}
    # Left out where they say nothing, so that a setting that comes later leaves earlier keys as they are.
    others = {
        "reasoning": settings.reasoning,
        "extra_body": settings.extra_body,
        "logprobs": settings.logprobs,
    }
    return found | {name: value for name, value in others.items() if value}


def schema_hash(schema: Mapping[str, Any]) -> str:
    """Hash a JSON schema in its own order, since a model writes the fields in that order.

    Parameters
    ----------
    schema : mapping
        The JSON schema.

    Returns
    -------
    str
        SHA-256 in hexadecimal digits.
    """
    return _sha256(json.dumps(schema, separators=(",", ":")))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
