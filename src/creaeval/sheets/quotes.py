"""Compare the analyst's words with the response: quotes must be in it, observations should not."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from creaeval.sheets.evidence import Quote

#: Similarity (0-100) from which a quote counts as found: a slip of a letter or two passes, a paraphrase not.
FOUND_FROM = 90.0

#: Words in a row that an observation shares with the response before they count as copied.
COPIED_RUN = 6

_MARKS = str.maketrans({"“": '"', "”": '"', "„": '"', "’": "'", "‘": "'", "–": "-", "—": "-", "…": " "})


# The same step is compared with every quote and observation of its evidence.
@lru_cache(maxsize=32)
def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).translate(_MARKS).casefold().replace("...", " ")
    return re.sub(r"\s+", " ", folded).strip(" \"'.,;:")


def copied_share(observation: str, text: str) -> float:
    """Measure how much of an observation is copied from a text.

    Judges read observations in place of the response, so a copying analyst lets the response through.

    Parameters
    ----------
    observation : str
        What the analyst wrote as its own words.
    text : str
        What the respondent wrote.

    Returns
    -------
    float
        Share of the observation's words, 0 to 1, that stand in runs of ``COPIED_RUN`` or more words which the
        text has too; 0 for an observation shorter than that.
    """
    words, runs = _words(observation), _runs(text)
    copied: set[int] = set()
    for i in range(len(words) - COPIED_RUN + 1):
        if tuple(words[i : i + COPIED_RUN]) in runs:
            copied.update(range(i, i + COPIED_RUN))
    return round(len(copied) / len(words), 3) if words else 0.0


@lru_cache(maxsize=32)
def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = _words(text)
    return frozenset(tuple(words[i : i + COPIED_RUN]) for i in range(len(words) - COPIED_RUN + 1))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", _plain(text))


def find_quote(quote: str, text: str) -> Quote:
    """Say whether a quote stands in a text.

    Case, white space, typographic marks and outer punctuation do not count.

    Parameters
    ----------
    quote : str
        The words the analyst gave.
    text : str
        The response's step, as the analyst read it.

    Returns
    -------
    Quote
        Found if the best alignment of the whole quote within the text is at least ``FOUND_FROM`` similar. A
        quote longer than the text, or empty, is not found.
    """
    from rapidfuzz import fuzz

    needle, haystack = _plain(quote), _plain(text)
    if not needle or len(needle) > len(haystack):
        return Quote(text=quote, found=False, similarity=0.0)
    # partial_ratio rates short needles generously: one or two words must be there to the letter.
    if needle in haystack:
        return Quote(text=quote, found=True, similarity=100.0)
    similarity = round(fuzz.partial_ratio(needle, haystack), 1)
    return Quote(text=quote, found=similarity >= FOUND_FROM and len(needle) >= 12, similarity=similarity)
