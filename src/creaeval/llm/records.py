"""Plain records of what the ledger keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from creaeval.llm.chat import ChatReply, ChatRequest, Finish, Usage
    from creaeval.llm.logprobs import Token

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
    schema_hash : str
        Hash of the schema in the form in which it was sent; that of the request's own if empty.
    cost_usd : float or None
        What the call cost; None where no price is known.
    attempts : int or None
        Requests it took, the failed ones included; None where nobody counted.
    """

    key: str
    identity: Mapping[str, str]
    role: str
    label: Mapping[str, str]
    request: ChatRequest
    repeat: int
    reply: ChatReply
    schema_hash: str = ""
    cost_usd: float | None = None
    attempts: int | None = None


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
        Why it was rejected or abandoned, or what was overlooked when it was accepted.
    cost_usd : float or None
        What the call cost; None where no price was known.
    attempts : int or None
        Requests it took; None where nobody counted.
    tokens : tuple of Token
        The reply token by token with their probabilities, where they were asked for and came.
    """

    key: str
    text: str
    finish: Finish
    usage: Usage
    seconds: float
    model: str
    state: State
    reason: str
    cost_usd: float | None = None
    attempts: int | None = None
    tokens: tuple[Token, ...] = ()


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
    status : int or None
        HTTP status, if there was an answer.
    """

    key: str
    model: str
    role: str
    label: Mapping[str, str]
    attempt: int
    kind: str
    message: str
    seconds: float
    status: int | None = None


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
    cost_usd : float
        Sum over the calls with a known price.
    unpriced : int
        Calls without one.
    """

    role: str
    provider: str
    model: str
    calls: int
    rejected: int
    usage: Usage
    seconds: float
    cost_usd: float = 0.0
    unpriced: int = 0


@dataclass(frozen=True)
class FailedAttempts:
    """Attempts of one kind, by one role at one model, that brought no reply.

    Parameters
    ----------
    role : str
        Who asked.
    model : str
        The model's name as the user typed it.
    kind : str
        Kind of failure, such as ``rate_limit``.
    attempts : int
        How many.
    seconds : float
        Sum of their wall times.
    """

    role: str
    model: str
    kind: str
    attempts: int
    seconds: float


@dataclass(frozen=True)
class Overview:
    """What a ledger holds.

    Parameters
    ----------
    versions : mapping of str to int
        Version of each part of the database, such as ``{"ledger": 2, "runs": 1}``.
    size : int
        Bytes on disk.
    states : mapping of str to int
        Calls by state.
    imported : int
        Calls among them that another ledger paid for.
    first, last : str
        When the first and the last call were made (UTC); empty without calls.
    """

    versions: Mapping[str, int]
    size: int
    states: Mapping[str, int]
    imported: int
    first: str
    last: str


@dataclass(frozen=True)
class Imported:
    """What an import did.

    Parameters
    ----------
    new : int
        Calls that were taken in.
    known : int
        Calls that had a reply here already.
    broken : tuple of str
        Lines that were skipped, each with its number and what is wrong with it.
    """

    new: int
    known: int
    broken: tuple[str, ...] = ()


@dataclass(frozen=True)
class Prunable:
    """What pruning removes, or would remove.

    Parameters
    ----------
    calls : int
        Abandoned calls whose texts go.
    failures : int
        Records of failed attempts that go.
    """

    calls: int
    failures: int


@dataclass(frozen=True)
class Checked:
    """What was found in a ledger that is not damaged.

    Parameters
    ----------
    missing : int
        Calls that were written and are not there any more, such as after a recovery; SQLite only.
    unchecked : int
        Calls of an earlier creaeval, which kept no checksum of their texts.
    """

    missing: int
    unchecked: int
