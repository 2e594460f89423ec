"""What the offline scorer never learned: objects nobody rated uses of, and other languages than English."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

UNSEEN = "object never seen in training"
FOREIGN = "perhaps not English"
LONG = "longer than the scorer reads"
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# The share of known words from which on texts are English, and up to which they are not: of 20 uses in ten
# other languages at most .38 were known, of 20 English ones at least .63, also in answers to other tasks.
_ENGLISH, _FOREIGN = 0.6, 0.4
# Somebody in a file of another language is English only where that is certain: French lists hold up to .57.
_SURELY_ENGLISH = 0.8
# Words that tell the language of a file, and of a part that speaks against it; fewer once a part did.
_FEWEST_OF_FILE, _FEWEST_AGAINST, _FEWEST_IN_MIXED = 5, 10, 5
# One unknown word in a use is as likely a misspelling or a rare name.
_FEWEST_OF_USE, _UNKNOWN_SHARE = 2, 0.5


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


def mark_of(prompt: str, *texts: str) -> str:
    """Return ten digits by which a response is known again, under whatever id it comes.

    Parameters
    ----------
    prompt : str
        What was answered, such as the object of a use or the id of a scenario; empty if it is not known.
    *texts : str
        What was written. Case, width, spaces, punctuation and signs count only where there is nothing else.

    Returns
    -------
    str
        The beginning of a SHA-256.
    """
    return hashlib.sha256("\t".join(map(_bare, (prompt, *texts))).encode()).hexdigest()[:10]


def _bare(text: str) -> str:
    """Write a text as its letters, the marks on them and numbers alone."""
    written = plain(text)
    return "".join(sign for sign in written if unicodedata.category(sign)[0] in "LMN") or written


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


def foreign_uses(uses: Sequence[str], groups: Sequence[str], known: AbstractSet[str]) -> list[bool]:
    """Judge which uses of a file are likely not English, by the file rather than by each use.

    A single use is too short to tell: of one in another language often every word is a name or a word that
    English has, too, and an English one may hold names. All words of the file are looked at together, and
    those of each group, which count where they are clearly of another language than the file. A use that is
    mostly written in another script than the Latin one is not English, whatever stands beside it.

    Parameters
    ----------
    uses : sequence of str
        All uses of a file or run.
    groups : sequence of str
        Of each use, whom or what it shares a language with, such as its participant.
    known : set of str
        English words, in small letters.

    Returns
    -------
    list of bool
        In the order of the uses. Where a file tells no language, since it mixes several without groups that
        do or holds very few words, each use is judged by :func:`is_foreign`.
    """
    parts: defaultdict[str, list[str]] = defaultdict(list)
    for text, group in zip(uses, groups, strict=True):
        parts[group] += words_of(text)
    whole = _is_other(chain.from_iterable(parts.values()), known, _FEWEST_OF_FILE, _ENGLISH)

    def of_groups(fewest: int, english: float) -> dict[str, bool | None]:
        return {group: _is_other(words, known, fewest, english) for group, words in parts.items()}

    verdicts = of_groups(_FEWEST_AGAINST, _SURELY_ENGLISH)
    if any(verdict not in (None, whole) for verdict in verdicts.values()):
        verdicts = of_groups(_FEWEST_IN_MIXED, _ENGLISH)

    def judge(text: str, group: str) -> bool:
        verdict = whole if verdicts[group] is None else verdicts[group]
        return _other_script(text) or (is_foreign(text, known) if verdict is None else verdict)

    return [judge(*use) for use in zip(uses, groups, strict=True)]


def _is_other(words: Iterable[str], known: AbstractSet[str], fewest: int, english: float) -> bool | None:
    """Whether words are of another language than English; None where they do not tell."""
    found = [word in known for word in words]
    if len(found) < fewest:
        return None
    share = sum(found) / len(found)
    return False if share >= english else True if share <= _FOREIGN else None


def _other_script(text: str) -> bool:
    letters = [character for character in text if character.isalpha()]
    latin = sum(unicodedata.name(letter, "").startswith("LATIN") for letter in letters)
    return latin < len(letters) / 2


def is_foreign(text: str, known: AbstractSet[str]) -> bool:
    """Judge by itself whether a use is likely not English.

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
    words = words_of(text)
    unknown = sum(word not in known for word in words)
    return _other_script(text) or (len(words) >= _FEWEST_OF_USE and unknown > _UNKNOWN_SHARE * len(words))
