"""Find a model by the name the user typed; other packages add providers here."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from creaeval.errors import SettingError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from creaeval.llm.chat import ChatModel

Factory = Callable[[str], "ChatModel"]
GROUP = "creaeval.providers"

_FACTORIES: dict[str, Factory] = {}


def register_provider(prefix: str, factory: Factory) -> None:
    """Register a provider under the part of a model's name before the colon.

    Parameters
    ----------
    prefix : str
        Such as ``openai``.
    factory : callable
        Takes what follows the colon (empty if there is none) and returns a ChatModel. It must be cheap:
        what needs a network, a file or time belongs into the model's start.

    Raises
    ------
    ValueError
        The prefix is taken; both modules are named.
    """
    if prefix in _FACTORIES:
        first, second = _FACTORIES[prefix].__module__, factory.__module__
        raise ValueError(f"The provider {prefix!r} is registered twice: by {first} and by {second}.")
    _FACTORIES[prefix] = factory


def open_model(name: str) -> ChatModel:
    """Make the model that a name stands for, without starting it.

    Parameters
    ----------
    name : str
        ``local``, ``local:FILE.gguf``, ``FILE.gguf``, ``openai:NAME``, or another provider's
        ``PREFIX:NAME``.

    Returns
    -------
    ChatModel
        The model.

    Raises
    ------
    SettingError
        The name is unknown, its provider cannot be loaded, or a variable it needs is not set.
    """
    prefix, _, rest = name.partition(":")
    if name.lower().endswith(".gguf") and prefix not in _FACTORIES:
        prefix, rest = "local", name
    if prefix in _FACTORIES:
        return _FACTORIES[prefix](rest)
    plugins = _plugins()
    if prefix not in plugins:
        known = sorted({*_FACTORIES, *plugins})
        nearest = difflib.get_close_matches(prefix, known, n=1)
        hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
        raise SettingError(
            f"model {name!r}: found no provider {prefix!r}, expected one of {', '.join(known)}, "
            f"as in openai:NAME, or the path of a .gguf file.{hint}"
        )
    entries = plugins[prefix]
    if len(entries) > 1:
        modules = " and ".join(sorted(entry.module for entry in entries))
        raise SettingError(f"model {name!r}: the provider {prefix!r} is registered twice: by {modules}.")
    try:
        factory: Factory = entries[0].load()
    except Exception as error:
        raise SettingError(
            f"model {name!r}: its provider {entries[0].value!r} cannot be loaded: "
            f"{type(error).__name__}: {error}"
        ) from error
    return factory(rest)


def _plugins() -> dict[str, list[EntryPoint]]:
    from importlib.metadata import entry_points

    found: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=GROUP):
        found.setdefault(entry.name, []).append(entry)
    return found


def _local(rest: str) -> ChatModel:
    from creaeval.llm.local.model import LocalModel

    return LocalModel(rest or None)


def _openai(model: str) -> ChatModel:
    from creaeval.llm.openai_compatible import OPENAI_URL, OpenAICompatible

    if not model:
        raise SettingError("model 'openai:': expected a name after the colon, as in openai:NAME.")
    base_url = os.environ.get("OPENAI_BASE_URL", "").strip() or OPENAI_URL
    key = os.environ.get("OPENAI_API_KEY", "").strip()
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingError("OPENAI_BASE_URL: expected a URL such as https://host.example/v1.")
    if not key and parts.hostname == urlsplit(OPENAI_URL).hostname:
        raise SettingError(
            f"model 'openai:{model}': set OPENAI_API_KEY to your key, "
            "or OPENAI_BASE_URL to a server of your own."
        )
    return OpenAICompatible(f"openai:{model}", model, base_url=base_url, api_key=key)


register_provider("local", _local)
register_provider("openai", _openai)
