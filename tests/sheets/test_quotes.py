from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from creaeval.sheets import Quote, StepTexts, find_quote
from creaeval.sheets.quotes import compare_words, place_name, place_quote

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = (
    "The plastic-to-fuel system may emit nanoscale black carbon – which could “exacerbate” ocean heat. "
    "It’s implied by the scenario's remark on 'harvesting tons of plastic' without durability…"
)
CHANGES: dict[str, Callable[[str], str]] = {
    "as it is": lambda s: s,
    "upper case": str.upper,
    "wide spaces": lambda s: s.replace(" ", " \n\u00a0 "),
    "plain marks": lambda s: s.replace("“", '"').replace("”", '"').replace("’", "'").replace("–", "-"),
    "in quotes": lambda s: f"“{s}”",
    "with an ellipsis": lambda s: f"{s}...",
}
ITEMS = {
    1: "The wells run dry in summer, year by year.",
    2: "Nobody counts the wells.",
    3: "Taps drip at night, all night.",
}
STEP = StepTexts(
    "step1",
    "\n".join(ITEMS.values()),
    ITEMS,
    [
        ("step2", "How might we keep the wells of the town open until the autumn rain comes?"),
        ("step3, item_1", "Dig deeper wells before the summer."),
        ("step3", "Dig deeper wells before the summer.\nMend the taps."),
    ],
)


def outcome(quote: Quote) -> tuple[str, str, str]:
    return quote.outcome, quote.place, quote.words


@settings(max_examples=100)
@given(st.integers(0, len(TEXT) - 12), st.integers(12, 80), st.sampled_from(sorted(CHANGES)))
def test_every_passage_is_exact_whatever_its_case_spaces_and_marks(
    start: int, length: int, change: str
) -> None:
    passage = TEXT[start : start + length]
    quote = find_quote(CHANGES[change](passage), TEXT)
    assert outcome(quote) == ("exact", "", "")
    assert quote.similarity == 100.0


def test_a_slip_of_a_letter_stands_nearly_with_the_words_of_the_response_and_a_paraphrase_does_not() -> None:
    assert outcome(find_quote("may emit nanoscale blak carbon", TEXT)) == (
        "nearly",
        "",
        "may emit nanoscale black carbon",
    )
    assert find_quote("could release tiny particles of soot into the air", TEXT).outcome == "not found"


def test_what_is_empty_longer_than_the_text_or_a_short_near_miss_is_not_found() -> None:
    for quote in ("", ' "..." ', TEXT + " and more", "carbons"):
        assert find_quote(quote, TEXT).outcome == "not found"
    assert find_quote("carbon", TEXT).outcome == "exact"
    # 22 of 23 letters are there, but a text cannot hold a passage longer than itself.
    assert find_quote("the wells run dry todayx", "the wells run dry today").outcome == "not found"


@pytest.mark.parametrize(
    ("item", "quote", "expected"),
    [
        (1, "wells RUN dry", ("exact", "", "")),
        (1, "the wells runs dry in summer", ("nearly", "", "The wells run dry in summer")),
        (1, "Nobody counts the wells", ("elsewhere", "item_2", "")),
        (2, "The wells ran dry in summer", ("elsewhere", "item_1", "The wells run dry in summer")),
        (1, "counts the wells. Taps drip", ("elsewhere", "step1", "")),
        (1, "Dig deeper wells", ("elsewhere", "step3, item_1", "")),
        (1, "until the autumn rain", ("elsewhere", "step2", "")),
        (1, "summer. Mend the taps", ("elsewhere", "step3", "")),
        (1, "the moon is made of cheese", ("not found", "", "")),
        # A dimension of the step has the whole step for its own.
        (None, "counts the wells. Taps drip", ("exact", "", "")),
        (None, "Nobody count the wells", ("nearly", "", "Nobody counts the wells")),
        (None, "Dig deeper wells", ("elsewhere", "step3, item_1", "")),
    ],
)
def test_a_quote_is_looked_up_in_its_item_then_in_others_then_in_other_steps(
    item: int | None, quote: str, expected: tuple[str, str, str]
) -> None:
    assert outcome(STEP.find(quote, item)) == expected


def test_nearly_in_the_own_text_comes_before_exactly_elsewhere_and_that_before_nearly_elsewhere() -> None:
    quote = "they open the gates at noon"
    nearly, there = "They open the gate at noon each day.", f"Then {quote}."
    assert find_quote(quote, nearly, [("item_2", there)]).outcome == "nearly"
    assert find_quote(quote, there, [("item_2", nearly)]).outcome == "exact"
    found = find_quote(quote, "Something else, and of some length.", [("item_2", nearly), ("step4", there)])
    assert outcome(found) == ("elsewhere", "step4", "")
    found = find_quote(quote, "Something else, and of some length.", [("item_2", nearly), ("item_3", nearly)])
    assert outcome(found) == ("elsewhere", "item_2", "They open the gate at noon")


@pytest.mark.parametrize(
    ("quote", "text", "words"),
    [
        # The alignment is as long as the quote and would run into words that are not quoted.
        (
            "the wells of our town are so dry in summer that we wait",
            "So now the wells of our town are dry in summer that we wait for rain.",
            "the wells of our town are dry in summer that we wait",
        ),
        (
            "the wells of our town are dry in summer that we wait",
            "Here the wells of our town are so dry in summer that we wait for rain.",
            "the wells of our town are so dry in summer that we wait",
        ),
        (
            "they sayd: no water at night",
            "x. They said: no water at night. y",
            "They said: no water at night",
        ),
        ("doorstopperish", "We use it as a doorstoppirish thing at home.", "doorstoppirish"),
        # In Chinese, words are not separated; the clause is not widened to the whole sentence.
        (
            "夏天的水井都干涸了没有人会管",
            "我们认为夏天的水井都干涸了没有人来管这件事情",
            "夏天的水井都干涸了没有人来管",
        ),
    ],
)
def test_the_words_of_a_near_quote_are_whole_and_no_more_than_was_quoted(
    quote: str, text: str, words: str
) -> None:
    assert outcome(find_quote(quote, text)) == ("nearly", "", words)


def test_places_are_named_by_step_and_item() -> None:
    assert (place_name("step2"), place_name("step2", 4), place_name(item=3)) == (
        "step2",
        "step2, item_4",
        "item_3",
    )


SIGNS = st.text("aB éﬁ…’“.\n\t中İß\u0301\ud800´-", max_size=40)


@settings(max_examples=300)
@given(SIGNS, st.sampled_from("aBéﬁ中İß"), SIGNS, st.data())
def test_any_stretch_of_the_own_text_with_a_letter_is_exact_and_placed_where_it_is_found_again(
    before: str, letter: str, after: str, data: st.DataObject
) -> None:
    text = f"{before}{letter}{after}"
    start = data.draw(st.integers(0, len(before)))
    stretch = text[start : data.draw(st.integers(len(before) + 1, len(text)))]
    assert outcome(find_quote(stretch, text, [("item_2", text)])) == ("exact", "", "")
    span = place_quote(stretch, text)
    assert span is not None
    assert find_quote(stretch, text[slice(*span)]).outcome == "exact"


@settings(max_examples=300)
@given(SIGNS, SIGNS, st.lists(st.tuples(st.just("item_2"), SIGNS), max_size=2))
def test_an_outcome_names_words_and_a_place_that_are_there(
    quote: str, own: str, others: list[tuple[str, str]]
) -> None:
    found = find_quote(quote, own, others)
    assert found.text == quote
    assert (found.place == "item_2") == (found.outcome == "elsewhere")
    if found.outcome == "nearly":
        assert found.words
        assert found.words in own
        assert 90 <= found.similarity < 100
    elif found.outcome == "elsewhere":
        assert any(found.words in text for _, text in others)
    else:
        assert found.words == ""
    if found.outcome in ("exact", "nearly"):
        assert place_quote(quote, own) is not None


def test_what_differs_is_said_word_by_word_without_case_and_marks() -> None:
    assert compare_words("“they SAYD: no water”", "They said: no\nwater") == [
        ("both", "They "),
        ("quote", "SAYD"),
        ("response", "said"),
        ("both", ": no\nwater"),
    ]
    assert compare_words("the wells are very dry", "The wells are dry") == [
        ("both", "The wells are "),
        ("quote", "very "),
        ("both", "dry"),
    ]
    assert compare_words("都干涸了没有人会管", "都干涸了没有人来管")[1:3] == [
        ("quote", "会"),
        ("response", "来"),
    ]


@given(SIGNS, SIGNS)
def test_the_stretches_of_the_response_make_up_its_words(quote: str, words: str) -> None:
    stretches = compare_words(quote, words)
    assert "".join(text for side, text in stretches if side != "quote") == words


@pytest.mark.parametrize(
    ("found", "similarity", "expected"),
    [(True, 100.0, "exact"), (True, 95.2, "nearly"), (False, 61.0, "not found"), (False, 0.0, "not found")],
)
def test_outcomes_that_earlier_versions_stored_are_read(
    found: bool, similarity: float, expected: str
) -> None:
    stored = {"text": "dry wells", "found": found, "similarity": similarity}
    quote = Quote.model_validate_json(json.dumps(stored))
    assert quote == Quote.model_validate({"text": "dry wells", "outcome": expected, "similarity": similarity})
    assert (quote.words, quote.place) == ("", "")
    assert Quote.model_validate_json(quote.model_dump_json()) == quote
    with pytest.raises(ValidationError):
        Quote.model_validate({**stored, "outcom": "exact"})
