"""Models, presets, prices and checks as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from creaeval.llm.chat import Usage
from creaeval.llm.checkup import Checkup, Finding
from creaeval.llm.providers.book import ModelBook, built_in_book, open_book
from creaeval.llm.providers.table import PROVIDERS
from creaeval.llm.settings import SETTING_WORDS
from creaeval.report.model_text import checkup_text, models_text
from llm.support import KEY, without_keys

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    without_keys(monkeypatch)


def sections(book: ModelBook) -> list[list[list[str]]]:
    """The text as sections of lines of columns."""
    return [
        [line.split("\t") for line in section.splitlines()] for section in models_text(book).split("\n\n")
    ]


def test_every_provider_is_listed_with_its_variables_and_address() -> None:
    (heading, local, *rows), *_ = sections(built_in_book())
    assert heading == ["Models (a name to type, whose it is, where its key is read from)"]
    assert local[0] == "local"
    assert [row[0] for row in rows] == [f"{prefix}:NAME" for prefix in PROVIDERS]
    for row, provider in zip(rows, PROVIDERS.values(), strict=True):
        assert row[1] == provider.title
        assert all(variable in row[2] for variable in (*provider.keys, provider.url_variables[0]))
        assert provider.url in row[2]
        assert ("no key needed" in row[2]) is provider.own
        assert ("no key set" in row[2]) is not provider.own


def test_a_key_that_is_found_is_said_and_never_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    (tmp_path / ".env").write_text(f"OPENAI_API_KEY={KEY}\n")
    book = open_book(keys=tmp_path / ".env")
    (_, _, *rows), *_ = sections(book)
    found = [row[0] for row in rows if "(key found)" in row[2]]
    assert found == ["openai:NAME", "openai-responses:NAME", "google:NAME"]
    assert KEY not in models_text(book)


def test_credentials_in_an_address_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "https://me:secret@proxy.example/v1")
    assert "secret" not in models_text(built_in_book())


def test_every_preset_price_and_setting_is_listed() -> None:
    book = built_in_book()
    _, presets, prices, settings = sections(book)
    assert presets[1] == [
        "paper-gpt",
        "openai-responses:gpt-5.4",
        "reasoning=none, temperature=0.2",
    ]
    assert presets[3] == [
        "paper-gemini",
        "google:gemini-3.1-pro-preview",
        "reasoning=low, temperature=0.2, seed=default, max_tokens=16384",
    ]
    assert [row[0] for row in presets[1:]] == list(book.presets)
    assert book.prices_as_of in prices[0][0]
    assert [row[0] for row in prices[1:]] == list(book.prices)
    assert ["openai:gpt-5.4", "input 2.5", "cached 0.25", "output 15"] in prices
    assert {row[0]: row[1] for row in settings[1:]} == SETTING_WORDS


def test_the_users_prices_come_first(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(
        "presets: {mine: {model: 'vllm:ours'}}\nprices: {'vllm:ours': {input: 0.5, cached: 0, output: 1}}\n"
    )
    _, presets, prices, _ = sections(open_book(tmp_path / "mine.yaml"))
    assert presets[-1] == ["mine", "vllm:ours", ""]
    assert prices[1] == ["vllm:ours", "input 0.5", "cached 0", "output 1"]


def test_a_check_is_written_a_line_a_finding_and_ends_with_what_it_took() -> None:
    findings = (
        Finding("settings", "yes", "sent as they are: seed 1"),
        Finding("structured output", "no", "no verdict"),
        Finding("token probabilities", "not asked", "none"),
    )
    found = Checkup("openai:m", findings, Usage(100, 40, 10, 0), 1.26, 0.00031, works=False)
    assert checkup_text(found).splitlines() == [
        "openai:m: does not work",
        "ok\tsettings\tsent as they are: seed 1",
        "no\tstructured output\tno verdict",
        "-\ttoken probabilities\tnone",
        "100 tokens in, 10 out, 1.3 s, $0.0003",
    ]


@pytest.mark.parametrize(("cost", "shown"), [(0.0, "$0"), (None, "1 call not priced"), (1.5, "$1.50")])
def test_a_check_says_its_cost_or_that_none_is_known(cost: float | None, shown: str) -> None:
    found = Checkup("m", (), Usage(100, 0, 10), 2.0, cost, works=True)
    assert checkup_text(found) == f"m: works\n100 tokens in, 10 out, 2.0 s, {shown}"


def test_a_check_that_sent_nothing_took_nothing() -> None:
    found = Checkup("m", (Finding("settings", "no", "x"),), Usage(), 0.0, 0.0, works=False)
    assert checkup_text(found) == "m: does not work\nno\tsettings\tx"
