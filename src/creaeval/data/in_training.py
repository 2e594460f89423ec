"""The column of a table of scores that says which responses a judge was trained on."""

from __future__ import annotations

from creaeval.data.words import words
from creaeval.sheets.score_sheet import IN_TRAINING
from creaeval.tasks import fold


class TrainingColumn:
    """Collects, by method and judge, the ids of the responses that a table says were trained on."""

    def __init__(self) -> None:
        self._ids: dict[str, dict[str, set[str]]] = {}

    def add(self, method: str, judge: str, response_id: str, text: str) -> None:
        """Take note of a cell, of which nothing says nothing; ValueError where it is neither yes nor no."""
        if not text.strip():
            return
        known = words().yes_no.get(fold(text))
        if known is None:
            raise ValueError(f"found {text!r:.60}, expected yes, no or nothing")
        ids = self._ids.setdefault(method, {}).setdefault(judge, set())
        if known:
            ids.add(response_id)

    def of(self, method: str) -> dict[str, frozenset[str]]:
        """Return the ids by each judge of a method of which the table says anything."""
        return {judge: frozenset(ids) for judge, ids in self._ids.get(method, {}).items()}


def is_training_title(title: str) -> bool:
    """Whether a column is called so."""
    return fold(title) == fold(IN_TRAINING)
