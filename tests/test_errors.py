from __future__ import annotations

import pytest

from creaeval.errors import DataError, InputError, Problems, group_problems


def say(error: InputError) -> list[str]:
    return str(error).split("\n")


def test_problems_that_differ_in_their_row_alone_are_one_with_a_count_and_the_first_three() -> None:
    what = "task cgpst has no dimension 'originality'."
    problems = Problems()
    problems.extend(f"ratings.csv, row {row}: {what}" for row in range(2, 91))
    with pytest.raises(DataError) as stopped:
        problems.stop()
    assert say(stopped.value) == [f"ratings.csv: 89 rows (2, 3, 4, …): {what}"]
    # What is collected stays complete.
    assert len(stopped.value.problems) == 89
    assert stopped.value.problems[-1] == f"ratings.csv, row 90: {what}"


def test_a_single_problem_is_said_as_it_is() -> None:
    for text in ("a.csv, row 3, column 'x': found '17', expected 0 to 16.", "There is no task 'x'."):
        assert str(InputError(text)) == text


def test_up_to_three_places_are_all_named() -> None:
    error = InputError("a.csv, row 3: wrong.", ["a.csv, row 5: wrong."])
    assert str(error) == "a.csv: 2 rows (3, 5): wrong."


def test_the_column_stays_with_the_rows_and_another_column_is_another_problem() -> None:
    tail = "found '-99', expected a whole number from 1 to 5."
    lines = [f"a.csv, row {row}, column {title!r}: {tail}" for row in (2, 3) for title in ("R: 1", "it's")]
    assert group_problems(lines) == [
        f"a.csv, column 'R: 1': 2 rows (2, 3): {tail}",
        f'a.csv, column "it\'s": 2 rows (2, 3): {tail}',
    ]


def test_values_that_differ_are_counted_the_most_frequent_first() -> None:
    values = ["'8'", "'7'", "'7'", "'9'", "'10'", "'8'", "'7'", "'11'"]
    lines = [
        f"a.csv, row {row}: found {value}, expected 1 to 5." for row, value in enumerate(values, start=2)
    ]
    assert group_problems(lines) == [
        "a.csv: 8 rows (2, 3, 4, …): found '7' (3 times), '8' (2 times), '9' (once) and 2 others, "
        "expected 1 to 5."
    ]


def test_one_value_in_many_rows_needs_no_count_of_its_own() -> None:
    lines = [f"a.csv, row {row}: found nothing, expected 1 to 5." for row in (2, 4)]
    assert group_problems(lines) == ["a.csv: 2 rows (2, 4): found nothing, expected 1 to 5."]


def test_another_expectation_or_file_is_another_problem() -> None:
    lines = [
        "a.csv, row 2: found '7', expected 1 to 5.",
        "a.csv, row 3: found '7', expected 1 to 4.",
        "b.csv, row 3: found '7', expected 1 to 5.",
    ]
    assert group_problems(lines) == lines


def test_cells_of_a_workbook_are_named_whatever_their_columns() -> None:
    lines = [f"a.xlsx, ratings!{cell}: found '9', expected 1 to 5." for cell in ("B2", "C2", "B3", "C3")]
    assert group_problems(lines) == [
        "a.xlsx, 4 cells (ratings!B2, ratings!C2, ratings!B3, …): found '9', expected 1 to 5."
    ]
    dates = [f"a.xlsx: 'step 1'!D{row} is a date where a score is due. Type it anew." for row in (3, 4)]
    assert group_problems(dates) == [
        "a.xlsx: each of 2 cells ('step 1'!D3, 'step 1'!D4) is a date where a score is due. Type it anew."
    ]


def test_rows_of_a_sheet_lines_and_entries() -> None:
    assert group_problems([f"a.xlsx, ratings, row {n}: no id." for n in (2, 3)]) == [
        "a.xlsx, ratings: 2 rows (2, 3): no id."
    ]
    assert group_problems([f"C:\\data\\a.jsonl, line {n}: no id." for n in (2, 3)]) == [
        "C:\\data\\a.jsonl: 2 lines (2, 3): no id."
    ]
    assert group_problems([f"a.json, entry {n}: no id." for n in (2, 3)]) == [
        "a.json: 2 entries (2, 3): no id."
    ]


def test_the_same_sentence_twice_is_said_once() -> None:
    assert group_problems(["a.csv: empty.", "a.csv: empty."]) == ["a.csv: empty."]


def test_at_most_twenty_different_problems_are_listed_and_the_rest_counted() -> None:
    lines = [f"a.csv, row {row}: no dimension 'd{row}'." for row in range(2, 27)]
    error = DataError(lines[0], lines[1:])
    assert say(error) == [*lines[:20], "… and 5 more problems."]
    assert group_problems(lines, 24)[-1] == "… and 1 more problem."


def test_order_is_that_of_the_first_of_each() -> None:
    lines = ["a.csv, row 9: x.", "b.csv, row 2: y.", "a.csv, row 3: x."]
    assert group_problems(lines) == ["a.csv: 2 rows (9, 3): x.", "b.csv, row 2: y."]
