from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from creaeval.sheets import check_grid, read_grid

if TYPE_CHECKING:
    from random import Random

#: The grid of a published booklet (A05_FS10): column 4 has 5 twice and no 8, and all totals are right.
PUBLISHED = (
    (8, 6, 7, 7, 6),
    (6, 8, 5, 6, 7),
    (7, 3, 6, 3, 5),
    (5, 5, 8, 5, 4),
    (4, 4, 4, 4, 3),
    (3, 7, 3, 5, 8),
    (2, 2, 2, 2, 2),
    (1, 1, 1, 1, 1),
)
RANKS = [list(row) for row in PUBLISHED]
TOTALS = (34, 32, 24, 27, 19, 26, 10, 5)


def written(grid: list[list[int]], mark: str = " | ", totals: bool = True) -> str:
    header = mark.join(["Solution ID", *(f"Criterion {n}" for n in range(1, len(grid[0]) + 1))])
    rows = [
        mark.join(map(str, [number, *ranks, *([sum(ranks)] if totals else [])]))
        for number, ranks in enumerate(grid, 1)
    ]
    return "\n".join([header, *rows, "", "The best solution is: 1."])


def published(label: str, mark: str = " | ", *, totals: bool = False) -> list[str]:
    """Write the published grid with a label that holds ``{n}``."""
    return [
        mark.join([label.format(n=number), *map(str, ranks), *([str(total)] if totals else [])])
        for number, (ranks, total) in enumerate(zip(PUBLISHED, TOTALS, strict=True), 1)
    ]


@st.composite
def permutation_grids(draw: st.DrawFn) -> list[list[int]]:
    n_solutions = draw(st.integers(2, 8))
    columns = [draw(st.permutations(range(1, n_solutions + 1))) for _ in range(5)]
    return [list(row) for row in zip(*columns, strict=True)]


@settings(max_examples=60)
@given(permutation_grids(), st.sampled_from([" | ", "|", "\t", ", ", "; ", "   ", " "]), st.booleans())
def test_a_grid_of_permutations_gives_five(grid: list[list[int]], mark: str, totals: bool) -> None:
    text = written(grid, mark, totals)
    assert read_grid(text, 5) == grid
    assert check_grid(text, 5).score == 5


LABELS = (
    *("{n}", "{n}.", "{n})", "({n})", "#{n}", "No. {n}", "S{n}", "Sol. {n}", "Solution {n}", "**{n}**"),
    *(
        "方案{n}",
        "解决方案 {n}",
        "Solution {n}:",
        "方案{n}：",
        "Idea #{n}",
        "__{n}.__",
        "- {n}",
        "Solution ID {n}",
    ),
    *("{n}. Count the fish", "Solution {n}: count 20 fish", "**{n}.** Count, weigh and free"),
)
MARKS = (" | ", "|", " ｜ ", "\t", ", ", "，", "; ", "；", "    ", " ")


@settings(max_examples=400)
@given(
    permutation_grids(),
    st.sampled_from(LABELS),
    st.sampled_from(MARKS),
    st.sampled_from(["{}", "{}.0", "({})", "**{}**"]),
    st.sampled_from(["", "{}", "{}.0", "{}.5", "**{}** (highest)"]),
    st.sampled_from(
        ["", "What | we | think", "Solution | 1 | 2 | 3 | 4 | 5 | Sum", "| No. | C1 | C2 |\n|---|:-:|---|"]
    ),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_a_grid_reads_back_the_same_in_every_style(
    grid: list[list[int]],
    label: str,
    mark: str,
    cell: str,
    total: str,
    header: str,
    edges: bool,
    chance: Random,
) -> None:
    # A total of several words needs a mark that is no space, and so do texts beside numbers with spaces.
    assume("highest" not in total or not mark.isspace() or mark == "\t")
    lines = []
    for number, ranks in enumerate(grid, 1):
        cells = [label.format(n=number), *(cell.format(rank) for rank in ranks)]
        cells += [total.format(sum(ranks))] if total else []
        line = mark.join(cells)
        lines.append(f"| {line} |" if edges and mark == " | " else line)
    chance.shuffle(lines)
    text = "\n".join([header, *lines, "", "The best solution is number 1, with 34 points."])
    assert read_grid(text, 5) == grid, text


@settings(max_examples=60)
@given(permutation_grids(), st.data())
def test_one_wrong_cell_gives_four(grid: list[list[int]], data: st.DataObject) -> None:
    row, column = data.draw(st.integers(0, len(grid) - 1)), data.draw(st.integers(0, 4))
    wrong = data.draw(st.sampled_from([*map(str, range(10)), "-1", "2.5", "", "-", "100"]))
    assume(wrong != str(grid[row][column]))
    lines = written(grid).splitlines()
    cells = lines[row + 1].split(" | ")
    cells[column + 1] = wrong
    lines[row + 1] = " | ".join(cells)
    check = check_grid("\n".join(lines), 5)
    assert (check.score, check.faulty_columns) == (4, (column + 1,))


@settings(max_examples=60)
@given(
    st.integers(2, 5).flatmap(
        lambda n: st.lists(st.lists(st.integers(1, n), min_size=5, max_size=5), min_size=n, max_size=n)
    )
)
def test_each_faulty_column_costs_a_point_down_to_one(grid: list[list[int]]) -> None:
    # Counted independently: a column of n ranks from 1 to n is right if and only if none repeats.
    faulty = sum(len({row[column] for row in grid}) < len(grid) for column in range(5))
    assert check_grid(written(grid), 5).score == max(1, 5 - faulty)


@settings(max_examples=300)
@given(
    st.one_of(
        st.text(),
        st.lists(
            st.sampled_from([*"123456789|,;\t \n.-:#()", "12", " | ", "total", "方案", "¼", "²", "9" * 5000])
        ).map("".join),
    ),
    st.integers(0, 8),
)
def test_no_text_makes_the_reader_fail(text: str, n_criteria: int) -> None:
    check = check_grid(text, n_criteria)
    assert (check.score is None) == (read_grid(text, n_criteria) is None)
    assert check.note


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("totals", [False, True])
def test_the_published_grid_has_one_faulty_column_however_its_rows_are_labelled(
    label: str, totals: bool
) -> None:
    text = "\n".join(published(label, totals=totals))
    check = check_grid(text, 5)
    assert (check.score, check.faulty_columns) == (4, (4,))
    assert read_grid(text, 5) == RANKS


COLUMNS = ["7 | 6 | 3 | 5 | 4 | 5 | 2 | 1", "8 | 6 | 7 | 5 | 4 | 3 | 2 | 1", "6 | 8 | 3 | 5 | 4 | 7 | 2 | 1"]


@pytest.mark.parametrize(
    "text",
    [
        # Number and text of the solution in cells of their own.
        "\n".join(published("{n} | Count, weigh and free 3 fish", totals=True)),
        # The header counts the criteria, and the columns have totals.
        "| | 1 | 2 | 3 | 4 | 5 | Total |\n"
        + "\n".join(f"| {line} |" for line in published("{n}", totals=True))
        + "\n| Total | 36 | 36 | 36 | 33 | 36 | 177 |",
        "\n".join(f"| {line} |" for line in published("{n}.")) + "\n|  | 36 | 36 | 36 | 33 | 36 |",
        "Solution 1 2 3 4 5\n" + "\n".join(published("Solution {n}", " ")),
        # Totals and the places that follow from them.
        "\n".join(
            f"{line} | {place}"
            for line, place in zip(published("{n}", totals=True), range(1, 9), strict=True)
        ),
        # A page break, and a text of the solution above each row.
        "\n".join([*published("{n}")[:4], "Solution | C1 | C2 | C3 | C4 | C5", *published("{n}")[4:]]),
        "\n".join(f"{n}. Count the fish\n{line}" for n, line in enumerate(published("{n}", totals=True), 1)),
        # Rows without any number: each ends in its total, or begins with a text.
        "\n".join(line.split(" | ", 1)[1] for line in published("{n}", totals=True)),
        "\n".join(line.replace("{}", "ABCDEFGH"[n]) for n, line in enumerate(published("Plan {{}}"))),
        # The same grid twice.
        "\n".join([*published("{n}"), "Once more, tidily:", *published("Solution {n}", ", ", totals=True)]),
        # The row of the best solution again.
        "\n".join([*published("{n}"), "The best is:", "Solution 1 | 8 | 6 | 7 | 7 | 6"]),
        "\n".join(
            f"方案{n}：8、6、7、7、6，总分34" if n == 1 else line
            for n, line in enumerate(published("方案{n}：", "、", totals=True), 1)
        ),
        # Criteria as rows, where words say so.
        "Criterion 4 | "
        + COLUMNS[0]
        + "\n"
        + "\n".join(
            f"Criterion {n} | " + " | ".join(str(row[n - 1]) for row in PUBLISHED) for n in (1, 2, 3, 5)
        ),
        "Question | Solution 1 | Solution 2 | Solution 3 | and so on\n"
        + "\n".join(
            f"Question {n}? | " + " | ".join(str(row[n - 1]) for row in PUBLISHED) for n in range(1, 6)
        )
        + "\nTotal | 34 | 32 | 24 | 27 | 19 | 26 | 10 | 5",
    ],
)
def test_the_published_grid_is_read_in_every_layout_that_has_one_reading(text: str) -> None:
    check = check_grid(text, 5)
    assert (check.score, check.faulty_columns) == (4, (4,)), check.note
    assert read_grid(text, 5) == RANKS


def test_the_note_says_what_was_read() -> None:
    text = "\n".join(published("{n}", totals=True))
    assert check_grid(text, 5).note == "8 solutions, 5 criteria, totals left aside; faulty columns: 4"
    turned = "C1 | 2 | 1 | 3\nC2 | 1 | 2 | 3"
    note = "3 solutions, 2 criteria, solutions as columns; every column holds each rank once"
    assert check_grid(turned, 2).note == note


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no line holds a solution and its ranks"),
        ("no grid here", "no line holds a solution and its ranks"),
        ("1 | a | 1 | 1 | 1 | b\n2 | b | 2 | 2 | 2 | c", "no line holds a solution and its ranks"),
        ("1 | 1 | 1 | 1 | 1 | 1", "only one row"),
        ("1 | 1 | 2 | 1 | 1\n2 | 2 | 1 | 2 | 2", "rows hold 4 numbers behind the solution's own number"),
        ("1. | 1 | 2 | 1 | 1 | 1 | 2\n2. | 2 | 1 | 2 | 2 | 2 | 1", "rows hold 6 numbers"),
        ("A | 1 | 2 | 1 | 1 | 5\nB | 2 | 1 | 2 | 2 | 7", "4 numbers and their total"),
        ("1 | 1 | 2 | 1 | 1 | 6\n2 | 2 | 1 | 2 | 2 | 8", "too high for ranks"),
        ("1 | 1 | 1 | 1 | 1 | 1\n2 | 2 | 2 | 2 | 2 | 2 | 10", "not equally many"),
        ("2 | 1 | 1 | 1 | 1 | 1\n3 | 2 | 2 | 2 | 2 | 2", "first numbers: 2, 3"),
        ("1. | 1 | 1 | 1 | 1 | 1\n3. | 2 | 2 | 2 | 2 | 2", "not numbered 1 to 2 once each, but 1, 3"),
        ("S1 | 1 | 1 | 1 | 1 | 1\nS1 | 2 | 2 | 2 | 2 | 2", "not numbered 1 to 2 once each, but 1, 1"),
        ("1. | 1 | 1 | 1 | 1 | 1\nx | 2 | 2 | 2 | 2 | 2", "some rows begin with a solution's number"),
        ("Fish 1, 2, 1, 1, 1\nBirds 2, 1, 2, 2, 2", "end in numbers, which may be their first ranks"),
        ("Fish | 1 | 2 | 1 | 1 | 1 | 9\nBirds | 2 | 1 | 2 | 2 | 2 | 9", "the last number could be a total"),
        (
            "\n".join(f"{n} | 1 | 2 | 3 | 4 | 5" for n in range(1, 6)),
            "rows and columns could both be the solutions",
        ),
        ("\n".join(f"{name} | 1 | 2 | 3 | 4 | 5" for name in "PQRXY"), "rows and columns could both be"),
        ("Criterion 1 | 1 | 2\nCriterion 2 | 2 | 1", "2 criteria are rows, where 5 are known"),
        (
            "C1 | C2 | C3\n" + "\n".join(f"Criterion {n} | 1 | 2 | 3 | 4 | 5" for n in range(1, 6)),
            "contradict",
        ),
        (
            "\n".join([*published("{n}"), "or", "1 | 8 | 6 | 7 | 8 | 6", *published("{n}")[1:]]),
            "2 grids, and they differ",
        ),
    ],
)
def test_what_has_no_reading_or_two_has_no_score_and_says_why(text: str, reason: str) -> None:
    check = check_grid(text, 5)
    assert check.score is None
    assert reason in check.note
    assert "the judge's own value stands" in check.note


def test_without_known_criteria_no_grid_is_read() -> None:
    assert "no criteria are known" in check_grid("1 | 1\n2 | 2", 0).note


def test_columns_that_hold_each_rank_once_are_solutions_in_rows_even_where_rows_could_be_criteria() -> None:
    text = "\n".join(f"{n} | {n} | {n} | {n} | {n} | {n}" for n in range(1, 6))
    assert check_grid(text, 5).score == 5
