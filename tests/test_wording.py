"""Words that messages share, and the collection of problems."""

from __future__ import annotations

import pytest

from creaeval.errors import DataError, Problems, SettingError
from creaeval.wording import did_you_mean, first_few, nearest, plural


def test_the_nearest_name_is_shown_as_it_is_known() -> None:
    assert nearest("fluencey", ["Fluency", "Focus"], key=str.casefold) == ["Fluency"]
    assert did_you_mean("raters", ["rater", "score"]) == "Did you mean 'rater'?"
    assert did_you_mean("xyz", ["rater", "score"]) == ""
    # Of the letters of "step1.flu" and "step2.flu" eight of nine agree, so both are near, the first alike.
    assert did_you_mean("step1.flu", ["step2.flu", "step1.flu"], most=2) == (
        "Did you mean 'step1.flu' or 'step2.flu'?"
    )


def test_only_the_first_few_of_many_are_named() -> None:
    assert first_few(["a", "b"]) == "a, b"
    assert first_few(["a", "b", "c", "d"], most=2) == "a, b and 2 more"
    assert first_few([]) == ""


def test_a_number_of_things_is_said_in_words() -> None:
    assert [plural(number, "use") for number in (0, 1, 2, 1500)] == [
        "0 uses",
        "1 use",
        "2 uses",
        "1,500 uses",
    ]
    assert plural(3, "entry", "entries") == "3 entries"


def test_problems_are_collected_and_then_raised_together() -> None:
    problems = Problems()
    problems.stop()
    assert not problems
    problems.add("a.csv: one")
    with problems.collect():
        raise DataError("b.csv: two", ["b.csv: three"])
    assert list(problems) == ["a.csv: one", "b.csv: two", "b.csv: three"]
    with pytest.raises(DataError, match=r"a\.csv: one\nb\.csv: two\nb\.csv: three") as raised:
        problems.stop()
    assert raised.value.problems == tuple(problems)


def test_problems_raise_the_error_they_were_made_for_and_let_others_pass() -> None:
    problems = Problems(SettingError)
    with pytest.raises(KeyError), problems.collect():
        raise KeyError("x")
    problems.extend(["x: wrong"])
    with pytest.raises(SettingError, match="x: wrong"):
        problems.stop()
