"""Expected scores from tokens, by hand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from creaeval.sheets import ItemScores, ScoreSheet, StepScores
from creaeval.sheets.expected import (
    Expected,
    expected_scores,
    expected_sheet,
    level_chances,
    number_places,
    score_scales,
)
from creaeval.tasks import parse_task

if TYPE_CHECKING:
    from creaeval.sheets.expected import TokenChances

TO_TEN, TO_FIVE = range(1, 11), range(1, 6)


def tok(text: str, chance: float = 1.0, **others: float) -> TokenChances:
    """A token with its probability and those of others; names in ``others`` stand for what no name can be."""
    spelled = {name.replace("_", " ").replace("d", ""): value for name, value in others.items()}
    return text, tuple(
        (one, math.log(value)) for one, value in {text: chance, **spelled}.items() if value > 0
    )


def chances(*tokens: TokenChances, levels: range = TO_TEN) -> dict[int, float]:
    before = b"".join(text.encode() for text, _ in tokens).partition(b": ")[0] + b": "
    whole = b"".join(text.encode() for text, _ in tokens)
    start = len(before) + len(whole[len(before) :]) - len(whole[len(before) :].lstrip())
    found = level_chances(tokens, start, levels)
    return {level: round(chance, 6) for level, chance in found.items() if chance}


START = tok('{"a": ')


def test_digits_that_are_tokens_each_count_with_what_follows() -> None:  # Qwen, Llama 2, Gemma
    # 7 in 10 is a 1; after it a 0 in 4 of 10 cases, else the end.
    ten = chances(START, tok("1", 0.7, d9=0.2, d2=0.1), tok("0", 0.4, **{"}": 0.6}), tok("}"))
    assert ten == {1: 0.42, 2: 0.1, 9: 0.2, 10: 0.28}
    one = chances(START, tok("1", 0.7, d9=0.2, d2=0.1), tok("}", 0.6, d0=0.4))
    assert one == ten


def test_a_ten_that_is_one_token_is_its_own_level() -> None:  # GPT-4, Llama 3
    # After a whole 1 come the end (nine in ten) or, against the habit of the model, a 0.
    found = chances(START, tok("1", 0.5, d10=0.3, d8=0.2), tok("}", 0.9, d0=0.1))
    assert found == {1: 0.45, 8: 0.2, 10: 0.35}
    assert chances(START, tok("10", 0.6, d9=0.4), tok("}")) == {9: 0.4, 10: 0.6}


def test_another_1_that_was_not_taken_may_be_a_10_and_counts_for_neither() -> None:
    assert chances(START, tok("7", 0.8, d1=0.2), tok("}")) == {7: 0.8}
    # On a scale to 5 no second digit can follow.
    assert chances(START, tok("4", 0.8, d1=0.2), tok("}"), levels=TO_FIVE) == {1: 0.2, 4: 0.8}


def test_a_token_may_bring_the_space_before_or_the_mark_behind() -> None:
    assert chances(tok('{"a":'), tok(" 4", 0.6, _5=0.3, d3=0.1), tok("}"), levels=TO_FIVE) == {
        3: 0.1,
        4: 0.6,
        5: 0.3,
    }
    marked = chances(START, ("4}", (("4}", math.log(0.5)), ("5}", math.log(0.3)), ("4", math.log(0.2)))))
    assert marked == {4: 0.7, 5: 0.3}
    merged = (": 4", ((": 4", math.log(0.5)), (": 5", math.log(0.25)), (":5", math.log(0.2)), (" 5", -9.0)))
    assert chances(tok('{"a"'), merged, tok("}"), levels=TO_FIVE) == {4: 0.5, 5: 0.45}


def test_what_stands_before_the_digits_is_given_and_lowers_no_probability() -> None:
    doubted = ('": ', (('": ', math.log(0.2)), ('_b": ', math.log(0.8))))
    assert chances(tok('{"a'), doubted, tok("4", 0.9, d5=0.1), tok("}"), levels=TO_FIVE) == {4: 0.9, 5: 0.1}


def test_words_fractions_and_levels_beyond_the_scale_count_for_no_level() -> None:
    others = {'"4"': 0.05, "four": 0.05, "4.5": 0.1, "-4": 0.05, "04": 0.05, "6": 0.1, "4e": 0.1, " ": 0.1}
    token = ("4", tuple((one, math.log(value)) for one, value in {"4": 0.4, **others}.items()))
    assert chances(START, token, tok("}"), levels=TO_FIVE) == {4: 0.4}


def test_the_levels_of_a_long_scale_are_followed_to_their_last_digit() -> None:
    found = chances(
        START,
        tok("1", 0.9, d2=0.1),
        tok("2", 0.5, d3=0.3, **{",": 0.2}),
        tok("0", 0.6, **{",": 0.4}),
        tok(","),
        levels=range(0, 187),
    )
    # 1 and the end; 12 and the end; 120. 13 may be 130 to 139, 2 may be 20 to 29.
    assert found == {1: 0.18, 12: 0.18, 120: 0.27}


def test_a_number_at_the_end_of_the_tokens_is_not_known_to_be_whole() -> None:
    assert chances(START, tok("1")) == {}
    assert chances(START, tok("7")) == {7: 1}


def test_numbers_are_found_by_the_keys_that_lead_to_them_in_any_layout() -> None:
    text = (
        '<{so}> {"a" :\n 4, "b": {"c": [10, "5"], "d": {"a": 0}, "e": -1, "f": 1.5, "ü\\"": 7, "g": true,},}'
    )
    places = number_places(text)
    assert {path: place.value for path, place in places.items()} == {
        ("a",): 4,
        ("b", "c", "0"): 10,
        ("b", "c", "1"): 5,
        ("b", "d", "a"): 0,
        ("b", 'ü"'): 7,
    }
    assert all(text[place.start :].startswith(str(place.value)) for place in places.values())


@pytest.mark.parametrize("text", ["", "none", '{"a": 4', '{"a" 4}', "{'a': 4}", '{"a": 4 "b": 5}', '{"a": }'])
def test_what_is_no_json_is_said(text: str) -> None:
    with pytest.raises(ValueError, match="no JSON in which numbers can be found"):
        number_places(text)


A = ("a",)


def expected(text: str, *tokens: TokenChances, levels: range = TO_FIVE) -> Expected:
    found = expected_scores(text, tokens, {A: levels})[A]
    assert isinstance(found, Expected)
    return found


def test_the_expected_score_is_the_mean_over_the_known_levels() -> None:
    found = expected('{"a": 4}', START, tok("4", 0.5, d5=0.3, d1=0.18), tok("}"))
    # (4*.5 + 5*.3 + .18) / .98
    assert (found.sampled, found.reason) == (4, "")
    assert found.captured == pytest.approx(0.98)
    assert found.value == pytest.approx(3.68 / 0.98)


def test_under_95_percent_there_is_none_and_the_reason_names_the_share() -> None:
    found = expected('{"a": 4}', START, tok("4", 0.5, d5=0.44), tok("}"))
    assert (found.value, found.reason) == (None, "only 94.0% of the probability is on known levels")
    assert expected('{"a": 4}', START, tok("4", 0.5, d5=0.4501), tok("}")).value == pytest.approx(
        (2 + 5 * 0.4501) / 0.9501
    )


def test_tokens_may_part_a_character_and_stand_around_the_reply() -> None:
    raw = '{"ü": 1, "a": 4}'
    first, second = (byte.to_bytes(1, "big").decode(errors="surrogateescape") for byte in "ü".encode())
    tokens = [tok("\n"), tok('{"'), tok(first), tok(second), tok('": 1, "a": '), tok("4", 0.9, d5=0.1)]
    found = expected(raw, *tokens, tok("}"), tok("<end>"))
    assert found.value == pytest.approx(4.1)


def test_tokens_of_another_text_are_refused() -> None:
    with pytest.raises(ValueError, match="do not spell the reply"):
        expected('{"a": 4}', START, tok("5"), tok("}"))


def test_a_score_that_the_reply_does_not_hold_in_plain_digits_is_said_to_be_missing() -> None:
    found = expected_scores('{"a": 4.0}', [tok('{"a": 4.0}')], {A: TO_FIVE})
    assert (found[A].value, found[A].reason) == (None, "the reply holds no such number")


def test_a_score_in_quotation_marks_counts_as_one() -> None:
    assert expected('{"a": "4"}', tok('{"a": "'), tok("4", 0.9, d5=0.1), tok('"}')).value == pytest.approx(
        4.1
    )


TASK = parse_task(
    """
id: two
name: Two
source: made for the tests
description: Write.
steps:
  - id: list
    name: List
    instruction: List.
    items: {name: idea, max: 3, invalid: {odd: it is odd}}
    dimensions:
      - {id: fluency, name: F, scope: item, scale: 0-1, derive: valid_items, description: Valid?}
      - {id: rare, name: R, scope: item, scale: 0-2, description: Rare?}
  - id: text
    name: Text
    instruction: Write.
    dimensions:
      - {id: ideas, name: Ideas, description: How many?, scale: 1-5}
      - {id: style, name: Style, description: How?, scale: 1-5}
    groups: [{id: both, name: Both, members: [ideas, style]}]
""",
    "two.yaml",
)
WRITTEN = ScoreSheet(
    response_id="r",
    scorer="j",
    steps=(
        StepScores(
            step="list",
            items=(
                ItemScores(item=1, scores={"fluency": 1, "rare": 2}),
                ItemScores(item=2, invalid="odd", scores={"fluency": 0}),
                ItemScores(item=3, scores={"fluency": 1, "rare": 0}),
            ),
            written={"fluency": 2, "rare": 2, "overall": 4},
        ),
        StepScores(step="text", written={"ideas": 3, "style": 4, "overall": 7, "both": 7}),
    ),
    written_total=11,
)
VALUES: dict[tuple[str, ...], float | None] = {
    ("list", "items", "item_1", "rare"): 1.75,
    ("list", "items", "item_3", "rare"): 0.5,
    ("list", "fluency"): 2.0,
    ("list", "rare"): 2.5,
    ("list", "overall"): 4.5,
    ("text", "ideas"): 3.25,
    ("text", "style"): 4.5,
    ("text", "overall"): 7.5,
    ("total",): 11.25,
}


def test_every_written_score_has_its_scale() -> None:
    scales = score_scales(TASK, WRITTEN)
    assert set(scales) == set(VALUES)
    assert {".".join(path): (levels[0], levels[-1]) for path, levels in scales.items()} == {
        "list.items.item_1.rare": (0, 2),
        "list.items.item_3.rare": (0, 2),
        "list.fluency": (0, 3),
        "list.rare": (0, 6),
        "list.overall": (0, 9),
        "text.ideas": (1, 5),
        "text.style": (1, 5),
        "text.overall": (0, 10),
        "total": (0, 19),
    }


def test_expected_scores_are_fractions_that_add_up_and_survive_being_kept() -> None:
    sheet = expected_sheet(TASK, (), WRITTEN, VALUES)
    assert sheet.scorer == "j (expected)"
    first, second = sheet.steps
    assert [dict(item.scores) for item in first.items] == [
        {"fluency": 1, "rare": 1.75},
        {"fluency": 0},
        {"fluency": 1, "rare": 0.5},
    ]
    assert first.written == {"fluency": 2, "rare": 2.5, "overall": 4.5}
    assert first.computed == {"fluency": 2, "rare": 2.25, "overall": 4.25}
    assert second.computed == {"both": 7.75, "overall": 7.75}
    assert (sheet.written_total, sheet.total) == (11.25, 12)
    assert ScoreSheet.model_validate_json(sheet.model_dump_json()) == sheet
    # Whole points stay whole where they are kept.
    assert '"scores":{"fluency":1,"rare":2}' in WRITTEN.model_dump_json()


def test_sums_of_a_missing_score_are_missing_too() -> None:
    lost = expected_sheet(TASK, (), WRITTEN, {**VALUES, ("list", "items", "item_3", "rare"): None})
    first, second = lost.steps
    assert (first.final("rare"), first.final("overall"), lost.total, lost.written_total) == (None,) * 4
    assert (first.final("fluency"), second.final("overall")) == (2, 7.75)
    lost = expected_sheet(TASK, (), WRITTEN, {**VALUES, ("text", "style"): None})
    assert [lost.final(f"text.{part}") for part in ("ideas", "style", "both", "overall")] == [
        3.25,
        None,
        None,
        None,
    ]
    # A sum of the scorer's own that cannot be resolved costs nothing else.
    lost = expected_sheet(TASK, (), WRITTEN, {**VALUES, ("text", "overall"): None, ("total",): None})
    assert (lost.final("text.overall"), lost.total, lost.written_total) == (7.75, 12, None)
