"""Which responses a judge was trained on, and its scores without them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from creaeval.data import Scores
from creaeval.methods import list_methods
from creaeval.wording import plural

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from creaeval.runs import Run
    from creaeval.tasks import Task


def trained_on(source: Run | Scores) -> dict[str, frozenset[str] | None]:
    """Find the responses that the judges of a run or of scores were trained on.

    Parameters
    ----------
    source : Run or Scores
        What the record of a run says, or the column ``in_training`` of a file of scores. What chose a model
        or its confidence counts as trained on.

    Returns
    -------
    dict of str to frozenset of str
        By judge the ids of responses; None for a trained model of which nothing tells it. Judges that are not
        trained here, such as prompted language models, have no entry.
    """
    if isinstance(source, Scores):
        judges = dict.fromkeys(sheet.scorer for sheet in source.sheets)
    else:
        judges = dict.fromkeys(
            judge.get("scorer", judge["name"]) for judge in source.manifest.get("judges", ())
        )
    kinds = {method.provider for method in list_methods()} - {""}
    untold = [judge for judge in judges if judge.partition(":")[0] in kinds]
    return {**dict.fromkeys(untold), **source.trained_on}


def leave_out(
    scores: Scores, task: Task, rated: Collection[str] = (), *, hint: bool = True
) -> tuple[Scores, list[str]]:
    """Leave out what judges gave to responses they were trained on.

    Parameters
    ----------
    scores : Scores
        The judges', under the name of their method.
    task : Task
        The task.
    rated : collection of str
        Ids of the responses that people rated, which are counted; empty to count all that were scored.
    hint : bool
        Whether to name the option that shows them.

    Returns
    -------
    tuple of (Scores, list of str)
        What is left, and how many responses were left out of each judge's agreement.
    """
    notes = []
    trained = trained_on(scores)
    for judge, ids in trained.items():
        scored = {sheet.response_id for sheet in scores.sheets if sheet.scorer == judge}
        scored = scored & set(rated) or scored
        if ids is None:
            notes.append(
                f"{judge}: nothing tells which {task.noun}s it was trained on, so its agreement may rest on "
                "some of them."
            )
        elif seen := scored & ids:
            notes.append(_count(judge, len(seen), len(scored), task, hint=hint))
    kept = (sheet for sheet in scores.sheets if not _is_trained(trained, sheet.scorer, sheet.response_id))
    return replace(scores, sheets=tuple(kept)), notes


def _count(judge: str, n_seen: int, n_scored: int, task: Task, *, hint: bool) -> str:
    shown = " --include-training shows it with them, apart." if hint else ""
    if n_seen == n_scored:
        return (
            f"{judge}: all {plural(n_scored, task.noun)} are of its training data, so it has no agreement "
            f"with people that would say anything of new ones.{shown}"
        )
    return (
        f"{judge}: {n_seen:,} of {n_scored:,} {task.noun}s are of its training data and left out of its "
        f"agreement ({n_scored - n_seen:,} are left).{shown}"
    )


def _is_trained(trained: Mapping[str, Collection[str] | None], judge: str, response_id: str) -> bool:
    return response_id in (trained.get(judge) or ())


def only_trained(scores: Scores) -> Scores | None:
    """Keep the judges that were trained on some of what they scored, with all of it; None without any."""
    trained = trained_on(scores)
    judges = {
        sheet.scorer for sheet in scores.sheets if _is_trained(trained, sheet.scorer, sheet.response_id)
    }
    kept = tuple(sheet for sheet in scores.sheets if sheet.scorer in judges)
    return replace(scores, sheets=kept, trained_on=dict.fromkeys(judges, frozenset())) if kept else None
