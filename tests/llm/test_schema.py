from __future__ import annotations

import json

from pydantic import BaseModel, Field

from creaeval.llm.replies.schema import reply_schema, reply_schema_hash


class Score(BaseModel):
    title: str = Field(max_length=350)
    points: int = Field(ge=0, le=5)


class Sheet(BaseModel):
    first: Score = Field(description="the first item")
    rest: list[Score]


class Tree(BaseModel):
    children: list[Tree]


def test_references_are_written_out_and_titles_left_out_but_a_field_named_title_stays() -> None:
    schema = reply_schema(Sheet)
    item = {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "points": {"type": "integer", "minimum": 0, "maximum": 5},
        },
        "required": ["title", "points"],
    }
    assert schema["properties"] == {
        "first": {**item, "description": "the first item"},
        "rest": {"type": "array", "items": item},
    }
    assert "$ref" not in json.dumps(schema)


def test_a_definition_that_contains_itself_stays_a_reference() -> None:
    schema = reply_schema(Tree)
    assert "Tree" in schema["$defs"]


def test_longest_lengths_are_for_models_that_a_grammar_holds() -> None:
    bounded = reply_schema(Sheet, bounded=True)["properties"]["first"]["properties"]
    assert bounded["title"] == {"type": "string", "maxLength": 350}
    assert reply_schema_hash(Sheet, bounded=True) != reply_schema_hash(Sheet)
