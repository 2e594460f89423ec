"""SaMer's map from outputs to points, worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from creaeval.llm.local.samer import to_points
from creaeval.training.samer_scale import fit_scale


def test_the_kth_output_means_the_kth_points() -> None:
    # Outputs in order .1 .2 .3 .4, points in order 0 1 1 3: which text had which does not matter.
    outputs, points = fit_scale([0.4, 0.1, 0.3, 0.2], [1, 3, 0, 1])
    assert outputs == [0.1, 0.2, 0.3, 0.4]
    assert points == [0, 1, 1, 3]


def test_equal_outputs_have_the_mean_of_the_points_at_their_ranks() -> None:
    # Ranks 2 and 3 share the output .5: (1 + 4) / 2 = 2.5.
    assert fit_scale([0.2, 0.5, 0.5], [0, 1, 4]) == ([0.2, 0.5], [0.0, 2.5])


@pytest.mark.parametrize(
    ("output", "points"),
    # The line from (.25, 0) to (.5, 3) is at 1.5 in the middle, and halves go up; it is constant outside.
    [(0.0, 0), (0.25, 0), (0.28, 0), (0.375, 2), (0.47, 3), (0.5, 3), (1.0, 3)],
)
def test_between_knots_points_lie_on_a_line_and_are_rounded(output: float, points: int) -> None:
    assert to_points(output, {"outputs": [0.25, 0.5], "points": [0, 3]}) == points


_OUTPUTS = st.floats(0, 1)
_TEXTS = st.lists(st.tuples(_OUTPUTS, st.integers(0, 16)), min_size=1, max_size=60)


@example([(0.0, 0), (2.2e-311, 1)], [0.0, 2.2e-313])
@given(_TEXTS, st.lists(_OUTPUTS, min_size=2, max_size=20))
def test_points_never_fall_where_outputs_rise_and_stay_in_the_raters_range(
    texts: list[tuple[float, int]], others: list[float]
) -> None:
    given_points = [points for _, points in texts]
    outputs, points = fit_scale([output for output, _ in texts], given_points)
    found = [to_points(one, {"outputs": outputs, "points": points}) for one in sorted(others)]
    assert found == sorted(found)
    assert min(given_points) <= found[0]
    assert found[-1] <= max(given_points)


def test_of_many_outputs_201_knots_are_kept_the_outermost_among_them() -> None:
    outputs, points = fit_scale(np.linspace(0, 1, 1000), np.repeat([1, 2, 3, 4], 250))
    assert len(outputs) == len(points) == 201
    assert (outputs[0], outputs[-1], points[0], points[-1]) == (0.0, 1.0, 1.0, 4.0)


@pytest.mark.parametrize("outputs", [[], [0.1, math.nan], [0.1]])
def test_a_map_needs_as_many_outputs_as_points_and_no_gaps(outputs: list[float]) -> None:
    with pytest.raises(ValueError, match="Expected"):
        fit_scale(outputs, np.arange(2 if outputs else 0))
