from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from creaeval.sheets import find_quote

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


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(TEXT) - 12), st.integers(12, 80), st.sampled_from(sorted(CHANGES)))
def test_every_passage_is_found_whatever_its_case_spaces_and_marks(
    start: int, length: int, change: str
) -> None:
    passage = TEXT[start : start + length]
    quote = find_quote(CHANGES[change](passage), TEXT)
    assert quote.found
    assert quote.similarity == 100.0


def test_a_slip_of_a_letter_passes_and_a_paraphrase_does_not() -> None:
    assert find_quote("may emit nanoscale blak carbon", TEXT).found
    assert not find_quote("could release tiny particles of soot into the air", TEXT).found


def test_what_is_empty_longer_than_the_text_or_a_short_near_miss_is_not_found() -> None:
    assert not find_quote("", TEXT).found
    assert not find_quote(' "..." ', TEXT).found
    assert not find_quote(TEXT + " and more", TEXT).found
    assert not find_quote("carbons", TEXT).found
    assert find_quote("carbon", TEXT).found
