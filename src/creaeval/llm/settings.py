"""What users set for a role, read and resolved over a model's own defaults."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, get_args

from creaeval.errors import Problems, SettingError
from creaeval.llm.chat import Limits, Reasoning, Settings
from creaeval.wording import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from creaeval.llm.chat import ChatModel

ROLES = ("analyst", "judge")
# For settings that are then not sent, so that the provider's own default holds.
_UNSENT = "default"


@dataclass(frozen=True)
class RoleSettings:
    """How one model is asked in one role.

    Parameters
    ----------
    settings : Settings
        What goes with each request.
    limits : Limits
        How fast it is asked.
    """

    settings: Settings
    limits: Limits


def role_settings(model: ChatModel, given: Mapping[str, Any], role: str) -> RoleSettings:
    """Resolve what a user set over the model's own defaults.

    Parameters
    ----------
    model : ChatModel
        The model.
    given : mapping of str to object
        By setting name, for all roles or, as in ``judge.temperature``, for one, which then counts. Values
        are numbers or text; ``"default"`` or None leaves a setting to the provider.
    role : str
        ``analyst`` or ``judge``.

    Returns
    -------
    RoleSettings

    Raises
    ------
    SettingError
        A name or value is wrong; all of them are listed.
    """
    read = read_settings(given)
    values = {name: value for name, value in read.items() if "." not in name}
    prefix = f"{role}."
    values |= {name.removeprefix(prefix): value for name, value in read.items() if name.startswith(prefix)}
    settings = {name: value for name, value in values.items() if name in _SETTINGS}
    limits = {name: value for name, value in values.items() if name in LIMIT_NAMES}
    return RoleSettings(
        replace(getattr(model, "defaults", None) or Settings(), **settings),
        replace(getattr(model, "limits", None) or Limits(), **limits),
    )


def sampling_settings(settings: Settings, *, greedy: bool = False) -> list[str]:
    """Name what is set that only a model which samples words can honour; temperature 0 may be greedy."""
    asked = {
        "temperature": settings.temperature is not None and not (greedy and settings.temperature == 0),
        "seed": settings.seed is not None,
        "reasoning": settings.reasoning not in (None, "none"),
        "extra_body": bool(settings.extra_body),
        "logprobs": settings.logprobs,
    }
    return [name for name, wanted in asked.items() if wanted]


def read_settings(given: Mapping[str, Any], *, roles: bool = True, where: str = "") -> dict[str, Any]:
    """Check names and values of settings.

    Parameters
    ----------
    given : mapping of str to object
        As for :func:`role_settings`.
    roles : bool
        Whether a name may begin with a role.
    where : str
        Said before each problem.

    Returns
    -------
    dict
        The same names with values of the right types.

    Raises
    ------
    SettingError
        All problems.
    """
    read: dict[str, Any] = {}
    problems = Problems(SettingError)
    for name, value in given.items():
        role, dot, own = str(name).rpartition(".")
        if own not in _READERS or (dot and not (roles and role in ROLES)):
            problems.add(f"{where}{name}: {_unknown(own if role in ROLES else str(name), roles=roles)}")
            continue
        try:
            read[name] = _READERS[own](value)
        except (ValueError, TypeError) as error:
            problems.add(f"{where}{name}: found {value!r}, expected {error}.")
    problems.stop()
    return read


def _unknown(name: str, *, roles: bool) -> str:
    hint = "".join(f" Did you mean {setting}?" for setting in nearest(name, _READERS))
    where = f", alone or after {' or '.join(f'{role}.' for role in ROLES)}" if roles else "."
    return f"there is no such setting; expected one of {', '.join(_READERS)}{where}{hint}"


def _number(
    kind: type[int] | type[float], low: float, high: float, words: str, *, unsent: bool = False
) -> Callable[[Any], float | None]:
    expected = f"{words}{f', or {_UNSENT}' if unsent else ''}"

    def read(value: Any) -> float | None:
        if unsent and (value is None or value == _UNSENT):
            return None
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise ValueError(expected)
        try:
            number = kind(value)
        except (ValueError, OverflowError):
            raise ValueError(expected) from None
        if not low <= number <= high or (not isinstance(value, str) and number != value):
            raise ValueError(expected)
        return number

    return read


def _reasoning(value: Any) -> str | None:
    levels = get_args(Reasoning)
    if value is None or value == _UNSENT:
        return None
    # YAML reads a bare `off` as false, and the paper calls one model's reasoning off.
    if value is False or value == "off":
        return "none"
    if value not in levels:
        raise ValueError(f"one of {', '.join(levels)}, or {_UNSENT}")
    return str(value)


def _extra_body(value: Any) -> str:
    try:
        fields = json.loads(value) if isinstance(value, str) and value else value
        text = json.dumps(fields, sort_keys=True, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        fields, text = None, "not JSON"
    # Nothing is one thing, however it is written.
    if text in ("null", '""', "{}"):
        return ""
    if not isinstance(fields, dict):
        raise ValueError("a JSON object")
    return text


_MOST = 10**9
_WHOLE = "a whole number from 1"
_TOKENS = "a whole number of tokens, at least 16"
_SETTINGS: dict[str, Callable[[Any], Any]] = {
    "temperature": _number(float, 0, 2, "a number from 0 to 2", unsent=True),
    "reasoning": _reasoning,
    "max_tokens": _number(int, 16, _MOST, _TOKENS),
    "seed": _number(int, 0, 2**31 - 1, "a whole number from 0", unsent=True),
    "timeout": _number(float, 0.001, 86400, "seconds, above 0 and at most a day"),
    "extra_body": _extra_body,
}
_LIMITS: dict[str, Callable[[Any], Any]] = {
    "concurrency": _number(int, 1, 10_000, _WHOLE),
    "requests_per_minute": _number(int, 1, _MOST, _WHOLE, unsent=True),
    "tokens_per_minute": _number(int, 1, _MOST, _WHOLE, unsent=True),
}
_READERS = {**_SETTINGS, **_LIMITS}
LIMIT_NAMES = frozenset(_LIMITS)
#: What each setting means, for people.
SETTING_WORDS = {
    "temperature": f"0 to 2 (0.2), or {_UNSENT} to leave it to the provider",
    "reasoning": f"{', '.join(get_args(Reasoning))}, or {_UNSENT}",
    "max_tokens": "most tokens of a reply, reasoning included (4096); doubled once if a reply is cut off",
    "seed": f"of the sampler (1 where the provider takes one), or {_UNSENT}",
    "timeout": "seconds one attempt may take (600)",
    "extra_body": "a JSON object of further fields, for servers with settings of their own",
    "concurrency": "requests open at once (8; the local model 1)",
    "requests_per_minute": f"the account's rate, or {_UNSENT}",
    "tokens_per_minute": f"the account's rate, prompt and reply together, or {_UNSENT}",
}
