from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from creaeval.data import make_step, split_items
from creaeval.data.items import list_items, split_text, tidy

from .support import cgpst


def texts(text: str, name: str = "challenge") -> list[str]:
    items = split_items(text, name)
    assert [item.number for item in items] == list(range(1, len(items) + 1))
    return [item.text for item in items]


@pytest.mark.parametrize(
    "opening",
    [
        "1. ",
        "1) ",
        "1: ",
        "1、",
        "1．",
        "1）",
        "1：",
        "(1) ",
        "（1）",
        "1.",
        "1.) ",
        "(1). ",
        "  1. ",
        "• 1. ",
        "- 1. ",
        "Challenge 1: ",
        "challenge #1: ",
        "Item 1. ",
        "#1. ",
        "**1.** ",
        "### 1. ",
        "１. ",
        "１．",
        "（１）",
    ],
)
def test_every_form_of_a_number_opens_an_item(opening: str) -> None:
    second = opening.replace("1", "2").replace("１", "２")
    assert texts(f"{opening}Fish die\n{second}Boats stop") == ["Fish die", "Boats stop"]


@pytest.mark.parametrize(
    "line", ["1.5 million fish die", "1st of all", "100. or so", "2035. A year", "10:30"]
)
def test_what_only_looks_like_a_number_opens_no_item(line: str) -> None:
    assert texts(f"1. Start\n{line}\n2. End") == [f"Start\n{line}", "End"]


def test_ten_is_item_ten_and_not_item_one() -> None:
    text = "\n".join(f"{n}. text {n}" for n in range(1, 12))
    assert texts(text) == [f"text {n}" for n in range(1, 12)]


def test_bold_that_closes_after_the_title_is_kept_whole() -> None:
    assert texts("**1. Fish die** quickly\n**2. Boats** stop") == ["**Fish die** quickly", "**Boats** stop"]


def test_a_larger_number_continues_the_item_if_the_expected_one_comes_later() -> None:
    assert texts("1. In the year\n12. of the plan\n2. Boats") == ["In the year\n12. of the plan", "Boats"]


def test_a_larger_number_is_a_jump_if_the_expected_one_never_comes() -> None:
    assert texts("1. Fish\n4. Boats\n5. Nets") == ["Fish", "", "", "Boats", "Nets"]


def test_a_number_already_used_continues_the_item() -> None:
    assert texts("1. Fish\n2. Boats\n1. slow ones\n2. fast ones\n3. Nets") == [
        "Fish",
        "Boats\n1. slow ones\n2. fast ones",
        "Nets",
    ]


def test_a_number_alone_is_a_blank_item() -> None:
    assert texts("1. Fish\n2.\n3. Nets\n4.") == ["Fish", "", "Nets", ""]


def test_lines_between_belong_to_the_item() -> None:
    assert texts("1. Fish\n   die\n\nin summer\n\n2. Boats") == ["Fish\n   die\n\nin summer", "Boats"]


def test_a_heading_is_no_item_but_is_kept() -> None:
    split = split_text("My challenges\n1. Fish\n2. Boats", "challenge")
    assert split.heading == "My challenges"
    assert [item.text for item in split.items] == ["Fish", "Boats"]
    step = make_step(cgpst().step("step1"), "My challenges\n1. Fish\n2. Boats")
    assert step.text == "My challenges\n1. Fish\n2. Boats"
    assert len(step.items) == 2


def test_text_above_number_two_is_item_one() -> None:
    assert texts("Fish die\n2. Boats stop") == ["Fish die", "Boats stop"]
    assert texts("Fish die\n3. Boats stop") == ["Fish die", "", "Boats stop"]


def test_without_numbers_bulleted_lines_are_items() -> None:
    assert texts("• Fish\n  die\n• Boats") == ["Fish\n  die", "Boats"]
    assert split_text("Mine:\n- Fish\n- Boats") == ("Mine:", split_items("1. Fish\n2. Boats"))


def test_bullets_below_plain_lines_are_their_details() -> None:
    assert texts("Fish die\n- in summer\nBoats stop\n- at night") == [
        "Fish die\n- in summer",
        "Boats stop\n- at night",
    ]


def test_without_numbers_and_bullets_blocks_and_then_lines_are_items() -> None:
    assert texts("Fish\ndie\n\nBoats\nstop") == ["Fish\ndie", "Boats\nstop"]
    assert texts("Fish die\nBoats stop\n") == ["Fish die", "Boats stop"]
    assert texts("") == []
    assert texts(" \n \n") == []


def test_an_entry_of_a_list_loses_its_number_only_if_it_is_its_position() -> None:
    assert [
        i.text for i in list_items(["1. Fish", "3. Boats", None, "", "Challenge 5: Nets"], "challenge")
    ] == [
        "Fish",
        "3. Boats",
        "",
        "",
        "Nets",
    ]


def test_items_beyond_the_maximum_are_kept_unscored_and_missing_ones_are_not_invented() -> None:
    step4 = cgpst().step("step4")
    full = make_step(step4, [f"Which is best {n}?" for n in range(1, 8)])
    assert [item.number for item in full.items] == [1, 2, 3, 4, 5]
    assert [item.text for item in full.unscored] == ["Which is best 6?", "Which is best 7?"]
    assert full.text.splitlines()[-1] == "5. Which is best 5?"
    few = make_step(step4, "1. Which is best?")
    assert (len(few.items), few.unscored, few.text) == (1, (), "1. Which is best?")


def test_a_step_without_items_keeps_its_text_and_numbers() -> None:
    step = make_step(cgpst().step("step6"), "Plan  \r\n1. Ships\r\n1.5 years\n")
    assert (step.text, step.items) == ("Plan\n1. Ships\n1.5 years", ())


def test_numbers_alone_leave_the_step_empty_but_for_its_blank_items() -> None:
    step = make_step(cgpst().step("step1"), "1.\n2.\n3.")
    assert step.empty
    assert [item.blank for item in step.items] == [True, True, True]


# Words and marks that cannot be read as the opening of an item, at the beginning of every line.
_LINE = st.from_regex(r"[A-Za-z“é中][ \w.,:)?!–|-]{0,30}", fullmatch=True).map(str.strip)
_SAFE_LINE = _LINE.filter(lambda line: not line.lower().startswith(("item", "challenge")))
_ITEM = st.lists(_SAFE_LINE, min_size=1, max_size=3).map("\n".join)


@settings(max_examples=100)
@given(st.lists(_ITEM, min_size=1, max_size=20), st.sampled_from(["{}. ", "({}) ", "{}) ", "Challenge {}: "]))
def test_numbered_lines_split_into_the_texts_they_were_made_of(items: list[str], form: str) -> None:
    text = "\n".join(form.format(number) + item for number, item in enumerate(items, 1))
    assert texts(text) == items


@settings(max_examples=100)
@given(st.text(st.sampled_from("ab 1239.)(:•-*#\n"), max_size=60))
def test_no_word_is_lost_and_splitting_a_step_again_changes_nothing(text: str) -> None:
    split = split_text(text)
    kept = split.heading + "".join(item.text for item in split.items)
    assert [c for c in kept if c in "ab"] == [c for c in text if c in "ab"]
    once = make_step(cgpst().step("step1"), tidy(text))
    if once.items and not once.unscored and not once.empty and not split.heading:
        assert make_step(cgpst().step("step1"), once.text).items[0] == once.items[0]
