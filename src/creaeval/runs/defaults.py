"""What holds where the user names no method and no model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from creaeval.data.batches import BATCH
from creaeval.errors import SettingError
from creaeval.methods import get_method

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from creaeval.llm import ChatModel
    from creaeval.sheets import Depth
    from creaeval.tasks import Task

DEFAULT_MODEL = "local"
OFFLINE = "offline"
# The offline scorer reads each use by itself, so that larger batches only save entries in the ledger.
_OFFLINE_BATCH = 100


def default_method(task: Task, models: Sequence[object]) -> str:
    """Choose a method.

    Parameters
    ----------
    task : Task
        The task.
    models : sequence
        All models that the user named, in whatever role.

    Returns
    -------
    str
        ``offline`` for uses of objects (task aut) where no other model is named; else ``creaeval``.
    """
    return OFFLINE if task.id == "aut" and all(model == OFFLINE for model in models) else "creaeval"


def default_judge(method: str) -> str:
    """Choose the judge of a method: the offline scorer for its own, else the local model.

    Parameters
    ----------
    method : str
        A method's name.

    Returns
    -------
    str
        A model's name.

    Raises
    ------
    SettingError
        There is no such method.
    """
    return OFFLINE if get_method(method).provider == OFFLINE else DEFAULT_MODEL


def default_reading(method: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Choose how uses are put into batches.

    Parameters
    ----------
    method : str
        A method's name.
    given : mapping of str to object
        What the user said, as in :func:`creaeval.data.read_uses`; a ``batch`` of None says nothing.

    Returns
    -------
    dict of str to object
        With a batch. For the offline scorer uses of several people share one, which changes no score.
    """
    offline = default_judge(method) == OFFLINE
    reading = {**given, "batch": given.get("batch") or (_OFFLINE_BATCH if offline else BATCH)}
    return {**reading, "mix_participants": True} if offline else reading


def evidence_depth(wanted: Depth | None, analyst: ChatModel, judges: Sequence[ChatModel]) -> Depth:
    """Choose how much the analyst writes.

    Parameters
    ----------
    wanted : {"full", "brief"} or None
        What the user said.
    analyst : ChatModel
        Who gathers the evidence.
    judges : sequence of ChatModel
        Who reads it. One that was trained on evidence names in ``evidence`` how much of it that was.

    Returns
    -------
    {"full", "brief"}
        What the user said, else what the judges were trained on, else brief by the local model or any other
        GGUF file, which are small, and full by all others.

    Raises
    ------
    SettingError
        A judge was trained on evidence of another depth.
    """
    named: dict[str, Depth | Literal[""]] = {judge.name: getattr(judge, "evidence", "") for judge in judges}
    trained: dict[str, Depth] = {name: known for name, known in named.items() if known}
    chosen: Depth = "brief" if analyst.identity.get("provider") == DEFAULT_MODEL else "full"
    if trained:
        chosen = next(iter(trained.values()))
    if wanted is not None:
        chosen = wanted
    for name, other in trained.items():
        if other != chosen:
            raise SettingError(
                f"{name} was trained on {other} evidence, as its card says, and cannot judge {chosen} "
                "evidence. "
                f"Use --evidence {other}, or a model that was trained on {chosen} evidence."
            )
    return chosen
