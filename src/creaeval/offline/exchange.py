"""What is asked of the offline scorer in a run, and what it answers: both are kept in the ledger as text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.offline.scorer import UseScore

SYSTEM = "Score each use of the object for originality, as trained raters do."


class UsesReply(BaseModel):
    """Scores of the uses of a question, in their order; see :class:`creaeval.offline.UseScore`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    originality: tuple[float, ...]
    confidence: tuple[float | None, ...]
    warnings: tuple[tuple[str, ...], ...]
    in_training: tuple[bool, ...]


def write_question(its_object: str, uses: Sequence[str]) -> str:
    """Write what is asked.

    Parameters
    ----------
    its_object : str
        The object.
    uses : sequence of str
        What it would be used for.

    Returns
    -------
    str
        JSON, which no use can get out of.
    """
    return json.dumps({"object": its_object, "uses": list(uses)}, ensure_ascii=False)


def read_question(text: str) -> list[tuple[str, str]]:
    """Read what :func:`write_question` wrote.

    Parameters
    ----------
    text : str
        The question.

    Returns
    -------
    list of tuple of (str, str)
        Object and use.

    Raises
    ------
    ValueError
        It is no such question.
    """
    question = json.loads(text)
    try:
        return [(str(question["object"]), str(use)) for use in question["uses"]]
    except (TypeError, KeyError) as error:
        raise ValueError("no object and uses") from error


def write_answer(scores: Sequence[UseScore]) -> str:
    """Write scores as a :class:`UsesReply` reads them.

    Parameters
    ----------
    scores : sequence of UseScore
        In the order of the uses.

    Returns
    -------
    str
        JSON.
    """
    return UsesReply(
        originality=tuple(score.originality for score in scores),
        confidence=tuple(score.confidence for score in scores),
        warnings=tuple(score.warnings for score in scores),
        in_training=tuple(score.in_training for score in scores),
    ).model_dump_json()
