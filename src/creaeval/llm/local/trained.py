"""What a model in a folder was trained on, as the card beside it says."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from creaeval.errors import SettingError

if TYPE_CHECKING:
    from pathlib import Path

CARD = "card.json"


@dataclass(frozen=True)
class Trained:
    """The texts that a model was trained on or chosen by.

    Parameters
    ----------
    ids : frozenset of str
        As they were called then; another file may call other texts so.
    marks : frozenset of str
        Of the texts themselves; empty on cards of before marks were kept.
    """

    ids: frozenset[str] = frozenset()
    marks: frozenset[str] = frozenset()

    def includes(self, text_id: str, mark: str) -> bool:
        """Whether a text is one of them: by its mark, or by its id where no marks were kept."""
        return mark in self.marks if self.marks else text_id in self.ids


def read_trained(folder: Path) -> Trained | None:
    """Read what a model was trained on; None where no card lies beside it, SettingError for a torn one."""
    path = folder / CARD
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
        return Trained(frozenset(card["split"]["train"]), frozenset(card.get("marks", ())))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SettingError(
            f"{path}: cannot be read ({type(error).__name__}: {error}); expected the card of a trained model."
        ) from None
