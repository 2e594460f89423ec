"""A conversation with a model over several turns: what was accepted stays, what was rejected does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from creaeval.llm import Message, Prompt

if TYPE_CHECKING:
    from creaeval.llm import Ask
    from creaeval.sheets.replies import Reply

T = TypeVar("T", bound="Reply")


class Dialogue:
    """One conversation; :attr:`turns` is all that was said and accepted in it.

    Parameters
    ----------
    ask : Ask
        Who is asked.
    system : str
        The instructions, the same for all turns.
    response_id : str
        The response it is about.
    part : str
        What it is for, where several conversations lead to one sheet; empty for the only one.
    repeat : int
        Its number among conversations of the same wording, from 0: without it they would be one call.
    """

    def __init__(self, ask: Ask, system: str, response_id: str, *, part: str = "", repeat: int = 0) -> None:
        self._ask = ask
        self._system = system
        self._repeat = repeat
        self._label = {"response_id": response_id, **({"part": part} if part else {})}
        self.turns: tuple[Message, ...] = ()

    async def say(self, text: str, reply_type: type[T], stage: str, *, form: str = "scores") -> T:
        """Say something and wait for the answer.

        Parameters
        ----------
        text : str
            The user's turn.
        reply_type : type of Reply
            What the answer must become.
        stage : str
            The id of the step it is about, or ``judge`` where it is about all steps at once.
        form : str
            What the answer is, for the name of its schema.

        Returns
        -------
        Reply
            The answer. The next turn follows on the model's own words for it.

        Raises
        ------
        ReplyError, CallError
            The model gave no usable answer.
        """
        asked = await self._ask(
            Prompt(self._system, text, self.turns),
            reply_type,
            schema_name=f"{stage}_{form}",
            label={**self._label, "step": stage},
            repeat=self._repeat,
        )
        self.turns += (Message("user", text), Message("assistant", asked.reply.text))
        return asked.value
