"""Look a quote up in the text it is said to come from."""

from __future__ import annotations

import re
import unicodedata

from creaeval.sheets.evidence import Quote

#: Similarity (0-100) from which a quote counts as found: a slip of a letter or two passes, a paraphrase not.
FOUND_FROM = 90.0

_MARKS = str.maketrans({"“": '"', "”": '"', "„": '"', "’": "'", "‘": "'", "–": "-", "—": "-", "…": " "})


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).translate(_MARKS).casefold().replace("...", " ")
    return re.sub(r"\s+", " ", folded).strip(" \"'.,;:")


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
