"""The words of people's tables: every language has all of them, and each is found for what it means."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest
from ruamel.yaml import YAML

from creaeval.data.words import LANGUAGES, MISSING, words
from creaeval.tasks import fold

ROLES = {"id", "participant", "object", "text", "rater", "score", "dimension", "stage", "scenario", "step"}


def table(language: str) -> dict[str, Any]:
    text = (files("creaeval.data.words") / f"{language}.yaml").read_text(encoding="utf-8")
    loaded: dict[str, Any] = YAML(typ="safe", pure=True).load(text)
    return loaded


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_words_for_everything(language: str) -> None:
    own, english = table(language), table("en")
    assert set(own) == set(english)
    assert set(own["roles"]) >= ROLES
    assert set(own["roles"]) <= set(english["roles"])
    assert set(own["personal"]) == set(english["personal"])
    for key, value in own.items():
        assert value, key
        for entry in value.values() if isinstance(value, dict) else [value]:
            assert entry, key
            assert all(isinstance(word, str) for word in entry), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_word_is_found_for_what_it_means(language: str) -> None:
    known, own = words(), table(language)
    for role, titles in own["roles"].items():
        assert {fold(title) for title in titles if fold(title)} <= set(known.roles[role])
    for kind, titles in own["personal"].items():
        for title in titles:
            assert known.personal[fold(title)], (kind, title)
    for word in own["no_answer"]:
        assert fold(word) in known.no_answer
    for word in own["yes"]:
        assert known.yes_no[fold(word)] == 1
    for word in own["no"]:
        assert known.yes_no[fold(word)] == 0


def test_the_first_word_of_a_language_for_a_role_is_of_no_other_role() -> None:
    # A word may have two meanings; the one that comes first, not.
    shared = {"item", "question", "sujet", "phase"}
    for role in ("participant", "text", "rater", "score", "dimension"):
        for language in LANGUAGES:
            first = fold(table(language)["roles"][role][0])
            others = {other for other, titles in words().roles.items() if first in titles} - {role}
            assert not others or first in shared, (language, role, first, others)


def test_no_word_for_no_answer_may_be_an_answer() -> None:
    # "Nothing", "none" and a mark of a missing value may be meant, or are read before.
    plain = {
        "nothing",
        "none",
        "nichts",
        "rien",
        "nada",
        "niente",
        "niets",
        "nic",
        "没有",
        "无",
        "no",
        "nein",
        "non",
    }
    assert not set(map(fold, plain)) & words().no_answer
    assert not set(map(fold, MISSING)) & words().no_answer
    assert not words().no_answer & (words().yes_no.keys() | words().summary)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "I don't know",
            "IDK",
            "no idea!",
            "keine Ahnung",
            "weiß nicht",
            "no sé",
            "je ne sais pas",
            "non lo so",
        ),
        *("weet ik niet", "nie wiem", "não sei", "不知道", "不知道。", "没有想法"),
    ],
)
def test_not_to_know_is_no_answer_in_every_language(text: str) -> None:
    assert fold(text) in words().no_answer


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("List as many uses for a brick as you can", "brick"),
        ("What could you do with a tin can?", "tin can"),
        ("Alternate uses: a paper clip", ""),
        ("Nennen Sie ungewöhnliche Verwendungen für einen Ziegelstein", "Ziegelstein"),
        ("Quelles utilisations pour une brique ?", "brique"),
        ("Escriba usos para un ladrillo", "ladrillo"),
        ("Elenca gli usi per un mattone", "mattone"),
        ("Noem toepassingen voor een baksteen", "baksteen"),
        ("Wymień zastosowania cegły", "cegły"),
        ("Liste usos para um tijolo", "tijolo"),
        ("请写出砖头的不寻常用途", "砖头"),
        ("请尽可能多地列出一块砖的用途", "砖"),
        ("回形针的用途", "回形针"),
        ("How old are you?", ""),
    ],
)
def test_a_question_names_its_object(question: str, thing: str) -> None:
    assert words().find_object(question) == thing


@pytest.mark.parametrize("cell", ["", "NA", "N/A", "n/a", "#N/A", "#NV", ".", "-", "–", "NaN"])
def test_what_stands_for_nothing_is_missing(cell: str) -> None:
    assert cell in MISSING
