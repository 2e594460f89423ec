"""Turn a stored reply into a value, or into the turn that asks for a better one."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from creaeval.llm.chat import ChatRequest, Message
from creaeval.llm.replies.coerce import coerce
from creaeval.llm.replies.lengths import fit_lengths
from creaeval.llm.replies.reply import ReplyProblem, parse_object, reasoning_is_open

if TYPE_CHECKING:
    from pydantic import BaseModel

    from creaeval.llm.records import StoredCall

T = TypeVar("T", bound="BaseModel")

# A reply that was cut off is long and useless: its beginning shows the model what it did.
_CUT_SHOWN = 1000


@dataclass(frozen=True)
class Read(Generic[T]):
    """A valid reply.

    Parameters
    ----------
    value : T
        The value.
    notes : tuple of str
        What was repaired or read otherwise than it was written; empty for a reply in the form asked for.
    """

    value: T
    notes: tuple[str, ...] = ()


def read_reply(stored: StoredCall, reply_type: type[T], request: ChatRequest) -> Read[T]:
    """Validate a reply.

    Parameters
    ----------
    stored : StoredCall
        The reply.
    reply_type : type of pydantic.BaseModel
        What it must become.
    request : ChatRequest
        What was asked.

    Returns
    -------
    Read
        The value, and what was repaired to get it.

    Raises
    ------
    ReplyProblem
        The reply cannot be used; its lines say why.
    """
    from pydantic import ValidationError

    from creaeval.llm.replies._problems import problem_lines

    if stored.finish == "length":
        within = ", within the reasoning" if reasoning_is_open(stored.text) else ""
        raise ReplyProblem(f"cut off by the limit of {request.settings.max_tokens} tokens{within}")
    if stored.finish == "refusal":
        raise ReplyProblem(f"the model refused: {stored.text[:200].strip() or 'without words'}")
    written, notes = parse_object(stored.text)
    written, fitted = fit_lengths(written, request.schema)
    notes += fitted
    try:
        return Read(_validated(written, reply_type), notes)
    except ValidationError as error:
        read = coerce(written, request.schema)
        if not read.notes and not read.problems:
            raise ReplyProblem(*problem_lines(error, request.schema)) from None
    try:
        value = _validated(read.value, reply_type)
    except ValidationError as error:
        raise ReplyProblem(*read.problems, *problem_lines(error, request.schema, read)) from None
    if read.problems:
        raise ReplyProblem(*read.problems)
    return Read(value, (*notes, *read.notes))


def _validated(value: object, reply_type: type[T]) -> T:
    # Strict, since pydantic else reads "1_0" as 10 and leaves no note. From JSON, not from the dict, so that
    # lists and strings are read as JSON means them.
    return reply_type.model_validate_json(json.dumps(value), strict=True)


def fresh_turn(user: str, problem: ReplyProblem, attempt: int) -> Message:
    """Write the first turn anew with what was wrong, without the reply: a model may else repeat it for ever.

    Parameters
    ----------
    user : str
        The first turn.
    problem : ReplyProblem
        Why the last reply cannot be used.
    attempt : int
        From 1; a later one is worded otherwise, or its reply would be looked up in the ledger.

    Returns
    -------
    Message
        The user's turn.
    """
    again = " Once more." * (attempt - 1)
    faults = f"An earlier reply could not be used:\n{_listed(problem)}\nDo not repeat its faults.{again}"
    return Message("user", f"{user}\n\n{faults}")


def repair_turn(stored: StoredCall, problem: ReplyProblem) -> tuple[Message, Message]:
    """Write the two turns that ask for a better reply.

    Parameters
    ----------
    stored : StoredCall
        The reply that cannot be used.
    problem : ReplyProblem
        Why.

    Returns
    -------
    tuple of two Message
        The model's reply and the user's answer to it.
    """
    text = stored.text
    if stored.finish == "length" and len(text) > _CUT_SHOWN:
        text = text[:_CUT_SHOWN] + " …"
    shorter = ", and keep it short enough to finish" if stored.finish == "length" else ""
    again = f"Reply again with the complete JSON object and nothing else{shorter}."
    ask = f"That reply cannot be used:\n{_listed(problem)}\n{again}"
    # Providers refuse a turn without text.
    return Message("assistant", text.strip() or "(no text)"), Message("user", ask)


def _listed(problem: ReplyProblem) -> str:
    return "\n".join(f"- {line}" for line in problem.lines)


class Conversation:
    """One question with its repairs.

    A reply that was cut off is asked for once more with twice the limit of tokens. Any other, and a second
    one that was cut off, goes back with what is wrong with it; from then on the question is asked anew with
    the faults but without the replies, which some models only repeat.

    Parameters
    ----------
    first : ChatRequest
        The question.
    raises_limit : bool
        Whether a higher limit is worth a try.
    """

    def __init__(self, first: ChatRequest, *, raises_limit: bool) -> None:
        self.request = first
        self._first = first
        self._raises_limit = raises_limit
        self._repairs = 0
        self._repair: tuple[Message, ...] = ()

    def reject(self, stored: StoredCall, problem: ReplyProblem) -> None:
        """Go on after a reply that cannot be used.

        Parameters
        ----------
        stored : StoredCall
            The reply.
        problem : ReplyProblem
            Why.
        """
        self._repair = (*self.request.messages, *repair_turn(stored, problem))
        if stored.finish == "length" and self._raises_limit:
            self._raises_limit = False
            settings = self.request.settings
            higher = replace(settings, max_tokens=2 * settings.max_tokens)
            self.request = replace(self.request, settings=higher)
            return
        self._repairs += 1
        if self._repairs > 1:
            *earlier, question = self._first.messages
            self._repair = (*earlier, fresh_turn(question.text, problem, self._repairs - 1))
        self.request = replace(self.request, messages=self._repair)

    def limit_refused(self) -> bool:
        """Go on after the provider refused a request.

        Returns
        -------
        bool
            Whether there is a way on: the first limit, with the repair that was put off for the higher one.
        """
        if self.request.settings == self._first.settings:
            return False
        self._repairs += 1
        self.request = replace(self.request, settings=self._first.settings, messages=self._repair)
        return True
