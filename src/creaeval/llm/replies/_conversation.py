"""What to ask next, when a reply cannot be used."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from creaeval.llm.replies.reading import fresh_turn, repair_turn

if TYPE_CHECKING:
    from creaeval.llm.chat import ChatRequest, Message
    from creaeval.llm.records import StoredCall
    from creaeval.llm.replies.reply import ReplyProblem


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
