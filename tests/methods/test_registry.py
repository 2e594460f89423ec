from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING

import pytest

from creaeval.errors import SettingError
from creaeval.methods import Case, Method, Outcome, Roles, get_method, list_methods, register, registry

if TYPE_CHECKING:
    from collections.abc import Iterable


async def plug_in(case: Case, roles: Roles) -> Outcome:
    """A method of another package."""
    return Outcome(response_id=case.response.id)


def one_call(*_: object) -> int:
    return 1


theirs = Method("theirs", plug_in, "A method of another package.", one_call)


@pytest.fixture(autouse=True)
def _no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    get_method("creaeval")
    monkeypatch.setattr(registry, "_methods", dict(registry._methods))


def offer(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    def entry_points(*, group: str, name: str) -> Iterable[EntryPoint]:
        return [e for e in [entry] if (e.group, e.name) == (group, name)]

    entry = EntryPoint(name, value, "creaeval.methods")
    monkeypatch.setattr(registry, "entry_points", entry_points)


def test_both_variants_of_the_method_are_there() -> None:
    assert get_method("creaeval") is not get_method("judge-sees-quotes")


def test_a_name_registered_twice_raises_and_names_both_modules() -> None:
    with pytest.raises(SettingError, match="creaeval") as caught:
        register("creaeval", calls=one_call)(plug_in)
    assert "one in creaeval.methods.creaeval, one in methods.test_registry" in str(caught.value)
    assert get_method("creaeval").score.__module__ == "creaeval.methods.creaeval"


def test_registering_the_same_function_again_is_no_clash() -> None:
    for _ in range(2):
        assert register("mine", calls=one_call)(plug_in) is plug_in
    assert get_method("mine").summary == "A method of another package."


def test_an_unknown_method_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(SettingError, match=r"no method 'creaval'; known are .*Did you mean 'creaeval'\?"):
        get_method("creaval")


def test_a_method_of_another_package_is_found_by_its_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, "theirs", f"{__name__}:theirs")
    assert get_method("theirs") is theirs
    assert theirs in list_methods()
    offer(monkeypatch, "others", f"{__name__}:plug_in")
    with pytest.raises(SettingError, match=r"method 'others' of .*expected a creaeval\.methods\.Method"):
        get_method("others")


def test_a_package_that_cannot_be_loaded_is_named_when_its_method_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    offer(monkeypatch, "theirs", "no_such_package_here:method")
    assert get_method("creaeval").name == "creaeval"
    with pytest.raises(SettingError, match="method 'theirs' of no_such_package_here:method cannot be loaded"):
        get_method("theirs")
