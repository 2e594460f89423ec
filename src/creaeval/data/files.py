"""Open a file of data, parse JSON, and say what a file looks like when it is not what its name says."""

from __future__ import annotations

import json
import re
import warnings
import zipfile
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from creaeval.errors import DataError, Problems
from creaeval.wording import did_you_mean, first_few

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_OTHER_SHEETS = {".xls", ".xlsb", ".ods", ".numbers"}
_OLE = b"\xd0\xcf\x11\xe0"
_SIGNATURES = {
    b"%PDF": "a PDF",
    _OLE: "an old Office file (.doc or .xls)",
    b"{\\rtf": "an RTF document",
    b"\x1f\x8b": "a gzip archive",
    b"SQLite format 3\x00": "an SQLite database",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
}
#: Bytes that Windows-1252 text in a European language hardly ever strings together, but GBK or Shift-JIS do.
_LONG_HIGH_RUN = re.compile(rb"[\x80-\xff]{4}")


def read_bytes(path: Path) -> bytes:
    """Read a file; DataError if it is missing, empty or cannot be read."""
    if path.is_dir():
        raise DataError(f"{path}: is a folder, expected a file.")
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise DataError(f"{path}: there is no such file. Check the name and the folder.") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(f"{path}: cannot be read ({reason}).") from error
    if not data.strip():
        raise DataError(f"{path}: is empty, expected data.")
    return data


def looks_like(data: bytes) -> str | None:
    """Name what bytes look like, such as ``"a Word document (.docx)"``; None if they look like text."""
    if data.startswith(b"PK\x03\x04"):
        return _kind_of_zip(data)
    if data.startswith(_OLE) and "EncryptedPackage".encode("utf-16-le") in data:
        return "an Office file with a password"
    for signature, kind in _SIGNATURES.items():
        if data.startswith(signature):
            return kind
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    if b"\x00" in data:
        return "binary data"
    if data.lstrip()[:15].lower().startswith((b"<!doctype html", b"<html")):
        return "a web page (HTML)"
    return None


def _kind_of_zip(data: bytes) -> str:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError):
        return "a damaged zip archive"
    if "word/document.xml" in names:
        return "a Word document (.docx)"
    if any(name.startswith("xl/") for name in names):
        return "an Excel workbook (.xlsx)"
    if "content.xml" in names:
        return "an OpenDocument file"
    return "a zip archive"


def read_text(path: Path, expected: str, windows: bool = False) -> str:
    """Read a text file without its byte order mark; ``expected`` says in messages what it should be.

    ``windows``: text that is not UTF-8 may be read as Windows-1252, as Excel saves CSV. DataError if the file
    is missing, empty, no text, or in an encoding that cannot be told.
    """
    data = read_bytes(path)
    if kind := looks_like(data):
        raise DataError(f"{path}: looks like {kind}, expected {expected}. Check the file's ending.")
    try:
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            return data.decode("utf-16")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if windows and not _LONG_HIGH_RUN.search(data):
            with suppress(UnicodeDecodeError):
                return data.decode("cp1252")
        raise DataError(
            f"{path}: byte {error.start} ({data[error.start]:#04x}) is not {error.encoding}, expected "
            f"{expected} in UTF-8. Save the file again as UTF-8."
        ) from error


class _RepeatedKeyError(ValueError):
    """A key stands twice in one object; json would silently keep the last."""


def _no_repeats(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise _RepeatedKeyError(repeated)
    return result


def parse_json(text: str, where: str, first_line: int = 1) -> Any:
    """Parse one JSON document; ``where`` is its file, ``first_line`` the line it starts at.

    DataError with line and column if the text is no JSON, or if a key stands twice in one object.
    """
    try:
        return json.loads(text, object_pairs_hook=_no_repeats)
    except json.JSONDecodeError as error:
        hint = ""
        start = text.lstrip()[:20]
        if not start.startswith(("{", "[")):
            hint = f" The text starts with {start!r}, JSON with {{ or [."
        elif error.msg == "Extra data" and error.lineno > 1:
            hint = " If every line is an object of its own, name the file .jsonl."
        line = error.lineno + first_line - 1
        raise DataError(
            f"{where}, line {line}, column {error.colno}: not valid JSON ({error.msg}).{hint}"
        ) from error
    except _RepeatedKeyError as error:
        raise DataError(f"{where}: the key {error.args[0]!r} stands twice in one object.") from error
    except RecursionError as error:
        raise DataError(f"{where}: is nested too deeply to be read.") from error
    except ValueError as error:  # a number of more digits than Python reads
        raise DataError(f"{where}: not valid JSON ({error}).") from error


def parse_json_lines(text: str, where: str) -> list[tuple[int, Any]]:
    """Parse one JSON document a line, each returned with its line number, from 1; blank lines are skipped.

    DataError with every line that is no JSON.
    """
    documents: list[tuple[int, Any]] = []
    problems = Problems()
    # str.splitlines would also break at characters that may stand inside a JSON string.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            documents.append((number, parse_json(line, where, first_line=number)))
        except DataError as error:
            problems.extend(
                problem
                if f"line {number}" in problem
                else problem.replace(where, f"{where}, line {number}", 1)
                for problem in error.problems
            )
    problems.stop()
    return documents


def read_documents(path: Path) -> list[tuple[str, Any]]:
    """Read the JSON documents of a file, each with its place: one, or of a .jsonl file one a line."""
    if path.suffix.lower() == ".jsonl":
        lines = parse_json_lines(read_text(path, "JSON Lines"), str(path))
        return [(f"{path}, line {number}", document) for number, document in lines]
    return [(str(path), parse_json(read_text(path, "JSON"), str(path)))]


def read_object(value: Any, where: str, problems: Problems) -> dict[str, Any]:
    """Return a JSON object; an empty one, and a problem is noted, for another value; None is left out."""
    if value is not None and not isinstance(value, dict):
        problems.add(f"{where}: found {value!r:.80}, expected an object.")
    return value if isinstance(value, dict) else {}


def refuse_unknown(entry: Iterable[object], known: Sequence[str], where: str, problems: Problems) -> None:
    """Note each key of an object that is not known."""
    for key in map(str, entry):
        if key not in known:
            hint = did_you_mean(key, known) or f"Expected {', '.join(known)}."
            problems.add(f"{where}: unknown key {key!r}. {hint}")


def list_files(paths: str | Path | Sequence[str | Path], endings: set[str]) -> list[Path]:
    """Replace each folder among paths by the files in it that have one of the endings, sorted.

    Hidden files and Word's lock files (``~$...``) in a folder are left out; files given by name are kept
    whatever their ending. What else is left out of a folder is named in a UserWarning. DataError if a folder
    holds no such file, or no path was given.
    """
    files: list[Path] = []
    for path in [Path(paths)] if isinstance(paths, str | Path) else map(Path, paths):
        if not path.is_dir():
            files.append(path)
            continue
        shown = sorted(f for f in path.iterdir() if f.is_file() and not f.name.startswith((".", "~$")))
        inside = [file for file in shown if file.suffix.lower() in endings]
        expected = ", ".join(sorted(endings))
        if not inside:
            raise DataError(f"{path}: no file to read in this folder, expected {expected}.")
        if others := [file.name for file in shown if file not in inside]:
            warnings.warn(f"{path}: not read: {first_few(others)}; expected {expected}.", stacklevel=2)
        files += inside
    if not files:
        raise DataError("No file was given, expected at least one.")
    return files


def unknown_ending(path: Path, endings: set[str]) -> DataError:
    """Make the error for a file of a form that is not read."""
    if not path.exists():
        return DataError(f"{path}: there is no such file. Check the name and the folder.")
    if path.suffix.lower() in _OTHER_SHEETS:
        return DataError(
            f"{path}: spreadsheets ending in {path.suffix!r} are not read. Save it as .xlsx or CSV (UTF-8)."
        )
    return DataError(f"{path}: ends in {path.suffix!r}, expected one of {', '.join(sorted(endings))}.")
