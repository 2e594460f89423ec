"""Open a file of data, parse JSON, and say what a file looks like when it is not what its name says."""

from __future__ import annotations

import json
import re
import warnings
import zipfile
import zlib
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from creaeval.errors import DataError, Problems
from creaeval.wording import did_you_mean, first_few

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_OTHER_SHEETS = {".xls", ".xlsb", ".ods", ".numbers"}
_OTHER_DOCUMENTS = {".doc", ".dot", ".rtf", ".odt", ".pages", ".wpd", ".wps"}
_TEXTS = {".txt", ".md", ".pdf"}
_ABOUT = re.compile(r"read[ _-]?me|licen[cs]e|source|changelog|scenarios?|future[ _-]scenes?", re.IGNORECASE)
#: How zipfile answers damage: RuntimeError for a part with a password, ValueError for a name that is none.
_UNZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)
#: What an Office file may unpack to. Ten thousand rows of long responses are about a tenth of it.
MAX_UNPACKED = 200_000_000
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
#: Letters of UTF-8 within words, which no Windows encoding strings together.
_IN_UTF8 = re.compile(rb"[a-z]\xc3[\x80-\xbf]")
#: Letters of Windows-1250 that are signs in Windows-1252, within words.
_IN_POLISH = re.compile(rb"[a-z\xea\xf3][\xb9\xb3\xbf\x9c\x9f\xe6\xf1][a-z\xea\xf3]|\b[\xb3\xbf\x9f][a-z]{2}")


class Office(NamedTuple):
    """A kind of Office file, as messages speak of it: ``name`` as :func:`looks_like` gives it."""

    name: str
    noun: str
    program: str
    ending: str
    smaller: str

    def damaged(self, path: Path, error: Exception) -> DataError:
        """Make the error for a file that cannot be unpacked or parsed."""
        return DataError(
            f"{path}: the {self.noun} is damaged ({str(error)[:200]}). Open it in {self.program} and save it "
            "again."
        )


WORKBOOK = Office(
    "an Excel workbook (.xlsx)",
    "workbook",
    "Excel",
    ".xlsx",
    "Save the sheet alone, without empty formatted rows and pictures, or as CSV (UTF-8).",
)
DOCUMENT = Office(
    "a Word document (.docx)",
    "Word document",
    "Word",
    ".docx",
    "Save it again without pictures, or as text (.txt, UTF-8).",
)


def check_archive(data: bytes, path: Path, office: Office, most: int = MAX_UNPACKED) -> None:
    """Refuse what is no such Office file, unpacks to more than ``most`` bytes, or declares a document type.

    Nothing is unpacked but the first bytes of each part. DataError says what is wrong and what to do.
    """
    kind = looks_like(data) or f"text that starts with {data[:20].decode('utf-8', 'replace')!r}"
    if kind != office.name:
        advice = (
            f"Open it in {office.program}, take the password off and save it again."
            if "password" in kind
            else f"Open it in {office.program} or a program like it and save it as {office.ending}."
        )
        raise DataError(f"{path}: looks like {kind}, expected {office.name}. {advice}")
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            size = sum(info.file_size for info in archive.infolist())
            if size > most:
                raise DataError(
                    f"{path}: unpacks to {size // 1_000_000} MB, expected at most {most // 1_000_000}. "
                    f"{office.smaller}"
                )
            for info in archive.infolist():
                if info.filename.endswith((".xml", ".rels")):
                    with archive.open(info) as part:
                        # Zeros stand between the letters of UTF-16.
                        if b"<!DOCTYPE" in part.read(2000).replace(b"\x00", b"").upper():
                            raise DataError(
                                f"{path}: {info.filename} declares a document type, which no {office.noun} "
                                f"does. Open it in {office.program} and save it again."
                            )
    except _UNZIP_ERRORS as error:
        raise office.damaged(path, error) from error


def read_bytes(path: Path, most: int | None = None) -> bytes:
    """Read a file; DataError if it is missing, empty, cannot be read, or has more than ``most`` bytes."""
    if path.is_dir():
        raise DataError(f"{path}: is a folder, expected a file.")
    try:
        if most is not None and (size := path.stat().st_size) > most:
            raise DataError(
                f"{path}: has {size / 1e6:,.1f} MB, expected at most {most / 1e6:,.0f}. Split it: "
                "several files are read together."
            )
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
    if b"\x00" in data and not _utf16_without_mark(data):
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
    if any(name.startswith("word/") for name in names):
        return "a Word document (.docx)"
    if any(name.startswith("xl/") for name in names):
        return "an Excel workbook (.xlsx)"
    if "content.xml" in names:
        return "an OpenDocument file"
    return "a zip archive"


def read_text(path: Path, expected: str, guess_encoding: bool = False, most: int | None = None) -> str:
    """Read a text file without its byte order mark; ``expected`` says in messages what it should be.

    ``guess_encoding``: text that is not UTF-8 is read as what it seems to be, as spreadsheets save CSV.
    DataError if the file is missing, empty, no text, larger than ``most`` bytes, or in an encoding nobody
    can tell.
    """
    data = read_bytes(path, most)
    if kind := looks_like(data):
        raise DataError(f"{path}: looks like {kind}, expected {expected}. Check the file's ending.")
    try:
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            return data.decode("utf-16")
        if encoding := _utf16_without_mark(data):
            return data.decode(encoding)
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if guess_encoding and (text := decode(data)):
            return text
        raise DataError(
            f"{path}: byte {error.start} ({data[error.start]:#04x}) is not {error.encoding}, expected "
            f"{expected} in UTF-8. Save the file again as UTF-8."
        ) from error


def _utf16_without_mark(data: bytes) -> str:
    """Tell UTF-16 by the zeros in every other byte of its ASCII letters; nothing for other text."""
    sample = data[:2000]
    low, high = sample[1::2].count(0), sample[::2].count(0)
    if max(low, high) < len(sample) / 5:
        return ""
    return "utf-16-le" if low > high else "utf-16-be"


def decode(data: bytes) -> str:
    """Decode text of a Windows encoding, GB18030, Big5 or Shift-JIS; nothing if it seems to be none."""
    if _IN_UTF8.search(data):
        return ""  # some of it is UTF-8
    if _LONG_HIGH_RUN.search(data) or not _is_western(data):
        from charset_normalizer import from_bytes

        best = from_bytes(data, cp_isolation=["gb18030", "cp932", "big5", "cp1252"]).best()
        if best is not None and best.encoding != "cp1252":
            return str(best)
    for encoding in ("cp1250", "cp1252") if _IN_POLISH.search(data) else ("cp1252",):
        with suppress(UnicodeDecodeError):
            return data.decode(encoding)
    return ""


def _is_western(data: bytes) -> bool:
    """Whether letters beyond ASCII stand between ASCII ones, as in European languages."""
    high = re.findall(rb"[\x80-\xff]+", data)
    return bool(high) and sum(len(run) == 1 for run in high) >= 0.9 * len(high)


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


def list_files(
    paths: str | Path | Sequence[str | Path], endings: set[str], say: Callable[[str], None] = warnings.warn
) -> list[Path]:
    """Replace each folder among paths by the files in it that have one of the endings, sorted.

    Hidden files and Word's lock files (``~$...``) are left out; other files given by name are kept whatever
    their ending. What else is left out of a folder is named, to ``say``: texts beside tables, which are
    notes about them, and what is called a README, a licence, a source or a scenario. DataError if a folder
    holds no such file, or no path was given.
    """
    files: list[Path] = []
    for path in [Path(paths)] if isinstance(paths, str | Path) else map(Path, paths):
        if not path.is_dir():
            files += [] if is_hidden(path) else [path]
            continue
        shown = sorted(f for f in path.iterdir() if f.is_file() and not is_hidden(f))
        shown += _documents_below(path)
        inside = [file for file in shown if file.suffix.lower() in endings]
        has_tables = any(file.suffix.lower() not in {*_TEXTS, ".docx"} for file in inside)
        inside = [file for file in inside if not _is_beside(file, has_tables)]
        expected = ", ".join(sorted(endings))
        if not inside:
            raise DataError(f"{path}: no file to read in this folder, expected {expected}.")
        if others := [file.name for file in shown if file not in inside]:
            say(f"{path}: not read: {first_few(others)}; expected {expected}.")
        files += inside
    if not files:
        raise DataError("No file was given, expected at least one.")
    return files


def _documents_below(folder: Path) -> list[Path]:
    """Return the texts in folders of a folder, as of classes; tables there, as in results, are left alone."""
    return sorted(
        file
        for file in folder.glob("*/**/*")
        if file.is_file()
        and file.suffix.lower() in {*_TEXTS, ".docx"}
        and not any(map(is_hidden, (file, *(p for p in file.parents if p != folder and folder in p.parents))))
        and not (file.parent / "run.json").exists()
    )


def is_hidden(path: Path) -> bool:
    """Whether a file is hidden, a lock file of an Office program, or one that a system keeps for itself."""
    return path.name.startswith((".", "~$")) or path.name.lower() in {"thumbs.db", "desktop.ini"}


def _is_beside(file: Path, has_tables: bool) -> bool:
    """Whether a file of a folder says something about the others: a README, a text beside tables."""
    ending = file.suffix.lower()
    if ending in _TEXTS and has_tables:
        return True
    return ending in {*_TEXTS, ".docx"} and _ABOUT.fullmatch(file.stem) is not None


def unknown_ending(path: Path, endings: set[str]) -> DataError:
    """Make the error for a file of a form that is not read."""
    if not path.exists():
        return DataError(f"{path}: there is no such file. Check the name and the folder.")
    kind = looks_like(read_bytes(path)[:4000])
    seems = f" and looks like {kind}" if kind is not None and "Office" not in kind else ""
    if path.suffix.lower() in _OTHER_SHEETS:
        return DataError(
            f"{path}: spreadsheets ending in {path.suffix!r} are not read{seems and f'; it{seems[4:]}'}. "
            "Save it as .xlsx or CSV (UTF-8)."
        )
    if path.suffix.lower() in _OTHER_DOCUMENTS:
        return DataError(
            f"{path}: documents ending in {path.suffix!r} are not read. Open it in the program it was "
            "written with and save it as .docx, or as text (.txt, UTF-8)."
        )
    return DataError(f"{path}: ends in {path.suffix!r}{seems}, expected one of {', '.join(sorted(endings))}.")
