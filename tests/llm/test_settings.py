"""What users set: general, by role, over a model's own defaults."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from creaeval.errors import SettingError
from creaeval.llm.chat import Limits, Settings
from creaeval.llm.key import answer_settings
from creaeval.llm.providers.hosted import HostedModel
from creaeval.llm.providers.table import PROVIDERS
from creaeval.llm.settings import SETTING_WORDS, read_settings, role_settings

from .support import FakeModel, verdict


def fake(**attributes: Any) -> FakeModel:
    model = FakeModel(lambda *_: verdict())
    for name, value in attributes.items():
        setattr(model, name, value)
    return model


def problems(given: dict[str, Any], **options: Any) -> tuple[str, ...]:
    with pytest.raises(SettingError) as caught:
        read_settings(given, **options)
    return caught.value.problems


def test_a_role_counts_before_what_is_set_for_all_and_the_rest_is_the_default() -> None:
    given = {"temperature": 1, "judge.temperature": 0, "analyst.seed": 7, "judge.concurrency": 3}
    analyst, judge = (role_settings(fake(limits=Limits()), given, role) for role in ("analyst", "judge"))
    assert analyst.settings == Settings(temperature=1.0, seed=7)
    assert judge.settings == Settings(temperature=0.0)
    assert (analyst.limits, judge.limits) == (Limits(), Limits(concurrency=3))


def test_the_order_in_which_settings_are_given_does_not_matter() -> None:
    given = {"judge.temperature": 0, "temperature": 1}
    assert role_settings(fake(), given, "judge").settings.temperature == 0


def test_each_judge_has_the_defaults_of_its_own_model_where_nothing_is_set() -> None:
    careful = fake(defaults=Settings(temperature=None, reasoning="low", max_tokens=9000), limits=Limits(2))
    plain = fake(limits=Limits(concurrency=5, tokens_per_minute=1000))
    given = {"judge.max_tokens": 500, "judge.requests_per_minute": 60}
    one, other = (role_settings(model, given, "judge") for model in (careful, plain))
    assert one.settings == Settings(temperature=None, reasoning="low", max_tokens=500)
    assert other.settings == Settings(max_tokens=500)
    assert one.limits == Limits(2, 60)
    assert other.limits == Limits(5, 60, 1000)


def test_a_model_that_says_nothing_of_itself_has_the_packages_defaults() -> None:
    class Bare:
        name, free = "bare", True
        identity: dict[str, str] = {}  # noqa: RUF012 - a stand-in

    found = role_settings(Bare(), {}, "judge")  # type: ignore[arg-type]
    assert (found.settings, found.limits) == (Settings(), Limits())
    assert (found.settings.temperature, found.settings.max_tokens, found.settings.seed) == (0.2, 4096, 1)
    assert (found.settings.timeout, found.limits.concurrency) == (600.0, 8)


@pytest.mark.parametrize("prefix", PROVIDERS)
def test_no_seed_is_sent_by_default_where_the_provider_takes_none_and_it_can_still_be_asked_for(
    prefix: str,
) -> None:
    model = HostedModel(f"{prefix}:m", "m", PROVIDERS[prefix])
    expected = None if prefix in ("openai-responses", "anthropic") else 1
    assert role_settings(model, {}, "judge").settings.seed == expected
    # The check before the first call then says that it would not be sent.
    assert role_settings(model, {"judge.seed": "5"}, "judge").settings.seed == 5


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("temperature", "0.7", 0.7),
        ("temperature", "0", 0.0),
        ("temperature", "default", None),
        ("temperature", None, None),
        ("seed", "3", 3),
        ("seed", "default", None),
        ("seed", None, None),
        ("max_tokens", "8000", 8000),
        ("timeout", "1.5", 1.5),
        ("reasoning", "low", "low"),
        ("reasoning", "default", None),
        ("reasoning", None, None),
        ("reasoning", "none", "none"),
        ("reasoning", "off", "none"),
        # YAML reads a bare off as false.
        ("reasoning", False, "none"),
        ("concurrency", "12", 12),
        ("requests_per_minute", "500", 500),
        ("requests_per_minute", "default", None),
        ("tokens_per_minute", None, None),
    ],
)
def test_values_may_be_text_and_default_leaves_one_to_the_provider(name: str, text: Any, value: Any) -> None:
    for spelled in (name, f"judge.{name}", f"analyst.{name}"):
        read = read_settings({spelled: text})
        assert read == {spelled: value}
        assert type(read[spelled]) is type(value)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "temperature": st.floats(0, 2),
            "max_tokens": st.integers(16, 10**9),
            "seed": st.integers(0, 2**31 - 1),
            "timeout": st.floats(0.001, 86400),
            "concurrency": st.integers(1, 10_000),
            "requests_per_minute": st.integers(1, 10**9),
            "tokens_per_minute": st.integers(1, 10**9),
        },
    )
)
def test_numbers_within_range_are_read_as_they_are_and_text_means_the_same(given: dict[str, Any]) -> None:
    assert read_settings(given) == given
    assert read_settings({name: repr(value) for name, value in given.items()}) == given


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", -0.1),
        ("temperature", 2.1),
        ("temperature", "warm"),
        ("temperature", "0,5"),
        ("temperature", float("nan")),
        ("temperature", 10**400),
        ("temperature", [0.2]),
        ("temperature", ""),
        ("max_tokens", 15),
        ("max_tokens", 100.5),
        ("max_tokens", "4096.0"),
        ("max_tokens", float("inf")),
        ("max_tokens", None),
        ("max_tokens", "default"),
        ("seed", -1),
        ("seed", 1.5),
        ("seed", "1.5"),
        ("seed", 2**31),
        ("timeout", 0),
        ("timeout", "nan"),
        ("timeout", 86401),
        ("timeout", None),
        ("reasoning", "much"),
        ("reasoning", True),
        ("reasoning", 1),
        ("reasoning", ["low"]),
        ("concurrency", 0),
        ("concurrency", 2.5),
        ("concurrency", None),
        ("requests_per_minute", 0),
        ("tokens_per_minute", 0.5),
        ("extra_body", "top_k: 1"),
        ("extra_body", "[1]"),
        ("extra_body", "7"),
        ("extra_body", '{"a": NaN}'),
        ("extra_body", [1]),
        ("extra_body", {"a": {1}}),
    ],
)
def test_a_value_that_is_none_is_named_with_what_is_expected(name: str, value: Any) -> None:
    (problem,) = problems({f"judge.{name}": value})
    assert problem.startswith(f"judge.{name}: found {value!r}, expected ")
    expected = {
        "temperature": "a number from 0 to 2, or default.",
        "max_tokens": "a whole number of tokens, at least 16.",
        "seed": "a whole number from 0, or default.",
        "timeout": "seconds, above 0 and at most a day.",
        "reasoning": "one of none, minimal, low, medium, high, xhigh, or default.",
        "concurrency": "a whole number from 1.",
        "requests_per_minute": "a whole number from 1, or default.",
        "tokens_per_minute": "a whole number from 1, or default.",
        "extra_body": "a JSON object.",
    }
    assert problem.endswith(expected[name])


@pytest.mark.parametrize("name", [name for name in SETTING_WORDS if name not in ("reasoning", "extra_body")])
@pytest.mark.parametrize("value", [True, False])
def test_true_and_false_are_no_numbers(name: str, value: bool) -> None:
    assert f"{name}: found {value}, expected" in problems({name: value})[0]


def test_a_number_with_nothing_after_its_point_is_whole() -> None:
    assert read_settings({"seed": 2.0, "max_tokens": 4096.0}) == {"seed": 2, "max_tokens": 4096}


def test_all_problems_are_listed_at_once() -> None:
    found = problems({"temperature": 3, "judge.seed": "x", "reasoning": "low", "analyst.top_k": 4})
    assert [line.partition(":")[0] for line in found] == ["temperature", "judge.seed", "analyst.top_k"]
    with pytest.raises(SettingError, match=r"(?s)temperature: found 3.*judge\.seed: found 'x'.*no such"):
        role_settings(fake(), {"temperature": 3, "judge.seed": "x", "analyst.top_k": 4}, "judge")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("temprature", "temperature"),
        ("judge.temprature", "temperature"),
        ("max_token", "max_tokens"),
        ("jugde.temperature", "temperature"),
        ("analyst.judge.temperature", "temperature"),
        ("concurency", "concurrency"),
    ],
)
def test_an_unknown_name_is_answered_with_the_known_ones_and_the_nearest(name: str, hint: str) -> None:
    (problem,) = problems({name: 1})
    assert problem.startswith(f"{name}: there is no such setting; expected one of temperature, reasoning, ")
    assert "alone or after analyst. or judge." in problem
    assert problem.endswith(f"Did you mean {hint}?")


@pytest.mark.parametrize("name", ["judge", "judge.", ".", "", 7])
def test_a_name_that_is_like_nothing_has_no_hint(name: Any) -> None:
    (problem,) = problems({name: 1})
    assert "there is no such setting" in problem
    assert "Did you mean" not in problem


def test_where_no_role_may_stand_a_name_with_one_is_unknown_and_the_place_is_said() -> None:
    (problem,) = problems({"judge.seed": 1}, roles=False, where="mine.yaml: presets.p.")
    assert problem.startswith("mine.yaml: presets.p.judge.seed: there is no such setting")
    assert "after analyst" not in problem


def test_further_fields_are_kept_in_one_way_of_writing() -> None:
    one = read_settings({"extra_body": '{"top_k": 5, "a": {"d": 1, "c": [2, 1]}}'})["extra_body"]
    other = read_settings({"extra_body": {"a": {"c": [2, 1], "d": 1}, "top_k": 5}})["extra_body"]
    assert one == other == '{"a": {"c": [2, 1], "d": 1}, "top_k": 5}'


@pytest.mark.parametrize("nothing", ["", "{}", " { } ", {}, None, "null"])
def test_no_further_fields_are_no_setting_however_they_are_written(nothing: Any) -> None:
    read = read_settings({"extra_body": nothing})["extra_body"]
    assert read == ""
    assert answer_settings(Settings(extra_body=read)) == answer_settings(Settings())


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), values, min_size=1, max_size=4))
def test_any_json_object_comes_back_as_it_was(fields: dict[str, Any]) -> None:
    read = read_settings({"extra_body": fields})["extra_body"]
    assert json.loads(read) == fields
    assert read_settings({"extra_body": read})["extra_body"] == read


def test_every_setting_is_explained_and_nothing_else_is() -> None:
    (problem,) = problems({"x": 1})
    listed = problem.partition("expected one of ")[2].partition(", alone")[0].split(", ")
    assert list(SETTING_WORDS) == listed
