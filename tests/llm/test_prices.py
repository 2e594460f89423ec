"""What calls cost."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from creaeval.llm.chat import Usage
from creaeval.llm.prices import Price, cost_of
from creaeval.llm.providers.book import ModelBook, built_in_book, open_book
from creaeval.llm.providers.hosted import HostedModel
from creaeval.llm.providers.registry import open_model

from .support import KEY, FakeModel, verdict, without_keys

if TYPE_CHECKING:
    from pathlib import Path

GPT = Price(2.5, 0.25, 15)
MINI = Price(0.75, 0.075, 4.5)


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    without_keys(monkeypatch)
    for name in ("OPENAI", "ANTHROPIC", "GOOGLE", "DASHSCOPE"):
        monkeypatch.setenv(f"{name}_API_KEY", KEY)


def price(name: str, book: ModelBook | None = None) -> Price | None:
    model = open_model(name, book)
    assert isinstance(model, HostedModel)
    return model.price


def test_a_call_costs_its_fresh_and_cached_prompt_and_its_reply() -> None:
    # 600,000 fresh tokens at 2.5, 400,000 cached at 0.25 and 10,000 of reply at 15 dollars a million.
    usage = Usage(input=1_000_000, cached=400_000, output=10_000)
    assert cost_of(open_model("openai:gpt-5.4"), usage) == pytest.approx(1.75)
    assert cost_of(open_model("openai-responses:gpt-5.4"), usage) == pytest.approx(1.75)
    # Of mini: 0.6 · 0.75 + 0.4 · 0.075 + 0.01 · 4.5.
    assert cost_of(open_model("openai:gpt-5.4-mini"), usage) == pytest.approx(0.525)
    assert GPT.cost(Usage()) == 0


def test_reasoning_is_part_of_the_reply_and_costs_once() -> None:
    assert Price(0, 0, 10).cost(Usage(input=500, output=100, reasoning=90)) == pytest.approx(0.001)


tokens = st.integers(0, 10**7)


@given(st.lists(st.tuples(tokens, tokens, tokens, st.floats(0, 1)), max_size=5))
def test_the_cost_of_all_calls_is_the_cost_of_all_tokens(calls: list[tuple[int, int, int, float]]) -> None:
    used = [Usage(n, int(n * part), out, min(out, thought)) for n, out, thought, part in calls]
    total = sum(used, Usage())
    assert GPT.cost(total) == pytest.approx(sum(map(GPT.cost, used)))


def test_a_free_model_costs_nothing_and_one_without_a_price_is_not_priced() -> None:
    model = FakeModel(lambda *_: verdict())
    assert cost_of(model, Usage(10, 0, 10)) == 0.0
    model.free = False
    assert cost_of(model, Usage(10, 0, 10)) is None


@pytest.mark.parametrize("name", ["vllm:qwen", "ollama:qwen", "llamacpp:qwen", "local"])
def test_a_server_of_ones_own_and_the_local_model_are_free(name: str) -> None:
    assert cost_of(open_model(name), Usage(1000, 0, 1000)) == 0.0


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("openai:gpt-5.4", GPT),
        ("openai:gpt-5.4-2026-03-05", GPT),
        ("openai:gpt-5.4-20260305", GPT),
        ("openai-responses:gpt-5.4", GPT),
        ("openai-responses:gpt-5.4-2026-03-05", GPT),
        ("paper-gpt", GPT),
        ("openai:gpt-5.4-mini", MINI),
        ("openai:gpt-5.4-mini-2026-03-05", MINI),
        ("openai-responses:gpt-5.4-mini", MINI),
        ("openai:o3-2025-04-16", Price(2, 0.5, 8)),
        ("anthropic:claude-haiku-4-5", Price(1, 0.1, 5)),
        ("anthropic:claude-haiku-4-5-20251001", Price(1, 0.1, 5)),
        # Not names that only begin like a known one.
        ("openai:gpt-5.4-pro", None),
        ("openai:gpt-5.4-pro-2026-03-05", None),
        ("openai:gpt-5", None),
        ("openai:gpt-5.41", None),
        ("openai:gpt-5.4-mini-high", None),
        ("anthropic:gpt-5.4", None),
        ("anthropic:claude-haiku-4", None),
        ("openai:GPT-5.4", None),
        # DashScope's prices are not in the data that the package's come from.
        ("paper-qwen", None),
    ],
)
def test_a_price_is_found_by_the_whole_name_or_that_without_its_date(name: str, expected: Price) -> None:
    assert price(name) == expected


def test_elsewhere_than_at_the_provider_only_the_users_prices_hold(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "mine.yaml").write_text("prices: {'openai:ours': {input: 4, cached: 4, output: 8}}")
    book = open_book(tmp_path / "mine.yaml")
    assert price("openai:ours", book) == Price(4, 4, 8)
    monkeypatch.setenv("OPENAI_BASE_URL", "https://llm.campus.example/v1")
    assert price("openai:gpt-5.4", book) is None
    assert price("openai-responses:gpt-5.4", book) is None
    assert price("openai:ours", book) == Price(4, 4, 8)
    assert price("openai-responses:ours-2026-11-30", book) == Price(4, 4, 8)
    # The provider's own address written out is the provider's own address.
    monkeypatch.setenv("OPENAI_BASE_URL", "https://api.openai.com/v1/")
    assert price("openai:gpt-5.4", book) == GPT


def test_the_users_price_goes_before_the_packages_also_for_a_dated_name(tmp_path: Path) -> None:
    line = "{input: 1, cached: 1, output: 1}"
    (tmp_path / "mine.yaml").write_text(
        f"prices: {{'openai-responses:gpt-5.4': {line}, 'openai:gpt-4.1': {line}}}"
    )
    book = open_book(tmp_path / "mine.yaml")
    mine = Price(1, 1, 1)
    assert price("openai-responses:gpt-5.4-2026-03-05", book) == mine
    assert price("openai:gpt-5.4-2026-03-05", book) == GPT
    assert price("openai-responses:gpt-4.1", book) == mine


def test_every_price_in_the_packages_file_is_read_as_it_stands_there() -> None:
    text = files("creaeval.llm.providers").joinpath("models.yaml").read_text(encoding="utf-8")
    line = r"^  (\S+:\S+): \{input: ([\d.]+), cached: ([\d.]+), output: ([\d.]+)\}$"
    written = {found[0]: Price(*map(float, found[1:])) for found in re.findall(line, text, re.M)}
    assert written == dict(built_in_book().prices)
