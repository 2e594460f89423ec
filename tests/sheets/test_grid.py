from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from creaeval.sheets import check_grid, read_grid


def written(grid: list[list[int]], mark: str = " | ", totals: bool = True) -> str:
    header = mark.join(["Solution ID", *(f"Criterion {n}" for n in range(1, len(grid[0]) + 1))])
    rows = [
        mark.join(map(str, [number, *ranks, *([sum(ranks)] if totals else [])]))
        for number, ranks in enumerate(grid, 1)
    ]
    return "\n".join([header, *rows, "", "The best solution is: 1."])


@st.composite
def permutation_grids(draw: st.DrawFn) -> list[list[int]]:
    n_solutions = draw(st.integers(2, 8))
    columns = [draw(st.permutations(range(1, n_solutions + 1))) for _ in range(5)]
    return [list(row) for row in zip(*columns, strict=True)]


@settings(max_examples=60, deadline=None)
@given(permutation_grids(), st.sampled_from([" | ", "|", "\t", ", ", "; ", "   "]), st.booleans())
def test_a_grid_of_permutations_gives_five(grid: list[list[int]], mark: str, totals: bool) -> None:
    text = written(grid, mark, totals)
    assert read_grid(text, 5) == grid
    assert check_grid(text, 5).score == 5


@settings(max_examples=60, deadline=None)
@given(permutation_grids(), st.data())
def test_one_wrong_cell_gives_four(grid: list[list[int]], data: st.DataObject) -> None:
    row, column = data.draw(st.integers(0, len(grid) - 1)), data.draw(st.integers(0, 4))
    wrong = data.draw(st.integers(0, 9))
    assume(wrong != grid[row][column])
    grid[row][column] = wrong
    check = check_grid(written(grid), 5)
    assert (check.score, check.faulty_columns) == (4, (column + 1,))


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 5).flatmap(
        lambda n: st.lists(st.lists(st.integers(1, n), min_size=5, max_size=5), min_size=n, max_size=n)
    )
)
def test_each_faulty_column_costs_a_point_down_to_one(grid: list[list[int]]) -> None:
    # Counted independently: a column of n ranks from 1 to n is right if and only if none repeats.
    faulty = sum(len({row[column] for row in grid}) < len(grid) for column in range(5))
    assert check_grid(written(grid), 5).score == max(1, 5 - faulty)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no grid here",
        "1 | 1 | 1 | 1 | 1 | 1",
        "1 | 1 | 2 | 1 | 1\n2 | 2 | 1 | 2 | 2",
        "2 | 1 | 1 | 1 | 1 | 1\n3 | 2 | 2 | 2 | 2 | 2",
        "1 | a | 1 | 1 | 1 | 1\n2 | b | 2 | 2 | 2 | 2",
        "1 | 1 | 1 | 1 | 1 | 1\n2 | 2 | 2 | 2 | 2 | 2 | 10",
    ],
)
def test_what_is_no_grid_has_no_score_and_says_so(text: str) -> None:
    check = check_grid(text, 5)
    assert check.score is None
    assert "the judge's own value stands" in check.note
