"""What an observation must not hold: long runs of the respondent's own words, and scores."""

from __future__ import annotations

import re
from functools import lru_cache

from creaeval.sheets.quotes import fold_text

#: Words in a row that an observation shares with the response before they count as copied.
COPIED_RUN = 6

_NUMBER = r"\d{1,3}(?:[.,]\d+)?(?![\d%])"
_SCORES = re.compile(
    rf"""
    \b(?:score[sd]?|scoring|rated|rating|graded|marked)
        \s*(?:\b(?:of|is|as|at|with|would\sbe|should\sbe|it|this)\b|[:=])?\s*(?:an?\s+)?{_NUMBER}
  | \b(?:gives|giving|rates|grades|earns|deserves|worth)
        \s*(?:it|this)?\s*(?:an?\s+)?{_NUMBER}(?!\s+(?!(?:on|for|in|because|since|and)\b)[a-z])
  | \b(?:points?|marks?)\s*[:=]\s*{_NUMBER}
  | \b(?:level|band)\s*(?:\b(?:of|is)\b|[:=])?\s*{_NUMBER}
  | \b(?!24/7\b)\d{{1,2}}(?:\.\d+)?\s*/\s*\d{{1,3}}\b(?!/)
  | \b{_NUMBER}\s+out\s+of\s+{_NUMBER}
  | \b{_NUMBER}[\s-](?:points?|marks?|pts)\b
  | \b(?:full|maximum|top|zero)\s+(?:marks|points|credit|score)\b
  | {_NUMBER}\s*分(?![钟之鐘])
  | 满分|零分
    """,
    re.IGNORECASE | re.VERBOSE,
)


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
    n_words = len(_words(observation))
    copied = sum(len(run.split()) for run in copied_runs(observation, text))
    return round(copied / n_words, 3) if n_words else 0.0


def copied_runs(observation: str, text: str) -> tuple[str, ...]:
    """Find what an observation copies from a text, for whoever is to say it in words of their own.

    Parameters
    ----------
    observation : str
        What the analyst wrote as its own words.
    text : str
        What the respondent wrote.

    Returns
    -------
    tuple of str
        Each run of ``COPIED_RUN`` or more words that the text has in this order, without case and marks.
    """
    words, runs = _words(observation), _runs(text)
    starts = [i for i in range(len(words)) if tuple(words[i : i + COPIED_RUN]) in runs]
    spans: list[list[int]] = []
    for start in starts:
        if spans and start <= spans[-1][1]:
            spans[-1][1] = start + COPIED_RUN
        else:
            spans.append([start, start + COPIED_RUN])
    return tuple(" ".join(words[start:end]) for start, end in spans)


@lru_cache(maxsize=32)
def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = _words(text)
    return frozenset(tuple(words[i : i + COPIED_RUN]) for i in range(len(words) - COPIED_RUN + 1))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", fold_text(text))


def find_score_words(text: str, response: str, names: tuple[str, ...] = ()) -> str:
    """Find words that give a score or stand for one.

    Parameters
    ----------
    text : str
        What the analyst wrote.
    response : str
        What the respondent wrote: words that stand there, such as "level 5 vehicles", are no score.
    names : tuple of str
        Of the dimension, since a number right behind it is a score, as in "Elaboration: 2".

    Returns
    -------
    str
        The first such words; empty if there are none.
    """
    written = fold_text(response)
    named = [rf"\b{re.escape(name)}\s*[:=]\s*{_NUMBER}" for name in names]
    patterns = [_SCORES, *(re.compile(name, re.IGNORECASE) for name in named)]
    matches = (match[0].strip() for pattern in patterns for match in pattern.finditer(text))
    return next((words for words in matches if fold_text(words) not in written), "")
