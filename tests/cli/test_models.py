"""`creaeval models list` and `creaeval models check`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from llm.support import KEY, without_keys
from loopback import Loopback, Scripted, used
from scripted import ScriptedModel

if TYPE_CHECKING:
    from conftest import CommandLine, Ended

GOOD = '{"score": 2, "status": "present"}'


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    without_keys(monkeypatch)


def check(command: CommandLine, answer: Scripted, *arguments: str, model: str = "openai:m1") -> Ended:
    """Check a model behind a server, with the key in a file."""
    (command.folder / "keys.env").write_text(f"OPENAI_API_KEY={KEY}\nANTHROPIC_API_KEY={KEY}\n")
    with Loopback(lambda *_: answer) as server:
        command.monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        command.monkeypatch.setenv("ANTHROPIC_BASE_URL", server.root)
        command.monkeypatch.setenv("VLLM_BASE_URL", server.url)
        ended = command("models", "check", model, "--keys", "keys.env", *arguments)
    assert all(headers["Authorization"] in (f"Bearer {KEY}", "Bearer no-key") for headers in server.headers)
    assert KEY not in ended.out + ended.err
    assert "Traceback" not in ended.err
    return ended


def test_the_list_shows_every_provider_preset_price_and_setting(command: CommandLine) -> None:
    command.monkeypatch.setenv("GROQ_API_KEY", KEY)
    ended = command("models", "list")
    assert (ended.code, ended.err) == (0, "")
    for line in (
        "local\tthe built-in small model, or local:FILE.gguf\tno key",
        "openai:NAME\tOpenAI, chat completions\tOPENAI_API_KEY (no key set); OPENAI_BASE_URL for another",
        "google:NAME\tGoogle Gemini\tGOOGLE_API_KEY or GEMINI_API_KEY (no key set)",
        "groq:NAME\tGroq\tGROQ_API_KEY (key found)",
        "vllm:NAME\tvLLM, on a machine of one's own\tVLLM_API_KEY (no key needed)",
        "paper-deepseek\tdeepseek:deepseek-v4-pro\treasoning=none, temperature=0.2, seed=default",
        "openai:gpt-5.4\tinput 2.5\tcached 0.25\toutput 15",
        "temperature\t0 to 2 (0.2), or default to leave it to the provider",
        "tokens_per_minute\t",
    ):
        assert f"\n{line}" in ended.out
    assert KEY not in ended.out


def test_the_list_holds_what_is_in_files_of_ones_own(command: CommandLine) -> None:
    (command.folder / "mine.yaml").write_text(
        "presets: {ours: {model: 'vllm:q', seed: 3}}\nprices: {'vllm:q': {input: 1, cached: 1, output: 2}}\n"
    )
    (command.folder / "keys.env").write_text(f"MISTRAL_API_KEY={KEY}\n")
    ended = command("models", "list", "--models", "mine.yaml", "--keys", "keys.env")
    assert "\nours\tvllm:q\tseed=3\n" in ended.out
    assert "(yours first)\nvllm:q\tinput 1\tcached 1\toutput 2\n" in ended.out
    assert "MISTRAL_API_KEY (key found)" in ended.out
    assert KEY not in ended.out


def test_a_model_that_works_is_code_0_with_a_line_for_each_finding(command: CommandLine) -> None:
    ended = check(command, Scripted(GOOD, usage=used(100, output=10)))
    assert (ended.code, ended.err) == (0, "")
    first, *findings, last = ended.out.splitlines()
    assert first == "openai:m1: works"
    assert [line.split("\t")[:2] for line in findings] == [
        ["ok", "settings"],
        ["ok", "key and address"],
        ["ok", "structured output"],
        ["ok", "token probabilities"],
        ["no", "cached tokens"],
    ]
    assert last.startswith("100 tokens in, 10 out, ")
    assert last.endswith(" s, 1 call not priced")


def test_a_price_of_ones_own_gives_the_cost_and_a_server_of_ones_own_is_free(command: CommandLine) -> None:
    answer = Scripted(GOOD, usage=used(100, output=10))
    (command.folder / "mine.yaml").write_text(
        "prices: {'openai:m1': {input: 20000, cached: 20000, output: 100000}}"
    )
    # A tenth of a thousand at 20,000 and a hundredth at 100,000 dollars a million.
    assert check(command, answer, "--models", "mine.yaml").out.splitlines()[-1].endswith(" s, $3.00")
    assert check(command, answer, model="vllm:q").out.splitlines()[-1].endswith(" s, $0")


def test_a_wrong_key_is_code_1(command: CommandLine) -> None:
    ended = check(command, Scripted(fault="bad_key"))
    assert ended.code == 1
    assert ended.out.startswith("openai:m1: does not work\nok\tsettings\t")
    assert "no\tkey and address\topenai:m1 at http://127.0.0.1:" in ended.out
    assert "status 401: Incorrect API key provided: [key]" in ended.out
    assert "Check the API key and what it may use." in ended.out


def test_a_reply_of_another_form_is_code_1(command: CommandLine) -> None:
    ended = check(command, Scripted("Two, I would say."))
    assert ended.code == 1
    assert "no\tstructured output\t" in ended.out


def test_a_setting_that_would_be_dropped_is_code_1_and_costs_nothing(command: CommandLine) -> None:
    ended = check(command, Scripted(GOOD), model="anthropic:claude-opus-4-8")
    assert ended.code == 1
    first, only = ended.out.splitlines()
    assert first == "anthropic:claude-opus-4-8: does not work"
    assert only.startswith("no\tsettings\tanthropic:claude-opus-4-8 takes no temperature: found 0.2")
    ended = check(command, Scripted(GOOD), "--set", "temperature=default", model="anthropic:claude-opus-4-8")
    assert ended.code == 0
    assert "-\ttoken probabilities\tthis provider, or these settings, have none" in ended.out


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--set", "temprature=1"], "temprature: there is no such setting"),
        (["--set", "temperature"], "--set temperature: expected NAME=VALUE"),
        (["--set", "seed=1", "--set", "seed=2"], "--set seed=2: seed is set twice, to 1 before"),
        (["--set", "judge.seed=x"], "judge.seed: found 'x', expected a whole number"),
        (["--models", "none.yaml"], "none.yaml: cannot be read"),
        (["--keys", "none.env"], "none.env: cannot be read"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_sent(
    command: CommandLine, arguments: list[str], problem: str
) -> None:
    model = ScriptedModel()
    command.add(model)
    ended = command("models", "check", "scripted:one", *arguments)
    assert (ended.code, ended.out) == (1, "")
    assert problem in ended.err
    assert model.requests == []


def test_a_model_without_a_key_names_its_variable(command: CommandLine) -> None:
    ended = command("models", "check", "openai:gpt-5.4")
    assert ended.code == 1
    assert "set OPENAI_API_KEY to your key, or name a file that holds it with --keys" in ended.err


def test_a_preset_of_ones_own_can_be_checked(command: CommandLine) -> None:
    (command.folder / "mine.yaml").write_text("presets: {ours: {model: 'vllm:q', max_tokens: 99}}")
    ended = check(command, Scripted(GOOD), "--models", "mine.yaml", model="ours")
    assert ended.code == 0
    assert ended.out.startswith("ours: works\nok\tsettings\tsent as they are: ")
    assert "max_tokens 99" in ended.out


def test_a_plug_ins_model_can_be_checked(command: CommandLine) -> None:
    command.add(ScriptedModel(answer=lambda _: GOOD))
    ended = command("models", "check", "scripted:one")
    assert ended.code == 0
    assert ended.out.startswith("scripted:one: works\n")
    assert ended.out.splitlines()[-1] == "100 tokens in, 10 out, 0.5 s, $0"
