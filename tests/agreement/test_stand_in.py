from __future__ import annotations

import math

import pytest

from agreement.tables import row, table
from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.scorers.stand_in import STAND_IN_COLUMNS, stand_in
from creaeval.errors import SettingError

FIVES = [5.0] * 40


def raters(*names: str) -> dict[tuple[str, str, str], list[float | None]]:
    return {("rater", name, "d"): [*FIVES] for name in names}


def test_one_wrong_of_forty_passes_and_six_fail() -> None:
    # By hand in tests/stats/test_alt_test.py: t is -7 with one item wrong, -0.87 with six.
    data = table(
        {
            ("judge", "good", "d"): [1, *FIVES[1:]],
            ("judge", "worse", "d"): [*[1.0] * 6, *FIVES[6:]],
            **raters("A", "B", "C"),
        }
    )
    found = stand_in(data)
    assert [*found.columns] == STAND_IN_COLUMNS
    good, worse = row(found, scorer="good"), row(found, scorer="worse")
    assert (good.decision, good.winning_rate, good.advantage) == ("passes", 1.0, pytest.approx(39 / 40))
    assert (worse.decision, worse.winning_rate, worse.advantage) == ("fails", 0.0, pytest.approx(34 / 40))
    assert (good.n_items, good.n_annotators, good.warnings) == (40, 3, "")
    assert worse.reason == "The judge wins against 0 of 3 annotators; half are needed."


def test_two_raters_do_not_decide() -> None:
    data = table({("judge", "j", "d"): FIVES, **raters("A", "B"), ("rater", "C", "other"): FIVES})
    only = row(stand_in(data), dimension="d")
    assert only.decision == "not decidable"
    assert math.isnan(only.winning_rate)
    assert only.reason == "The test needs 3 annotators, but there are 2."
    assert (only.n_annotators, only.advantage) == (2, 1.0)


def test_raters_are_called_by_their_names() -> None:
    few = {("rater", "Dora", "d"): [5.0] * 10 + [None] * 30}
    data = table({("judge", "j", "d"): FIVES, **few, **raters("Ann", "Ben", "Cem")})
    only = stand_in(data).iloc[0]
    assert only.decision == "passes"
    assert "Annotator Ann: every item has the same outcome" in only.warnings
    assert only.warnings.endswith("Not tested for fewer than 30 items: annotators Dora.")


def test_without_points_it_is_not_decidable() -> None:
    data = table({("judge", "j", "d"): FIVES, **raters("A", "B", "C"), ("judge", "j", "other"): []})
    nothing = row(stand_in(data), dimension="other")
    assert (nothing.decision, nothing.n_items, nothing.n_annotators) == ("not decidable", 0, 0)
    assert nothing.reason == "The test needs 3 annotators, but there are 0."
    assert math.isnan(nothing.advantage)
    assert stand_in(data.select(scorers=lambda scorer: scorer.kind == "rater")).empty


def test_settings_reach_the_test_or_are_refused() -> None:
    data = table({("judge", "worse", "d"): [*[1.0] * 6, *FIVES[6:]], **raters("A", "B", "C")})
    # t is (0.15 - 0.4) / 0.0572 = -4.4 with the larger allowance.
    assert stand_in(data, epsilon=0.4).iloc[0].decision == "passes"
    with pytest.raises(SettingError, match="epsilon"):
        AgreementOptions(epsilon=1.5)
