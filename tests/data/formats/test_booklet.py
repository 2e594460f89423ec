from __future__ import annotations

from typing import TYPE_CHECKING, Any

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from creaeval.data import read_responses

from ..support import brick, cgpst, the_problem, write

if TYPE_CHECKING:
    from pathlib import Path

STEPS = ["1. Fish die\n2. Boats stop", "How might we?", "1. Nets", "1. Which is best?", "1 | 1", "Plan"]


def booklet(path: Path, cells: list[str], columns: int = 1, before: str = "") -> tuple[Path, Any]:
    """Write a document with one table and return its path and the document, to change and save again."""
    document = docx.Document()
    if before:
        document.add_paragraph(before)
    table = document.add_table(rows=len(cells), cols=columns)
    for row, text in zip(table.rows, cells, strict=True):
        row.cells[0].text = text
    document.save(str(path))
    return path, document


def test_a_booklet_is_read_step_by_step_with_the_scenario_of_its_id(tmp_path: Path) -> None:
    path, _ = booklet(tmp_path / "a.docx", ["B02_FS7", *STEPS])
    (response,) = read_responses([path], cgpst())
    assert (response.id, response.scenario) == ("B02_FS7", "FS7")
    assert [text.text for text in response.steps.values()] == STEPS
    assert [item.text for item in response.steps["step1"].items] == ["Fish die", "Boats stop"]


def test_an_id_without_a_scenario_names_none(tmp_path: Path) -> None:
    path, _ = booklet(tmp_path / "a.docx", ["B02_final", *STEPS[:-1], ""])
    (response,) = read_responses([path], cgpst())
    assert (response.id, response.scenario) == ("B02_final", None)
    assert response.missing_steps(cgpst()) == ["step6"]


def test_nested_tables_and_soft_line_breaks_are_kept_in_order(tmp_path: Path) -> None:
    # The kind of case F09: python-docx's cell.text leaves the nested table out.
    path, document = booklet(tmp_path / "a.docx", ["R01", ""])
    cell = document.tables[0].rows[1].cells[0]
    cell.paragraphs[0].text = "use it as a boat\nfor ants"  # python-docx writes \n as a soft break
    nested = cell.add_table(rows=2, cols=2)
    for row, texts in zip(nested.rows, [("1", "8"), ("2", "6\n7")], strict=True):
        for inner, text in zip(row.cells, texts, strict=True):
            inner.text = text
    nested.rows[1].cells[1].add_table(rows=1, cols=1).rows[0].cells[0].text = "deep"
    cell.add_paragraph("the end")
    document.save(str(path))
    (response,) = read_responses([path], brick())
    # add_table leaves an empty paragraph after the table.
    assert response.steps["use"].text == ("use it as a boat\nfor ants\n1 | 8\n2 | 6\n7\ndeep\n\nthe end")


def test_cells_merged_downwards_are_not_repeated(tmp_path: Path) -> None:
    path, document = booklet(tmp_path / "a.docx", ["R01", "text"])
    nested = document.tables[0].rows[1].cells[0].add_table(rows=2, cols=2)
    merged = nested.cell(0, 0).merge(nested.cell(1, 0))
    merged.text = "both"
    nested.cell(0, 1).text = "upper"
    nested.cell(1, 1).text = "lower"
    document.save(str(path))
    assert read_responses([path], brick())[0].steps["use"].text == "text\nboth | upper\nlower"


def test_the_numbers_word_gives_a_list_are_read_and_count_afresh_in_each_step(tmp_path: Path) -> None:
    path, document = booklet(tmp_path / "a.docx", ["R01", *[""] * 6])
    for row in (1, 3):
        cell = document.tables[0].rows[row].cells[0]
        cell.paragraphs[0].text = "Mine"
        for text in ("Fish die", "Boats stop"):
            cell.add_paragraph(text, style="List Number")
    for text in ("Which is best?", "Which is cheapest?"):
        document.tables[0].rows[4].cells[0].add_paragraph(text, style="List Bullet")
    document.save(str(path))
    (response,) = read_responses([path], cgpst())
    for step in ("step1", "step3"):
        assert response.steps[step].text == "Mine\n1. Fish die\n2. Boats stop"
    assert [i.text for i in response.steps["step4"].items] == ["Which is best?", "Which is cheapest?"]


def test_inserted_text_and_links_count_and_deleted_text_does_not(tmp_path: Path) -> None:
    path, document = booklet(tmp_path / "a.docx", ["R01", "a "])
    paragraph = document.tables[0].rows[1].cells[0].paragraphs[0]._p
    for xml in (
        '<w:ins {0} w:id="1" w:author="x"><w:r><w:t xml:space="preserve">door </w:t></w:r></w:ins>',
        '<w:del {0} w:id="2" w:author="x"><w:r><w:delText>window</w:delText></w:r></w:del>',
        "<w:hyperlink {0}><w:r><w:t>stop</w:t><w:tab/><w:t>per</w:t></w:r></w:hyperlink>",
        "<w:sdt {0}><w:sdtContent><w:r><w:t>!</w:t></w:r></w:sdtContent></w:sdt>",
    ):
        paragraph.append(parse_xml(xml.format(nsdecls("w"))))
    document.save(str(path))
    assert read_responses([path], brick())[0].steps["use"].text == "a door stop\tper!"


@pytest.mark.parametrize(("cells", "columns"), [(["R01", "a"], 1), (["R01", *STEPS], 2)])
def test_a_table_without_steps_is_refused_with_what_was_found(
    tmp_path: Path, cells: list[str], columns: int
) -> None:
    path, _ = booklet(tmp_path / "a.docx", cells, columns)
    problem = the_problem(lambda: read_responses([path], cgpst()))
    assert problem.startswith(f"{path}: found no headings of steps (lines set as headings: 'R01'")
    assert "Expected headings such as 'Step 1: Identify Challenges', 'Step 2:" in problem
    assert problem.endswith("No response was read from it.")


def test_lines_above_a_booklet_of_one_column_are_carried(tmp_path: Path) -> None:
    path, _ = booklet(tmp_path / "a.docx", ["B02_FS7", *STEPS], before="Team: Owls")
    (response,) = read_responses([path], cgpst())
    assert (response.id, response.metadata) == ("B02_FS7", {"Team": "Owls"})
    assert [text.text for text in response.steps.values()] == STEPS


def test_a_document_without_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    document = docx.Document()
    document.save(str(path))
    assert "nothing is written in it" in the_problem(lambda: read_responses([path], cgpst()))
    document.add_table(rows=7, cols=1)
    document.save(str(path))
    assert "nothing is written in it" in the_problem(lambda: read_responses([path], cgpst()))


def test_a_booklet_without_an_id_is_refused(tmp_path: Path) -> None:
    path, _ = booklet(tmp_path / "a.docx", [" ", *STEPS])
    assert "expected one that is not empty" in the_problem(lambda: read_responses([path], cgpst()))


@pytest.mark.parametrize("keep", [200, 5000, 20_000])
def test_a_cut_off_document_is_an_error_and_no_traceback(tmp_path: Path, keep: int) -> None:
    path, _ = booklet(tmp_path / "a.docx", ["R01", *STEPS])
    write(path, path.read_bytes()[:keep])
    assert the_problem(lambda: read_responses([path], cgpst())).startswith(f"{path}: ")


def table(path: Path, *rows: list[str]) -> Path:
    document = docx.Document()
    made = document.add_table(rows=len(rows), cols=len(rows[0]))
    for row, texts in zip(made.rows, rows, strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    document.save(str(path))
    return path


def test_a_table_with_a_header_holds_a_response_a_row(tmp_path: Path) -> None:
    path = table(
        tmp_path / "a.docx",
        ["ID ", "Step-1", "group"],
        ["007", "1. Fish\n2. Boats", "a"],
        ["", " ", ""],
        ["7", "1. Nets", "b"],
    )
    one, two = read_responses([path], cgpst())
    assert (one.id, two.id, one.metadata) == ("007", "7", {"group": "a"})
    assert [item.text for item in one.steps["step1"].items] == ["Fish", "Boats"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["id", "response"]], "has a header (row 1) but no rows below it"),
        ([["id", "response"], ["", "x"]], "row 2: found the id '', expected one that is not empty"),
        ([["id", "response"], ["1", "x"], ["1", "y"]], "row 3: the id '1' is already taken by"),
        (
            [["name", "response"], ["1", "x"]],
            "found 1 table, the first of 2 rows x 2 columns, and no text around",
        ),
    ],
)
def test_a_wrong_table_with_a_header_is_explained(
    tmp_path: Path, rows: list[list[str]], message: str
) -> None:
    path = table(tmp_path / "a.docx", *rows)
    assert message in the_problem(lambda: read_responses([path], brick()))
