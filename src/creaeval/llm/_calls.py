"""Plain records of what the ledger keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from creaeval.llm.chat import ChatReply, ChatRequest, Finish, Usage

State = Literal["replied", "accepted", "rejected", "abandoned"]


@dataclass(frozen=True)
class NewCall:
    """A reply on its way into the ledger.

    Parameters
    ----------
    key : str
        The call's key.
    identity : mapping of str to str
        The model's identity.
    role : str
        Who asked, such as ``analyst``.
    label : mapping of str to str
        What it was asked for: response_id, step and the like.
    request : ChatRequest
        What was asked.
    repeat : int
        Number of the repetition.
    reply : ChatReply
        What came back.
    """

    key: str
    identity: Mapping[str, str]
    role: str
    label: Mapping[str, str]
    request: ChatRequest
    repeat: int
    reply: ChatReply


@dataclass(frozen=True)
class StoredCall:
    """A reply as the ledger holds it.

    Parameters
    ----------
    key : str
        The call's key.
    text : str
        The raw reply.
    finish : str
        Why the reply ended.
    usage : Usage
        Its tokens.
    seconds : float
        How long the request took.
    model : str
        The model's name as the server reported it.
    state : str
        ``replied`` (not judged yet), ``accepted``, ``rejected`` or ``abandoned``.
    reason : str
        Why it was rejected or abandoned, else empty.
    """

    key: str
    text: str
    finish: Finish
    usage: Usage
    seconds: float
    model: str
    state: State
    reason: str


@dataclass(frozen=True)
class Failure:
    """A request attempt that brought no reply.

    Parameters
    ----------
    key : str
        The call's key.
    model : str
        The model's name as the user types it.
    role : str
        Who asked.
    label : mapping of str to str
        What it was asked for.
    attempt : int
        Number of the attempt, from 1.
    kind : str
        Kind of failure, such as ``rate_limit``.
    message : str
        The provider's words, without secrets.
    seconds : float
        How long the attempt took.
    """

    key: str
    model: str
    role: str
    label: Mapping[str, str]
    attempt: int
    kind: str
    message: str
    seconds: float


@dataclass(frozen=True)
class Totals:
    """Sums over the calls of one role with one model, abandoned calls included, imported ones not.

    Parameters
    ----------
    role : str
        Who asked.
    provider : str
        Who served the model.
    model : str
        The model's name in its identity.
    calls : int
        Replies received.
    rejected : int
        Replies that were not usable (rejected or abandoned).
    usage : Usage
        Tokens.
    seconds : float
        Sum of the requests' wall times.
    """

    role: str
    provider: str
    model: str
    calls: int
    rejected: int
    usage: Usage
    seconds: float
