"""Names of variables for SPSS and Stata."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from creaeval.sheets.variables import variable_names, wide_names
from creaeval.tasks import load_task

# The lists of both manuals.
SPSS = ["ALL", "AND", "BY", "EQ", "GE", "GT", "LE", "LT", "NE", "NOT", "OR", "TO", "WITH"]
STATA = [
    *("_all", "_b", "byte", "_coef", "_cons", "double", "float", "if", "in", "int", "long", "_n", "_N"),
    *("_pi", "_pred", "_rc", "_skip", "strL", "using", "with"),
]

names = (
    st.text(max_size=80)
    | st.text(st.sampled_from("ab_.1 ÄßEéकि文😀"), max_size=60)
    | st.sampled_from([*SPSS, *STATA, "str7", "str12", "a_2", "v_1"])
)


@given(st.lists(names, max_size=12), st.lists(names, max_size=3))
def test_every_name_is_one_that_both_packages_take(several: list[str], taken: list[str]) -> None:
    found = variable_names(several, taken)
    assert len(found) == len(several)
    assert len({name.casefold() for name in (*found, *taken)}) == len(found) + len(
        {name.casefold() for name in taken}
    )
    for name in found:
        assert re.fullmatch(r"\w+", name)
        assert name[0].isalpha()
        assert all(character == "_" or character.isalpha() or character.isdecimal() for character in name)
        assert not name.endswith("_")
        assert len(name) <= 32
        assert len(name.encode()) <= 64
        assert name.upper() not in {*SPSS, *map(str.upper, STATA)}
        assert not re.fullmatch("str[0-9]+", name)


@given(st.lists(names, max_size=12))
def test_names_that_are_fine_stay_as_they_are(several: list[str]) -> None:
    found = variable_names(several)
    assert variable_names(found) == found


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("step1.fluency", "step1_fluency"),
        ("Plot idx", "Plot_idx"),
        ("Größe (cm)", "Größe_cm"),
        ("年龄", "年龄"),
        ("1st", "v_1st"),
        ("with", "v_with"),
        ("str12", "v_str12"),
        ("_id_", "id"),
        ("", "v"),
        ("?!", "v"),
        ("a" * 40, "a" * 32),
        # 3 bytes each: 21 of them are 63.
        ("文" * 30, "文" * 21),
    ],
)
def test_a_name_becomes_one_that_can_be_recognised(name: str, variable: str) -> None:
    assert variable_names([name])[0] == variable


def test_of_equal_names_the_later_ones_are_numbered() -> None:
    assert variable_names(["a.b", "a b", "A_B", "c" * 33, "c" * 34]) == [
        *("a_b", "a_b_2", "A_B_3"),
        *("c" * 32, f"{'c' * 30}_2"),
    ]


def test_the_columns_of_a_task_are_its_identities_without_dots() -> None:
    found = wide_names(load_task("cgpst"))
    assert found["step1.fluency"] == "step1_fluency"
    assert found["total"] == "total"
    assert all(variable == identity.replace(".", "_") for identity, variable in found.items())
