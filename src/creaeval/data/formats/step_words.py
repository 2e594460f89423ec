"""The words around the answers of a document: steps, numbers, titles, placeholders, in all our languages."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

_FILE = "words/steps.yaml"
_LONGEST = 120  # characters of a placeholder
#: Some words in brackets, or a label before a line to write on.
_IN_BRACKETS = (
    r"[<\[［【]\W*(?:[^\W_]+\W+){0,7}(?:[^\W_]+)?\W*[>\]］】]|[^_:：]{1,30}[:：]?\s*_{3,}[\s_./\d]*"
)
_ANYTHING = r"(?:\S+\s?){0,6}"


class StepWords(NamedTuple):
    """The words of all languages, folded as :func:`fold_words` does; see ``data/words/steps.yaml``."""

    steps: frozenset[str]
    parts: frozenset[str]
    numbers: dict[str, int]
    small: frozenset[str]
    verbs: frozenset[str]
    scene: frozenset[str]
    answer: frozenset[str]
    personal: frozenset[str]
    titles: dict[str, tuple[str, ...]]
    placeholders: re.Pattern[str]


def fold_words(text: str) -> str:
    """Return the words of a text, parted by spaces, without case, accents and punctuation."""
    plain = "".join(
        c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c)
    ).replace("ł", "l")
    return " ".join(re.findall(r"[^\W_]+", plain))


@cache
def step_words() -> StepWords:
    """Return the words of all languages, read from the package once."""
    from ruamel.yaml import YAML

    text = (files("creaeval.data") / _FILE).read_text(encoding="utf-8")
    languages: list[dict[str, Any]] = list(YAML(typ="safe").load(text).values())

    def all_of(key: str) -> frozenset[str]:
        return frozenset(fold_words(word) for language in languages for word in language[key])

    numbers = {
        fold_words(word): number
        for language in languages
        for key in ("numbers", "ordinals")
        for number, word in enumerate(language[key], 1)
    }
    groups: dict[str, list[str]] = {}
    for language in languages:
        for group, titles in language["titles"].items():
            groups.setdefault(group, []).extend(map(fold_words, titles))
    phrases = [
        _ANYTHING.join(re.escape(fold_words(part)) + r"\s?" for part in phrase.split("…"))
        for language in languages
        for phrase in language["placeholders"]
    ]
    return StepWords(
        all_of("steps"),
        all_of("parts"),
        numbers,
        all_of("small"),
        all_of("verbs"),
        all_of("scene"),
        all_of("answer"),
        all_of("personal"),
        {group: tuple(titles) for group, titles in groups.items()},
        re.compile("|".join(phrases)),
    )


def is_placeholder(line: str, in_prose: bool = False) -> bool:
    """Whether a line is a template's where nothing is filled in: ``Type your challenge here``, ``____``.

    ``in_prose``: a row of dots or dashes, or words in brackets, may stand in a story; only phrases count.
    """
    text = line.strip()
    if not text:
        return False
    if not in_prose and re.fullmatch(r"[\W_]{3,}|…", text):
        return True
    if len(text) > _LONGEST:
        return False
    if not in_prose and re.fullmatch(_IN_BRACKETS, text):
        return True
    return step_words().placeholders.fullmatch(fold_words(text)) is not None
