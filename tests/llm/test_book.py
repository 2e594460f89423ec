"""Presets, prices and keys from files."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from creaeval.errors import SettingError
from creaeval.llm.chat import Limits, Settings
from creaeval.llm.prices import Price
from creaeval.llm.providers.book import ModelBook, built_in_book, open_book
from creaeval.llm.providers.hosted import HostedModel
from creaeval.llm.providers.registry import open_model
from creaeval.llm.providers.table import PROVIDERS

from .support import KEY, without_keys

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    without_keys(monkeypatch)


def own(folder: Path, text: str) -> ModelBook:
    (folder / "mine.yaml").write_text(text, encoding="utf-8")
    return open_book(folder / "mine.yaml")


def opened(name: str, book: ModelBook | None = None) -> HostedModel:
    model = open_model(name, book)
    assert isinstance(model, HostedModel)
    return model


# What the paper and its published code say: arXiv 2609.03432, Table 7.
PAPER: list[tuple[str, str, str, str, str]] = [
    ("paper-gpt", "openai-responses", "gpt-5.4", "none", "OPENAI_API_KEY"),
    ("paper-qwen", "qwen", "qwen3.6-plus-2026-04-02", "none", "DASHSCOPE_API_KEY"),
    ("paper-gemini", "google", "gemini-3.1-pro-preview", "low", "GOOGLE_API_KEY"),
    ("paper-deepseek", "deepseek", "deepseek-v4-pro", "none", "DEEPSEEK_API_KEY"),
]


@pytest.mark.parametrize(("preset", "provider", "model", "reasoning", "variable"), PAPER)
def test_the_papers_models_are_asked_as_the_paper_asked_them(
    monkeypatch: pytest.MonkeyPatch, preset: str, provider: str, model: str, reasoning: str, variable: str
) -> None:
    monkeypatch.setenv(variable, KEY)
    found = opened(preset)
    assert found.name == preset
    assert found.identity == {
        "provider": provider,
        "base_url": PROVIDERS[provider].url,
        "model": model,
    }
    assert (found.defaults.temperature, found.defaults.seed) == (0.2, None)
    assert found.defaults.reasoning == reasoning
    assert not found.free


def test_the_packages_book_has_these_presets_and_says_when_its_prices_were_looked_up() -> None:
    book = built_in_book()
    assert list(book.presets) == [row[0] for row in PAPER]
    assert date.fromisoformat(book.prices_as_of) <= date(2026, 11, 30)
    assert book.own_prices == frozenset()
    for name, price in book.prices.items():
        assert name.partition(":")[0] in PROVIDERS
        # What was cached never costs more, and writing never less than reading.
        assert 0 < price.cached <= price.input <= price.output


OWN = """
presets:
  cheap:
    model: openai:gpt-5.4-mini
    temperature: default
    reasoning: off
    max_tokens: 2000
    concurrency: 3
    requests_per_minute: 500
  paper-gpt:
    model: openai:gpt-5.4
  campus:
    model: openai:our-model
    base_url: https://llm.campus.example/v1
    key_variable: CAMPUS_KEY
    extra_body: {top_k: 5, a: {c: 1, b: 2}}
prices:
  openai:gpt-5.4: {input: 1, cached: 0.5, output: 2}
  vllm:mine: {input: 0, cached: 0, output: 0.25}
"""


def test_a_file_of_ones_own_adds_to_the_packages_and_overrides_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    book = own(tmp_path, OWN)
    assert list(book.presets)[:4] == [row[0] for row in PAPER]
    assert {"cheap", "campus"} < set(book.presets)
    assert opened("paper-gpt", book).identity["provider"] == "openai"
    assert opened("paper-gpt", book).defaults == Settings()
    cheap = opened("cheap", book)
    assert (cheap.name, cheap.identity["model"]) == ("cheap", "gpt-5.4-mini")
    assert cheap.defaults == Settings(temperature=None, reasoning="none", max_tokens=2000)
    assert cheap.limits == Limits(3, 500)
    assert book.prices["openai:gpt-5.4"] == Price(1, 0.5, 2)
    assert book.prices["openai:gpt-4.1"] == built_in_book().prices["openai:gpt-4.1"]
    assert book.own_prices == {"openai:gpt-5.4", "vllm:mine"}
    assert book.prices_as_of == built_in_book().prices_as_of


def test_a_preset_may_name_a_server_and_the_variable_of_its_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CAMPUS_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-someone-else")
    model = opened("campus", own(tmp_path, OWN))
    assert model.identity["base_url"] == "https://llm.campus.example/v1"
    assert model._key == KEY
    assert model.defaults.extra_body == '{"a": {"b": 2, "c": 1}, "top_k": 5}'


def test_a_preset_of_the_local_model_has_its_settings(tmp_path: Path) -> None:
    book = own(tmp_path, "presets: {mine: {model: local, temperature: 0}}")
    model = open_model("mine", book)
    assert (model.name, model.identity["provider"], model.free) == ("mine", "local", True)
    assert model.defaults == Settings(temperature=0.0)  # type: ignore[attr-defined]
    assert model.limits == Limits(concurrency=1)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("presets: {a: {model: b}, b: {model: 'openai:x'}}", "preset 'a': its model 'b' is a preset too"),
        ("presets: {a: {model: local, base_url: 'http://h/v1'}}", "base_url and key_variable are for hosted"),
        ("presets: {a: {model: 'openai:x', base_url: localhost}}", "base_url: expected a URL such as"),
        ("presets: {a: {model: 'opnai:x'}}", "found no provider 'opnai'"),
        ("presets: {a: {model: 'openai:'}}", "expected a name after the colon"),
        ("presets: {a: {model: 'openai:x', key_variable: CAMPUS_KEY}}", "set CAMPUS_KEY to your key"),
    ],
)
def test_a_preset_that_stands_for_nothing_is_refused_when_it_is_opened(
    tmp_path: Path, text: str, problem: str
) -> None:
    with pytest.raises(SettingError, match=problem):
        open_model("a", own(tmp_path, text))


NO_SETTING = "there is no such setting; expected one of temperature, "
SECTIONS = "expected presets, prices_as_of, prices"
PRICE = "expected input, cached, output in US dollars a million tokens"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("just words", "expected the sections presets, prices_as_of, prices"),
        ("- a list", "expected the sections presets, prices_as_of, prices"),
        ("preset: {}", f"there is no section 'preset'; {SECTIONS}"),
        ("presets: 3", "presets: expected names with their fields"),
        ("prices: [a]", "prices: expected names with their fields"),
        ("presets: {p: 3}", "presets.p: found 3, expected fields with values"),
        ("presets: {p: {}}", "presets.p: found no model, expected one such as model: openai:NAME"),
        ("presets: {p: {model: 3}}", "presets.p: found no model"),
        ("presets: {'p:q': {model: 'a:x'}}", "presets.p:q: a preset's name has no colon"),
        ("presets: {p: {model: 'a:x', base_url: 3}}", "presets.p.base_url: found 3, expected text"),
        ("presets: {p: {model: 'a:x', key_variable: [A]}}", "presets.p.key_variable: found ['A']"),
        ("presets: {p: {model: 'a:x', temp: 1}}", f"presets.p.temp: {NO_SETTING}"),
        ("presets: {p: {model: 'a:x', judge.seed: 1}}", f"presets.p.judge.seed: {NO_SETTING}"),
        ("presets: {p: {model: 'a:x', 1: 2}}", f"presets.p.1: {NO_SETTING}"),
        ("presets: {p: {model: 'a:x', seed: x}}", "presets.p.seed: found 'x', expected a whole number"),
        ("presets: {p: {model: 'a:x', max_tokens: .inf}}", "presets.p.max_tokens: found inf, expected"),
        ("presets: {p: {model: 'a:x', extra_body: {d: 2026-01-01}}}", "expected a JSON object"),
        ("presets: {p: {model: 'a:x', extra_body: &a {b: *a}}}", "expected a JSON object"),
        ("prices: {x: {input: 1, cached: 1, output: 1}}", "prices.x: expected a name such as openai:NAME"),
        ("prices: {'a:x': 4}", "prices.a:x: found 4, expected fields with values"),
        ("prices: {'a:x': {input: 1, cached: 1}}", f"prices.a:x: found input: 1, cached: 1, {PRICE}"),
        ("prices: {'a:x': {input: 1, cached: 1, output: -1}}", f"output: -1, {PRICE}"),
        ("prices: {'a:x': {input: 1, cached: 1, output: .inf}}", f"output: inf, {PRICE}"),
        ("prices: {'a:x': {input: 1, cached: 1, output: .nan}}", f"output: nan, {PRICE}"),
        ("prices: {'a:x': {input: 1, cached: 1, output: free}}", f"output: free, {PRICE}"),
        ("prices: {'a:x': {input: 1, cached: true, output: 1}}", f"cached: True, output: 1, {PRICE}"),
        ("prices: {'a:x': {input: 1, cached: 1, output: 1, tax: 1}}", f"tax: 1, {PRICE}"),
        ("presets: {p: 1, p: 2}", "not well-formed YAML"),
        ("presets: [", "not well-formed YAML"),
        ("a: 1\n---\nb: 2", "not well-formed YAML"),
        ("\x00", "not well-formed YAML"),
        ("prices_as_of: 2026-13-45", "not well-formed YAML"),
        ("[" * 500, "not well-formed YAML"),
    ],
)
def test_a_fault_in_a_file_of_ones_own_is_named_with_its_place(
    tmp_path: Path, text: str, problem: str
) -> None:
    with pytest.raises(SettingError) as caught:
        own(tmp_path, text)
    (found,) = caught.value.problems
    assert found.startswith(f"{tmp_path / 'mine.yaml'}: ")
    assert problem in found


def test_all_faults_of_a_file_are_named_at_once(tmp_path: Path) -> None:
    text = """
models: {}
presets:
  a: {model: 'openai:x', temperature: 3, top_k: 5}
  b: 1
prices:
  x: {input: 1, cached: 1, output: 1}
"""
    with pytest.raises(SettingError) as caught:
        own(tmp_path, text)
    start = len(f"{tmp_path / 'mine.yaml'}: ")
    assert [problem[start:].partition(": ")[0] for problem in caught.value.problems] == [
        "there is no section 'models'; expected presets, prices_as_of, prices.",
        "presets.b",
        "presets.a.temperature",
        "presets.a.top_k",
        "prices.x",
    ]


@pytest.mark.parametrize("tag", ["!!python/object/apply:os.mkdir [made]", "!!python/name:os.system ''"])
def test_a_file_runs_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tag: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingError, match="could not determine a constructor for the tag"):
        own(tmp_path, f"presets: {tag}")
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "presets:\nprices:\n", "\ufeffpresets: {}\n"])
def test_an_empty_file_adds_nothing(tmp_path: Path, text: str) -> None:
    assert own(tmp_path, text).presets == built_in_book().presets


@pytest.mark.parametrize("option", ["models", "keys"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, option: str) -> None:
    def problem(name: str) -> str:
        with pytest.raises(SettingError) as caught:
            open_book(**{option: tmp_path / name})
        return str(caught.value)

    (tmp_path / "picture").write_bytes(b"\x89PNG\xff")
    assert problem("none") == f"{tmp_path / 'none'}: cannot be read: No such file or directory."
    assert problem("") == f"{tmp_path}: cannot be read: Is a directory."
    expected = "a YAML file" if option == "models" else "lines NAME=value"
    assert problem("picture") == f"{tmp_path / 'picture'}: this is not UTF-8 text; expected {expected}."


KEYS = f"""
# keys of the group
export OPENAI_API_KEY="{KEY}"
DEEPSEEK_API_KEY='a$HOME#b'
GROQ_API_KEY=plain # ours
MISTRAL_API_KEY=
"""


def test_a_file_of_keys_counts_before_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text(f"\ufeff{KEYS}", encoding="utf-8")
    book = open_book(keys=tmp_path / ".env")
    for variable in ("OPENAI_API_KEY", "MISTRAL_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(variable, f"environment {variable}")
    assert book.variable("OPENAI_API_KEY") == KEY
    assert book.variable("DEEPSEEK_API_KEY") == "a$HOME#b"
    assert book.variable("GROQ_API_KEY") == "plain"
    # What the file does not set, the environment does.
    assert book.variable("MISTRAL_API_KEY") == "environment MISTRAL_API_KEY"
    assert book.variable("ANTHROPIC_API_KEY") == "environment ANTHROPIC_API_KEY"
    assert book.variable("NONE", "GROQ_API_KEY", "OPENAI_API_KEY") == "plain"
    assert book.variable("NONE") == ""
    assert opened("openai:gpt-5.4", book)._key == KEY


def test_a_base_url_may_stand_in_the_file_of_keys(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_BASE_URL=https://llm.example/v1\n", encoding="utf-8")
    model = opened("openai:m", open_book(keys=tmp_path / ".env"))
    assert model.identity["base_url"] == "https://llm.example/v1"


@pytest.mark.parametrize("text", ["", "# nothing\n", "OPENAI_API_KEY=\n", f"{KEY}\n"])
def test_a_file_without_a_key_is_refused_without_being_shown(tmp_path: Path, text: str) -> None:
    (tmp_path / ".env").write_text(text, encoding="utf-8")
    with pytest.raises(SettingError, match="found no key, expected lines such as OPENAI_API_KEY=") as caught:
        open_book(keys=tmp_path / ".env")
    assert KEY not in str(caught.value)


def test_a_key_is_in_no_text_that_is_made_of_a_book_or_a_model(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text(KEYS, encoding="utf-8")
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    book = open_book(keys=tmp_path / ".env")
    shown: list[Any] = [repr(book), str(book)]
    for name in ("openai:gpt-5.4", "anthropic:claude-haiku-4-5", "paper-gpt"):
        model = opened(name, book)
        shown += [model.identity, model.name, model.where, repr(model)]
    assert KEY not in str(shown)
    assert "a$HOME#b" not in str(shown)


def test_a_key_in_place_of_its_variable_is_refused_and_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="key_variable: expected the name of a variable") as caught:
        own(tmp_path, f"presets: {{p: {{model: 'openai:x', key_variable: {KEY}}}}}")
    assert KEY not in str(caught.value)


def test_a_file_of_keys_that_is_given_as_the_file_of_models_is_not_shown(tmp_path: Path) -> None:
    with pytest.raises(SettingError) as caught:
        own(tmp_path, f"OPENAI_API_KEY={KEY}\nGROQ_API_KEY={KEY}\n")
    assert KEY not in str(caught.value)
