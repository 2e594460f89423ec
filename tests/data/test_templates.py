"""Blank booklets and rater sheets: what they hold, and that they are read back when they are filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import openpyxl  # type: ignore[import-untyped,unused-ignore]
import pytest
from docx import Document

from creaeval.data import read_ratings, read_responses
from creaeval.data.templates import write_templates
from creaeval.errors import DataError, SettingError
from creaeval.sheets import check_grid
from creaeval.tasks import load_task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from conftest import CommandLine
    from creaeval.tasks import Task

# What is said of a file is asserted where it is the subject.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

CHINESE = """
id: plan
name: 未来问题解决
language: zh
source: 我们自己的评分标准
description: 学生列出挑战并制定计划。
steps:
  - id: step1
    name: 识别挑战
    instruction: 列出三个挑战。
    items: {name: challenge, max: 3}
    dimensions:
      - {id: clarity, name: 清晰, scope: item, scale: 0-2, description: 挑战是否清楚？}
  - id: step2
    name: 行动计划
    instruction: 写出行动计划。
    dimensions:
      - {id: detail, name: 细节, scale: 1-5, description: 计划有多具体？, levels: {1: 没有, 5: 很具体}}
"""


@pytest.fixture
def chinese(tmp_path: Path) -> Task:
    (tmp_path / "plan.yaml").write_text(CHINESE, encoding="utf-8")
    return load_task(tmp_path / "plan.yaml")


def fill_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Type rows below the header of a workbook's first sheet."""
    book = openpyxl.load_workbook(path)
    sheet = book.worksheets[0]
    places = {cell.value: cell.column for cell in sheet[1]}
    for number, row in enumerate(rows, 2):
        for name, value in row.items():
            sheet.cell(number, places[name], value)
    book.save(path)
    return path


def header(path: Path, sheet: int = 0) -> list[object]:
    return [cell.value for cell in openpyxl.load_workbook(path).worksheets[sheet][1]]


def fill_booklet(path: Path, answers: Sequence[Any]) -> Path:
    """Type into a booklet, step by step: a text, a list of items, or a list of rows for a table."""
    document = Document(str(path))
    below: list[list[Any]] = []
    for paragraph in document.paragraphs:
        if str(paragraph.style and paragraph.style.name).startswith("Heading"):
            below.append([])
        elif below:
            below[-1].append(paragraph)
    grids = iter(document.tables)
    for (_, *lines), answer in zip(below, answers, strict=True):
        if not lines:
            for row, texts in zip(next(grids).rows[1:], answer, strict=False):
                for cell, text in zip(row.cells, texts, strict=True):
                    cell.text = text
            continue
        for line, text in zip(lines, [answer] if isinstance(answer, str) else answer, strict=False):
            line.add_run(text)
    document.save(str(path))
    return path


def test_a_filled_booklet_is_read_as_it_was_filled_in(tmp_path: Path) -> None:
    task = load_task("cgpst")
    path, _ = write_templates(task, tmp_path)
    # Latin squares: each column holds each rank once.
    grid = [[f"{n + 1}. Plan {n + 1}", *(str((n + c) % 3 + 1) for c in range(5))] for n in range(3)]
    answers: list[Any] = [
        ["dry wells", "", "thirsty geese"],
        "Since wells run dry, how might we share water?",
        ["fog nets", "deeper wells", "rain barrels"],
        ["Which is the cheapest?", "Which is the fastest?"],
        grid,
        "We build fog nets.\nThen we wait for fog.",
    ]
    (response,) = read_responses(fill_booklet(path, answers), task)
    assert response.id == "cgpst_booklet"
    assert [item.text for item in response.steps["step1"].items] == ["dry wells", "", "thirsty geese"]
    assert [item.text for item in response.steps["step3"].items] == answers[2]
    assert [item.text for item in response.steps["step4"].items] == answers[3]
    assert response.steps["step2"].text == answers[1]
    assert response.steps["step6"].text == answers[5]
    assert check_grid(response.steps["step5"].text, 5).score == 5
    assert response.steps["step5"].text.splitlines()[0] == "1. Plan 1 | 1 | 2 | 3 | 1 | 2"


def test_a_filled_chinese_booklet_is_read_as_it_was_filled_in(tmp_path: Path, chinese: Task) -> None:
    path, _ = write_templates(chinese, tmp_path)
    texts = [paragraph.text for paragraph in Document(str(path)).paragraphs]
    assert texts[:3] == ["未来问题解决", "小组 / 编号：", "步骤一：识别挑战"]
    (response,) = read_responses(fill_booklet(path, [["水太少", "路太远"], "修一口井。"]), chinese)
    assert [item.text for item in response.steps["step1"].items] == ["水太少", "路太远"]
    assert response.steps["step2"].text == "修一口井。"


@pytest.mark.parametrize("name", ["cgpst", "ttcw"])
def test_an_unfilled_booklet_holds_no_text(tmp_path: Path, name: str) -> None:
    task = load_task(name)
    path, _ = write_templates(task, tmp_path)
    with pytest.raises(DataError, match="no text in any of them: the booklet is empty"):
        read_responses(path, task)


def test_a_story_is_read_without_its_heading(tmp_path: Path) -> None:
    task = load_task("ttcw")
    path, _ = write_templates(task, tmp_path)
    (response,) = read_responses(fill_booklet(path, ["The postman came late."]), task)
    assert response.steps["story"].text == "The postman came late."


def test_a_booklet_has_a_heading_and_the_instruction_of_each_step(tmp_path: Path) -> None:
    path, _ = write_templates(load_task("cgpst"), tmp_path)
    document = Document(str(path))
    texts = [paragraph.text for paragraph in document.paragraphs]
    assert texts[1:4] == [
        "Team / id: ",
        "Step 1: Identify Challenges",
        "List up to eight challenges that could arise from the scenario.",
    ]
    assert texts[4:12] == [f"{n}. " for n in range(1, 9)]
    # Steps 1 and 3 take eight items, step 4 five; step 5 ranks eight solutions by five criteria.
    assert sum(text == "8. " for text in texts) == 2
    assert sum(text == "5. " for text in texts) == 3
    (grid,) = document.tables
    assert (len(grid.rows), len(grid.columns)) == (9, 6)


def test_a_filled_rater_sheet_is_read_as_it_was_filled_in(tmp_path: Path) -> None:
    task = load_task("cgpst")
    path = write_templates(task, tmp_path)[1]
    rows: list[dict[str, Any]] = [
        {"response_id": "007", "rater": "A", "step2.focus": 7.5},
        {
            "response_id": "007",
            "rater": "A",
            "item": 1,
            "step1.category": "Technology",
            "step1.elaboration": 2,
            "step1.originality": 1,
        },
        {"response_id": "007", "rater": "A", "item": 2, "step1.invalid": "duplicate"},
        {"response_id": "007", "rater": "B", "step2.focus": 6},
    ]
    ratings = {rating.rater: rating for rating in read_ratings(fill_rows(path, rows), task)}
    assert {rating.response_id for rating in ratings.values()} == {"007"}
    assert ratings["A"].sheet.final("step2.focus") == 7.5
    assert ratings["B"].sheet.final("step2.focus") == 6
    step = ratings["A"].sheet.steps[0]
    assert [(item.item, item.invalid, item.category) for item in step.items] == [
        (1, None, "Technology"),
        (2, "duplicate", None),
    ]
    assert ratings["A"].sheet.final("step1.elaboration") == 2
    # One valid item of one category.
    assert ratings["A"].sheet.final("step1.fluency") == 1
    assert ratings["A"].sheet.final("step1.flexibility") == 1


def test_a_rater_sheet_has_a_column_a_dimension_in_the_order_of_the_task(tmp_path: Path) -> None:
    path = write_templates(load_task("cgpst"), tmp_path)[1]
    assert header(path)[:9] == [
        *("response_id", "rater", "item", "step1.category", "step1.invalid"),
        *("step1.fluency", "step1.flexibility", "step1.elaboration", "step1.originality"),
    ]
    sheet = openpyxl.load_workbook(path).worksheets[0]
    assert sheet.freeze_panes == "D2"
    assert "0 to 2, whole points" in sheet["H1"].comment.text
    assert "1: the challenge is stated, but thinly" in sheet["H1"].comment.text


def test_cells_of_a_rater_sheet_take_what_their_columns_take(tmp_path: Path) -> None:
    book = openpyxl.load_workbook(write_templates(load_task("cgpst"), tmp_path)[1])
    checks = {
        str(check.sqref).partition("2")[0]: check
        for check in book.worksheets[0].data_validations.dataValidation
    }
    names = {cell.value: cell.column_letter for cell in book.worksheets[0][1]}

    def limits(name: str) -> tuple[object, ...]:
        check = checks[names[name]]
        return check.type, check.operator, check.formula1, check.formula2

    assert limits("item") == ("whole", "between", "1", "8")
    assert limits("step1.elaboration") == ("whole", "between", "0", "2")
    # Once a step, half points may be given.
    assert limits("step2.focus") == ("decimal", "between", "1", "10")
    assert names["response_id"] not in checks
    check = checks[names["step1.invalid"]]
    codes = book.worksheets[2]
    assert (check.type, check.formula1) == ("list", "'Codes'!$B$2:$B$6")
    assert [codes[f"B{row}"].value for row in range(1, 7)] == [
        *("step1.invalid", "perhaps", "why", "solution", "duplicate", "blank")
    ]
    assert all(len(check.prompt) <= 255 and len(check.promptTitle) <= 32 for check in checks.values())


def test_the_second_sheet_explains_every_column(tmp_path: Path) -> None:
    path = write_templates(load_task("aut"), tmp_path)[1]
    book = openpyxl.load_workbook(path)
    rows = {row[0]: row for row in book.worksheets[1].iter_rows(values_only=True)}
    assert book.sheetnames == ["Ratings", "Explanation"]
    column, name, points, given_for, text, levels = rows["originality"][:6]
    assert (column, name, points, given_for) == (
        *("originality", "Originality"),
        *("1 to 5, means too", "the whole step"),
    )
    assert "How original the use is" in str(text)
    assert "\n5: rare, remote from the object's purpose and clever" in str(levels)


def test_short_texts_have_a_table_instead_of_a_booklet(tmp_path: Path) -> None:
    task = load_task("aut")
    responses, ratings = write_templates(task, tmp_path)
    assert [path.name for path in (responses, ratings)] == ["aut_responses.xlsx", "aut_ratings.xlsx"]
    assert header(responses) == ["id", "participant", "object", "response"]
    assert header(ratings) == ["response_id", "rater", "originality"]
    rows = [
        {"id": "007", "participant": "1.10", "object": "brick", "response": "a hat"},
        {"id": "u2", "participant": "1.10", "object": "brick", "response": "a boat"},
    ]
    read = read_responses(fill_rows(responses, rows), task)
    assert [(r.id, r.scenario, r.metadata["participant"], r.steps["uses"].text) for r in read] == [
        ("007", "brick", "1.10", "a hat"),
        ("u2", "brick", "1.10", "a boat"),
    ]
    rated = read_ratings(fill_rows(ratings, [{"response_id": "007", "rater": "A", "originality": 2.5}]), task)
    assert [(r.response_id, r.rater, r.sheet.final("uses.originality")) for r in rated] == [("007", "A", 2.5)]


def test_a_chinese_rater_sheet_is_read_as_it_was_filled_in(tmp_path: Path, chinese: Task) -> None:
    path = write_templates(chinese, tmp_path)[1]
    assert openpyxl.load_workbook(path).sheetnames == ["评分", "说明"]
    rows = [
        {"response_id": "甲", "rater": "王", "step2.detail": 4.5},
        {"response_id": "甲", "rater": "王", "item": 3, "step1.clarity": 2},
    ]
    (rating,) = read_ratings(fill_rows(path, rows), chinese)
    assert (rating.sheet.final("step2.detail"), rating.sheet.final("step1.clarity")) == (4.5, 2)


@pytest.mark.parametrize("name", ["cgpst", "aut", "ttcw"])
def test_unfilled_tables_hold_nothing_and_say_so(tmp_path: Path, name: str) -> None:
    task = load_task(name)
    answers, ratings = write_templates(task, tmp_path)
    with pytest.raises(
        DataError, match=r"_ratings\.xlsx, Ratings: has a header \(row 1\) but no rows below it"
    ):
        read_ratings(ratings, task)
    if name == "aut":
        with pytest.raises(DataError, match=r"has a header \(row 1\) but no rows below it"):
            read_responses(answers, task)


def test_no_file_is_written_over_and_none_is_written_beside_it(tmp_path: Path) -> None:
    task = load_task("aut")
    (tmp_path / "aut_ratings.xlsx").write_text("mine")
    with pytest.raises(SettingError, match=r"aut_ratings\.xlsx: this file is there already"):
        write_templates(task, tmp_path)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("aut_ratings.xlsx", "mine")]


def test_words_that_would_be_formulas_are_texts(tmp_path: Path) -> None:
    (tmp_path / "task.yaml").write_text(CHINESE.replace("计划有多具体？", "'=1+1'"), encoding="utf-8")
    task = load_task(tmp_path / "task.yaml")
    book = openpyxl.load_workbook(write_templates(task, tmp_path)[1])
    (cell,) = [cell for row in book.worksheets[1].iter_rows() for cell in row if "=1+1" in str(cell.value)]
    assert cell.data_type == "s"


def test_the_command_names_what_it_wrote(command: CommandLine) -> None:
    ended = command("tasks", "template", "cgpst", "--out", "blank")
    assert (ended.code, ended.out.split()) == (0, ["blank/cgpst_booklet.docx", "blank/cgpst_ratings.xlsx"])
    ended = command("tasks", "template", "cgpst", "--out", "blank")
    assert ended.code == 1
    assert "cgpst_booklet.docx: this file is there already" in ended.err


def test_an_unfilled_booklet_is_named_and_not_scored(command: CommandLine) -> None:
    from scripted import ScriptedModel

    command.add(ScriptedModel("scripted:one"))
    command("tasks", "template", "cgpst")
    (command.folder / "s.txt").write_text("Fog falls.")
    models = ("--analyst", "scripted:one", "--judge", "scripted:one")
    ended = command("score", "cgpst_booklet.docx", "--scenario", "s.txt", *models)
    assert ended.code == 1
    assert "cgpst_booklet.docx: the steps are there, but no text in any of them" in ended.err
