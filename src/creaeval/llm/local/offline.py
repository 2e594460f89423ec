"""The offline scorer of uses as a ChatModel, so that its scores go through ledger, tables and reports."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from functools import cached_property
from typing import TYPE_CHECKING

from creaeval.errors import PermanentCallError, SettingError
from creaeval.llm.chat import ChatReply, ChatRequest, Limits, Settings, Usage
from creaeval.llm.settings import sampling_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from creaeval.llm.local.trained import Trained
    from creaeval.offline import OfflineScorer

NAME = "offline"
#: What a reader of its scores should know, in one sentence.
WORDS = (
    "The offline scorer was trained on English uses by adults, of 13 objects; docs/aut_scorer.md says how "
    "well it agrees with people."
)


class OfflineModel:
    """The scorer that the package carries; it answers questions of the method ``offline`` and no others."""

    name = NAME
    free = True
    raises_limit = False
    warning = WORDS

    def __init__(self) -> None:
        self.defaults = Settings(temperature=None, seed=None)
        self.limits = Limits(concurrency=os.cpu_count() or 1)
        self._scorer: OfflineScorer | None = None
        self._starting = threading.Lock()

    @cached_property
    def identity(self) -> Mapping[str, str]:
        """Name and hash of the files that decide the scores.

        Raises
        ------
        SettingError
            A file is missing.
        """
        from creaeval.offline import scorer_identity

        return scorer_identity()

    @cached_property
    def trained(self) -> Trained:
        """Marks of the uses it learnt from or was chosen by; SettingError if a file is missing."""
        from creaeval.llm.local.trained import Trained
        from creaeval.offline.card import read_card

        return Trained(marks=read_card().trained)

    async def check(self, settings: Settings) -> None:
        """Check that nothing is set that has no meaning here.

        Parameters
        ----------
        settings : Settings
            What is to be used.

        Raises
        ------
        SettingError
            A setting of language models is given.
        """
        if asked := sampling_settings(settings):
            shown = ", ".join(f"{name}={getattr(settings, name)}" for name in asked)
            raise SettingError(
                f"{self.name} is no language model and always gives the same scores: found {shown}, expected "
                "none of these settings."
            )

    async def start(self) -> None:
        """Load the scorer.

        Raises
        ------
        SettingError
            A package or a file is missing.
        """
        await asyncio.to_thread(self._load)

    def _load(self) -> OfflineScorer:
        from creaeval.offline import OfflineScorer

        with self._starting:
            if self._scorer is None:
                # Questions are answered side by side, each in a thread of its own.
                self._scorer = OfflineScorer(threads=1)
            return self._scorer

    async def request(self, request: ChatRequest) -> ChatReply:
        """Score the uses of one question.

        Parameters
        ----------
        request : ChatRequest
            Its last message is from :func:`creaeval.offline.exchange.write_question`.

        Returns
        -------
        ChatReply
            A :class:`creaeval.offline.exchange.UsesReply`.

        Raises
        ------
        PermanentCallError
            Something else is asked.
        """
        from creaeval.offline.exchange import read_question, write_answer

        started = time.monotonic()
        try:
            uses = read_question(request.messages[-1].text)
        except ValueError:
            raise PermanentCallError(
                f"{self.name} scores single uses of objects and can be asked nothing else. Use --method "
                "offline with it, or name another judge."
            ) from None
        scores = await asyncio.to_thread(lambda: self._load().score(uses))
        return ChatReply(
            write_answer(scores), "stop", Usage(), time.monotonic() - started, self.identity["model"]
        )

    async def close(self) -> None:
        """Let go of the memory."""
        self._scorer = None
