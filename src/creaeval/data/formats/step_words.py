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
_ANYTHING = r"(?:\S+\s?){0,4}"


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
    controls: re.Pattern[str]
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

    def phrases(key: str) -> re.Pattern[str]:
        parts = [phrase.split("…") for language in languages for phrase in language[key]]
        return re.compile(
            "|".join(_ANYTHING.join(re.escape(fold_words(p)) + r"\s?" for p in phrase) for phrase in parts)
        )

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
        phrases("controls"),
        phrases("placeholders"),
    )


def is_placeholder(line: str) -> bool:
    """Whether a line of a template has nothing filled in: ``Type your challenge here``, ``[…]``, ``____``."""
    text = line.strip()
    if not text:
        return False
    if re.fullmatch(r"[\W_]{3,}|…", text) or (len(text) <= _LONGEST and re.fullmatch(_IN_BRACKETS, text)):
        return True
    return is_control_text(text) or is_template_phrase(text)


def is_control_text(line: str) -> bool:
    """Whether a line is what a word processor says in an empty field: ``Click here to enter text``."""
    return len(line) <= _LONGEST and step_words().controls.fullmatch(fold_words(line)) is not None


def is_template_phrase(line: str) -> bool:
    """Whether a line is what a template may say: ``Type your challenge here``."""
    return len(line) <= _LONGEST and step_words().placeholders.fullmatch(fold_words(line)) is not None
