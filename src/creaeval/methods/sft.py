"""The method ``sft``: a model trained on a rater's sheets scores, asked in the words of ``direct``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.methods.direct import direct, one_call
from creaeval.methods.registry import register

if TYPE_CHECKING:
    from creaeval.methods.base import Case, Outcome, Roles


@register("sft", calls=one_call, uses_analyst=False, provider="hf", aliases=("SFT",))
async def sft(case: Case, roles: Roles) -> Outcome:
    """Have a model trained on responses and a rater's sheets score the whole response in one call.

    Parameters
    ----------
    case : Case
        The response and its scenario.
    roles : Roles
        The trained models as judges; no analyst is asked.

    Returns
    -------
    Outcome
        A sheet from each judge that succeeded.
    """
    return await direct(case, roles)
