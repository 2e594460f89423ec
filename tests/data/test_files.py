from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import docx
import pytest

from creaeval.data import read_ratings, read_responses

from .support import cgpst, problems_of, the_problem, write

if TYPE_CHECKING:
    from pathlib import Path


def word() -> bytes:
    out = io.BytesIO()
    docx.Document().save(out)
    return out.getvalue()


def archive(name: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr(name, "x")
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", word(), "looks like a Word document (.docx), expected JSON"),
        ("a.csv", archive("xl/workbook.xml"), "looks like an Excel workbook (.xlsx), expected CSV"),
        (
            "a.docx",
            archive("xl/workbook.xml"),
            "looks like an Excel workbook (.xlsx), expected a Word document",
        ),
        ("a.docx", archive("content.xml"), "looks like an OpenDocument file"),
        ("a.docx", archive("word/document.xml"), "the Word document is damaged"),
        ("a.docx", b"PK\x03\x04oops", "looks like a damaged zip archive"),
        ("a.docx", b"Dear all", "looks like text that starts with 'Dear all', expected a Word document"),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1", "looks like an old Office file (.doc or .xls)"),
        ("a.jsonl", b"%PDF-1.7", "looks like a PDF, expected JSON Lines"),
        ("a.csv", b"<!DOCTYPE html><p>", "looks like a web page (HTML)"),
        ("a.csv", b"id,response\n1,a\x00wall\n", "looks like binary data"),
        ("a.txt", bytes(range(256)), "looks like binary data"),
        ("a.json", b"id,step1\n", "The text starts with 'id,step1\\n', JSON with { or ["),
        ("a.json", b"", "is empty, expected data"),
        ("a.csv", b" \n", "is empty, expected data"),
        ("a.json", b'{"id": "\xff"}', "byte 8 (0xff) is not utf-8"),
        ("a.xlsx", archive("xl/workbook.xml"), "the workbook is damaged"),
        ("a.pages", b"x", "documents ending in '.pages' are not read"),
        ("a.doc", b"x", "save it as .docx, or as text (.txt, UTF-8)"),
        ("a.jpg", b"x", "ends in '.jpg', expected one of .csv, .docx, .dta, .json, .jsonl, .md, .pdf, .sav,"),
    ],
)
def test_a_file_that_is_not_what_its_name_says_is_named(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = write(tmp_path / name, content)
    problem = the_problem(lambda: read_responses([path], cgpst()))
    assert problem.startswith(f"{path}: ") or problem.startswith(f"{path}, line 1")
    assert message in problem


@pytest.mark.parametrize("name", ["a.json", "a.xlsx", "a.docx", "a", "a\x00.csv"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    for read in (read_responses, read_ratings):
        problem = problems_of(lambda read=read: read([tmp_path / name], cgpst()))[0]  # type: ignore[misc]
        assert "there is no such file" in problem or "cannot be read" in problem


def test_a_folder_gives_its_files_in_order_and_names_what_is_not_read(tmp_path: Path) -> None:
    for name in ("b.json", "a.json", ".hidden.json"):
        write(tmp_path / name, {"id": name, "steps": {}})
    write(tmp_path / "~$c.docx", b"lock")
    write(tmp_path / "README.md", "x")
    write(tmp_path / "essay.pdf", "x")
    with pytest.warns(UserWarning, match=r": not read: README\.md, essay\.pdf; expected \.csv, ") as notes:
        assert [r.id for r in read_responses(tmp_path, cgpst())] == ["a.json", "b.json"]
    assert len(notes) == 1
    (tmp_path / "empty.json").mkdir()
    assert "no file to read in this folder" in the_problem(
        lambda: read_responses([tmp_path / "empty.json"], cgpst())
    )
    assert "No file was given" in the_problem(lambda: read_responses([], cgpst()))
