"""Names of files that are made of ids."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from creaeval.runs.file_names import file_names

ids = (
    st.text(st.sampled_from("abAB01 ._-/\\:äÄßıİſ中ｂ２é🦊"))
    | st.text(max_size=300)
    | st.text("あ文🦊", min_size=90)
)
DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}


def name_of(identifier: str) -> str:
    return file_names([identifier])[identifier]


@given(ids)
@example("\ud800")
@example("COM¹")
def test_a_file_name_is_safe_on_every_system(identifier: str) -> None:
    name = name_of(identifier)
    assert name
    assert not re.search(r'[<>:"/\\|?*\s\x00-\x1f\x7f]', name)
    assert name[0] not in ".-"
    assert name[-1] not in ". "
    assert unicodedata.normalize("NFKC", name).split(".")[0].casefold() not in DEVICES
    assert len(f"{name}.json".encode()) <= 255
    assert unicodedata.is_normalized("NFC", name)


def as_least_discerning(name: str) -> set[str]:
    """How systems that tell no cases or forms of Unicode apart may see a name."""
    return {
        unicodedata.normalize(form, changed)
        for changed in (name.casefold(), name.upper(), name.lower(), name.upper().lower())
        for form in ("NFC", "NFD")
    }


@given(one=ids, other=ids, data=st.data())
def test_two_ids_never_share_a_file_on_any_system(one: str, other: str, data: st.DataObject) -> None:
    alike = [
        other,
        one.swapcase(),
        one.upper(),
        one.lower(),
        unicodedata.normalize("NFD", one),
        unicodedata.normalize("NFKC", one),
        one + ".",
        f"{one} 🦊",
        one.replace("/", "_"),
        one + "x" * 100,
        name_of(one),
        file_names([one, f"{one}."])[one],
    ]
    second = data.draw(st.sampled_from(alike))
    assume(one != second)
    names = file_names([one, second])
    assert not as_least_discerning(names[one]) & as_least_discerning(names[second])


@given(st.lists(ids, unique=True, max_size=8))
def test_the_names_of_many_are_all_different(several: list[str]) -> None:
    names = file_names(several)
    assert list(names) == several
    assert len({name.casefold() for name in names.values()}) == len(several)


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("r07_b-2", "r07_b-2"),
        ("A05_FS10", "A05_FS10"),
        ("Füchse 🦊", "Füchse"),
        ("Regen – Jürgen", "Regen_Jürgen"),
        ("狐狸 1", "狐狸_1"),
        ("चाय", "चाय"),
        ("v1.2.", "v1.2"),
        ("../../etc/passwd", "etc_passwd"),
        ("Fu\u0308chse", "Füchse"),
    ],
)
def test_letters_of_every_script_stay(identifier: str, name: str) -> None:
    assert name_of(identifier) == name


@pytest.mark.parametrize(
    "identifier", ["con", "NUL.txt", "com1", "lpt9", "COM¹", "..", "", "🦊", "a-0123abcd"]
)
def test_a_name_that_could_be_taken_for_something_else_gets_a_mark(identifier: str) -> None:
    assert re.fullmatch(r"[\w.-]+-[0-9a-f]{8}", name_of(identifier))


def test_only_ids_that_would_share_a_file_get_a_mark() -> None:
    names = file_names(["Ab", "aB", "b"])
    assert names["Ab"].startswith("Ab-")
    assert names["aB"].startswith("aB-")
    assert names["b"] == "b"
    both = file_names(["Füchse 🦊", "Füchse"])
    # The beginning of the SHA-256 of the id.
    assert both["Füchse 🦊"] == "Füchse-66a42f09"
