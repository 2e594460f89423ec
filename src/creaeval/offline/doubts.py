"""What the offline scorer never learned: objects nobody rated uses of, and other languages than English."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

UNSEEN = "object never seen in training"
FOREIGN = "perhaps not English"
LONG = "longer than the scorer reads"
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# One unknown word is as likely a misspelling or a rare name.
_FEWEST_WORDS = 2
_UNKNOWN_SHARE = 0.5


def plain(text: str) -> str:
    """Write a text in small letters with single spaces, as objects and words are compared.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def mark_of(its_object: str, text: str) -> str:
    """Return ten digits that stand for a use in the list of those the scorer was trained on.

    Parameters
    ----------
    its_object, text : str
        The use. Case and spaces do not count.

    Returns
    -------
    str
        The beginning of a SHA-256.
    """
    return hashlib.sha256(f"{plain(its_object)}\t{plain(text)}".encode()).hexdigest()[:10]


def words_of(text: str) -> list[str]:
    """List the words of a text in small letters, without numbers and punctuation.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    list of str
    """
    return [word.replace("’", "'") for word in _WORD.findall(plain(text))]


def is_foreign(text: str, known: AbstractSet[str]) -> bool:
    """Judge whether a use is likely not English.

    Parameters
    ----------
    text : str
        The use.
    known : set of str
        English words, in small letters.

    Returns
    -------
    bool
        True where more than half of the letters are not Latin, or where there are at least two words and more
        than half of them are not known. A single unknown word is not enough: it may be misspelled.
    """
    letters = [character for character in text if character.isalpha()]
    latin = sum(unicodedata.name(letter, "").startswith("LATIN") for letter in letters)
    if letters and latin < len(letters) / 2:
        return True
    words = words_of(text)
    unknown = sum(word not in known for word in words)
    return len(words) >= _FEWEST_WORDS and unknown > _UNKNOWN_SHARE * len(words)
