"""The method ``sft-evidence``: a model trained on evidence and a rater's sheets judges as in ``creaeval``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.methods.creaeval import creaeval, steps_and_judges
from creaeval.methods.registry import register

if TYPE_CHECKING:
    from creaeval.methods.base import Case, Outcome, Roles


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
