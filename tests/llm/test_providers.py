from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING

import pytest

from creaeval.errors import SettingError
from creaeval.llm import providers
from creaeval.llm.local import weights
from creaeval.llm.providers import open_model, register_provider

from .support import FakeModel, verdict

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.llm.chat import ChatModel


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setattr(providers, "_FACTORIES", dict(providers._FACTORIES))


def fake(rest: str) -> ChatModel:
    return FakeModel(lambda *_: verdict(), name=f"fake:{rest}")


def test_a_registered_provider_gets_what_follows_the_colon() -> None:
    register_provider("fake", fake)
    assert open_model("fake:a:b").name == "fake:a:b"


def test_a_prefix_registered_twice_names_both_modules() -> None:
    with pytest.raises(
        ValueError, match=r"registered twice: by creaeval\.llm\.providers and by llm\.test_providers"
    ):
        register_provider("openai", fake)


def test_an_unknown_name_lists_the_known_ones_and_the_nearest() -> None:
    with pytest.raises(SettingError, match=r"expected one of local, openai.*Did you mean 'openai'"):
        open_model("opneai:m1")


def test_without_key_and_server_the_variable_to_set_is_named() -> None:
    with pytest.raises(SettingError, match="set OPENAI_API_KEY to your key, or OPENAI_BASE_URL"):
        open_model("openai:m1")
    with pytest.raises(SettingError, match="expected a name after the colon"):
        open_model("openai:")


def test_a_server_of_ones_own_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8000/v1")
    model = open_model("openai:qwen")
    assert model.identity == {"provider": "openai", "base_url": "http://127.0.0.1:8000/v1", "model": "qwen"}
    monkeypatch.setenv("OPENAI_BASE_URL", "localhost")
    with pytest.raises(SettingError, match="OPENAI_BASE_URL: expected a URL"):
        open_model("openai:qwen")


def test_a_key_alone_means_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-something")
    model = open_model("openai:gpt-x")
    assert (model.name, model.free) == ("openai:gpt-x", False)
    assert model.identity["base_url"] == "https://api.openai.com/v1"


def test_a_plug_in_that_fails_is_reported_only_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("broken", "no_such_module:factory", providers.GROUP)
    works = EntryPoint("works", "llm.test_providers:fake", providers.GROUP)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [broken, works])
    assert open_model("works:x").name == "fake:x"
    with pytest.raises(SettingError, match="'no_such_module:factory' cannot be loaded: ModuleNotFoundError"):
        open_model("broken:x")


def test_the_built_in_model_is_known_without_its_weights(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CREAEVAL_CACHE", str(tmp_path / "none"))
    model = open_model("local")
    assert (model.name, model.concurrency, model.free) == ("local", 1, True)
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
