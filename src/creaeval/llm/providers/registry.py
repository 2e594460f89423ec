"""Find a model by the name the user typed; other packages add providers here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from creaeval.errors import SettingError
from creaeval.llm.chat import Limits, Settings
from creaeval.llm.providers.book import ModelBook, built_in_book
from creaeval.llm.providers.table import COMPATIBLE, PROVIDERS
from creaeval.llm.settings import LIMIT_NAMES
from creaeval.wording import did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from creaeval.llm.chat import ChatModel
    from creaeval.llm.providers.book import Preset
    from creaeval.llm.providers.table import Provider

Factory = Callable[[str], "ChatModel"]
GROUP = "creaeval.providers"

_FACTORIES: dict[str, Factory] = {}


def register_provider(prefix: str, factory: Factory) -> None:
    """Register a provider under the part of a model's name before the colon.

    Parameters
    ----------
    prefix : str
        Such as ``acme``.
    factory : callable
        Takes what follows the colon (empty if there is none) and returns a ChatModel. It must be cheap:
        what needs a network, a file or time belongs into the model's start.

    Raises
    ------
    ValueError
        The prefix is taken; both modules are named.
    """
    taken = PROVIDERS[prefix] if prefix in PROVIDERS else _FACTORIES.get(prefix)
    if taken is not None:
        first, second = taken.__module__, factory.__module__
        raise ValueError(f"The provider {prefix!r} is registered twice: by {first} and by {second}.")
    _FACTORIES[prefix] = factory


def open_model(name: str, book: ModelBook | None = None) -> ChatModel:
    """Make the model that a name stands for, without starting it.

    Parameters
    ----------
    name : str
        ``local``, ``local:FILE.gguf``, ``FILE.gguf``, ``PROVIDER:NAME``, or a preset's name.
    book : ModelBook, optional
        Presets, prices and keys; the package's own if not given.

    Returns
    -------
    ChatModel
        The model.

    Raises
    ------
    SettingError
        The name is unknown, its provider cannot be loaded, or a variable it needs is not set.
    """
    book = built_in_book() if book is None else book
    if name in book.presets:
        return _open_preset(name, book.presets[name], book)
    prefix, _, rest = name.partition(":")
    if name.lower().endswith(".gguf") and prefix not in {*_FACTORIES, *PROVIDERS}:
        prefix, rest = "local", name
    if prefix in PROVIDERS:
        return _hosted(PROVIDERS[prefix], rest, book)
    if prefix in _FACTORIES:
        return _FACTORIES[prefix](rest)
    plugins = _plugins()
    if prefix not in plugins:
        known = sorted({*_FACTORIES, *PROVIDERS, *plugins})
        hint = did_you_mean(name, [*known, *book.presets]) or did_you_mean(prefix, known)
        problem = (
            f"model {name!r}: found no provider {prefix!r}, expected one of {', '.join(known)}, "
            f"as in openai:NAME, a preset ({', '.join(book.presets)}), or the path of a .gguf file. {hint}"
        )
        raise SettingError(problem.rstrip())
    return _plugin(plugins[prefix], prefix, name)(rest)


def _plugin(entries: list[EntryPoint], prefix: str, name: str) -> Factory:
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
    return factory


def _plugins() -> dict[str, list[EntryPoint]]:
    from importlib.metadata import entry_points

    found: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=GROUP):
        found.setdefault(entry.name, []).append(entry)
    return found


def _open_preset(name: str, preset: Preset, book: ModelBook) -> ChatModel:
    if preset.model in book.presets:
        raise SettingError(
            f"preset {name!r}: its model {preset.model!r} is a preset too; name the model itself."
        )
    prefix, _, rest = preset.model.partition(":")
    if prefix in PROVIDERS:
        model = _hosted(PROVIDERS[prefix], rest, book, preset)
    elif preset.base_url or preset.key_variable:
        raise SettingError(f"preset {name!r}: base_url and key_variable are for hosted models only.")
    else:
        model = open_model(preset.model, book)
    settings = {key: value for key, value in preset.settings.items() if key not in LIMIT_NAMES}
    limits = {key: value for key, value in preset.settings.items() if key in LIMIT_NAMES}
    named = {
        "name": name,
        "defaults": replace(getattr(model, "defaults", None) or Settings(), **settings),
        "limits": replace(getattr(model, "limits", None) or Limits(), **limits),
    }
    for attribute, value in named.items():
        setattr(model, attribute, value)
    return model


def _hosted(provider: Provider, model: str, book: ModelBook, preset: Preset | None = None) -> ChatModel:
    from creaeval.llm.providers.hosted import HostedModel

    prefix = provider.prefix
    name = f"{prefix}:{model}"
    if not model:
        raise SettingError(f"model '{prefix}:': expected a name after the colon, as in {prefix}:NAME.")
    given = preset.base_url if preset is not None else ""
    address = given or book.variable(*provider.url_variables)
    url = address or provider.url
    host = _host(url)
    if not host:
        where = "base_url" if given else provider.url_variables[0]
        raise SettingError(f"model {name!r}: {where}: expected a URL such as https://host.example/v1.")
    official = host == _host(provider.url)
    if not official and provider.prefix == "openai":
        provider = COMPATIBLE
    variables = (preset.key_variable,) if preset is not None and preset.key_variable else provider.keys
    key = book.variable(*variables)
    if not key and official and not provider.own:
        raise SettingError(
            f"model {name!r}: set {variables[0]} to your key, or name a file that holds it with --keys"
            + (
                f", or set {provider.url_variables[0]} to a server of your own."
                if prefix == "openai"
                else "."
            )
        )
    if provider.package and not _installed(provider.package):
        raise SettingError(
            f"model {name!r}: its client is not installed. Run: pip install 'creaeval[{prefix}]'"
        )
    return HostedModel(
        name, model, provider, base_url=url, api_key=key, price=book.price(name, official=official)
    )


def _host(url: str) -> str:
    """Find the host in a base URL; empty if it is none."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return ""
    return parts.hostname or "" if parts.scheme in ("http", "https") else ""


def _installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def _local(rest: str) -> ChatModel:
    from creaeval.llm.local.model import LocalModel

    return LocalModel(rest or None)


def _hf(rest: str) -> ChatModel:
    from creaeval.llm.local.hf import HfModel

    return HfModel(rest)


def _samer(rest: str) -> ChatModel:
    from creaeval.llm.local.samer import SamerModel

    return SamerModel(rest)


def _offline(rest: str) -> ChatModel:
    from creaeval.llm.local.offline import OfflineModel

    if rest:
        raise SettingError(f"model 'offline:{rest}': there is one offline scorer; expected offline alone.")
    return OfflineModel()


register_provider("local", _local)
register_provider("hf", _hf)
register_provider("samer", _samer)
register_provider("offline", _offline)
