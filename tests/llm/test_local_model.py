from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from creaeval.errors import SettingError
from creaeval.llm.chat import AttemptError, ChatRequest, Message, Settings
from creaeval.llm.local import child, weights
from creaeval.llm.local.model import LocalModel

SCHEMA = {
    "type": "object",
    "properties": {
        "note": {"type": "string", "maxLength": 40},
        "points": {"type": "integer", "minimum": 0, "maximum": 5},
    },
    "required": ["note", "points"],
    "additionalProperties": False,
}
REQUEST = ChatRequest(
    "You judge ideas.", (Message("user", "Rate: a brick as a drum."),), SCHEMA, "Note", Settings(0.0, 120)
)


@pytest.fixture
def _cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CREAEVAL_CACHE", str(tmp_path / "cache"))


def start(path: Path) -> None:
    async def go() -> None:
        model = LocalModel(str(path))
        try:
            await model.start()
        finally:
            await model.close()

    asyncio.run(go())


@pytest.mark.usefixtures("_cache")
def test_a_missing_file_and_one_that_is_no_gguf_are_named(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"no\.gguf: there is no such file"):
        start(tmp_path / "no.gguf")
    text = tmp_path / "text.gguf"
    text.write_text("hello")
    with pytest.raises(SettingError, match=r"text\.gguf: this is not a GGUF model"):
        start(text)
    with pytest.raises(SettingError, match="this is not a GGUF model"):
        _ = LocalModel(str(text)).identity


@pytest.mark.usefixtures("_cache")
@pytest.mark.skipif(find_spec("xllamacpp") is None, reason="the extra 'local' is not installed")
def test_a_file_that_llama_cpp_cannot_load_is_named_and_the_child_is_gone(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\x00" * 200)
    with pytest.raises(SettingError, match=r"broken\.gguf: the local model could not be started"):
        start(broken)


def test_reasoning_is_refused_before_the_first_call() -> None:
    asyncio.run(LocalModel().check(Settings(reasoning="none")))
    with pytest.raises(SettingError, match="local does not reason: found reasoning=low"):
        asyncio.run(LocalModel().check(Settings(reasoning="low")))


def test_without_llama_cpp_the_line_that_installs_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(SettingError, match=r'(?m)^pip install "creaeval\[local\]"$'):
        child.check_machine()


def test_a_processor_without_avx2_is_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: True)
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: "processor: 0\nflags : fpu sse4_2 avx\n")
    with pytest.raises(SettingError, match="needs a processor with AVX2"):
        child.check_machine()


def _built_in_is_here() -> bool:
    try:
        weights.find_parts()
    except SettingError:
        return False
    return find_spec("xllamacpp") is not None


@pytest.mark.slow
@pytest.mark.skipif(not _built_in_is_here(), reason="the extra 'local' is not installed")
def test_the_real_model_answers_by_the_schema_is_cancelled_and_ends_with_its_parent() -> None:
    async def go() -> None:
        model = LocalModel()
        try:
            # Started twice at once, it starts one child.
            await asyncio.gather(model.start(), model.start())
            assert model._child is not None
            process = model._child._process
            assert process is not None
            reply = await model.request(REQUEST)
            value = json.loads(reply.text)
            assert (reply.finish, set(value), value["points"] in range(6)) == (
                "stop",
                {"note", "points"},
                True,
            )
            # The same request reads its prompt from the cache.
            again = await model.request(REQUEST)
            assert (again.text, again.usage.cached > again.usage.input // 2) == (reply.text, True)

            # llama.cpp's grammar repeats nothing more than 2,000 times, so the length comes from many texts.
            texts = {"type": "array", "minItems": 200, "items": {"type": "string", "minLength": 80}}
            essay = {"type": "object", "properties": {"texts": texts}, "required": ["texts"]}
            long = replace(REQUEST, schema=essay, settings=Settings(0.0, 3000))
            task = asyncio.create_task(model.request(long))
            await asyncio.sleep(1.5)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            started = time.monotonic()
            await model.request(REQUEST)
            # 3,000 tokens take minutes: the slot was freed.
            assert time.monotonic() - started < 30

            too_long = replace(REQUEST, system="word " * 20_000)
            with pytest.raises(AttemptError, match=r"the prompt has 200\d\d tokens and the context 16384"):
                await model.request(too_long)
        finally:
            await model.close()
        assert process.poll() is not None

    asyncio.run(go())


@pytest.mark.slow
@pytest.mark.skipif(not _built_in_is_here(), reason="the extra 'local' is not installed")
def test_the_child_ends_when_its_standard_input_closes() -> None:
    async def go() -> int:
        one = child.Child(weights.built_in_weights(), 1024)
        try:
            assert (await one.start()).startswith("http://127.0.0.1:")
            assert one._process is not None
            assert one._process.stdin is not None
            one._process.stdin.close()
            return one._process.wait(5)
        finally:
            one.stop()

    assert asyncio.run(go()) == 0
