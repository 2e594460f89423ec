"""What the files of the offline scorer say of themselves."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from creaeval.errors import SettingError

FILES = Path(__file__).parent / "files"
MODEL, TOKENIZER, CARD, WORDS = "model.onnx", "tokenizer.json", "card.json", "words.txt"
#: A line of :func:`creaeval.offline.doubts.mark_of` for each use the model was trained on or chosen by.
TRAINED = "trained.txt"


@dataclass(frozen=True)
class Trust:
    """How likely a score is to be near what raters say: a logistic curve over the score.

    Parameters
    ----------
    intercept, slope, bend : float
        Of the log-odds: at 2 points, by the points more than that, and by their square.
    low, high : float
        Where the curve begins and ends, in points; beyond, too few scores were there to fit it.
    """

    intercept: float
    slope: float
    bend: float
    low: float
    high: float

    def of(self, score: float) -> float:
        """Return the confidence of a score.

        Parameters
        ----------
        score : float
            In points.

        Returns
        -------
        float
            Probability, 0 to 1, that the mean of the raters is at most half a point away.
        """
        at = min(max(score, self.low), self.high) - 2
        return 1 / (1 + math.exp(-(self.intercept + self.slope * at + self.bend * at * at)))


@dataclass(frozen=True)
class Card:
    """What decides scores and warnings beside the weights.

    Parameters
    ----------
    name : str
        The model's, as in tables.
    objects : frozenset of str
        Those with rated uses in the training data, in small letters.
    words : frozenset of str
        All words of the training data, in small letters.
    trained : frozenset of str
        A mark of each use of the training data, and of those by which model and confidence were chosen.
    seen, unseen : Trust or None
        Confidence for uses of these objects, and for those of others; None where it was not measured.
    most_tokens : int
        What goes beyond is not read.
    """

    name: str
    objects: frozenset[str]
    words: frozenset[str]
    trained: frozenset[str]
    seen: Trust
    unseen: Trust | None
    most_tokens: int


def read_card(folder: Path = FILES) -> Card:
    """Read the card and the words beside a model.

    Parameters
    ----------
    folder : Path
        Where the files are; those of the package if not given.

    Returns
    -------
    Card

    Raises
    ------
    SettingError
        A file is missing or damaged.
    """
    try:
        card = json.loads((folder / CARD).read_text(encoding="utf-8"))
        words = (folder / WORDS).read_text(encoding="utf-8").split()
        trained = (folder / TRAINED).read_text(encoding="utf-8").split()
        runtime = card["runtime"]
        return Card(
            name=card["name"],
            objects=frozenset(runtime["objects"]),
            words=frozenset(words),
            trained=frozenset(trained),
            seen=Trust(*map(float, runtime["trust_seen"])),
            unseen=None if runtime["trust_unseen"] is None else Trust(*map(float, runtime["trust_unseen"])),
            most_tokens=int(runtime["most_tokens"]),
        )
    except OSError as error:
        raise _missing(Path(error.filename or folder)) from None
    except (ValueError, KeyError, TypeError) as error:
        raise SettingError(
            f"{folder / CARD}: this is no card of an offline scorer ({type(error).__name__}: {error}). "
            "Install creaeval again."
        ) from None


def _missing(path: Path) -> SettingError:
    return SettingError(f"{path}: this file of the offline scorer is missing. Install creaeval again.")


@cache
def files_sha256(folder: Path = FILES) -> str:
    """Hash everything that decides scores: weights, tokenizer, card and words.

    Parameters
    ----------
    folder : Path
        Where the files are.

    Returns
    -------
    str
        SHA-256 in hexadecimal.

    Raises
    ------
    SettingError
        A file is missing.
    """
    digest = hashlib.sha256()
    for name in (MODEL, TOKENIZER, CARD, WORDS, TRAINED):
        try:
            digest.update(hashlib.sha256((folder / name).read_bytes()).digest())
        except OSError:
            raise _missing(folder / name) from None
    return digest.hexdigest()
