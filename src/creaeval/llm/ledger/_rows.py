"""Between a call and its row in the ledger."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from types import NoneType
from typing import TYPE_CHECKING, Any, get_args

from creaeval.llm.chat import Usage
from creaeval.llm.key import answer_settings, schema_hash
from creaeval.llm.ledger._private import without_private
from creaeval.llm.logprobs import read_tokens, tokens_from_json, tokens_to_json
from creaeval.llm.records import State, StoredCall

if TYPE_CHECKING:
    from collections.abc import Mapping

    from creaeval.llm.records import Failure, NewCall

_STATES = get_args(State)
# What a replay and the accounts use, and never changes; then what was asked.
ANSWER = (
    "key", "created", "provider", "base_url", "model", "role", "reply", "finish", "model_reported",
    "input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens", "seconds", "cost_usd", "attempts",
)  # fmt: skip
REQUEST = ("label", "identity", "settings", "system", "messages", "schema_hash", "schema_name", "repeat")
_DIGITS = 16
_TYPES: dict[str, tuple[type, ...]] = dict.fromkeys(ANSWER, (str,)) | {
    **dict.fromkeys((name for name in ANSWER if name.endswith("_tokens")), (int,)),
    "seconds": (int, float),
    "cost_usd": (float, NoneType),
    "attempts": (int, NoneType),
}
# Part of the answer, too, but not of the sums of rows without it: those of before there were any stay right.
_ADDED = "logprobs"


def checksum(row: Mapping[str, Any]) -> str:
    """Sum up a row, so that damage is noticed: SQLite does not see that a byte of a text has changed.

    Parameters
    ----------
    row : mapping
        At least the fields in ``ANSWER`` and ``REQUEST``, and logprobs.

    Returns
    -------
    str
        32 hexadecimal digits, 16 for the answer and 16 for the request.
    """
    return _digits(row, ANSWER) + _digits(row, REQUEST)


def answer_is_whole(row: Mapping[str, Any]) -> bool:
    """Say whether a row's answer is as it was written.

    Parameters
    ----------
    row : mapping
        At least the fields in ``ANSWER``, logprobs, state, reason and checksum.

    Returns
    -------
    bool
        For rows of before there were checksums, whether it may be.
    """
    if row["state"] not in _STATES or not isinstance(row["reason"], str):
        return False
    if row["checksum"] is None:
        if row[_ADDED] is not None:
            return False
        return all(isinstance(row[name], _TYPES[name]) for name in ANSWER)
    return str(row["checksum"])[:_DIGITS] == _digits(row, ANSWER)


def is_whole(row: Mapping[str, Any]) -> bool:
    """Say whether all of a row is as it was written.

    Parameters
    ----------
    row : mapping
        At least the fields in ``ANSWER`` and ``REQUEST``, logprobs, state, reason and checksum.

    Returns
    -------
    bool
        For rows of before there were checksums, whether it may be.
    """
    return answer_is_whole(row) and row["checksum"] in (None, checksum(row))


def _digits(row: Mapping[str, Any], names: tuple[str, ...]) -> str:
    values = [_flat(row[name]) for name in names]
    if names is ANSWER and row[_ADDED] is not None:
        values.append(_flat(row[_ADDED]))
    text = "\x1f".join(values)
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:_DIGITS]


def _flat(value: Any) -> str:
    # Several times as fast as JSON, which escapes; and damage may have made anything of a value.
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "\x1e".join([f"{name}\x1d{_flat(value[name])}" for name in sorted(value)])
    if isinstance(value, list):
        return "\x1c".join([_flat(one) for one in value])
    return repr(value)


def call_row(call: NewCall) -> dict[str, Any]:
    """Lay a call out as a row of the table of calls.

    Parameters
    ----------
    call : NewCall
        The call.

    Returns
    -------
    dict
        One row.
    """
    request, reply, usage = call.request, call.reply, call.reply.usage
    identity = {name: without_private(storable(value)) for name, value in call.identity.items()}
    row = {
        "key": call.key,
        "created": now(),
        "provider": identity.get("provider", ""),
        "base_url": identity.get("base_url", ""),
        "model": identity.get("model", ""),
        "identity": identity,
        "role": storable(call.role),
        "label": dict(call.label),
        "settings": answer_settings(request.settings),
        "system": storable(request.system),
        "messages": [{"role": message.role, "text": message.text} for message in request.messages],
        "schema_hash": call.schema_hash or schema_hash(request.schema),
        "schema_name": storable(request.schema_name),
        "repeat": call.repeat,
        "reply": storable(reply.text),
        "finish": reply.finish,
        "model_reported": storable(reply.model),
        "input_tokens": usage.input,
        "cached_tokens": usage.cached,
        "output_tokens": usage.output,
        "reasoning_tokens": usage.reasoning,
        # As floats, since that is what comes back.
        "seconds": float(reply.seconds),
        "state": "replied",
        "reason": "",
        "imported": False,
        "cost_usd": None if call.cost_usd is None else float(call.cost_usd),
        "attempts": call.attempts,
        "logprobs": tokens_to_json(read_tokens(reply.logprobs)),
    }
    row["checksum"] = checksum(row)
    return row


def stored_call(row: Mapping[str, Any]) -> StoredCall:
    """Read a row back.

    Parameters
    ----------
    row : mapping
        The fields in ``ANSWER``, logprobs, state and reason.

    Returns
    -------
    StoredCall
        The call.
    """
    usage = Usage(*(row[f"{kind}_tokens"] for kind in ("input", "cached", "output", "reasoning")))
    return StoredCall(
        row["key"],
        row["reply"],
        row["finish"],
        usage,
        row["seconds"],
        row["model_reported"],
        row["state"],
        row["reason"],
        row["cost_usd"],
        row["attempts"],
        tokens_from_json(row["logprobs"]),
    )


def failure_row(failure: Failure) -> dict[str, Any]:
    """Lay a failed attempt out as a row of the table of failures.

    Parameters
    ----------
    failure : Failure
        What happened.

    Returns
    -------
    dict
        One row.
    """
    message = without_private(storable(failure.message))
    return {**vars(failure), "label": dict(failure.label), "message": message, "created": now()}


def storable(text: str) -> str:
    """Replace what databases do not store: half a surrogate pair, and on PostgreSQL NUL.

    Parameters
    ----------
    text : str
        Models write both.

    Returns
    -------
    str
        The text with ``�`` in their place.
    """
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\x00", "�")


def now() -> str:
    """Return the time as the ledger writes it.

    Returns
    -------
    str
        UTC in ISO 8601 with milliseconds.
    """
    return datetime.now(UTC).isoformat(timespec="milliseconds")
