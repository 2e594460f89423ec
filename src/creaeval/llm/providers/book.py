"""What is known of models beside their names: presets, prices and keys, from files."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from creaeval.errors import Problems, SettingError
from creaeval.llm.prices import Price
from creaeval.llm.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECTIONS = ("presets", "prices_as_of", "prices")
_PRICE_FIELDS = ("input", "cached", "output")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# A dated name costs what its undated one does.
_DATE = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8}|\d{4})$")


@dataclass(frozen=True)
class Preset:
    """A name for a model with its settings.

    Parameters
    ----------
    model : str
        The model's name.
    settings : mapping of str to object
        By setting name, as in :func:`creaeval.llm.settings.read_settings`.
    base_url : str
        Another server than the provider's own.
    key_variable : str
        Another variable that holds the key.
    """

    model: str
    settings: Mapping[str, Any]
    base_url: str = ""
    key_variable: str = ""


@dataclass(frozen=True)
class ModelBook:
    """Presets, prices and keys.

    Parameters
    ----------
    presets : mapping of str to Preset
        By name.
    prices : mapping of str to Price
        By ``provider:model``.
    prices_as_of : str
        When the package's own prices were looked up.
    own_prices : frozenset of str
        Which of them the user gave.
    keys : mapping of str to str
        Variables from a file of keys; they count before the environment's.
    """

    presets: Mapping[str, Preset] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=dict)
    prices_as_of: str = ""
    own_prices: frozenset[str] = frozenset()
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)

    def variable(self, *names: str) -> str:
        """Return the first variable of these names that is set, in the file of keys or the environment."""
        for name in names:
            if value := (self.keys.get(name) or os.environ.get(name, "")).strip():
                return value
        return ""

    def price(self, name: str, *, official: bool) -> Price | None:
        """Find the price of a model.

        Parameters
        ----------
        name : str
            ``provider:model``.
        official : bool
            Whether it is asked at the provider's own address; elsewhere only the user's prices hold.

        Returns
        -------
        Price or None
        """
        # The user's own price of one protocol goes before the package's of the other.
        same = name.replace("openai-responses:", "openai:", 1)
        for known in (name, _DATE.sub("", name), same, _DATE.sub("", same)):
            if known in self.prices and (official or known in self.own_prices):
                return self.prices[known]
        return None


@cache
def built_in_book() -> ModelBook:
    """Return the presets and prices that come with the package."""
    return _read(
        files("creaeval.llm.providers").joinpath("models.yaml").read_text(encoding="utf-8"), "models.yaml"
    )


def open_book(models: str | Path | None = None, keys: str | Path | None = None) -> ModelBook:
    """Read the user's files over the package's own presets and prices.

    Parameters
    ----------
    models : path, optional
        A YAML file with ``presets`` and ``prices``.
    keys : path, optional
        A file with lines ``NAME=value``, such as ``OPENAI_API_KEY=…``.

    Returns
    -------
    ModelBook

    Raises
    ------
    SettingError
        A file cannot be read; all problems with their places.
    """
    built_in = built_in_book()
    own = ModelBook() if models is None else _read(_text(Path(models), "a YAML file"), str(models))
    return ModelBook(
        presets={**built_in.presets, **own.presets},
        prices={**built_in.prices, **own.prices},
        prices_as_of=built_in.prices_as_of,
        own_prices=frozenset(own.prices),
        keys={} if keys is None else _read_keys(Path(keys)),
    )


def _text(path: Path, kind: str) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SettingError(f"{path}: cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise SettingError(f"{path}: this is not UTF-8 text; expected {kind}.") from None


def _read_keys(path: Path) -> dict[str, str]:
    from io import StringIO

    from dotenv import dotenv_values

    # Without interpolation: a key may hold a dollar sign.
    values = dotenv_values(stream=StringIO(_text(path, "lines NAME=value")), interpolate=False)
    found = {name: value for name, value in values.items() if value}
    if not found:
        raise SettingError(f"{path}: found no key, expected lines such as OPENAI_API_KEY=…")
    return found


def _read(text: str, where: str) -> ModelBook:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        content = YAML(typ="safe", pure=True).load(text) or {}
    except (YAMLError, ValueError, RecursionError) as error:
        # A date that is none is a ValueError.
        raise SettingError(f"{where}: this is not well-formed YAML: {error}") from None
    if not isinstance(content, dict):
        raise SettingError(f"{where}: expected the sections {', '.join(_SECTIONS)}.")
    problems = Problems(SettingError)
    for name in content:
        if name not in _SECTIONS:
            problems.add(f"{where}: there is no section {name!r}; expected {', '.join(_SECTIONS)}.")
    presets: dict[str, Preset] = {}
    for name, fields in _entries(content, "presets", where, problems):
        with problems.collect():
            presets[name] = _preset(name, fields, f"{where}: presets.{name}")
    prices: dict[str, Price] = {}
    for name, fields in _entries(content, "prices", where, problems):
        wrong = _price_problem(name, fields)
        if wrong:
            problems.add(f"{where}: prices.{name}: {wrong}")
        else:
            prices[name] = Price(**{key: float(fields[key]) for key in _PRICE_FIELDS})
    problems.stop()
    as_of = content.get("prices_as_of", "")
    return ModelBook(presets, prices, as_of.isoformat() if isinstance(as_of, date) else str(as_of))


def _entries(
    content: Mapping[str, Any], section: str, where: str, problems: Problems
) -> list[tuple[str, dict[str, Any]]]:
    given = content.get(section) or {}
    if not isinstance(given, dict):
        problems.add(f"{where}: {section}: expected names with their fields.")
        return []
    entries: list[tuple[str, dict[str, Any]]] = []
    for name, fields in given.items():
        if isinstance(fields, dict):
            entries.append((str(name), fields))
        else:
            problems.add(f"{where}: {section}.{name}: found {fields!r}, expected fields with values.")
    return entries


def _preset(name: str, fields: Mapping[str, Any], where: str) -> Preset:
    own = ("model", "base_url", "key_variable")
    if ":" in name:
        raise SettingError(f"{where}: a preset's name has no colon, which stands for a provider.")
    model = fields.get("model")
    if not isinstance(model, str) or not model:
        raise SettingError(f"{where}: found no model, expected one such as model: openai:NAME.")
    if wrong := [key for key in own if not isinstance(fields.get(key, ""), str)]:
        raise SettingError(f"{where}.{wrong[0]}: found {fields[wrong[0]]!r}, expected text.")
    key_variable = fields.get("key_variable", "")
    if key_variable and not _VARIABLE.fullmatch(key_variable):
        # It may be the key itself, so it is not repeated.
        raise SettingError(f"{where}.key_variable: expected the name of a variable that holds the key.")
    settings = read_settings(
        {key: value for key, value in fields.items() if key not in own}, roles=False, where=f"{where}."
    )
    return Preset(model, settings, fields.get("base_url", ""), key_variable)


def _price_problem(name: str, fields: Mapping[str, Any]) -> str:
    if ":" not in name:
        return "expected a name such as openai:NAME."
    good = set(fields) == set(_PRICE_FIELDS) and all(
        isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf
        for value in fields.values()
    )
    shown = ", ".join(f"{key}: {value}" for key, value in fields.items())
    return (
        "" if good else f"found {shown}, expected {', '.join(_PRICE_FIELDS)} in US dollars a million tokens."
    )
