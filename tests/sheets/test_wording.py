"""Copied runs and words that give a score, in observations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from creaeval.sheets import copied_runs, copied_share, find_score_words

TEXT = "Because the firm does not say how its program weighs households, people may stop believing in it."


def test_each_run_of_six_or_more_words_is_named_once_and_whole() -> None:
    observation = (
        "It says the firm does not say how its program weighs us, so people may stop believing in it."
    )
    assert copied_runs(observation, TEXT) == (
        "the firm does not say how its program weighs",
        "people may stop believing in it",
    )
    # Five words in a row are no copy.
    assert copied_runs("The firm does not say anything.", TEXT) == ()


@given(observation=st.text(alphabet="ab ", max_size=60), text=st.text(alphabet="ab ", max_size=60))
def test_there_are_runs_where_a_share_is_copied_and_their_words_are_that_share(
    observation: str, text: str
) -> None:
    runs = copied_runs(observation, text)
    n_words = len(observation.split())
    copied = sum(len(run.split()) for run in runs)
    assert copied_share(observation, text) == (round(copied / n_words, 3) if n_words else 0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("This deserves 7/10.", "deserves 7"),
        ("Detail is thin, 2/5.", "2/5"),
        ("Score: 8", "Score: 8"),
        ("It would be rated 4 for detail.", "rated 4"),
        ("I would give it 2 points.", "2 points"),
        ("A 2-point answer.", "2-point"),
        ("3 out of 5", "3 out of 5"),
        ("It fits level 2.", "level 2"),
        ("This earns full marks.", "full marks"),
        ("Elaboration: 2", "Elaboration: 2"),
        ("a score of 7 on originality", "score of 7"),
        ("内容充实，得7分。", "7分"),
    ],
)
def test_a_score_is_found(text: str, words: str) -> None:
    assert find_score_words(text, TEXT, ("elaboration", "Elaboration")) == words


@pytest.mark.parametrize(
    "text",
    [
        "Names 3 of 5 households and gives 3 reasons.",
        "Meets the first requirement, partly the second, and not the third.",
        "The pumps run 24/7 in 2044, at a rate of 4 litres a minute.",
        "Takes 30分钟 to read.",
        "Worth 4 euros a day; the trial is dated 12/10/2044.",
        "Points to the villas and marks the scenes of 2044.",
    ],
)
def test_other_numbers_are_no_score(text: str) -> None:
    assert find_score_words(text, TEXT) == ""


def test_the_respondents_own_words_are_no_score() -> None:
    observation = "Names level 5 vehicles that score 7 on a test."
    assert find_score_words(observation, "In 2044 level 5 vehicles score 7 on the test.") == ""
    assert find_score_words(observation, "In 2044 vehicles drive by themselves.") == "level 5"
