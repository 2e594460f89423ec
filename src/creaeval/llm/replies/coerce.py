"""Read values of a reply as its schema means them, where what is meant is plain.

Keys in another spelling, numbers and fractions in quotes, words of an enum in another case. Never the range,
never a text, never what is missing; what is not plain stays as written, for the validation to refuse.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from creaeval.llm.replies.lenient import ascii_digits, brief, same_json

Path = tuple[str | int, ...]

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_FRACTION = re.compile(r"(0|[1-9][0-9]*) ?[/／⁄] ?([1-9][0-9]*)")
_MOST_DIGITS = 40
# Above this a float does not say which whole number it is.
_MOST_EXACT = 2**53
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_TRUTH = {True: "yes", False: "no"}


@dataclass
class Coerced:
    """A value read as its schema means it.

    Parameters
    ----------
    value : object
        The value.
    notes : list of str
        What was read otherwise than it was written.
    problems : list of str
        Keys given twice with different values.
    written : dict
        What the model wrote, by the place of what was made of it.
    """

    value: Any
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    written: dict[Path, Any] = field(default_factory=dict)


def coerce(value: Any, schema: Mapping[str, Any]) -> Coerced:
    """Read a value as a schema means it.

    Parameters
    ----------
    value : object
        What the model wrote, as JSON.
    schema : mapping
        The schema it was sent, as ``reply_schema`` makes it.

    Returns
    -------
    Coerced
        The value; the same one without notes if nothing was to be done.
    """
    try:
        return _Walk(schema.get("$defs", {})).part(value, schema, ())
    except RecursionError:
        return Coerced(value)


def fold_name(name: str) -> str:
    """Reduce a name to what is left when case, spaces, punctuation and full-width forms do not count."""
    plain = unicodedata.normalize("NFC", name.translate(_FULL_WIDTH)).casefold()
    return "".join(sign for sign in plain if unicodedata.category(sign)[0] not in "PZC")


class _Walk:
    """Walks a value and its schema together."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions

    def part(self, value: Any, node: Mapping[str, Any], path: Path, words: Iterable[str] = ()) -> Coerced:
        """Read one part; ``words`` are those that this place may hold in any form its object can have."""
        node = self._resolve(node)
        if options := self._options(node):
            return self._choice(value, options, path)
        if isinstance(value, dict) and "properties" in node:
            return self._object(value, node["properties"], path, {})
        if isinstance(value, list) and isinstance(node.get("items"), Mapping):
            parts = [self.part(one, node["items"], (*path, index)) for index, one in enumerate(value)]
            return _joined([part.value for part in parts], parts)
        read = _plain(value, node, words)
        if read is value:
            return Coerced(value)
        return Coerced(read, [f"{_dotted(path)}: {value!r} read as {read!r}"], [], {path: value})

    def _resolve(self, node: Mapping[str, Any]) -> Mapping[str, Any]:
        name = str(node.get("$ref", "")).removeprefix("#/$defs/")
        found: Mapping[str, Any] = self._definitions.get(name, node)
        return found

    def _options(self, node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """List the forms that a place can have, also those of a form that is itself a choice."""
        forms = [self._resolve(one) for one in node.get("anyOf") or node.get("oneOf") or ()]
        return [inner for one in forms for inner in (self._options(one) or [one])]

    def _object(
        self, value: dict[str, Any], properties: Mapping[str, Any], path: Path, words: Mapping[str, set[str]]
    ) -> Coerced:
        named = _renamed(value, properties, path)
        parts = {
            key: self.part(inner, properties[key], (*path, key), words.get(key, ()))
            if key in properties
            else Coerced(inner)
            for key, inner in named.value.items()
        }
        return _joined({key: part.value for key, part in parts.items()}, [named, *parts.values()])

    def _choice(self, value: Any, options: list[Mapping[str, Any]], path: Path) -> Coerced:
        if any(self.fits(value, option) for option in options):
            return Coerced(value)
        words = _words_of(options)
        read = []
        for option in options:
            if isinstance(value, dict) and "properties" in option:
                read.append((option, self._object(value, option["properties"], path, words)))
            elif not isinstance(value, dict):
                read.append((option, self.part(value, option, path)))
        fitting = [part for option, part in read if self.fits(part.value, option)]
        # Where none fits, the words that tell the forms of an object apart say which one is meant.
        fitting = fitting or [part for option, part in read if self._told(part.value, option)]
        if not fitting or not all(same_json(part.value, fitting[0].value) for part in fitting):
            return Coerced(value)
        return fitting[0]

    def _told(self, value: Any, option: Mapping[str, Any]) -> bool:
        telling = {name: node for name, node in option.get("properties", {}).items() if _words(node)}
        return (
            bool(telling)
            and isinstance(value, dict)
            and all(name in value and self.fits(value[name], node) for name, node in telling.items())
        )

    def fits(self, value: Any, node: Mapping[str, Any]) -> bool:
        """Tell whether a value is of the form a schema asks for; lengths of texts and lists are left out."""
        node = self._resolve(node)
        if options := self._options(node):
            return any(self.fits(value, option) for option in options)
        if "const" in node or "enum" in node:
            return any(same_json(value, allowed) for allowed in node.get("enum", [node.get("const")]))
        if isinstance(value, dict):
            return node.get("type") == "object" and self._object_fits(value, node)
        if isinstance(value, list):
            items = node.get("items", {})
            return node.get("type") == "array" and all(self.fits(one, items) for one in value)
        return _scalar_fits(value, node)

    def _object_fits(self, value: dict[str, Any], node: Mapping[str, Any]) -> bool:
        properties = node.get("properties", {})
        others = node.get("additionalProperties", True)
        if any(name not in value for name in node.get("required", ())):
            return False
        return all(
            self.fits(inner, properties[name])
            if name in properties
            else others is True or (isinstance(others, Mapping) and self.fits(inner, others))
            for name, inner in value.items()
        )


def _joined(value: Any, parts: Iterable[Coerced]) -> Coerced:
    whole = Coerced(value)
    for part in parts:
        whole.notes += part.notes
        whole.problems += part.problems
        whole.written |= part.written
    return whole


def _renamed(value: dict[str, Any], properties: Mapping[str, Any], path: Path) -> Coerced:
    known = Coerced({key: inner for key, inner in value.items() if key in properties})
    if len(known.value) == len(value):
        return known
    folded: dict[str, list[str]] = {}
    for name in properties:
        folded.setdefault(fold_name(name), []).append(name)
    folded.pop("", None)
    for key, inner in value.items():
        if key in properties:
            continue
        names = folded.get(fold_name(key), ())
        if len(names) != 1:
            known.value[key] = inner
            continue
        place = _dotted((*path, names[0]))
        there = known.value.setdefault(names[0], inner)
        if same_json(there, inner):
            known.notes.append(f"{place}: written as {key!r}")
        else:
            known.problems.append(
                f"{place}: found twice, {brief(there)} and, as {key!r}, {brief(inner)}, expected once"
            )
    return known


def _plain(value: Any, node: Mapping[str, Any], words: Iterable[str]) -> Any:
    """Read a value that holds no others; the very same one if it is not plain what it means."""
    kind = node.get("type")
    if kind in ("integer", "number"):
        number = _number(value, node)
        allowed = node.get("enum", [node["const"]] if "const" in node else None)
        return value if allowed is not None and number not in allowed else number
    own = _words(node)
    if isinstance(value, bool) and {word.casefold() for word in (words or own)} == {"yes", "no"}:
        return next((word for word in own if word.casefold() == _TRUTH[value]), value)
    if isinstance(value, str) and own and value not in own:
        meant = [word for word in own if word.strip().casefold() == value.strip().casefold()]
        return meant[0] if len(meant) == 1 else value
    return value


def _number(value: Any, node: Mapping[str, Any]) -> Any:
    whole = node["type"] == "integer"
    if isinstance(value, float) and whole and value.is_integer() and abs(value) <= _MOST_EXACT:
        return int(value)
    if not isinstance(value, str) or len(value) > _MOST_DIGITS:
        return value
    text = ascii_digits(value.strip())
    if _NUMBER.fullmatch(text):
        digits, _, after = text.partition(".")
        if whole:
            return value if after.strip("0") else int(digits)
        return float(text) if after else int(digits)
    fraction = _FRACTION.fullmatch(text)
    # Any other denominator is another scale, and how to get from one to the other is a guess.
    if whole and fraction and "minimum" in node and int(fraction[2]) == node.get("maximum"):
        return int(fraction[1])
    return value


def _words(node: Mapping[str, Any]) -> list[str]:
    allowed = node.get("enum", [node.get("const")])
    return list(allowed) if all(isinstance(word, str) for word in allowed) else []


def _words_of(options: Iterable[Mapping[str, Any]]) -> dict[str, set[str]]:
    words: dict[str, set[str]] = {}
    for option in options:
        for name, node in option.get("properties", {}).items():
            words.setdefault(name, set()).update(_words(node))
    return words


def _scalar_fits(value: Any, node: Mapping[str, Any]) -> bool:
    kinds = {
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "number": isinstance(value, int | float) and not isinstance(value, bool),
        "string": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "null": value is None,
    }
    if "type" in node and not kinds.get(node["type"], False):
        return False
    if not kinds["number"]:
        return True
    return bool(node.get("minimum", value) <= value <= node.get("maximum", value))


def _dotted(path: Path) -> str:
    return ".".join(map(str, path))
