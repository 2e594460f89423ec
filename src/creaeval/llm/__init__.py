"""Models behind one small protocol, the ask loop, and the ledger of calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.llm.ask import Ask, Asked, CallRecord, Prompt
from creaeval.llm.chat import ChatModel, ChatReply, ChatRequest, Message, Settings, Usage
from creaeval.llm.providers.registry import open_model, register_provider

if TYPE_CHECKING:
    from creaeval.llm.ledger import Ledger

__all__ = [
    "Ask",
    "Asked",
    "CallRecord",
    "ChatModel",
    "ChatReply",
    "ChatRequest",
    "Ledger",
    "Message",
    "Prompt",
    "Settings",
    "Usage",
    "open_model",
    "register_provider",
]


def __getattr__(name: str) -> object:
    # The ledger brings SQLAlchemy (0.2 s and more), which `creaeval --help` must not wait for.
    if name == "Ledger":
        from creaeval.llm.ledger import Ledger

        return Ledger
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
