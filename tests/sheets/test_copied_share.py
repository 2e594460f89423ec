from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from creaeval.sheets import copied_share

TEXT = "Every tower gets a float gauge that a pupil and a neighbour read together each morning."


@pytest.mark.parametrize(
    ("observation", "share"),
    [
        # All seven of its words stand in a row in the text.
        ("a pupil and a neighbour read together", 1.0),
        # Six of thirteen, 0.4615.
        ("The plan says who measures and when: Every tower gets a float gauge", 0.462),
        # Five in a row are too few.
        ("It says that tower gets a float gauge somewhere", 0.0),
        # Case, marks and line ends do not count; six of eight.
        ("«EVERY tower, gets\na float gauge» it says", 0.75),
        ("Six words are here: not copied.", 0.0),
        ("", 0.0),
    ],
)
def test_the_share_is_that_of_words_in_runs_of_six_or_more(observation: str, share: float) -> None:
    assert copied_share(observation, TEXT) == share


@given(st.lists(st.sampled_from("abcdefgh"), min_size=6))
def test_a_text_of_six_words_or_more_copies_itself_whole(words: list[str]) -> None:
    assert copied_share(" ".join(words), " ".join(words)) == 1.0


@given(st.text(), st.text())
def test_the_share_lies_between_0_and_1(observation: str, text: str) -> None:
    assert 0 <= copied_share(observation, text) <= 1
