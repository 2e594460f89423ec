"""Several uses in one cell: what was put together is taken apart again, and a mark in a use stays in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from creaeval.data.tables.lists import find_separator, split_numbers, split_uses
from creaeval.errors import DataError

# Words as people write them; no use begins with what marks an entry of a list, or holds a number of one.
WORDS = st.text("abcdefghijXYZéß砖头'", min_size=1, max_size=7)
USES = st.lists(st.lists(WORDS, min_size=1, max_size=4).map(" ".join), min_size=1, max_size=6)
CELLS = st.lists(USES, min_size=1, max_size=4)

ENTRIES = [
    "{use}",
    "- {use}",
    "• {use}",
    "* {use}",
    "{n}. {use}",
    "{n}) {use}",
    "({n}) {use}",
    "{n}: {use}",
    "{n} . {use}",
]


def several(cells: list[list[str]]) -> bool:
    return any(len(uses) > 1 for uses in cells)


@given(CELLS.filter(several), st.sampled_from(ENTRIES), st.sampled_from(["\n", "\r\n", "\n\n", " \n"]))
def test_what_stands_one_a_line_is_split_into_the_same(cells: list[list[str]], entry: str, line: str) -> None:
    written = [line.join(entry.format(n=n, use=use) for n, use in enumerate(uses, 1)) for uses in cells]
    separator, told = find_separator(written, "a.csv", listing=True)
    assert separator == "\n"
    assert "several lines; each line is one use." in told
    assert [split_uses(cell, separator) for cell in written] == cells


@given(
    CELLS.filter(several),
    st.sampled_from(["{n}. {use}", "{n}) {use}", "({n}) {use}", "{n}.{use}"]),
    st.booleans(),
)
def test_what_is_numbered_in_one_line_is_split_into_the_same(
    cells: list[list[str]], entry: str, spaced: bool
) -> None:
    gap = "  " if spaced else " "
    written = [gap.join(entry.format(n=n, use=use) for n, use in enumerate(uses, 1)) for uses in cells]
    separator, told = find_separator(written, "a.csv", listing=True)
    assert separator == "1."
    assert "a numbered list; each number is one use." in told
    assert [split_uses(cell, separator) for cell in written] == cells


@given(
    st.lists(USES.filter(lambda uses: len(uses) > 2), min_size=1, max_size=4),
    st.sampled_from(list(";|•；、")),
)
def test_what_a_mark_parts_is_split_into_the_same(cells: list[list[str]], mark: str) -> None:
    written = [f"{mark} ".join(uses) for uses in cells]
    separator, told = find_separator(written, "a.csv", listing=True)
    assert separator == mark
    assert f"{mark!r}, which parts uses" in told
    assert [split_uses(cell, separator) for cell in written] == cells
    assert [split_uses(f"{cell}{mark} ", separator) for cell in written] == cells


@given(USES)
def test_cells_without_lines_numbers_and_marks_are_one_use_each(uses: list[str]) -> None:
    separator, told = find_separator(uses, "a.csv", listing=False)
    assert (separator, told) == (None, "")
    assert [split_uses(use, separator) for use in uses] == [[use] for use in uses]


@pytest.mark.parametrize(
    ("cell", "uses"),
    [
        ("1. a wall 2. a hat", ["a wall", "a hat"]),
        ("1) a wall 2) a hat 10) a step", []),  # it does not count on
        ("2. a wall 3. a hat", []),
        ("a wall 1. a hat", []),
        ("a ruler of 1.5 m", []),
        ("1.5 m of rope", []),
        ("hold 2. things", []),
    ],
)
def test_numbers_part_uses_where_they_count_from_one(cell: str, uses: list[str]) -> None:
    assert split_numbers(cell) == uses


@pytest.mark.parametrize(
    "use", ["-5 degrees cooler", "3D print", "2x4", "1.5 m of rope", "well-being", "A/B", "24/7 light"]
)
def test_what_only_looks_like_a_mark_stays_in_a_use(use: str) -> None:
    assert split_uses(use, None) == [use]
    assert split_uses(f"a wall\n{use}", "\n") == ["a wall", use]


@pytest.mark.parametrize(
    ("cells", "mark"),
    [(["a; b; c", "a box", "a hat", "a step"], ";"), (["a | b | c", *["a box"] * 4], "|")],
)
def test_some_cells_with_a_mark_are_refused_with_both_options(cells: list[str], mark: str) -> None:
    with pytest.raises(DataError) as caught:
        find_separator(cells, "a.csv", listing=False)
    assert f"Say --split '{mark}', or --split none if each cell is one use." in str(caught.value)


def test_one_cell_of_many_with_a_mark_is_one_use_and_said() -> None:
    cells = ["smash it; throw it", *["a box"] * 9]
    assert find_separator(cells, "a.csv", listing=False) == (
        None,
        "a.csv: 1 of 10 cells hold ';', and each was read as one use. If it parts uses, say --split ';'.",
    )


def test_commas_part_uses_only_where_somebody_says_so() -> None:
    with pytest.raises(DataError, match=r"commas, as in 'wall, hat, box': several uses, or one\?") as caught:
        find_separator(["wall, hat, box", "step, gate, ramp"], "a.csv", listing=True)
    assert "Say --split ',', or --split none" in str(caught.value)
    assert split_uses("wall, hat, box", ",") == ["wall", "hat", "box"]
    # Long in a list, or where each row is one use anyway.
    assert find_separator(["hold a door open, if windy"], "a.csv", listing=False) == (None, "")


def test_a_cell_that_holds_nothing_is_one_blank_use() -> None:
    for separator in (None, "\n", "1.", ";"):
        assert split_uses("", separator) == [""]
        assert split_uses(" ", separator) == [""]


@pytest.mark.parametrize("cell", ["①墙②帽子", "1、墙；2、帽子", "1. 墙; 2. 帽子;", "1．墙 2．帽子"])
def test_numbers_of_a_list_may_be_circled_or_stand_behind_a_mark(cell: str) -> None:
    assert split_numbers(cell) == ["墙", "帽子"]
