"""A budget in US dollars: no request is sent that could take what is spent beyond it."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from creaeval.errors import BudgetReachedError, SettingError
from creaeval.llm.chat import Usage
from creaeval.llm.prices import cost_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from creaeval.llm.chat import ChatModel, ChatRequest

# Fewer bytes a token than in most texts, so that a prompt rather counts for more than it will cost.
_BYTES_PER_TOKEN = 3
# For a place where dollars are shown: a budget may be small.
_DIGITS = 4


class Budget:
    """What may be spent, what is spent, and what the requests that are open may still cost.

    A request holds the most it can cost until its reply is committed: its prompt without any cache, and a
    reply as long as its limit of tokens. Where that does not fit beside what is spent and held, it waits for
    open requests, most of which cost less; where it does not fit beside what is spent alone, it is not sent,
    and neither is any after it, whatever it costs. Until then, models that cost nothing are not held back;
    replies from the ledger never are.

    Parameters
    ----------
    usd : float
        US dollars.

    Attributes
    ----------
    usd : float
        What may be spent.
    spent : float
        What the replies that came under this budget cost.

    Raises
    ------
    SettingError
        The number is not above 0.
    """

    def __init__(self, usd: float) -> None:
        if not 0 < usd < float("inf"):
            raise SettingError(f"budget: found {usd!r}, expected US dollars above 0, such as 5 or 0.5.")
        self.usd = usd
        self.spent = 0.0
        self._refusal = ""
        self._held: dict[object, float] = {}
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def reached(self) -> bool:
        """Whether a request was held back for good."""
        return bool(self._refusal)

    def check(self, models: Iterable[ChatModel]) -> None:
        """Check that all models have a price, or else nobody could tell when the budget is reached.

        Parameters
        ----------
        models : iterable of ChatModel
            All that will be asked.

        Raises
        ------
        SettingError
            Models without a known price that are not free.
        """
        unpriced = dict.fromkeys(model.name for model in models if cost_of(model, Usage()) is None)
        if unpriced:
            names = ", ".join(unpriced)
            raise SettingError(
                f"budget: the price of {names} is not known, so what is spent cannot be counted. State it "
                "under 'prices' in a file of models (--models FILE), or leave out the budget."
            )

    @asynccontextmanager
    async def hold(self, model: ChatModel, request: ChatRequest) -> AsyncIterator[None]:
        """Hold what a request may cost while it is open; see `pay`.

        Parameters
        ----------
        model : ChatModel
            Who is asked.
        request : ChatRequest
            What.

        Raises
        ------
        BudgetReachedError
            It may not be sent.
        """
        most = most_it_costs(model, request)
        while (most or self.reached) and not self._fits(most, model):
            freed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(freed)
            await freed
        mine = object()
        self._held[mine] = most
        try:
            yield
        finally:
            del self._held[mine]
            waiting, self._waiting = self._waiting, []
            for one in waiting:
                if not one.done():
                    one.set_result(None)

    def pay(self, usd: float | None) -> None:
        """Count what a reply cost, once it is committed."""
        self.spent += usd or 0.0

    def _fits(self, most: float, model: ChatModel) -> bool:
        if not self._refusal and self.spent + most > self.usd:
            self._refusal = (
                f"The budget of ${self.usd:g} is reached: ${self.spent:.{_DIGITS}f} is spent, and a request "
                f"to {model.name} may cost up to ${most:.{_DIGITS}f}. Every reply that was paid for is kept. "
                "The same command with a larger budget goes on from here; a budget counts only what is spent "
                "under it."
            )
        if self._refusal:
            raise BudgetReachedError(self._refusal)
        # Summed anew, since adding and taking away would leave a trace of rounding, for which a request with
        # none beside it would wait for ever.
        return self.spent + sum(self._held.values()) + most <= self.usd


def most_it_costs(model: ChatModel, request: ChatRequest) -> float:
    """Estimate from above what one reply may cost.

    Parameters
    ----------
    model : ChatModel
        Who is asked.
    request : ChatRequest
        What.

    Returns
    -------
    float
        US dollars; 0 for a model that costs nothing.
    """
    if model.free:
        return 0.0
    words = [request.system, *(message.text for message in request.messages), json.dumps(request.schema)]
    prompt = sum(len(text.encode()) for text in words) // _BYTES_PER_TOKEN
    return cost_of(model, Usage(input=prompt, output=request.settings.max_tokens)) or 0.0
