from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from creaeval.errors import SettingError
from creaeval.training.split import split_ids

IDS = [f"r{number}" for number in range(200)]


def test_two_hundred_responses_are_parted_seven_to_three_in_the_order_given() -> None:
    found = split_ids(IDS)
    # The paper: 200 responses, 140 to train on, 60 to test on.
    assert (len(found.train), len(found.test)) == (140, 60)
    assert sorted([*found.train, *found.test], key=IDS.index) == IDS
    assert list(found.test) == sorted(found.test, key=IDS.index)


def test_ids_and_seed_decide_the_split_and_nothing_else() -> None:
    assert split_ids(IDS, seed=3) == split_ids(IDS, seed=3)
    assert set(split_ids(IDS[::-1], seed=3).test) == set(split_ids(IDS, seed=3).test)
    assert set(split_ids(IDS, seed=4).test) != set(split_ids(IDS, seed=3).test)


def test_a_response_that_comes_later_moves_one_other_at_most() -> None:
    before = set(split_ids(IDS).test)
    for late in ("late", "later", "last"):
        after = set(split_ids([*IDS, late]).test) - {late}
        assert len(before ^ after) <= 1


@given(
    groups=st.dictionaries(st.text(min_size=1, max_size=3), st.integers(1, 9), min_size=2, max_size=12),
    seed=st.integers(0, 99),
)
def test_a_group_is_never_parted_and_each_side_has_one(groups: dict[str, int], seed: int) -> None:
    of = {f"{name}/{number}": name for name, size in groups.items() for number in range(size)}
    found = split_ids(list(of), seed=seed, by="scenario", groups=of)
    train, test = ({of[one] for one in side} for side in (found.train, found.test))
    assert train
    assert test
    assert not train & test
    assert sorted([*found.train, *found.test]) == sorted(of)


def test_ten_equal_groups_give_three_to_the_test() -> None:
    of = {one: str(number // 20) for number, one in enumerate(IDS)}
    found = split_ids(IDS, by="scenario", groups=of)
    assert len({of[one] for one in found.test}) == 3


@pytest.mark.parametrize(
    ("ids", "groups", "words"),
    [
        (["a"], None, "found 1 in all, expected at least two"),
        ([], None, "found 0 in all"),
        (["a", "b"], {"a": "x", "b": "x"}, "all in one response"),
        (["a", "b", "a"], None, "the id 'a' is there twice"),
    ],
)
def test_what_cannot_be_parted_is_an_error(ids: list[str], groups: dict[str, str] | None, words: str) -> None:
    with pytest.raises(SettingError, match=words):
        split_ids(ids, groups=groups)
