"""The ask loop: request, commit the reply, validate it, and ask again with the errors."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from creaeval.errors import CallError, PermanentCallError, ReplyError
from creaeval.llm._backoff import pause
from creaeval.llm._calls import Failure, NewCall, StoredCall
from creaeval.llm._gates import key_locks, room
from creaeval.llm.chat import AttemptError, ChatModel, ChatReply, ChatRequest, Message, Settings, Usage
from creaeval.llm.key import call_key
from creaeval.llm.reading import fresh_turn, read_reply, repair_turn
from creaeval.llm.reply import ReplyProblem
from creaeval.llm.schema import reply_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic import BaseModel

    from creaeval.llm.ledger import Ledger

T = TypeVar("T", bound="BaseModel")


@dataclass(frozen=True)
class Prompt:
    """What is asked first.

    Parameters
    ----------
    system : str
        The instructions.
    user : str
        The first turn.
    """

    system: str
    user: str


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
    """

    value: T
    calls: tuple[CallRecord, ...]


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
    tries : int
        Replies asked for before giving up.
    attempts : int
        Attempts at one request before giving up.
    on_call : callable, optional
        Told of each reply once it is committed, before it is validated.
    on_failure : callable, optional
        Told of each failed attempt.
    """

    def __init__(
        self,
        model: ChatModel,
        ledger: Ledger,
        settings: Settings,
        *,
        role: str,
        tries: int = 4,
        attempts: int = 4,
        on_call: Callable[[CallRecord], None] | None = None,
        on_failure: Callable[[Failure], None] | None = None,
    ) -> None:
        self.model = model
        self.ledger = ledger
        self.settings = settings
        self.role = role
        self.tries = tries
        self.attempts = attempts
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
        LedgerError, SettingError
            From the ledger and the model.
        """
        schema = reply_schema(reply_type)
        seed = self.settings.seed
        settings = replace(self.settings, seed=None if seed is None else seed + repeat)
        request = ChatRequest(prompt.system, (Message("user", prompt.user),), schema, schema_name, settings)
        records: list[CallRecord] = []
        reason = ""
        for attempt in range(self.tries):
            key = call_key(self.model.identity, request, repeat)
            stored, from_ledger = await self._reply(key, request, repeat, label)
            records.append(self._record(stored, from_ledger, label))
            if self.on_call is not None:
                self.on_call(records[-1])
            try:
                value = read_reply(stored, reply_type, request)
            except ReplyProblem as problem:
                reason = str(problem)
                self._mark(stored, "rejected", reason)
                turns = (
                    (*request.messages, *repair_turn(stored, problem))
                    if attempt == 0
                    else (fresh_turn(prompt.user, problem, attempt),)
                )
                request = replace(request, messages=turns)
                continue
            self._mark(stored, "accepted", "")
            return Asked(value, tuple(records))
        self.ledger.abandon(record.key for record in records)
        raise ReplyError(
            f"{self._who(label)}: {self.model.name} gave no usable reply in {self.tries} "
            f"{'try' if self.tries == 1 else 'tries'}. The last one: {reason}."
        )

    async def _reply(
        self, key: str, request: ChatRequest, repeat: int, label: Mapping[str, str]
    ) -> tuple[StoredCall, bool]:
        async with key_locks(self.ledger).hold(key):
            if (stored := self.ledger.find(key)) is not None:
                return stored, True
            await self.model.start()
            async with room(self.model, self.model.concurrency):
                reply = await self._request(key, request, label)
            # No await between the reply and its commit: a cancelled task cannot lose what was paid for.
            call = NewCall(key, self.model.identity, self.role, label, request, repeat, reply)
            return self.ledger.put(call), False

    async def _request(self, key: str, request: ChatRequest, label: Mapping[str, str]) -> ChatReply:
        attempt = 0
        while True:
            attempt += 1
            started = time.monotonic()
            try:
                return await self.model.request(request)
            except CallError as error:
                self._failed(key, attempt, error, time.monotonic() - started, label)
                if isinstance(error, PermanentCallError):
                    raise
                if attempt >= self.attempts or not getattr(error, "retry", True):
                    raise self._given_up(error, attempt, label) from error
                wait = pause(attempt, getattr(error, "retry_after", None))
            # The room stays taken meanwhile: the next in line must not ask a provider that refuses.
            await asyncio.sleep(wait)

    def _failed(
        self, key: str, attempt: int, error: CallError, seconds: float, label: Mapping[str, str]
    ) -> None:
        kind = getattr(error, "kind", "permanent" if isinstance(error, PermanentCallError) else "error")
        failure = Failure(key, self.model.name, self.role, label, attempt, kind, str(error), seconds)
        self.ledger.put_failure(failure)
        if self.on_failure is not None:
            self.on_failure(failure)

    def _given_up(self, error: CallError, attempts: int, label: Mapping[str, str]) -> CallError:
        times = "once" if attempts == 1 else f"{attempts} times"
        message = f"{self._who(label)}: {self.model.name} was asked {times} without a reply. {error}"
        return AttemptError(message, kind=getattr(error, "kind", "error"), retry=False)

    def _record(self, stored: StoredCall, from_ledger: bool, label: Mapping[str, str]) -> CallRecord:
        name = self.model.name
        return CallRecord(
            stored.key, self.role, name, stored.usage, stored.seconds, stored.finish, from_ledger, label
        )

    def _mark(self, stored: StoredCall, state: str, reason: str) -> None:
        # A replay that ends as before writes nothing, so a finished run can be read from a read-only copy.
        if (stored.state, stored.reason) != (state, reason):
            self.ledger.mark(stored.key, "accepted" if state == "accepted" else "rejected", reason)

    def _who(self, label: Mapping[str, str]) -> str:
        return f"{self.role} ({', '.join(f'{name} {value}' for name, value in label.items())})"
