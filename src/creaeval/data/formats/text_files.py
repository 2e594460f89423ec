"""Text, Markdown and PDF files as blocks."""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING

from creaeval.data.files import looks_like, read_bytes, read_text
from creaeval.data.formats.blocks import BOLD, HEADING, PLAIN, Grid, Line
from creaeval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from creaeval.data.formats.blocks import Block

_MOST_TEXT = 5_000_000  # bytes; a long novel has a million
_MOST_PDF = 50_000_000
_MOST_PAGES = 500
INSTALL = 'pip install "creaeval[pdf]"'
_LIST_MARK = re.compile(r"\s*(?:[•‣◦▪●○*–—-]\s|[(（]?\d{1,2}[.):、）]|[a-z][.)]\s)")
_SENTENCE_END = ".?!:;…”\"'»)]。？！：；”"


def read_plain(path: Path) -> str:
    """Read the text of a .txt or .md file in UTF-8, UTF-16 or Windows-1252; DataError if it is none."""
    return read_text(path, "a text (UTF-8)", guess_encoding=True, most=_MOST_TEXT)


def text_blocks(text: str, markdown: bool) -> list[Block]:
    """Return the lines of a text; in Markdown headings and bold lines are told, and tables are tables."""
    blocks: list[Block] = []
    rows: list[list[list[Block]]] = []
    for line in text.splitlines():
        if markdown and re.match(r"\s*\|.*\|\s*$", line):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
                rows.append([[_markdown_line(cell)] for cell in cells])
            continue
        if rows:
            blocks.append(Grid(rows))
            rows = []
        blocks.append(_markdown_line(line) if markdown else Line(line))
    return [*blocks, Grid(rows)] if rows else blocks


def _markdown_line(line: str) -> Line:
    if match := re.match(r"#{1,6}\s+(.*?)\s*#*$", line):
        return Line(match[1].strip("*_ "), HEADING)
    if match := re.fullmatch(r"\s*(\*\*|__)(.+?)\1\s*[:：]?\s*", line):
        return Line(match[2], BOLD)
    if match := re.match(r"(\*\*|__)(.+?)\1(?=.)", line):
        return Line(match[2] + line[match.end() :], PLAIN, len(match[2]))
    return Line(line)


def read_pdf(path: Path) -> list[str]:
    """Read the lines of a PDF's text, as they were broken on its pages.

    DataError if it is none, is damaged or protected, has no text but pictures of it, or if pypdf is not
    installed.
    """
    data = read_bytes(path, _MOST_PDF)
    if (kind := looks_like(data)) != "a PDF":
        raise DataError(f"{path}: looks like {kind or 'text'}, expected a PDF. Check the file's ending.")
    try:
        from pypdf import PdfReader
    except ImportError as error:
        raise DataError(
            f"{path}: reading PDF needs pypdf, which is not installed. Run: {INSTALL} or save the "
            "file as .docx."
        ) from error
    try:
        reader = PdfReader(BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise DataError(f"{path}: has a password. Save it without one.")
        if len(reader.pages) > _MOST_PAGES:
            raise DataError(f"{path}: has {len(reader.pages)} pages, expected at most {_MOST_PAGES}.")
        lines = [line for page in reader.pages for line in page.extract_text().splitlines()]
    except DataError:
        raise
    except Exception as error:  # pypdf answers damage with whatever its parser runs into
        raise DataError(
            f"{path}: the PDF is damaged ({str(error)[:200]}). Open it in the program it was written with "
            "and save it again."
        ) from error
    if not any(line.strip() for line in lines):
        raise DataError(
            f"{path}: the PDF holds no text, only pictures of it. Run text recognition (OCR) over it, or "
            "save the booklet as .docx."
        )
    return lines


def join_wrapped(lines: Sequence[str], opens: Callable[[str], bool]) -> Iterator[str]:
    """Join lines that were broken for want of room: the next one's first word would not have fitted.

    ``opens`` says of a line that it starts a paragraph wherever the one before ends.
    """
    width = max(map(len, lines), default=0)
    paragraph = ""
    for line in map(str.rstrip, lines):
        if (
            paragraph
            and not opens(line)
            and not opens(paragraph)
            and _goes_on(paragraph.rpartition("\n")[2], line, width)
        ):
            paragraph = _join(paragraph, line.strip())
            continue
        if paragraph:
            yield paragraph.replace("\n", "")
        paragraph = line
    if paragraph:
        yield paragraph.replace("\n", "")


def _goes_on(last: str, line: str, width: int) -> bool:
    words = line.split()
    if not words or _LIST_MARK.match(line):
        return False
    # Letters differ in width, so that a full line may have a tenth fewer characters than another.
    room = 0.9 if last[-1:] in _SENTENCE_END else 0.8
    return len(last) + 1 + len(words[0]) > width * room


def _join(paragraph: str, line: str) -> str:
    """Put a line behind a paragraph; the line break stays as a mark of where the last line begins."""
    if re.search(r"[^\W\d_]-$", paragraph) and line[:1].islower():
        return f"{paragraph[:-1]}\n{line}"
    space = "" if paragraph[-1:] > "\u2e80" else " "
    return f"{paragraph}{space}\n{line}"
