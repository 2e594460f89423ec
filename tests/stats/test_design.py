"""Which design ratings have."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from creaeval.stats.variance.design import find_design, make_ratings
from stats.designs import DESIGNS, PAIRS


def design_of(cells: list[tuple[int, int]]):  # type: ignore[no-untyped-def]
    response, rater = np.array(cells).T
    return find_design(make_ratings(response, rater, np.ones(len(cells))))


def test_all_raters_and_all_responses_are_crossed() -> None:
    design = design_of([(row, rater) for row in range(3) for rater in range(2)])
    assert (design.kind, design.n_responses, design.n_raters, design.density) == ("crossed", 3, 2, 1.0)
    assert design.raters_per_response == 2
    assert design.islands == ()


def test_a_chain_of_pairs_is_incomplete_but_linked() -> None:
    design = design_of(PAIRS)
    assert (design.kind, design.density) == ("incomplete", 0.5)
    assert set(design.response_island) == set(design.rater_island) == {0}


def test_numbers_of_raters_have_their_harmonic_mean() -> None:
    # 1, 2 and 3 raters: 3 / (1 + 1/2 + 1/3)
    design = design_of([(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)])
    assert design.raters_per_response == pytest.approx(3 / (1 + 1 / 2 + 1 / 3))
    assert (design.single_responses, design.single_raters) == (1, 1)


def test_islands_are_named_by_their_codes_and_the_largest_is_first() -> None:
    cells = [(7, 20), (7, 21), *((row, rater) for row in (1, 3, 5) for rater in (10, 30))]
    design = design_of(cells)
    assert design.kind == "disconnected"
    assert [part.raters.tolist() for part in design.islands] == [[10, 30], [20, 21]]
    assert [part.responses.tolist() for part in design.islands] == [[1, 3, 5], [7]]
    assert [part.share for part in design.islands] == [0.75, 0.25]
    # in the order of the codes: responses 1, 3, 5, 7 and raters 10, 20, 21, 30
    assert design.response_island.tolist() == [0, 0, 0, 1]
    assert design.rater_island.tolist() == [0, 1, 1, 0]


def test_raters_who_rated_one_response_each_are_nested_and_make_no_islands() -> None:
    design = design_of([(row, 2 * row + rater) for row in range(4) for rater in range(2)])
    assert (design.kind, design.islands, set(design.response_island)) == ("nested", (), {0})


def test_a_single_response_of_two_raters_is_crossed() -> None:
    assert design_of([(0, 0), (0, 1)]).kind == "crossed"


def test_a_facet_counts_for_what_is_crossed() -> None:
    cells = np.array([(row, rater, level) for row in range(3) for rater in range(2) for level in range(2)]).T
    whole = make_ratings(cells[0], cells[1], np.ones(12), facet=cells[2])
    assert find_design(whole).kind == "crossed"
    fewer = make_ratings(cells[0, 1:], cells[1, 1:], np.ones(11), facet=cells[2, 1:])
    assert (find_design(fewer).kind, find_design(fewer).density) == ("incomplete", 11 / 12)


def test_missing_values_are_no_ratings() -> None:
    ratings = make_ratings([5, 5, 9], [1, 2, 3], [1.0, 2.0, math.nan])
    assert ratings.response_codes.tolist() == [5]
    assert ratings.rater_codes.tolist() == [1, 2]
    nothing = find_design(make_ratings([1], [1], [math.nan]))
    assert (nothing.n_ratings, nothing.kind) == (0, "incomplete")
    assert math.isnan(nothing.density)
    assert math.isnan(nothing.raters_per_response)


@given(st.sampled_from(sorted(DESIGNS)), st.randoms())
def test_neither_order_nor_codes_matter(name: str, random: object) -> None:
    cells = DESIGNS[name]
    order = list(range(len(cells.value)))
    random.shuffle(order)  # type: ignore[attr-defined]
    first = find_design(make_ratings(cells.response, cells.rater, cells.value))
    other = find_design(
        make_ratings(3 * cells.response[order] - 50, 1000 - cells.rater[order], cells.value[order])
    )
    assert (first.kind, first.density, first.single_responses) == (
        other.kind,
        other.density,
        other.single_responses,
    )
    assert [part.share for part in first.islands] == pytest.approx([part.share for part in other.islands])
    assert first.raters_per_response == pytest.approx(other.raters_per_response)


def test_what_makes_no_sense_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="Rater 4 has 2 values for response 7"):
        make_ratings([7, 7, 8], [4, 4, 4], [1, 2, 3])
    with pytest.raises(ValueError, match="same level of the facet"):
        make_ratings([7, 7], [4, 4], [1, 2], facet=[1, 1])
    make_ratings([7, 7], [4, 4], [1, 2], facet=[1, 2])
    with pytest.raises(ValueError, match="two clusters"):
        make_ratings([7, 7], [4, 5], [1, 2], cluster=[1, 2])
    with pytest.raises(ValueError, match="not both"):
        make_ratings([7], [4], [1], cluster=[1], facet=[1])
    with pytest.raises(ValueError, match="infinite"):
        make_ratings([7], [4], [math.inf])
    with pytest.raises(ValueError, match="integers"):
        make_ratings([7.5], [4], [1])
    with pytest.raises(ValueError, match="shape"):
        make_ratings([7, 8], [4], [1])
    with pytest.raises(ValueError, match="one dimension"):
        make_ratings([[7]], [[4]], [[1]])
