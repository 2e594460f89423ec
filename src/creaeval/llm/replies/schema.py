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


# As many as the reply types that the generator of forms keeps.
@lru_cache(maxsize=256)
def reply_schema(reply_type: type[BaseModel]) -> Mapping[str, Any]:
    """Build the schema to send for a reply type: references written out, titles left out.

    Parameters
    ----------
    reply_type : type of pydantic.BaseModel
        What the reply is to become.

    Returns
    -------
    mapping
        A JSON schema, the same object each time and not to be changed. Definitions that contain themselves
        stay references.
    """
    schema = reply_type.model_json_schema()
    definitions: dict[str, Any] = schema.pop("$defs", {})
    cleaned: dict[str, Any] = _clean(schema, definitions, ())
    if left := _references(cleaned):
        cleaned["$defs"] = {name: _clean(definitions[name], {}, ()) for name in definitions if name in left}
    return cleaned


@lru_cache(maxsize=256)
def reply_schema_hash(reply_type: type[BaseModel]) -> str:
    """Hash the schema of a reply type.

    Parameters
    ----------
    reply_type : type of pydantic.BaseModel
        What the reply is to become.

    Returns
    -------
    str
        As of :func:`creaeval.llm.key.schema_hash`.
    """
    return schema_hash(reply_schema(reply_type))


def _clean(node: Any, definitions: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    if isinstance(node, list):
        return [_clean(item, definitions, path) for item in node]
    if not isinstance(node, dict):
        return node
    name = str(node.get("$ref", "")).removeprefix("#/$defs/")
    if name in definitions and not _recursive(name, definitions):
        beside = {key: value for key, value in node.items() if key != "$ref"}
        return _clean({**definitions[name], **beside}, definitions, (*path, name))
    cleaned: dict[str, Any] = {}
    for key, value in node.items():
        if key in _NAMED:
            cleaned[key] = {field: _clean(inner, definitions, path) for field, inner in value.items()}
        elif key in ("const", "enum", "default", "examples"):
            cleaned[key] = value
        elif key not in ("title", "discriminator"):
            cleaned[key] = _clean(value, definitions, path)
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
