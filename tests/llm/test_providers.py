from __future__ import annotations

import json
import re
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING

import pytest

from creaeval.errors import SettingError
from creaeval.llm.chat import Limits
from creaeval.llm.local import weights
from creaeval.llm.local.model import LocalModel
from creaeval.llm.providers import registry
from creaeval.llm.providers.book import ModelBook
from creaeval.llm.providers.hosted import HostedModel
from creaeval.llm.providers.registry import open_model, register_provider
from creaeval.llm.providers.table import PROVIDERS

from .support import KEY, FakeModel, verdict, without_keys

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.llm.chat import ChatModel


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    without_keys(monkeypatch)
    monkeypatch.setattr(registry, "_FACTORIES", dict(registry._FACTORIES))


def fake(rest: str) -> ChatModel:
    return FakeModel(lambda *_: verdict(), name=f"fake:{rest}")


def opened(name: str) -> HostedModel:
    model = open_model(name)
    assert isinstance(model, HostedModel)
    return model


def problem(name: str) -> str:
    with pytest.raises(SettingError) as caught:
        open_model(name)
    return str(caught.value)


def test_a_registered_provider_gets_what_follows_the_colon() -> None:
    register_provider("fake", fake)
    assert open_model("fake:a:b").name == "fake:a:b"


@pytest.mark.parametrize(
    ("prefix", "module"),
    [("openai", "providers.table"), ("qwen", "providers.table"), ("local", "providers.registry")],
)
def test_a_prefix_registered_twice_names_both_modules(prefix: str, module: str) -> None:
    with pytest.raises(
        ValueError,
        match=rf"registered twice: by creaeval\.llm\.{re.escape(module)} and by llm\.test_providers",
    ):
        register_provider(prefix, fake)


def test_an_unknown_name_lists_the_known_ones_and_the_nearest() -> None:
    found = problem("opneai:m1")
    assert "found no provider 'opneai', expected one of anthropic, deepseek, google, groq, " in found
    assert all(prefix in found for prefix in PROVIDERS)
    assert "a preset (paper-gpt, paper-qwen, paper-gemini, paper-deepseek)" in found
    assert found.endswith("Did you mean 'openai'?")
    assert problem("paper-gtp").endswith("Did you mean 'paper-gpt'?")
    assert "Did you mean" not in problem("xyzzy:m")


# The variables of the providers' own documentation.
VARIABLES = [
    ("openai", "OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com/v1"),
    ("openai-responses", "OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com/v1"),
    ("anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "https://api.anthropic.com"),
    ("google", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL", "https://generativelanguage.googleapis.com"),
    ("deepseek", "DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL", "https://api.deepseek.com"),
    (
        "qwen",
        "DASHSCOPE_API_KEY",
        "DASHSCOPE_BASE_URL",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    ),
    ("mistral", "MISTRAL_API_KEY", "MISTRAL_BASE_URL", "https://api.mistral.ai"),
    ("groq", "GROQ_API_KEY", "GROQ_BASE_URL", "https://api.groq.com"),
]
OWN = [
    ("vllm", "VLLM_API_KEY", "VLLM_BASE_URL", "http://localhost:8000/v1"),
    ("ollama", "OLLAMA_API_KEY", "OLLAMA_BASE_URL", "http://localhost:11434/v1"),
    ("llamacpp", "LLAMACPP_API_KEY", "LLAMACPP_BASE_URL", "http://localhost:8080/v1"),
]


def test_these_are_the_providers() -> None:
    assert list(PROVIDERS) == [prefix for prefix, *_ in (*VARIABLES, *OWN)]


@pytest.mark.parametrize(("prefix", "variable", "_", "url"), VARIABLES)
def test_the_key_is_read_from_the_providers_standard_variable(
    monkeypatch: pytest.MonkeyPatch, prefix: str, variable: str, _: str, url: str
) -> None:
    monkeypatch.setenv(variable, f"  {KEY}\n")
    model = opened(f"{prefix}:some/model:v1")
    assert model._key == KEY
    assert model.identity == {"provider": prefix, "base_url": url, "model": "some/model:v1"}
    assert (model.name, model.free, model.limits) == (f"{prefix}:some/model:v1", False, Limits())


@pytest.mark.parametrize(("prefix", "variable", "url_variable", "_"), VARIABLES)
def test_without_a_key_the_variable_to_set_is_named_and_the_option(
    prefix: str, variable: str, url_variable: str, _: str
) -> None:
    found = problem(f"{prefix}:m1")
    assert found.startswith(
        f"model '{prefix}:m1': set {variable} to your key, or name a file that holds it with --keys"
    )
    assert (f"or set {url_variable} to a server of your own" in found) is (prefix == "openai")


@pytest.mark.parametrize("prefix", PROVIDERS)
def test_a_prefix_alone_is_no_name(prefix: str) -> None:
    assert problem(f"{prefix}:") == (
        f"model '{prefix}:': expected a name after the colon, as in {prefix}:NAME."
    )


@pytest.mark.parametrize(
    ("prefix", "first", "second"),
    [("google", "GOOGLE_API_KEY", "GEMINI_API_KEY"), ("qwen", "DASHSCOPE_API_KEY", "ALIBABA_API_KEY")],
)
def test_of_two_variables_that_may_hold_a_key_the_first_counts(
    monkeypatch: pytest.MonkeyPatch, prefix: str, first: str, second: str
) -> None:
    monkeypatch.setenv(second, "the second key")
    assert opened(f"{prefix}:m")._key == "the second key"
    monkeypatch.setenv(first, "the first key")
    assert opened(f"{prefix}:m")._key == "the first key"
    monkeypatch.setenv(first, " ")
    assert opened(f"{prefix}:m")._key == "the second key"


@pytest.mark.parametrize(("prefix", "variable", "url_variable", "_"), [*VARIABLES, *OWN])
def test_another_address_is_read_from_its_variable_and_needs_no_key(
    monkeypatch: pytest.MonkeyPatch, prefix: str, variable: str, url_variable: str, _: str
) -> None:
    monkeypatch.setenv(url_variable, "https://me:secret@proxy.example:8443/base/?key=secret")
    model = opened(f"{prefix}:m")
    assert model.base_url == "https://me:secret@proxy.example:8443/base/?key=secret"
    assert model.identity["base_url"] == "https://proxy.example:8443/base"
    assert "secret" not in json.dumps(dict(model.identity)) + model.where + model.name
    assert model.price is None
    for wrong in (
        "localhost",
        "localhost:8000/v1",
        "ftp://host/v1",
        "https://",
        "/v1",
        "http://[::1",
        "http://h:port/v1",
    ):
        monkeypatch.setenv(url_variable, wrong)
        assert f"{url_variable}: expected a URL such as https://host.example/v1" in problem(f"{prefix}:m")


def test_openai_elsewhere_is_spoken_to_as_any_server_of_its_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8000/v1")
    model = opened("openai:qwen")
    assert model.identity == {"provider": "openai", "base_url": "http://127.0.0.1:8000/v1", "model": "qwen"}
    assert model.provider.schema_untouched
    # It may well cost money: only a provider that says it is one's own is free.
    assert not model.free
    monkeypatch.setenv("OPENAI_BASE_URL", "https://api.openai.com/v1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert opened("openai:qwen").provider is PROVIDERS["openai"]


@pytest.mark.parametrize(("prefix", "variable", "_", "url"), OWN)
def test_a_server_of_ones_own_needs_no_key_and_is_free(
    monkeypatch: pytest.MonkeyPatch, prefix: str, variable: str, _: str, url: str
) -> None:
    model = opened(f"{prefix}:m")
    assert (model.free, model._key, model.identity["base_url"]) == (True, "", url)
    monkeypatch.setenv(variable, KEY)
    assert opened(f"{prefix}:m")._key == KEY


@pytest.mark.parametrize(
    ("prefix", "package"),
    [("anthropic", "anthropic"), ("google", "google.genai"), ("mistral", "mistralai"), ("groq", "groq")],
)
def test_a_client_that_is_not_installed_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, prefix: str, package: str
) -> None:
    def find_spec(name: str) -> object:
        if name == package.partition(".")[0] and package != "google.genai":
            return None
        if name == package:
            # Where no package begins with google, looking for google.genai fails like this.
            raise ModuleNotFoundError(name)
        return object()

    for other in PROVIDERS.values():
        monkeypatch.setenv(other.keys[0], KEY)
    monkeypatch.setattr(registry, "find_spec", find_spec)
    assert problem(f"{prefix}:m") == (
        f"model '{prefix}:m': its client is not installed. Run: pip install 'creaeval[{prefix}]'"
    )
    assert opened("openai:m").name == "openai:m"


def test_the_extras_that_messages_name_are_there() -> None:
    import tomllib
    from pathlib import Path

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = {provider.prefix for provider in PROVIDERS.values() if provider.package}
    assert wanted == {"anthropic", "google", "mistral", "groq"} <= set(project["optional-dependencies"])


def test_no_model_is_started_or_key_shown_by_opening_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for prefix, variable, *_ in VARIABLES:
        monkeypatch.setenv(variable, KEY)
        model = opened(f"{prefix}:m")
        assert model._backend is None
        assert KEY not in json.dumps(dict(model.identity)) + model.where + repr(model)


def test_a_plug_in_that_fails_is_reported_only_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("broken", "no_such_module:factory", registry.GROUP)
    works = EntryPoint("works", "llm.test_providers:fake", registry.GROUP)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [broken, works])
    assert open_model("works:x").name == "fake:x"
    with pytest.raises(SettingError, match="'no_such_module:factory' cannot be loaded: ModuleNotFoundError"):
        open_model("broken:x")


def test_a_plug_in_does_not_take_a_providers_place_and_two_of_one_name_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entries = [
        EntryPoint("openai", "llm.test_providers:fake", registry.GROUP),
        EntryPoint("acme", "acme.one:make", registry.GROUP),
        EntryPoint("acme", "acme.two:make", registry.GROUP),
    ]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: entries)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert opened("openai:m").identity["provider"] == "openai"
    assert "the provider 'acme' is registered twice: by acme.one and acme.two" in problem("acme:m")


def test_a_preset_may_stand_for_a_plug_ins_model(monkeypatch: pytest.MonkeyPatch) -> None:
    from creaeval.llm.providers.book import Preset

    register_provider("fake", fake)
    book = ModelBook(presets={"mine": Preset("fake:m1", {"temperature": 0.0, "concurrency": 2})})
    model = open_model("mine", book)
    assert (model.name, model.identity["model"]) == ("mine", "fake:m1")
    assert model.defaults.temperature == 0.0  # type: ignore[attr-defined]
    assert model.limits == Limits(2)  # type: ignore[attr-defined]


def test_the_built_in_model_is_known_without_its_weights(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CREAEVAL_CACHE", str(tmp_path / "none"))
    model = open_model("local")
    assert isinstance(model, LocalModel)
    assert (model.name, model.limits, model.free) == ("local", Limits(concurrency=1), True)
    assert not model.raises_limit
    assert (model.identity["model"], model.identity["sha256"]) == (weights.FILE, weights.SHA256)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", ["{}", "local:{}"])
def test_a_file_is_identified_by_name_and_hash_and_not_by_its_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, form: str
) -> None:
    monkeypatch.setenv("CREAEVAL_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "tiny.gguf"
    file.write_bytes(b"GGUF")
    identity = open_model(form.format(file)).identity
    # echo -n GGUF | sha256sum
    sha256 = "b83633aa785344791618f2fddf131b010ea04912a60430760b070bad293f65bd"
    assert set(identity) == {"provider", "base_url", "model", "sha256", "form"}
    assert (identity["provider"], identity["model"]) == ("local", "tiny.gguf")
    assert identity["sha256"] == sha256
    assert str(tmp_path) not in str(identity)


def test_a_name_that_ends_like_a_file_still_belongs_to_its_provider() -> None:
    assert opened("llamacpp:tiny.gguf").identity["provider"] == "llamacpp"
