"""Calls for the ledger's tests; its imports are few, since other processes import it too."""

from __future__ import annotations

from typing import Any

from creaeval.llm.chat import ChatReply, ChatRequest, Message, Settings, Usage
from creaeval.llm.key import call_key
from creaeval.llm.records import NewCall

IDENTITY = {"provider": "openai", "base_url": "https://a.example/v1", "model": "m1"}


def call(text: str = "{}", *, user: str = "Rate it.", role: str = "judge", **options: Any) -> NewCall:
    request = ChatRequest("You judge.", (Message("user", user),), {"type": "object"}, "Sheet", Settings())
    key = call_key(IDENTITY, request, 0)
    reply = ChatReply(text, "stop", Usage(100, 80, 20, 5), 1.5, "m1-2026")
    return NewCall(key, IDENTITY, role, {"response_id": "R1"}, request, 0, reply, **options)
