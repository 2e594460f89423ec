"""The JSON schema of a reply type, in the plain form that servers and grammars read best."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from creaeval.llm.key import schema_hash

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel

# Under these, the keys are names of fields, not words of JSON schema.
_NAMED = ("properties", "patternProperties", "dependentSchemas")
_UNUSED = frozenset({"title", "discriminator"})
_LENGTHS = frozenset({"maxLength", "maxItems"})


# As many as the reply types that the generator of forms keeps.
@lru_cache(maxsize=256)
def reply_schema(reply_type: type[BaseModel], *, bounded: bool = False) -> Mapping[str, Any]:
    """Build the schema to send for a reply type: references written out, titles left out.

    Parameters
    ----------
    reply_type : type of pydantic.BaseModel
        What the reply is to become.
    bounded : bool
        Whether the longest lengths of texts and lists stay in it. They end the decoding of models that a
        grammar holds and that could run on; to all others a length is advice, given in the prompt.

    Returns
    -------
    mapping
        A JSON schema, the same object each time and not to be changed. Definitions that contain themselves
        stay references.
    """
    schema = reply_type.model_json_schema()
    definitions: dict[str, Any] = schema.pop("$defs", {})
    left_out = _UNUSED if bounded else _UNUSED | _LENGTHS
    cleaned: dict[str, Any] = _clean(schema, definitions, left_out)
    if left := _references(cleaned):
        cleaned["$defs"] = {
            name: _clean(definitions[name], {}, left_out) for name in definitions if name in left
        }
    return cleaned


@lru_cache(maxsize=256)
def reply_schema_hash(reply_type: type[BaseModel], *, bounded: bool = False) -> str:
    """Hash the schema of a reply type.

    Parameters
    ----------
    reply_type, bounded
        As for :func:`reply_schema`.

    Returns
    -------
    str
        As of :func:`creaeval.llm.key.schema_hash`.
    """
    return schema_hash(reply_schema(reply_type, bounded=bounded))


def _clean(node: Any, definitions: Mapping[str, Any], left_out: frozenset[str]) -> Any:
    if isinstance(node, list):
        return [_clean(item, definitions, left_out) for item in node]
    if not isinstance(node, dict):
        return node
    name = str(node.get("$ref", "")).removeprefix("#/$defs/")
    if name in definitions and not _recursive(name, definitions):
        beside = {key: value for key, value in node.items() if key != "$ref"}
        return _clean({**definitions[name], **beside}, definitions, left_out)
    cleaned: dict[str, Any] = {}
    for key, value in node.items():
        if key in _NAMED:
            cleaned[key] = {field: _clean(inner, definitions, left_out) for field, inner in value.items()}
        elif key in ("const", "enum", "default", "examples"):
            cleaned[key] = value
        elif key not in left_out:
            cleaned[key] = _clean(value, definitions, left_out)
    return cleaned


def _recursive(name: str, definitions: Mapping[str, Any]) -> bool:
    seen: set[str] = set()
    todo = _references(definitions[name])
    while todo:
        current = todo.pop()
        if current == name:
            return True
        if current not in seen and current in definitions:
            seen.add(current)
            todo |= _references(definitions[current])
    return False


def _references(node: Any) -> set[str]:
    if isinstance(node, list):
        return set().union(*map(_references, node)) if node else set()
    if not isinstance(node, dict):
        return set()
    found = {str(node["$ref"]).removeprefix("#/$defs/")} if isinstance(node.get("$ref"), str) else set()
    return found.union(*(_references(value) for value in node.values()))
