from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING

import pytest

from creaeval.errors import SettingError
from creaeval.methods import (
    Case,
    Method,
    Outcome,
    Roles,
    canonical_name,
    get_method,
    list_methods,
    register,
    registry,
)

if TYPE_CHECKING:
    from collections.abc import Iterable


async def plug_in(case: Case, roles: Roles) -> Outcome:
    """A method of another package."""
    return Outcome(response_id=case.response.id)


def one_call(*_: object) -> int:
    return 1


theirs = Method("theirs", plug_in, "A method of another package.", one_call, aliases=("Their Own",))

# The names in the paper's tables, text and ablations, and what they are here.
PAPER = {
    "Direct Score": "direct",
    "Direct": "direct",
    "CoT": "cot",
    "ToT": "tot",
    "GoT": "got",
    "TaT": "table",
    "Table as Thought": "table",
    "Reference-based": "reference",
    "SFT": "sft",
    "SFT_Evidence": "sft-evidence",
    "SaMer": "samer",
    "CreaEval": "creaeval",
    "w/o Memory": "no-memory",
    "w/o Evidence": "no-evidence",
    "w/o Decoupled": "no-decoupling",
    "w/o Step-wise": "one-pass",
}


@pytest.fixture(autouse=True)
def _no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    get_method("creaeval")
    monkeypatch.setattr(registry, "_methods", dict(registry._methods))


def offer(monkeypatch: pytest.MonkeyPatch, **values: str) -> None:
    """Have other packages offer methods by entry points."""
    offered = [EntryPoint(name, value, "creaeval.methods") for name, value in values.items()]

    def entry_points(*, group: str) -> Iterable[EntryPoint]:
        return [entry for entry in offered if entry.group == group]

    monkeypatch.setattr(registry, "entry_points", entry_points)


def test_both_variants_of_the_method_are_there() -> None:
    assert get_method("creaeval") is not get_method("judge-sees-quotes")


def test_a_name_registered_twice_raises_and_names_both_modules() -> None:
    with pytest.raises(SettingError, match="creaeval") as caught:
        register("creaeval", calls=one_call)(plug_in)
    assert "creaeval in creaeval.methods.creaeval, creaeval in methods.test_registry" in str(caught.value)
    assert get_method("creaeval").score.__module__ == "creaeval.methods.creaeval"


def test_registering_the_same_function_again_is_no_clash() -> None:
    for _ in range(2):
        assert register("mine", calls=one_call)(plug_in) is plug_in
    assert get_method("mine").summary == "A method of another package."


def test_an_unknown_method_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(SettingError, match=r"no method 'creaval'; known are .*Did you mean 'creaeval'\?"):
        get_method("creaval")


def test_a_method_of_another_package_is_found_by_its_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, theirs=f"{__name__}:theirs")
    assert get_method("theirs") is theirs
    assert theirs in list_methods()
    offer(monkeypatch, others=f"{__name__}:plug_in")
    with pytest.raises(SettingError, match=r"method 'others' of .*expected a creaeval\.methods\.Method"):
        get_method("others")


def test_a_package_that_cannot_be_loaded_is_named_when_its_method_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    offer(monkeypatch, theirs="no_such_package_here:method")
    assert get_method("creaeval").name == "creaeval"
    with pytest.raises(SettingError, match="method 'theirs' of no_such_package_here:method cannot be loaded"):
        get_method("theirs")


@pytest.mark.parametrize(("alias", "name"), PAPER.items())
def test_the_papers_names_are_understood_and_lead_to_the_name_that_is_kept(alias: str, name: str) -> None:
    spellings = (alias, alias.upper(), alias.lower().replace(" ", "_"), f" {alias.replace('-', ' ')} ")
    assert {get_method(spelling).name for spelling in spellings} == {name}
    assert canonical_name(alias) == name


def test_what_somebody_else_calls_a_method_stays_as_it_is() -> None:
    assert [canonical_name(name) for name in ("", "human panel", "Their Own")] == [
        "",
        "human panel",
        "Their Own",
    ]


@pytest.mark.parametrize(("name", "aliases"), [("mine", ("WO memory",)), ("w-o-memory", ())])
def test_a_name_or_alias_that_another_method_goes_by_raises_and_names_both(
    name: str, aliases: tuple[str, ...]
) -> None:
    with pytest.raises(SettingError) as caught:
        register(name, calls=one_call, aliases=aliases)(plug_in)
    assert str(caught.value) == (
        f"two methods are called {(*aliases, name)[0]!r}: no-memory in creaeval.methods.creaeval, {name} in "
        "methods.test_registry; rename one of them or leave the alias out"
    )
    assert name not in {method.name for method in list_methods()}


def test_a_name_near_an_alias_is_answered_with_the_alias_and_its_method() -> None:
    with pytest.raises(SettingError, match=r"Did you mean 'w/o Decoupled' \(no-decoupling\)\?"):
        get_method("wo decouplde")


def test_a_method_of_another_package_answers_to_its_aliases_whatever_else_is_broken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    offer(monkeypatch, broken="no_such_package_here:method", theirs=f"{__name__}:theirs")
    assert get_method("their-own") is theirs
    with pytest.raises(SettingError, match="method 'broken' of no_such_package_here:method cannot be loaded"):
        get_method("broken")
