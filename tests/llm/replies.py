"""Read a reply the way the ask loop does, without a model or a ledger."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, TypeVar, cast

from creaeval.llm.chat import ChatRequest, Message, Settings
from creaeval.llm.replies.reading import Read, read_reply
from creaeval.llm.replies.schema import reply_schema

from .support import Verdict

if TYPE_CHECKING:
    from pydantic import BaseModel

    from creaeval.llm.records import StoredCall

T = TypeVar("T", bound="BaseModel")


def read_as(form: type[T], text: str, finish: str = "stop") -> Read[T]:
    request = ChatRequest("", (Message("user", "Judge."),), reply_schema(form), "form", Settings())
    return read_reply(cast("StoredCall", SimpleNamespace(text=text, finish=finish)), form, request)


def read_verdict(text: str, finish: str = "stop") -> tuple[object, tuple[str, ...]]:
    """Return the verdict under the names that the cases use, and the notes."""
    read = read_as(Verdict, text, finish)
    return read.value.model_dump(by_alias=True), read.notes
