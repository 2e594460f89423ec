"""Find the place of a quote in the text as it was written, for pages that mark it there."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from creaeval.sheets.quotes import _MARKS, FOUND_FROM, _plain

_LEAST_FUZZY = 12
# A letter with all that combines with it: together they may become one sign of another length.
_CLUSTER = re.compile(r".[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]*", re.DOTALL)
_BLANKS = re.compile(r"(?:\s|\.\.\.)+")


def place_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Say where in a text a quote stands, by the rules of :func:`creaeval.sheets.find_quote`.

    Parameters
    ----------
    quote : str
        The words the analyst gave.
    text : str
        A text as it was written: a whole step, or one item of it.

    Returns
    -------
    tuple of (int, int) or None
        Start and end in ``text``, so that ``text[start:end]`` are the words; the first place where there are
        several, of a quote with slips the most similar one, widened to whole words. None where the text does
        not have it.
    """
    from rapidfuzz import fuzz

    needle = _plain(quote)
    folded, starts, ends = _folded(text)
    if not needle or len(needle) > len(folded):
        return None
    first = folded.find(needle)
    if first >= 0:
        return starts[first], ends[first + len(needle) - 1]
    if len(needle) < _LEAST_FUZZY:
        return None
    found = fuzz.partial_ratio_alignment(needle, folded, score_cutoff=FOUND_FROM)
    if found is None or found.dest_end <= found.dest_start:
        return None
    first, last = found.dest_start, found.dest_end - 1
    while first < last and folded[first] == " ":
        first += 1
    while last > first and folded[last] == " ":
        last -= 1
    while first > 0 and folded[first - 1].isalnum() and folded[first].isalnum():
        first -= 1
    while last < len(folded) - 1 and folded[last + 1].isalnum() and folded[last].isalnum():
        last += 1
    return starts[first], ends[last]


# Every quote of a step is looked for in the same few texts.
@lru_cache(maxsize=64)
def _folded(text: str) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """Fold a text as quotes are compared, with the start and end in it of each sign that is left."""
    signs: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for cluster in _CLUSTER.finditer(text):
        for sign in unicodedata.normalize("NFKC", cluster[0]).translate(_MARKS).casefold():
            signs.append(sign)
            starts.append(cluster.start())
            ends.append(cluster.end())
    loose = "".join(signs)
    tight: list[str] = []
    tight_starts: list[int] = []
    tight_ends: list[int] = []
    at = 0
    for blank in _BLANKS.finditer(loose):
        tight.append(loose[at : blank.start()])
        tight_starts += starts[at : blank.start()]
        tight_ends += ends[at : blank.start()]
        tight.append(" ")
        tight_starts.append(starts[blank.start()])
        tight_ends.append(ends[blank.end() - 1])
        at = blank.end()
    tight.append(loose[at:])
    return "".join(tight), (*tight_starts, *starts[at:]), (*tight_ends, *ends[at:])
