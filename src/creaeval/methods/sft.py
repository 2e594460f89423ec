"""Models trained on a rater's sheets score: ``sft`` as ``direct`` does, ``sft-evidence`` as ``creaeval``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.methods.creaeval import creaeval, steps_and_judges
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


@register("sft-evidence", calls=steps_and_judges, provider="hf", aliases=("SFT_Evidence", "SFT on evidence"))
async def sft_evidence(case: Case, roles: Roles) -> Outcome:
    """Have an analyst gather evidence as in creaeval, and a model trained on evidence and sheets score it.

    Parameters
    ----------
    case : Case
        The response and its scenario.
    roles : Roles
        One analyst; the trained models as judges.

    Returns
    -------
    Outcome
        With evidence and memories as far as the analyst got, and a sheet from each judge that succeeded.
    """
    return await creaeval(case, roles)
