"""What tokens cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from creaeval.llm.chat import ChatModel, Usage

_MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """Prices of one model, in US dollars for a million tokens.

    Parameters
    ----------
    input : float
        Prompt tokens.
    cached : float
        Prompt tokens from the provider's cache.
    output : float
        Reply tokens, reasoning included.
    """

    input: float
    cached: float
    output: float

    def cost(self, usage: Usage) -> float:
        """Return what a call cost.

        Parameters
        ----------
        usage : Usage
            Its tokens.

        Returns
        -------
        float
            US dollars.
        """
        fresh = usage.input - usage.cached
        return (fresh * self.input + usage.cached * self.cached + usage.output * self.output) / _MILLION


def cost_of(model: ChatModel, usage: Usage) -> float | None:
    """Return what a call of a model cost.

    Parameters
    ----------
    model : ChatModel
        The model.
    usage : Usage
        Its tokens.

    Returns
    -------
    float or None
        US dollars, 0 for a model that costs nothing, None where no price is known.
    """
    if model.free:
        return 0.0
    price: Price | None = getattr(model, "price", None)
    return None if price is None else price.cost(usage)
