"""Words of people's tables, one file a language: what titles mean, what is no answer, what sums rows up."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from creaeval.tasks import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: The order in which titles are looked up, where several languages have a word.
LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pl", "pt", "zh")
#: Cells that hold no value, as spreadsheets and statistics programs write them.
MISSING = frozenset(
    {"", "NA", "N/A", "n/a", "na", "n.a.", "N.A.", "#N/A", "#NV", "#NULL!", ".", "-", "–", "—", "NaN", "nan"}
)


@dataclass(frozen=True)
class Words:
    """The words of all languages, reduced by :func:`creaeval.tasks.fold`.

    ``roles`` has for each role the titles with their rank, the first being preferred; ``personal`` the kind
    of personal data by title. ``raters`` are words that stand before a rater's number, ``numbered`` those
    before the number of one of several texts, ``beside`` names of sheets that tell of the data, ``noise``
    those in a title that are no object.
    """

    roles: Mapping[str, Mapping[str, int]]
    personal: Mapping[str, str]
    carried: frozenset[str]
    comment: frozenset[str]
    summary: frozenset[str]
    beside: frozenset[str]
    dimensions: frozenset[str]
    raters: frozenset[str]
    numbered: frozenset[str]
    noise: frozenset[str]
    no_answer: frozenset[str]
    object_phrases: tuple[re.Pattern[str], ...]
    yes_no: Mapping[str, float]

    @cached_property
    def aside(self) -> frozenset[str]:
        """The titles of columns that stand beside texts and scores: what is carried, remarks, sums."""
        return self.carried | self.comment | self.summary

    def find_object(self, text: str) -> str:
        """Return the object that a question is about: ``brick`` of ``List uses for a brick``, or nothing."""
        found = [match for phrase in self.object_phrases for match in phrase.finditer(text)]
        # What is asked stands behind an example.
        return max(found, key=re.Match.start)["object"].strip() if found else ""


def tokens_of(title: str) -> set[str]:
    """Return the words and numbers that a title is made of, folded."""
    return {fold(token) for token in re.split(r"[\W_]+", title)} - {""}


@cache
def words() -> Words:
    """Read the words of all languages, once."""
    from ruamel.yaml import YAML

    folder, yaml = files("creaeval.data.words"), YAML(typ="safe", pure=True)
    tables: list[dict[str, Any]] = [
        yaml.load((folder / f"{language}.yaml").read_text(encoding="utf-8")) for language in LANGUAGES
    ]

    def fold_all(key: str) -> frozenset[str]:
        return frozenset(filter(None, map(fold, _each(tables, key))))

    roles: dict[str, dict[str, int]] = {}
    personal: dict[str, str] = {}
    for table in tables:
        for role, titles in table["roles"].items():
            ranks = roles.setdefault(role, {})
            for title in filter(fold, titles):
                ranks.setdefault(fold(title), len(ranks))
        for kind, titles in table["personal"].items():
            for title in titles:
                personal.setdefault(fold(title), kind)
    return Words(
        roles=roles,
        personal=personal,
        carried=fold_all("carried"),
        comment=fold_all("comment"),
        summary=fold_all("summary"),
        beside=fold_all("beside"),
        dimensions=fold_all("dimension_words"),
        raters=fold_all("rater_words"),
        numbered=fold_all("numbered"),
        noise=fold_all("noise"),
        no_answer=fold_all("no_answer"),
        object_phrases=tuple(re.compile(text, re.IGNORECASE) for text in _each(tables, "object_phrases")),
        yes_no={word: float(not no) for no in (0, 1) for word in fold_all(("yes", "no")[no])},
    )


def _each(tables: Iterable[Mapping[str, Any]], key: str) -> Iterable[str]:
    return (text for table in tables for text in table[key])
