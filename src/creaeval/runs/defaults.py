"""What holds where the user names no method and no model."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from creaeval.errors import SettingError
from creaeval.methods import get_method
from creaeval.tasks import Batching

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.llm import ChatModel
    from creaeval.runs.plan import Plan
    from creaeval.sheets import Depth
    from creaeval.tasks import Task

DEFAULT_MODEL = "local"
OFFLINE = "offline"
# The offline scorer reads each use by itself, so that sharing a call only saves entries in the ledger.
_OFFLINE = Batching(by=(), most=100)


def default_method(task: Task, models: Sequence[object]) -> str:
    """Choose the method where the user names none; ``models`` are all that the user named, in any role.

    ``offline`` for uses of objects (task aut) where no other model is named; else ``creaeval``.
    """
    return OFFLINE if task.id == "aut" and all(model == OFFLINE for model in models) else "creaeval"


def default_judge(method: str) -> str:
    """Choose the judge of a method: the offline scorer for its own, else the local model."""
    return OFFLINE if get_method(method).provider == OFFLINE else DEFAULT_MODEL


def choose_batching(
    task: Task, method: str, uses_per_call: int | None = None, *, mix_participants: bool = False
) -> Batching | None:
    """Choose which responses share a call: as the user said, else as the task says.

    The offline scorer, whose scores do not change, is given all of one object at once. SettingError where
    responses to the task share no calls, or the number is not from 1 to 100.
    """
    if task.batching is None:
        if uses_per_call is not None or mix_participants:
            raise SettingError(
                "--uses-per-call and --mix-participants are for tasks with batching, as aut is; each "
                f"response to task {task.id} has calls of its own."
            )
        return None
    if uses_per_call is not None and not 1 <= uses_per_call <= _OFFLINE.most:
        raise SettingError(f"--uses-per-call {uses_per_call}: expected a number from 1 to {_OFFLINE.most}.")
    chosen = _OFFLINE if default_judge(method) == OFFLINE else task.batching
    by = tuple(name for name in chosen.by if not (mix_participants and name == "participant"))
    return Batching(by=by, most=uses_per_call or chosen.most)


def batch_notes(plan: Plan) -> list[str]:
    """Say how many calls responses of nobody known take, and how to have fewer."""
    batching = plan.batching
    if batching is None or "participant" not in batching.by:
        return []
    alone = Counter(
        case.response.scenario for case in plan.cases if not case.response.metadata.get("participant")
    )
    mixed = sum(-(-number // batching.most) for number in alone.values())
    if mixed == alone.total():
        return []
    noun = plan.task.noun
    return [
        f"{alone.total()} {noun}s are of no known participant, so each is asked about by itself: "
        f"{alone.total()} calls for each model. With --mix-participants, up to {batching.most} {noun}s of "
        f"one object share a call, which makes {mixed}; {noun}s of different people then stand side by side."
    ]


def evidence_depth(wanted: Depth | None, analyst: ChatModel, judges: Sequence[ChatModel]) -> Depth:
    """Choose how much the analyst writes: as the user wants, else as its judges were trained on.

    Else brief by the local model or any other GGUF file, which are small, and full by all others. A judge
    that was trained on evidence names in ``evidence`` how much of it that was; SettingError if it is another
    depth.
    """
    trained: dict[str, Depth] = {
        judge.name: depth for judge in judges if (depth := getattr(judge, "evidence", None))
    }
    usual: Depth = "brief" if analyst.identity.get("provider") == DEFAULT_MODEL else "full"
    chosen: Depth = wanted if wanted is not None else next(iter(trained.values()), usual)
    for name, other in trained.items():
        if other != chosen:
            raise SettingError(
                f"{name} was trained on {other} evidence, as its card says, and cannot judge {chosen} "
                f"evidence. Use --evidence {other}, or a model that was trained on {chosen} evidence."
            )
    return chosen
