"""Responses in text, Markdown and PDF, and files that are refused before they are unpacked."""

from __future__ import annotations

import sys
import types
import zipfile
from typing import TYPE_CHECKING, Any

import docx
import pytest

from creaeval.data import read_responses
from creaeval.data.formats import docx_text, text_files
from creaeval.data.formats.blocks import PLAIN
from creaeval.data.formats.headings import titles_of
from creaeval.tasks import load_task

from ..support import cgpst, the_problem, write
from .documents import TITLES, WRITTEN, numbered, with_titles, written_in

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# What is said of a file is asserted where it is the subject.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def plain(marks: str = "", between: str = "\n") -> str:
    """Return a booklet as text, each title behind marks."""
    return between.join(
        "\n".join([f"{marks}{title}", *numbered(step)]) for title, step in zip(TITLES, WRITTEN, strict=True)
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", plain()),
        ("a.txt", plain(between="\n\n")),
        ("a.md", "# Team Puffins\n\n" + plain("## ", "\n\n")),
        ("a.md", plain("**").replace("\n1. ", "**\n1. ").replace(TITLES[0], f"{TITLES[0]}**")),
        ("a.txt", "Port Salt\r\n=========\r\n" + plain().replace("\n", "\r\n")),
    ],
)
def test_texts_and_markdown_are_read_by_the_same_headings(tmp_path: Path, name: str, text: str) -> None:
    assert written_in(write(tmp_path / name, text)) == WRITTEN


def test_a_table_in_markdown_is_written_as_a_table_of_word_is(tmp_path: Path) -> None:
    grid = "| Solution | C1 | C2 | Total |\n|---|:-:|---|---|\n| 1 | 2 | 1 | 3 |\n| 2 | 1 | 2 | 3 |"
    text = plain("# ", "\n\n").replace("\n".join(WRITTEN["step5"]), grid)
    assert written_in(write(tmp_path / "a.md", text)) == WRITTEN


def test_stories_are_whole_files_of_any_of_these_forms(tmp_path: Path) -> None:
    write(tmp_path / "01 lamp.txt", "The lamp burned.\r\n\r\nNobody paid.")
    write(tmp_path / "Möwe.txt", "Die Möwe fliegt über das Meer.".encode("cp1252"))
    write(tmp_path / "robot.md", "# Robot\n\nStep 1: it counted.\n")
    for name in (".DS_Store", "~$robot.docx", "Thumbs.db"):
        write(tmp_path / name, b"\x00\x01")
    stories = read_responses(tmp_path, load_task("ttcw"))
    assert {story.id: story.steps["story"].text for story in stories} == {
        "01 lamp": "The lamp burned.\n\nNobody paid.",
        "Möwe": "Die Möwe fliegt über das Meer.",
        "robot": "# Robot\n\nStep 1: it counted.",
    }


def test_a_lock_file_that_the_shell_names_is_passed_over(tmp_path: Path) -> None:
    lock = write(tmp_path / "~$owl.docx", b"\x05lock")
    story = write(tmp_path / "owl.txt", "It flew.")
    assert [r.id for r in read_responses([lock, story], load_task("ttcw"))] == ["owl"]


def test_texts_beside_tables_and_read_me_files_are_no_responses(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "id,story\n1,It flew.\n")
    write(tmp_path / "about.txt", "These are stories.")
    with pytest.warns(UserWarning, match=r"not read: about\.txt"):
        assert [r.id for r in read_responses(tmp_path, load_task("ttcw"))] == ["1"]
    (tmp_path / "a.csv").unlink()
    write(tmp_path / "README.md", "# Read me")
    write(tmp_path / "scenario.txt", "In 2051")
    with pytest.warns(UserWarning, match=r"not read: README\.md, scenario\.txt"):
        assert [r.id for r in read_responses(tmp_path, load_task("ttcw"))] == ["about"]


def pdf(lines: Sequence[str]) -> bytes:
    """Write a PDF of one page, a line of text a line."""
    shown = " ".join(f"({line}) Tj T*".replace("’", "'") for line in lines)
    stream = f"BT /F1 10 Tf 12 TL 40 800 Td {shown} ET".encode("latin-1")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 842] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % start


def test_a_pdf_with_text_is_read(tmp_path: Path) -> None:
    pytest.importorskip("pypdf")
    lines = [line for title, step in zip(TITLES, WRITTEN, strict=True) for line in (title, *numbered(step))]
    assert written_in(write(tmp_path / "a.pdf", pdf(lines))) == WRITTEN
    empty = write(tmp_path / "b.pdf", pdf([]))
    assert "holds no text, only pictures of it" in the_problem(lambda: read_responses([empty], cgpst()))
    cut = write(tmp_path / "c.pdf", pdf(lines)[:300])
    assert the_problem(lambda: read_responses([cut], cgpst())).startswith(f"{cut}: ")


class Reader:
    """What pypdf gives of a file, as far as it is asked."""

    is_encrypted = False
    text = ""

    def __init__(self, stream: Any) -> None:
        self.pages = [types.SimpleNamespace(extract_text=lambda: self.text)]

    def decrypt(self, password: str) -> int:
        """Say that the password is wrong."""
        return 0


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> type[Reader]:
    """Put a reader of its own in pypdf's place, whose text and pages the test chooses."""
    chosen = type("Chosen", (Reader,), {})
    monkeypatch.setitem(sys.modules, "pypdf", types.SimpleNamespace(PdfReader=chosen))
    return chosen


def test_lines_that_a_page_broke_are_joined(tmp_path: Path, reader: type[Reader]) -> None:
    reader.text = "\n".join(
        [
            "Step 1: Identify Challenges",
            "1. Gulls may follow the drones into the market, and nobody knows how to drive them a-",
            "way.",
            "2. Old captains may lose their work when the drones fish by night and the harbour is",
            "empty by day, as it was in the war.",
            "Step 2: Select an Underlying Problem",
            "Since drones fish by night, how might we keep the captains at work in Port Salt, so",
            "that the town does not lose them?",
        ]
    )
    assert written_in(write(tmp_path / "a.pdf", b"%PDF-1.4")) == {
        "step1": [
            "Gulls may follow the drones into the market, and nobody knows how to drive them away.",
            "Old captains may lose their work when the drones fish by night and the harbour is empty by day, "
            "as it was in the war.",
        ],
        "step2": [
            "Since drones fish by night, how might we keep the captains at work in Port Salt, so that the "
            "town does not lose them?"
        ],
    }


def test_a_pdf_without_text_with_a_password_or_with_too_many_pages_is_refused(
    tmp_path: Path, reader: type[Reader], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.pdf", b"%PDF-1.4")
    assert "Run text recognition (OCR)" in the_problem(lambda: read_responses([path], cgpst()))
    monkeypatch.setattr(text_files, "_MOST_PAGES", 0)
    assert "has 1 pages, expected at most 0" in the_problem(lambda: read_responses([path], cgpst()))
    reader.is_encrypted = True
    assert "has a password" in the_problem(lambda: read_responses([path], cgpst()))
    other = write(tmp_path / "b.pdf", "no such thing")
    assert "looks like text, expected a PDF" in the_problem(lambda: read_responses([other], cgpst()))


def test_without_pypdf_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    path = write(tmp_path / "a.pdf", b"%PDF-1.4")
    problem = the_problem(lambda: read_responses([path], cgpst()))
    assert problem.endswith('Run: pip install "creaeval[pdf]" or save the file as .docx.')


def test_files_that_are_too_large_are_refused_before_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_files, "_MOST_TEXT", 1_000_000)
    path = write(tmp_path / "a.txt", "a " * 1_000_000)
    assert f"{path}: has 2.0 MB, expected at most 1." in the_problem(lambda: read_responses([path], cgpst()))


def rewrite(path: Path, name: str, content: bytes) -> Path:
    """Write an Office file anew with another content of one part."""
    out = path.with_name("changed.docx")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            new.writestr(part, content if part == name else old.read(part))
    return out


def test_a_document_that_unpacks_to_too_much_is_refused_unread(tmp_path: Path) -> None:
    path = with_titles(tmp_path / "a.docx", TITLES)
    bomb = rewrite(path, "word/document.xml", bytes(docx_text._MAX_TEXT + 1_000_000))
    assert bomb.stat().st_size < 200_000
    assert "its text unpacks to 21 MB, expected at most 20. Save it again without pictures" in the_problem(
        lambda: read_responses([bomb], cgpst())
    )


@pytest.mark.parametrize(
    ("encoding", "message"), [("utf-8", "word/document.xml declares"), ("utf-16", "declares a document type")]
)
def test_a_document_with_a_document_type_is_refused(tmp_path: Path, encoding: str, message: str) -> None:
    path = with_titles(tmp_path / "a.docx", TITLES)
    with zipfile.ZipFile(path) as archive:
        text = archive.read("word/document.xml").decode()
    start = text.index("<w:document")
    head = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE x [<!ENTITY a "b">]>'
    changed = rewrite(path, "word/document.xml", (head + text[start:]).encode(encoding))
    assert message in the_problem(lambda: read_responses([changed], cgpst()))


def test_a_word_document_of_the_strict_form_is_read(tmp_path: Path) -> None:
    path = with_titles(tmp_path / "a.docx", TITLES)
    with zipfile.ZipFile(path) as archive:
        content = archive.read("word/document.xml")
    strict = content.replace(
        b"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        b"http://purl.oclc.org/ooxml/wordprocessingml/main",
    )
    assert strict != content
    assert written_in(rewrite(path, "word/document.xml", strict)) == WRITTEN


def test_pictures_are_not_in_the_way(tmp_path: Path) -> None:
    path = with_titles(tmp_path / "a.docx", TITLES)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("word/media/photo.png", bytes(1_000_000))
    assert written_in(path) == WRITTEN
    assert docx.Document(str(path)).paragraphs


@pytest.mark.parametrize(
    ("titles", "line"),
    [
        (
            ["Challenges:", "Underlying Problem:", "Solutions:", "Criteria:", "Our verdict:", "Action Plan:"],
            "verdict",
        ),
        ([*(title.upper() for title in TITLES[:4]), "OUR VERDICT", TITLES[5].upper()], "VERDICT"),
    ],
)
def test_a_plain_line_set_as_the_headings_are_is_refused_where_a_step_is_missing(
    tmp_path: Path, titles: list[str], line: str
) -> None:
    text = "\n".join(f"{title}\n{WRITTEN[step][0]}" for title, step in zip(titles, WRITTEN, strict=True))
    problem = the_problem(lambda: read_responses([write(tmp_path / "a.txt", text)], cgpst()))
    assert line in problem
    assert "may be that of step5" in problem


def test_a_title_in_words_of_one_s_own_is_told_by_its_number(tmp_path: Path) -> None:
    titles = [*TITLES[:4], "Step 5: Our verdict", TITLES[5]]
    text = "\n".join("\n".join([t, *numbered(step)]) for t, step in zip(titles, WRITTEN, strict=True))
    assert written_in(write(tmp_path / "a.txt", text)) == WRITTEN


@pytest.mark.parametrize("line", ["Step 2 of the fog plan is ours to make.", "第2步的文字写得很好。"])
def test_a_line_of_text_that_begins_like_a_heading_stays_whole(line: str) -> None:
    heading = titles_of(cgpst()).read(line, PLAIN)
    assert heading is None


@pytest.mark.parametrize(
    "line", ["Step 2: how might we mend nets?", "Step 2 How might we mend nets?", "第2步：文字"]
)
def test_an_answer_behind_a_heading_is_parted_from_it(line: str) -> None:
    heading = titles_of(cgpst()).read(line, PLAIN)
    assert heading is not None
    assert (heading.step, line.endswith(heading.rest), len(heading.rest) < len(line)) == ("step2", True, True)
