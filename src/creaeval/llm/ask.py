"""The ask loop: request, commit the reply, validate it, and ask again with the errors."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar
from weakref import WeakKeyDictionary

from creaeval.errors import CallError, PermanentCallError, ReplyError
from creaeval.llm.chat import (
    AttemptError,
    ChatModel,
    ChatReply,
    ChatRequest,
    Limits,
    Message,
    Settings,
    Usage,
)
from creaeval.llm.key import call_key, schema_hash
from creaeval.llm.limiter import Limiter, pause
from creaeval.llm.prices import cost_of
from creaeval.llm.records import Failure, NewCall, StoredCall
from creaeval.llm.replies.reading import Conversation, read_reply
from creaeval.llm.replies.reply import ReplyProblem
from creaeval.llm.replies.schema import reply_schema, reply_schema_hash

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from typing import Any

    from pydantic import BaseModel

    from creaeval.llm.budget import Budget
    from creaeval.llm.ledger import Ledger

# A provider that wants a longer wait has an allowance by the hour or day: that is for the user to decide.
LONGEST_WAIT = 900.0
# For the limiter: about four characters a token, and a reply that is not longer than most.
_CHARACTERS_PER_TOKEN = 4
_REPLY_TOKENS = 1000

T = TypeVar("T", bound="BaseModel")


@dataclass(frozen=True)
class Prompt:
    """What is asked first.

    Parameters
    ----------
    system : str
        The instructions.
    user : str
        The turn that is to be answered.
    earlier : tuple of Message
        Turns of the same conversation before it, the user's and the model's by turns.
    """

    system: str
    user: str
    earlier: tuple[Message, ...] = ()


@dataclass(frozen=True)
class CallRecord:
    """One reply that an ask used or rejected.

    Parameters
    ----------
    key : str
        The call's key.
    role : str
        Who asked.
    model : str
        The model's name as the user types it.
    usage : Usage
        Tokens of the call, also when it came from the ledger and cost nothing now.
    seconds : float
        How long the request took when it was made.
    finish : str
        Why the reply ended.
    cost_usd : float or None
        What the call cost when it was made; None where no price was known.
    from_ledger : bool
        Whether the reply was replayed.
    label : mapping of str to str
        What it was asked for.
    """

    key: str
    role: str
    model: str
    usage: Usage
    seconds: float
    finish: str
    cost_usd: float | None
    from_ledger: bool
    label: Mapping[str, str]


@dataclass(frozen=True)
class Asked(Generic[T]):
    """A validated answer and the calls that led to it.

    Parameters
    ----------
    value : T
        The answer.
    calls : tuple of CallRecord
        All calls of the ask, rejected ones first.
    reply : StoredCall
        The call that was answered: its text, for a conversation that goes on, and its log-probabilities.
    """

    value: T
    calls: tuple[CallRecord, ...]
    reply: StoredCall


class Ask:
    """Ask one model in one role.

    Parameters
    ----------
    model : ChatModel
        The model; it is started when the first reply is not in the ledger.
    ledger : Ledger
        Where replies are looked up and committed.
    settings : Settings
        How to ask. Repetition n adds n to the seed, or a repetition would repeat the answer.
    role : str
        ``analyst``, ``judge`` …
    limiter : Limiter, optional
        The limits to keep, to be shared by all asks of one provider; if not given, the model's own limits,
        for this ask alone.
    concurrency : int, optional
        Requests this role may have open at once, where that is fewer than the limiter allows.
    tries : int
        Replies asked for before giving up.
    attempts : int
        Failed attempts at one request before giving up; those the provider refused for their rate apart.
    refusals : int
        Attempts at one request that the provider may refuse for their rate before giving up.
    budget : Budget, optional
        What may be spent, shared by all asks of a command.
    on_call : callable, optional
        Called with each reply once it is committed, before it is validated.
    on_failure : callable, optional
        Called with each failed attempt.
    """

    def __init__(
        self,
        model: ChatModel,
        ledger: Ledger,
        settings: Settings,
        *,
        role: str,
        limiter: Limiter | None = None,
        concurrency: int | None = None,
        budget: Budget | None = None,
        tries: int = 4,
        attempts: int = 4,
        refusals: int = 20,
        on_call: Callable[[CallRecord], None] | None = None,
        on_failure: Callable[[Failure], None] | None = None,
    ) -> None:
        self.model = model
        self.ledger = ledger
        self.settings = settings
        self.role = role
        self.tries = tries
        self.attempts = attempts
        self.refusals = refusals
        self.limiter = limiter or Limiter(getattr(model, "limits", None) or Limits())
        self.budget = budget
        self._bounded: bool = getattr(model, "bounds_decoding", False)
        self._own_room = asyncio.Semaphore(concurrency) if concurrency else nullcontext()
        self.on_call = on_call
        self.on_failure = on_failure

    async def __call__(
        self,
        prompt: Prompt,
        reply_type: type[T],
        *,
        schema_name: str,
        label: Mapping[str, str],
        repeat: int = 0,
    ) -> Asked[T]:
        """Ask until a reply is valid.

        Parameters
        ----------
        prompt : Prompt
            What to ask.
        reply_type : type of pydantic.BaseModel
            What the reply must become; it checks ranges and names by itself.
        schema_name : str
            Name of the schema.
        label : mapping of str to str
            What this is for: response_id, step and the like.
        repeat : int
            Number of the repetition, from 0.

        Returns
        -------
        Asked
            The validated answer and its calls.

        Raises
        ------
        ReplyError
            No reply was valid. Its calls are abandoned, so the next run asks afresh.
        CallError
            A request failed for good. Replies received before stay in the ledger.
        BudgetReachedError
            A request was not sent, since it could have taken what is spent beyond the budget.
        LedgerError, SettingError
            From the ledger and the model.
        """
        schema = reply_schema(reply_type, bounded=self._bounded)
        settings = self.settings
        if repeat and settings.seed is not None:
            settings = replace(settings, seed=settings.seed + repeat)
        turns = (*prompt.earlier, Message("user", prompt.user))
        first = ChatRequest(prompt.system, turns, schema, schema_name, settings)
        conversation = Conversation(first, raises_limit=getattr(self.model, "raises_limit", True))
        form_hash = self._form_hash(reply_type)
        records: list[CallRecord] = []
        reason = ""
        for _ in range(self.tries):
            request = conversation.request
            key = call_key(self.model.identity, request, repeat, form_hash)
            try:
                stored, from_ledger = await self._reply(key, request, form_hash, repeat, label)
            except AttemptError as error:
                # To servers that count prompt and reply together, too high a limit is too long a prompt.
                if error.kind in ("rejected", "too_long") and conversation.limit_refused():
                    continue
                raise
            records.append(self._record(stored, from_ledger, label))
            if self.on_call is not None:
                self.on_call(records[-1])
            try:
                read = read_reply(stored, reply_type, request)
            except ReplyProblem as problem:
                reason = str(problem)
                self._mark(stored, "rejected", reason)
                conversation.reject(stored, problem)
                continue
            self._mark(stored, "accepted", "; ".join(read.notes))
            return Asked(read.value, tuple(records), stored)
        self.ledger.abandon(record.key for record in records)
        raise ReplyError(
            f"{self._who(label)}: {self.model.name} gave no usable reply in {self.tries} "
            f"{'try' if self.tries == 1 else 'tries'}. The last one: {reason}."
        )

    def _form_hash(self, reply_type: type[BaseModel]) -> str:
        form: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = getattr(self.model, "form", None)
        schema = reply_schema(reply_type, bounded=self._bounded)
        sent = schema if form is None else form(schema)
        return reply_schema_hash(reply_type, bounded=self._bounded) if sent is schema else schema_hash(sent)

    async def _reply(
        self,
        key: str,
        request: ChatRequest,
        form_hash: str,
        repeat: int,
        label: Mapping[str, str],
    ) -> tuple[StoredCall, bool]:
        async with _key_locks(self.ledger).hold(key):
            if (stored := self.ledger.find(key)) is not None:
                return stored, True
            await self.model.start()
            held = nullcontext() if self.budget is None else self.budget.hold(self.model, request)
            async with self._own_room, self.limiter.room, held:
                reply, attempts = await self._request(key, request, label)
                # No await between the reply and its commit: a cancelled task cannot lose what was paid for.
                cost = cost_of(self.model, reply.usage)
                stored = self.ledger.put(
                    NewCall(
                        key,
                        self.model.identity,
                        self.role,
                        label,
                        request,
                        repeat,
                        reply,
                        schema_hash=form_hash,
                        cost_usd=cost,
                        attempts=attempts,
                    )
                )
                if self.budget is not None:
                    # For this reply, even if that of another process serves in its place.
                    self.budget.pay(cost)
            # Whoever waits for the place sends its request before this reply is read: replies that come
            # together would else keep the provider idle for as long as reading all of them takes.
            for _ in range(2):
                await asyncio.sleep(0)
            return stored, False

    async def _request(
        self, key: str, request: ChatRequest, label: Mapping[str, str]
    ) -> tuple[ChatReply, int]:
        limiter = self.limiter
        expected = _expected_tokens(request)
        attempt = failed = refused = 0
        while True:
            attempt += 1
            started = await limiter.turn(expected)
            try:
                reply = await self.model.request(request)
            except CallError as error:
                self._failed(key, attempt, error, time.monotonic() - started, label)
                if isinstance(error, PermanentCallError):
                    raise
                asked_for: float | None = getattr(error, "retry_after", None)
                if asked_for is not None and asked_for > LONGEST_WAIT:
                    raise PermanentCallError(
                        f"{str(error).rstrip('.')}. It asks to wait {asked_for:.0f} s. "
                        "The same command goes on from here then."
                    ) from error
                rate = getattr(error, "kind", "") == "rate_limit"
                failed, refused = (failed, refused + 1) if rate else (failed + 1, refused)
                if failed >= self.attempts or refused >= self.refusals or not getattr(error, "retry", True):
                    raise self._given_up(error, attempt, label) from error
                wait = pause(refused if rate else failed, asked_for)
                limiter.answered(expected, 0)
                if rate:
                    limiter.refused(started, wait)
            else:
                limiter.answered(expected, reply.usage.input + reply.usage.output, accepted=True)
                return reply, attempt
            if not rate:
                await asyncio.sleep(wait)

    def _failed(
        self, key: str, attempt: int, error: CallError, seconds: float, label: Mapping[str, str]
    ) -> None:
        kind = getattr(error, "kind", "permanent" if isinstance(error, PermanentCallError) else "error")
        status: int | None = getattr(error, "status", None)
        failure = Failure(key, self.model.name, self.role, label, attempt, kind, str(error), seconds, status)
        self.ledger.put_failure(failure)
        if self.on_failure is not None:
            self.on_failure(failure)

    def _given_up(self, error: CallError, attempts: int, label: Mapping[str, str]) -> CallError:
        times = "once" if attempts == 1 else f"{attempts} times"
        message = f"{self._who(label)}: {self.model.name} was asked {times} without a reply. {error}"
        return AttemptError(message, kind=getattr(error, "kind", "error"), retry=False)

    def _record(self, stored: StoredCall, from_ledger: bool, label: Mapping[str, str]) -> CallRecord:
        name = self.model.name
        cost = stored.cost_usd
        if cost is None:
            # A call from before its price was known, or recorded elsewhere.
            cost = cost_of(self.model, stored.usage)
        return CallRecord(
            stored.key,
            self.role,
            name,
            stored.usage,
            stored.seconds,
            stored.finish,
            cost,
            from_ledger,
            label,
        )

    def _mark(self, stored: StoredCall, state: str, reason: str) -> None:
        # A replay that ends as before writes nothing, so a finished run can be read from a read-only copy.
        if (stored.state, stored.reason) != (state, reason):
            self.ledger.mark(stored.key, "accepted" if state == "accepted" else "rejected", reason)

    def _who(self, label: Mapping[str, str]) -> str:
        return f"{self.role} ({', '.join(f'{name} {value}' for name, value in label.items())})"


def _expected_tokens(request: ChatRequest) -> int:
    characters = len(request.system) + sum(len(message.text) for message in request.messages)
    return characters // _CHARACTERS_PER_TOKEN + min(request.settings.max_tokens, _REPLY_TOKENS)


class _KeyLocks:
    """Locks by key that are forgotten when nobody holds or awaits them."""

    def __init__(self) -> None:
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def hold(self, key: str) -> AsyncIterator[None]:
        """Hold the lock of a key."""
        lock, users = self._locks.get(key, (asyncio.Lock(), 0))
        self._locks[key] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            lock, users = self._locks.pop(key)
            if users > 1:
                self._locks[key] = (lock, users - 1)


# By event loop, since asyncio's locks belong to one, and by ledger.
_LOCKS: WeakKeyDictionary[asyncio.AbstractEventLoop, WeakKeyDictionary[object, _KeyLocks]] = (
    WeakKeyDictionary()
)


def _key_locks(ledger: object) -> _KeyLocks:
    """Return the locks that all asks of a ledger share in the running loop."""
    of_loop = _LOCKS.setdefault(asyncio.get_running_loop(), WeakKeyDictionary())
    return of_loop.setdefault(ledger, _KeyLocks())
