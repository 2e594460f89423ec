"""How sure the offline scorer is of each use, and of which ones it knows too little."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from creaeval.offline.card import read_card
from creaeval.offline.doubts import FOREIGN, LONG, UNSEEN, foreign_uses
from creaeval.runs.batching import text_of
from creaeval.wording import first_few

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from creaeval.runs.plan import Plan
    from creaeval.runs.run import Run

COLUMNS = ["response_id", "object", "confidence", "warnings", "in_training"]


def states_confidence(run: Run) -> bool:
    """Whether the scores of a run come with a confidence: those of the offline scorer do."""
    return bool(run.manifest["method"] == "offline")


def not_english(plan: Plan) -> list[str]:
    """Name the uses that are perhaps not English, judged by all that are to be scored.

    Participants, and objects where none is named, may have a language of their own.
    """
    responses = [case.response for case in plan.cases]
    texts = [text_of(plan.task, response) for response in responses]
    groups = [response.metadata.get("participant") or response.scenario or "" for response in responses]
    foreign = foreign_uses(texts, groups, read_card().words)
    return [response.id for response, other in zip(responses, foreign, strict=True) if other]


def confidences(run: Run) -> pd.DataFrame:
    """List the confidence of each score of the method ``offline``, a row a use.

    ``confidence`` is the probability, 0 to 1, that the mean of raters is at most half a point from the score;
    missing where it was not measured. ``in_training`` is yes where the scorer was trained on or chosen by the
    use.
    """
    import pandas as pd

    rows = []
    for use, object_name in _uses(run):
        known = "yes" if use["in_training"] else "no"
        rows.append((use["use"], object_name, use["confidence"], "; ".join(use["warnings"]), known))
    return pd.DataFrame(rows, columns=COLUMNS)


def confidence_notes(run: Run) -> list[str]:
    """Say in a few lines which uses the offline scorer knows too little of; nothing for other methods."""
    if not states_confidence(run):
        return []
    unseen: Counter[str] = Counter()
    foreign: list[str] = []
    cut: list[str] = []
    n_uses = 0
    for use, object_name in _uses(run):
        unseen[object_name] += UNSEEN in use["warnings"]
        foreign += [use["use"]] * (FOREIGN in use["warnings"])
        cut += [use["use"]] * (LONG in use["warnings"])
        n_uses += 1
    unseen = +unseen
    lines = []
    if unseen:
        lines.append(
            f"Of objects that the offline scorer never saw ({first_few(list(unseen))}): "
            f"{unseen.total()} uses. It agrees less with people there; see confidence.csv."
        )
    if foreign:
        lines.append(
            f"Perhaps not English ({first_few(foreign)}): {len(foreign)} of {n_uses} uses. The offline "
            "scorer knows English only, so do not rely on their scores; see confidence.csv."
        )
    if cut:
        lines.append(
            f"Longer than the offline scorer reads ({first_few(cut)}): {len(cut)} uses. It read "
            "their beginnings; see confidence.csv."
        )
    return lines


def _uses(run: Run) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield what the scorer said of each use, with its object; the language is that of the whole run."""
    # A run of before languages were judged so has no such entry, and the scorer's own word stands.
    judged = run.manifest.get("not_english")
    foreign = frozenset(judged or ())
    for outcome in run.outcomes:
        for use in map(json.loads, outcome.trail):
            doubts = {*use["warnings"]}
            if judged is not None:
                doubts = doubts - {FOREIGN} | ({FOREIGN} if outcome.response_id in foreign else set())
            warnings = [doubt for doubt in (UNSEEN, FOREIGN, LONG) if doubt in doubts]
            object_name = run.metadata[outcome.response_id].get("object", "")
            yield {**use, "use": outcome.response_id, "warnings": warnings}, object_name
