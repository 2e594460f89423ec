from __future__ import annotations

import csv
import io
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from creaeval.data import read_data, read_responses
from creaeval.data.words import MISSING, words
from creaeval.tasks import fold

from ..support import brick, cgpst, problems_of, the_problem, write


def test_columns_are_steps_by_id_or_name_and_others_are_carried(tmp_path: Path) -> None:
    text = (
        "ID,Scenario,Step-1,step2,Select Criteria,group\r\n"
        '007,FS10,"1. Fish\r\n2. Boats",How?,,a\r\n'
        '7, ,"Fish\n\nBoats",,"(1) Which is best?",b\r\n'
    )
    path = write(tmp_path / "a.csv", text)
    one, two = read_responses([path], cgpst())
    assert (one.id, one.scenario, one.metadata) == ("007", "FS10", {"group": "a"})
    assert [item.text for item in one.steps["step1"].items] == ["Fish", "Boats"]
    assert list(one.steps) == ["step1", "step2"]
    assert (two.id, two.scenario) == ("7", None)
    assert [item.text for item in two.steps["step1"].items] == ["Fish", "Boats"]
    assert [item.text for item in two.steps["step4"].items] == ["Which is best?"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("preamble", ["", "\ufeff", "sep={}\n", "\n"])
def test_the_delimiter_is_the_one_the_header_uses(tmp_path: Path, delimiter: str, preamble: str) -> None:
    rows = [["response_id", "response", "a,b;c"], ["1", "one, two; three\tfour", "x"]]
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows(rows)
    path = write(tmp_path / "a.csv", preamble.format(delimiter) + out.getvalue())
    (response,) = read_responses([path], brick())
    assert response.steps["use"].text == "one, two; three\tfour"
    assert response.metadata == {"a,b;c": "x"}


def test_text_saved_by_excel_on_windows_is_read(tmp_path: Path) -> None:
    # Case F05: 0x92 is a curly apostrophe in Windows-1252.
    text = "id,object,response\r\n1,brick,It’s a café step – with a “grip”\r\n2,brick,door stop\r\n"
    path = write(tmp_path / "a.csv", text.encode("cp1252"))
    assert [r.steps["use"].text for r in read_responses([path], brick())] == [
        "It’s a café step – with a “grip”",
        "door stop",
    ]


def test_text_in_utf_16_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id\tresponse\n1\tcafé\n".encode("utf-16"))
    assert read_responses([path], brick())[0].steps["use"].text == "café"


def test_text_in_two_encodings_is_refused_with_the_byte(tmp_path: Path) -> None:
    # Lines of UTF-8 and one of Windows-1252, put together with an editor.
    path = write(tmp_path / "a.csv", "id,response\n1,café\n".encode() + "2,café\n".encode("cp1252"))
    problem = the_problem(lambda: read_responses([path], brick()))
    assert re.search(r"byte \d+ \(0x..\) is not utf-8, expected CSV in UTF-8. Save the file again", problem)


def test_007_and_7_are_two_people(tmp_path: Path) -> None:
    # Case F07.
    path = write(tmp_path / "a.csv", "id,object,response\r\n007,brick,a\r\n7,brick,b\r\n010,brick,c\r\n")
    assert [r.id for r in read_responses([path], brick())] == ["007", "7", "010"]


def test_spaces_around_ids_do_not_count_and_blank_rows_are_skipped(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,response\n R01 ,x\n,\n \u00a0,\nR02\u00a0,y\n\n\u200bR03\ufeff,z\n")
    assert [r.id for r in read_responses([path], brick())] == ["R01", "R02", "R03"]


def test_one_id_in_two_rows_is_named_with_both(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,response\nR01,x\nR01 ,y\n")
    problem = the_problem(lambda: read_responses([path], brick()))
    assert problem.startswith(f"{path}, row 3: the id 'R01' is already taken by {path}, row 2.")


def test_rows_with_a_wrong_number_of_cells_are_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,response,group\n1,a,b,\n2,a, and b,c\n")
    assert the_problem(lambda: read_responses([path], brick())) == (
        f"{path}, row 3: found 4 cells, expected 3 as in the header (row 1). A text that holds the delimiter "
        "must stand in quotation marks."
    )
    path = write(tmp_path / "a.csv", "id,response,group\n1,a\nand b,c\n2\n")
    assert "row 4: found 1 cell, expected 3 as in the header. A text with line breaks must" in the_problem(
        lambda: read_responses([path], brick())
    )
    # Spreadsheets leave the blank cells at the end of a row out.
    path = write(tmp_path / "a.csv", "id,response,group\n1,a\n2,b,c\n")
    found = [(r.id, r.metadata["group"]) for r in read_responses([path], brick())]
    assert found == [("1", ""), ("2", "c")]
    path = write(tmp_path / "b.csv", "id,response\n,orphan\n")
    assert "row 2: found the id '', expected one that is not empty" in the_problem(
        lambda: read_responses([path], brick())
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": "1"}', "looks like JSON, expected CSV. Name it .json, or .jsonl."),
        (
            "id,group\n1,a\n",
            "no column could be the text (what people wrote). Found the columns id, group. Say which one it "
            "is: --columns text=group, say.",
        ),
        ("id,response,response\n1,a,b\n", "row 1: the column 'response' is there twice"),
        (
            "id,,response\n1,a,b\n",
            "row 2, column 2, holds something, but its column has no name in the header (row 1). Name",
        ),
        ("id,response\n", "has a header (row 1) but no rows below it"),
        ('id,response\n1,"a\n2,b\n', "row 2: the quotation marks do not match"),
        ('id,response\n1,"a" b\n', "row 2: the quotation marks do not match"),
        (
            "id,use,Alternative Use\n1,a wall,a hat\n",
            "the columns 'use' and 'Alternative Use' could both be the text. Say which: --columns text=use, "
            "or --columns text='Alternative Use'.",
        ),
        (
            "id,Alternative Use,Answer\n1,a wall,a hat\n",
            "the columns 'Alternative Use' and 'Answer' could both be the text",
        ),
    ],
)
def test_a_wrong_table_is_explained(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path / "a.csv", text)
    assert message in the_problem(lambda: read_responses([path], brick()))


def test_a_step_that_is_there_twice_is_named_with_both_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,step1,Identify Challenges,Produce\n1,a,b,c\n")
    assert the_problem(lambda: read_responses([path], cgpst())) == (
        f"{path}: step1 is there twice, as 'step1' and 'Identify Challenges'. Say --columns "
        "carry='Identify Challenges' if it is none."
    )
    (response,) = read_responses([path], cgpst(), columns={"carry": "Identify Challenges"})
    assert [item.text for item in response.steps["step1"].items] == ["a"]
    assert response.metadata == {"Identify Challenges": "b", "Produce": "c"}


def test_a_name_tells_whose_a_response_is_where_nothing_else_does(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "Name,response,e-mail\nAnn Lee,a wall,a@lee.org\nBo Ek,a hat,b@ek.org\n")
    found = read_data(path, brick())
    assert [(r.id, r.steps["use"].text, r.metadata) for r in found.responses] == [
        ("Ann Lee", "a wall", {}),
        ("Bo Ek", "a hat", {}),
    ]
    assert found.notes == [
        f"{path}: who wrote what is told by the names in 'Name'.",
        f"{path}: left out as personal data: 'e-mail' (e-mail address). Keep one with --keep COLUMN.",
    ]


def test_a_column_that_can_only_be_a_misspelt_step_is_not_carried_silently(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,step1,step7,Identify Chalenges,Produce\n1,a,b,c,d\n")
    first, second = problems_of(lambda: read_responses([path], cgpst()))
    assert "column 'step7': task cgpst has no step 'step7'" in first
    assert "column 'Identify Chalenges'" in second
    assert "Did you mean 'step1'?" in second


def test_a_text_longer_than_the_csv_module_allows_by_default_is_read(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    path = write(tmp_path / "a.csv", f"id,response\n1,{'long ' * 50_000}\n")
    assert len(read_responses([path], brick())[0].steps["use"].text) == 5 * 50_000 - 1
    assert csv.field_size_limit() == before


_TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp", "Cf"]), max_size=30)
_LINES = st.lists(_TEXT.map(str.strip).filter(bool), min_size=1, max_size=3).map("\n".join)
_SPREADSHEET_ERRORS = ("#NAME?", "#REF!", "#VALUE!", "#DIV/0!", "#NUM!", "#SPILL!", "#CALC!")
# A cell that reads NA or - holds nothing, an error is refused, and a row called "n" may sum others up.
_WRITTEN = _LINES.filter(lambda text: text not in MISSING and text not in _SPREADSHEET_ERRORS)
_ID = st.text(st.characters(codec="ascii", categories=["L", "N", "P"]), min_size=1, max_size=8).filter(
    lambda name: fold(name) not in words().summary and name not in _SPREADSHEET_ERRORS
)


@pytest.mark.parametrize("error", _SPREADSHEET_ERRORS)
def test_what_spreadsheets_write_where_a_formula_has_no_value_is_refused(tmp_path: Path, error: str) -> None:
    path = write(tmp_path / "a.csv", f"response_id,response,group\n{error},text,a\n2,{error},{error}\n")
    of_id, of_text = problems_of(lambda: read_responses([path], brick()))
    assert f"row 2, column 'response_id' is the error {error} where an id is due" in of_id
    assert f"row 3, column 'response' is the error {error}" in of_text


@settings(max_examples=60)
@given(st.dictionaries(_ID, st.tuples(_WRITTEN, _TEXT), min_size=1, max_size=5), st.sampled_from(",;\t"))
def test_csv_gives_back_every_response_it_was_written_from(
    responses: dict[str, tuple[str, str]], delimiter: str
) -> None:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(["response_id", "response", "group"])
    writer.writerows([key, text, group] for key, (text, group) in responses.items())
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "a.csv", out.getvalue())
        read = read_responses([path], brick())
    assert {r.id: (r.steps["use"].text, r.metadata["group"]) for r in read} == responses


@settings(max_examples=60)
@given(st.dictionaries(_ID, st.tuples(_LINES, _TEXT), min_size=1, max_size=5), st.booleans())
def test_json_gives_back_every_response_it_was_written_from(
    responses: dict[str, tuple[str, str]], by_line: bool
) -> None:
    import json

    entries = [{"id": key, "steps": {"use": text}, "note": note} for key, (text, note) in responses.items()]
    content = (
        "\n".join(json.dumps(e, ensure_ascii=False) for e in entries) if by_line else json.dumps(entries)
    )
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / ("a.jsonl" if by_line else "a.json"), content)
        read = read_responses([path], brick())
    assert {r.id: (r.steps["use"].text, r.metadata["note"]) for r in read} == responses


def test_a_row_may_be_a_step_by_number_and_keeps_what_all_its_rows_say(tmp_path: Path) -> None:
    rows = ["team,step,text,school,minutes", "t1,1,Fog comes,North,4", "t1,2,How might we?,North,9"]
    (found,) = read_responses(write(tmp_path / "a.csv", "\n".join(rows)), cgpst())
    assert {step: text.text for step, text in found.steps.items()} == {
        "step1": "1. Fog comes",
        "step2": "How might we?",
    }
    assert found.metadata == {"school": "North"}
