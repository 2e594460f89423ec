"""Models behind one small protocol, the ask loop, and the ledger of calls."""

from creaeval.llm.ask import Ask, Asked, CallRecord, Prompt
from creaeval.llm.chat import ChatModel, ChatReply, ChatRequest, Message, Settings, Usage
from creaeval.llm.ledger import Ledger
from creaeval.llm.providers import open_model, register_provider

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
