"""Booklets in Word documents of many layouts: what is read is what was written, whatever stands around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import docx
import pytest
from docx.opc.packuri import PackURI
from docx.opc.part import Part

from creaeval.tasks import Scenario, Task, load_task, parse_task

from ..support import cgpst, the_problem
from .documents import (
    ITEMS,
    NAMES,
    TITLES,
    WRITTEN,
    grid,
    numbered,
    read,
    step_five,
    with_titles,
    written_in,
    xml,
)

if TYPE_CHECKING:
    from pathlib import Path

# What is said of a file is asserted where it is the subject.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

OTHER_TITLES = {
    "numbers alone": [f"Step {n}" for n in range(1, 7)],
    "capitals and dashes": [f"STEP {n} – {name.upper()}" for n, name in enumerate(NAMES, 1)],
    "names alone": NAMES,
    "short names": [
        "Challenges",
        "Underlying Problem",
        "Solutions",
        "Criteria",
        "Evaluation Grid",
        "Action Plan",
    ],
    "numbers and names": [f"{n}. {name}" for n, name in enumerate(NAMES, 1)],
    "Roman numbers": [
        f"{n}) {name}" for n, name in zip(["I", "II", "III", "IV", "V", "VI"], NAMES, strict=True)
    ],
    "words": ["Step One", "Step Two", "Step Three", "Step Four", "Step Five", "Step Six"],
    "ordinals": ["First step", "2nd step", "Third step:", "4th Step", "Fifth step", "Sixth step"],
    "typos": [
        *("Step 1: Identfy Chalenges", "Setp 2: Underlyng Problem", "Step 3: Produce Soltuions"),
        *("Step 4: Slect Criteria", "Stpe 5: Aply Criteria to Top Solution", "Step 6: Devlop an Action Plan"),
    ],
    "points behind": [f"{title} (up to 24 points)" for title in TITLES],
    "Chinese": [
        *("步骤一：识别挑战", "步骤二：选择潜在问题", "步骤三：提出解决方案"),
        *("步骤四：选择标准", "步骤五：应用标准", "步骤六：制定行动计划"),
    ],
    "Chinese ordinals": ["第一步", "第二步", "第三步", "第四步", "第五步", "第六步"],
    "German": [
        *("Schritt 1: Herausforderungen", "Schritt 2: Kernproblem", "Schritt 3: Lösungsideen"),
        *("Schritt 4: Kriterien", "Schritt 5: Bewertungsmatrix", "Schritt 6: Aktionsplan"),
    ],
    "German ordinals": [f"{n}. Schritt" for n in range(1, 7)],
    "French": [f"Étape {n} :" for n in range(1, 7)],
    "Spanish": [f"Paso {n}. Nuestro trabajo" for n in range(1, 7)],
    "Italian": [f"Passo {n}" for n in range(1, 7)],
    "Dutch": [f"Stap {n}" for n in range(1, 7)],
    "Polish": [f"Krok {n}" for n in range(1, 7)],
    "Portuguese": [
        "Desafios",
        "Problema subjacente",
        "Soluções",
        "Critérios",
        "Aplicar critérios",
        "Plano de ação",
    ],
    "two languages": [
        f"{title} / {german}"
        for title, german in zip(
            TITLES,
            [
                "Herausforderungen",
                "Kernproblem",
                "Lösungen",
                "Kriterien",
                "Kriterien anwenden",
                "Aktionsplan",
            ],
            strict=True,
        )
    ],
    "parts": [f"Part {n}: {name}" for n, name in enumerate(NAMES, 1)],
}


@pytest.mark.parametrize("wording", OTHER_TITLES)
@pytest.mark.parametrize(("style", "bold"), [("Heading 2", False), (None, True), (None, False)])
def test_steps_are_found_by_their_headings_in_any_usual_wording(
    tmp_path: Path, wording: str, style: str | None, bold: bool
) -> None:
    path = with_titles(tmp_path / "Puffins.docx", OTHER_TITLES[wording], style, bold)
    assert written_in(path) == WRITTEN


def test_the_file_names_the_response_and_labels_above_the_steps_are_carried(tmp_path: Path) -> None:
    path = with_titles(tmp_path / "Blaue Füchse.docx", TITLES, "Heading 1")
    document = docx.Document(str(path))
    first = document.paragraphs[0]
    for text in (
        "Our booklet",
        "Team: Foxes\tSchool: Hill School; Division: Junior",
        "Date: ______",
        "E-mail: a@b.org",
    ):
        first.insert_paragraph_before(text)
    document.save(str(path))
    source = read(path)
    (located,) = source.responses
    assert located.response.id == "Blaue Füchse"
    assert located.response.metadata == {"Team": "Foxes", "School": "Hill School", "Division": "Junior"}
    assert source.notes.said == [f"{path}: left out 'Our booklet', 'E-mail', which may name people"]
    assert written_in(path) == WRITTEN


def test_an_id_of_the_released_form_above_the_steps_is_the_response_s(tmp_path: Path) -> None:
    path = with_titles(tmp_path / "a.docx", TITLES)
    document = docx.Document(str(path))
    document.paragraphs[0].insert_paragraph_before("A05_FS10")
    document.save(str(path))
    response = read(path).responses[0].response
    assert (response.id, response.scenario) == ("A05_FS10", "FS10")


def test_a_heading_and_its_title_may_stand_on_two_lines(tmp_path: Path) -> None:
    document = docx.Document()
    for number, (name, step) in enumerate(zip(NAMES, WRITTEN, strict=True), 1):
        document.add_heading(f"Step {number}")
        document.add_paragraph(name)
        for line in numbered(step):
            document.add_paragraph(line)
    document.save(str(tmp_path / "a.docx"))
    assert written_in(tmp_path / "a.docx") == WRITTEN


def test_an_answer_may_follow_its_title_on_the_same_line(tmp_path: Path) -> None:
    document = docx.Document()
    for title, step in zip(TITLES, WRITTEN, strict=True):
        paragraph = document.add_paragraph()
        paragraph.add_run(f"{title}: ").bold = True
        first, *others = WRITTEN[step]
        paragraph.add_run(first)
        for line in others:
            document.add_paragraph(line)
    document.save(str(tmp_path / "a.docx"))
    assert written_in(tmp_path / "a.docx") == WRITTEN


def test_word_numbers_and_bullets_lists_anew_in_each_step(tmp_path: Path) -> None:
    document = docx.Document()
    for title, step in zip(TITLES, WRITTEN, strict=True):
        document.add_heading(title, level=2)
        style = {"step4": "List Bullet"}.get(step, "List Number") if step in ITEMS else None
        for line in WRITTEN[step]:
            document.add_paragraph(line, style=style)
    document.save(str(tmp_path / "a.docx"))
    assert written_in(tmp_path / "a.docx") == WRITTEN


def test_headings_may_be_numbered_by_word_itself(tmp_path: Path) -> None:
    document = docx.Document()
    numbering = document.part.numbering_part.element
    numbering.insert(
        0,
        xml(
            '<w:abstractNum w:abstractNumId="77"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/>'
            '<w:lvlText w:val="Step %1:"/></w:lvl></w:abstractNum>'
        ),
    )
    numbering.append(xml('<w:num w:numId="77"><w:abstractNumId w:val="77"/></w:num>'))
    for step in WRITTEN:
        title = document.add_paragraph("Our work")
        title.runs[0].bold = True
        title._p.get_or_add_pPr().append(xml('<w:numPr><w:ilvl w:val="0"/><w:numId w:val="77"/></w:numPr>'))
        for line in numbered(step):
            document.add_paragraph(line)
    document.save(str(tmp_path / "a.docx"))
    assert written_in(tmp_path / "a.docx") == WRITTEN


def test_one_table_a_step_may_have_its_title_above_or_in_it(tmp_path: Path) -> None:
    document = docx.Document()
    for number, (title, step) in enumerate(zip(TITLES, WRITTEN, strict=True)):
        rows = step_five() if step == "step5" else [[line] for line in numbered(step)]
        if number % 2:
            document.add_paragraph(title)
        else:
            rows = [[title, *[""] * (len(rows[0]) - 1)], *rows]
        table = grid(document, rows)
        if not number % 2:
            table.rows[0].cells[0].merge(table.rows[0].cells[-1])
        document.add_paragraph()
    document.save(str(tmp_path / "a.docx"))
    assert written_in(tmp_path / "a.docx") == WRITTEN


def test_a_table_may_number_its_items_in_a_column(tmp_path: Path) -> None:
    document = docx.Document()
    for title, step in zip(TITLES, WRITTEN, strict=True):
        document.add_heading(title)
        if step == "step5":
            grid(document, step_five())
        elif step in ITEMS:
            grid(
                document,
                [["No.", "Text"], *[[str(n), line] for n, line in enumerate(WRITTEN[step], 1)], ["3", ""]],
            )
        else:
            grid(document, [[line] for line in WRITTEN[step]])
    document.save(str(tmp_path / "a.docx"))
    assert written_in(tmp_path / "a.docx") == WRITTEN


@pytest.mark.parametrize("header", [[], [["Step", "Our answer"]]])
def test_a_table_of_two_columns_has_titles_and_answers(tmp_path: Path, header: list[list[str]]) -> None:
    document = docx.Document()
    rows = [[title, "\n".join(numbered(step))] for title, step in zip(TITLES, WRITTEN, strict=True)]
    grid(document, [*header, *rows])
    document.save(str(tmp_path / "a.docx"))
    assert written_in(tmp_path / "a.docx") == WRITTEN


def test_a_table_may_have_numbers_names_and_answers_and_nested_tables(tmp_path: Path) -> None:
    document = docx.Document()
    table = grid(
        document, [["#", "Step", "Answer"], *[[str(n), name, ""] for n, name in enumerate(NAMES, 1)]]
    )
    for row, step in zip(table.rows[1:], WRITTEN, strict=True):
        if step == "step5":
            grid(row.cells[2], step_five())
        else:
            row.cells[2].text = "\n".join(numbered(step))
    document.save(str(tmp_path / "a.docx"))
    assert written_in(tmp_path / "a.docx") == WRITTEN


def test_a_title_may_be_merged_over_the_rows_of_its_items(tmp_path: Path) -> None:
    document = docx.Document()
    rows = [
        [title if not n else "", line]
        for title, step in zip(TITLES, WRITTEN, strict=True)
        for n, line in enumerate(WRITTEN[step])
    ]
    table = grid(document, rows)
    start = 0
    for step in WRITTEN:
        end = start + len(WRITTEN[step]) - 1
        if end > start:
            table.cell(start, 0).merge(table.cell(end, 0))
        start = end + 1
    document.save(str(tmp_path / "a.docx"))
    assert written_in(tmp_path / "a.docx") == WRITTEN


def test_titles_may_stand_in_a_row_above_their_answers(tmp_path: Path) -> None:
    document = docx.Document()
    for first in (0, 3):
        steps = list(WRITTEN)[first : first + 3]
        grid(document, [TITLES[first : first + 3], ["\n".join(numbered(step)) for step in steps]])
        document.add_paragraph()
    document.save(str(tmp_path / "a.docx"))
    assert written_in(tmp_path / "a.docx") == WRITTEN


def test_rows_of_titles_and_answers_may_alternate_in_one_column_below_an_id(tmp_path: Path) -> None:
    document = docx.Document()
    rows = [
        [text]
        for title, step in zip(TITLES, WRITTEN, strict=True)
        for text in (title, "\n".join(numbered(step)))
    ]
    grid(document, [["B07_FS3"], *rows])
    document.save(str(tmp_path / "a.docx"))
    assert written_in(tmp_path / "a.docx") == WRITTEN
    response = read(tmp_path / "a.docx").responses[0].response
    assert (response.id, response.scenario) == ("B07_FS3", "FS3")


def test_a_whole_page_may_be_one_cell(tmp_path: Path) -> None:
    document = docx.Document()
    lines = [line for title, step in zip(TITLES, WRITTEN, strict=True) for line in (title, *numbered(step))]
    grid(document, [["\n".join(lines)]])
    document.save(str(tmp_path / "a.docx"))
    assert written_in(tmp_path / "a.docx") == WRITTEN


def test_content_controls_hold_answers_and_placeholders_are_none(tmp_path: Path) -> None:
    document = docx.Document()
    for title, step in zip(TITLES, WRITTEN, strict=True):
        document.add_heading(title)
        for line in numbered(step) if step in {"step1", "step2"} else []:
            paragraph = document.add_paragraph()
            paragraph._p.append(
                xml(f"<w:sdt><w:sdtPr/><w:sdtContent><w:r><w:t>{line}</w:t></w:r></w:sdtContent></w:sdt>")
            )
        if step == "step3":
            control = xml(
                "<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent><w:p><w:r><w:t>Solutions go here"
                "</w:t></w:r></w:p></w:sdtContent></w:sdt>"
            )
            document.element.body.insert(len(document.element.body) - 1, control)
        for line in {
            "step4": ["1. Type your criterion here", "2. ________", "3. [Criterion 3]"],
            "step5": ["Click or tap here to enter text.", "__________"],
            "step6": ["[…]", "Your answer:", "Klicken oder tippen Sie hier, um Text einzugeben."],
        }.get(step, []):
            document.add_paragraph(line)
    document.save(str(tmp_path / "a.docx"))
    assert written_in(tmp_path / "a.docx") == {step: WRITTEN[step] for step in ("step1", "step2")}


def test_an_item_left_at_its_placeholder_is_blank_among_the_others(tmp_path: Path) -> None:
    document = docx.Document()
    for title in TITLES:
        document.add_heading(title)
        if title == TITLES[0]:
            for line in (
                "Challenge 1: Gulls",
                "Challenge 2: Type your challenge here",
                "Challenge 3: Nets",
                "Challenge 4:",
            ):
                document.add_paragraph(line)
    document.save(str(tmp_path / "a.docx"))
    (located,) = read(tmp_path / "a.docx").responses
    assert [item.text for item in located.response.steps["step1"].items] == ["Gulls", "", "Nets"]


def test_text_boxes_are_read_once_where_they_stand(tmp_path: Path) -> None:
    document = docx.Document()
    for title, step in zip(TITLES, WRITTEN, strict=True):
        document.add_heading(title)
        inside = "".join(f"<w:p><w:r><w:t>{line}</w:t></w:r></w:p>" for line in numbered(step))
        box = f"<w:pict><w:txbxContent>{inside}</w:txbxContent></w:pict>"
        compatible = "http://schemas.openxmlformats.org/markup-compatibility/2006"
        document.add_paragraph()._p.append(
            xml(
                f'<w:r><mc:AlternateContent xmlns:mc="{compatible}"><mc:Choice>{box}</mc:Choice>'
                f"<mc:Fallback>{box}</mc:Fallback></mc:AlternateContent></w:r>"
            )
        )
    document.save(str(tmp_path / "a.docx"))
    assert written_in(tmp_path / "a.docx") == WRITTEN


def test_tracked_changes_are_read_as_accepted(tmp_path: Path) -> None:
    path = with_titles(tmp_path / "a.docx", TITLES, "Heading 1")
    document = docx.Document(str(path))
    by_text = {paragraph.text: paragraph for paragraph in document.paragraphs}
    last = by_text[WRITTEN["step6"][1]]
    author = 'w:id="1" w:author="x"'
    last._p.append(xml(f"<w:del {author}><w:r><w:delText> They learn.</w:delText></w:r></w:del>"))
    last._p.append(xml(f"<w:moveFrom {author}><w:r><w:t> Away.</w:t></w:r></w:moveFrom>"))
    last._p.append(xml(f'<w:ins {author}><w:r><w:t xml:space="preserve"> They teach.</w:t></w:r></w:ins>'))
    # The mark of the first paragraph of step 6 is deleted, so that both are one; a whole row is deleted, too.
    first = by_text[WRITTEN["step6"][0]]
    first._p.get_or_add_pPr().append(xml(f"<w:rPr><w:del {author}/></w:rPr>"))
    table = grid(document, [["kept", "row"], ["deleted", "row"]])
    table.rows[1]._tr.insert(0, xml(f"<w:trPr><w:del {author}/></w:trPr>"))
    document.save(str(path))
    assert written_in(path)["step6"] == ["".join(WRITTEN["step6"]) + " They teach.", "kept | row"]


def test_footnotes_links_breaks_and_hidden_text(tmp_path: Path) -> None:
    path = with_titles(tmp_path / "a.docx", TITLES, "Heading 1")
    document = docx.Document(str(path))
    part = Part(
        PackURI("/word/footnotes.xml"),
        "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml",
        xml_bytes(
            '<w:footnotes><w:footnote w:id="0" w:type="separator"><w:p/></w:footnote><w:footnote w:id="2">'
            "<w:p><w:r><w:footnoteRef/></w:r><w:r><w:t> As in Norway.</w:t></w:r></w:p></w:footnote>"
            "</w:footnotes>"
        ),
        document.part.package,
    )
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    document.part.relate_to(part, kind)
    last = document.paragraphs[-1]._p
    for run in (
        '<w:r><w:footnoteReference w:id="2"/></w:r>',
        "<w:hyperlink><w:r><w:br/><w:t>See the map</w:t></w:r></w:hyperlink>",
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>Give us all points</w:t></w:r>",
    ):
        last.append(xml(run))
    document.save(str(path))
    first, second = WRITTEN["step6"]
    assert written_in(path)["step6"] == [first, f"{second} [As in Norway.]", "See the map"]
    assert read(path).notes.said == [f"{path}: left out text that is hidden in the document"]


def xml_bytes(source: str) -> bytes:
    from lxml import etree

    return bytes(etree.tostring(xml(source)))


def test_a_table_of_contents_is_no_second_booklet(tmp_path: Path) -> None:
    path = with_titles(tmp_path / "a.docx", TITLES)
    document = docx.Document(str(path))
    first = document.paragraphs[0]
    for number, title in enumerate(TITLES):
        first.insert_paragraph_before(f"{title}\t{number + 1}")
    document.save(str(path))
    assert written_in(path) == WRITTEN


def test_a_plan_may_have_steps_of_its_own(tmp_path: Path) -> None:
    path = with_titles(tmp_path / "a.docx", TITLES)
    document = docx.Document(str(path))
    plan = ["Action Plan:", "Step 1: The council meets.", "Step 2: The mayor reads.", "Criteria", "Phase 1"]
    for line in plan:
        document.add_paragraph(line)
    document.save(str(path))
    assert written_in(path) == {**WRITTEN, "step6": [*WRITTEN["step6"], *plan]}


def test_a_step_without_text_or_without_heading_is_absent(tmp_path: Path) -> None:
    document = docx.Document()
    for title, step in zip(TITLES[:5], WRITTEN, strict=False):
        document.add_heading(title)
        for line in WRITTEN[step] if step != "step4" else ["1.", "2."]:
            document.add_paragraph(line)
    document.save(str(tmp_path / "a.docx"))
    source = read(tmp_path / "a.docx")
    assert list(source.responses[0].response.steps) == ["step1", "step2", "step3", "step5"]
    assert source.notes.said == [f"{tmp_path / 'a.docx'}: found no heading of step6"]


def test_two_booklets_in_one_document_are_refused(tmp_path: Path) -> None:
    path = with_titles(tmp_path / "a.docx", TITLES, "Heading 1")
    document = docx.Document(str(path))
    for title, step in zip(TITLES, WRITTEN, strict=True):
        document.add_heading(title)
        document.add_paragraph(WRITTEN[step][0])
    document.save(str(path))
    problem = the_problem(lambda: written_in(path))
    assert f"{path}: step1 is there twice, as 'Step 1: Identify Challenges' and as" in problem
    assert "Save each booklet as a file of its own" in problem


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({4: "Evaluation of our ideas in a matrix"}, "may be that of step5"),
        ({3: "Step 3: Select Criteria"}, "step3 is there twice"),
        ({2: "Step 2: Select Criteria", 3: "Step 4"}, "its number says step2 and its title step4"),
        ({5: "Step 7: Look back"}, "task cgpst has no such step"),
    ],
)
def test_headings_that_cannot_be_told_are_refused(
    tmp_path: Path, changes: dict[int, str], message: str
) -> None:
    titles = [changes.get(number, title) for number, title in enumerate(TITLES)]
    if 2 in changes:
        titles[1], titles[2] = titles[2], TITLES[2]
    path = with_titles(tmp_path / "a.docx", titles, "Heading 1")
    assert message in the_problem(lambda: written_in(path))


def test_a_plain_line_that_may_be_the_missing_heading_is_refused(tmp_path: Path) -> None:
    path = with_titles(tmp_path / "a.docx", TITLES, "Heading 1")
    document = docx.Document(str(path))
    for paragraph in document.paragraphs:
        if paragraph.text == TITLES[3]:
            paragraph.style = document.styles["Normal"]
            paragraph.runs[0].text = "Criteria"
    document.save(str(path))
    assert "'Criteria' cannot be told: it may be the heading of step4" in the_problem(
        lambda: written_in(path)
    )


def test_a_booklet_may_bring_its_scenario(tmp_path: Path) -> None:
    path = with_titles(tmp_path / "Puffins.docx", TITLES, "Heading 1")
    document = docx.Document(str(path))
    first = document.paragraphs[0]
    for text in (
        "Team: Puffins",
        "Future Scene: Port Salt",
        "In 2051 drones fish by night.",
        "Captains are idle.",
    ):
        first.insert_paragraph_before(text)
    document.save(str(path))
    source = read(path)
    scene = Scenario(
        id="Puffins", title="Port Salt", text="In 2051 drones fish by night.\nCaptains are idle."
    )
    assert source.scenarios == {"Puffins": scene}
    assert source.responses[0].response.metadata == {"Team": "Puffins"}
    assert written_in(path) == WRITTEN


@pytest.mark.parametrize("line", ["Future Scene: FS7", "FS id: 7", "Scenario: FS 7"])
def test_a_booklet_may_name_its_scenario(tmp_path: Path, line: str) -> None:
    path = with_titles(tmp_path / "Puffins.docx", TITLES)
    document = docx.Document(str(path))
    document.paragraphs[0].insert_paragraph_before(line)
    document.save(str(path))
    source = read(path)
    assert (source.responses[0].response.scenario, source.scenarios) == ("FS7", {})


def test_a_story_is_the_whole_document_with_its_title(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("Step by step", level=0)
    for line in ("Criteria", "…", "She counted the steps.", "* * *", "Then she slept."):
        document.add_paragraph(line)
    document.save(str(tmp_path / "Regen – Jürgen.docx"))
    source = read(tmp_path / "Regen – Jürgen.docx", load_task("ttcw"))
    (located,) = source.responses
    assert located.response.id == "Regen – Jürgen"
    assert located.response.steps["story"].text == (
        "Step by step\nCriteria\n…\nShe counted the steps.\n* * *\nThen she slept."
    )


def two_steps() -> Task:
    """Return a task of somebody's own, in German."""
    dimension = "{id: clear, name: Klar, description: Wie klar., scale: 0-3}"
    return parse_task(
        "id: fest\nname: Fest\nlanguage: de\nsource: Test\ndescription: Plane ein Fest.\nsteps:\n"
        "  - {id: ideen, name: Ideen sammeln, instruction: Nenne Ideen., items: {name: idee, max: 5},\n"
        f"     dimensions: [{dimension}]}}\n"
        f"  - {{id: ablauf, name: Ablauf, instruction: Beschreibe den Ablauf., dimensions: [{dimension}]}}\n",
        "fest.yaml",
    )


@pytest.mark.parametrize(
    "titles",
    [
        ["Ideen sammeln", "Ablauf"],
        ["Schritt 1", "Schritt 2"],
        ["1. Ideen", "2. Ablauf:"],
        ["IDEEN", "ABLAUF"],
    ],
)
def test_a_task_of_one_s_own_is_read_by_its_own_names(tmp_path: Path, titles: list[str]) -> None:
    document = docx.Document()
    for title, lines in zip(titles, [["Lampions", "Ein Boot"], ["Erst essen wir."]], strict=True):
        document.add_paragraph().add_run(title).bold = True
        for line in lines:
            document.add_paragraph(line)
    document.save(str(tmp_path / "a.docx"))
    assert written_in(tmp_path / "a.docx", two_steps()) == {
        "ideen": ["Lampions", "Ein Boot"],
        "ablauf": ["Erst essen wir."],
    }


def test_a_lone_word_is_no_booklet(tmp_path: Path) -> None:
    document = docx.Document()
    for line in ("Once upon a time", "Solutions", "The end"):
        document.add_paragraph(line)
    document.save(str(tmp_path / "a.docx"))
    assert "found no headings of steps" in the_problem(lambda: written_in(tmp_path / "a.docx", cgpst()))


@pytest.mark.parametrize("word", ["Challenge {}", "Herausforderung {}:", "Défi n° {}", "Challenge #{} –"])
def test_items_may_stand_below_labels_that_count(tmp_path: Path, word: str) -> None:
    document = docx.Document()
    for title, step in zip(TITLES, WRITTEN, strict=True):
        document.add_heading(title)
        for number, line in enumerate(WRITTEN[step], 1):
            if step in ITEMS:
                document.add_paragraph().add_run(word.format(number)).bold = True
            document.add_paragraph(line)
    document.save(str(tmp_path / "a.docx"))
    assert written_in(tmp_path / "a.docx") == WRITTEN


def test_an_answer_that_is_bold_as_a_whole_is_no_title(tmp_path: Path) -> None:
    document = docx.Document()
    answer = "Since drones fish by night, how might we keep the captains at work?"
    for number in range(1, 7):
        document.add_paragraph().add_run(f"Step {number}: {answer}").bold = True
    document.save(str(tmp_path / "a.docx"))
    assert written_in(tmp_path / "a.docx") == {step: [answer] for step in WRITTEN}


def test_hints_beside_a_title_are_no_answer(tmp_path: Path) -> None:
    document = docx.Document()
    rows = [
        [f"{title}\nUp to three of them", "\n".join(numbered(step))]
        for title, step in zip(TITLES, WRITTEN, strict=True)
    ]
    grid(document, rows)
    document.save(str(tmp_path / "a.docx"))
    assert written_in(tmp_path / "a.docx") == WRITTEN
    assert "left out 'Up to three of them'" in read(tmp_path / "a.docx").notes.said[0]


def test_the_names_of_columns_are_no_metadata(tmp_path: Path) -> None:
    document = docx.Document()
    answers = [[title, "\n".join(numbered(step))] for title, step in zip(TITLES, WRITTEN, strict=True)]
    grid(document, [["Team", "Puffins"], ["Step", "What we think"], *answers])
    document.save(str(tmp_path / "a.docx"))
    source = read(tmp_path / "a.docx")
    assert source.responses[0].response.metadata == {"Team": "Puffins"}
    assert source.notes.said == [f"{tmp_path / 'a.docx'}: left out 'Step: What we think'"]


def test_the_cells_of_one_column_may_begin_with_their_step(tmp_path: Path) -> None:
    document = docx.Document()
    cells = [f"Step {n}\n" + "\n".join(numbered(step)) for n, step in enumerate(WRITTEN, 1)]
    grid(document, [["B07_FS3"], *[[cell] for cell in cells]])
    document.save(str(tmp_path / "a.docx"))
    assert written_in(tmp_path / "a.docx") == WRITTEN
    assert read(tmp_path / "a.docx").responses[0].response.id == "B07_FS3"


def test_what_is_taken_as_a_template_s_word_is_said(tmp_path: Path) -> None:
    document = docx.Document()
    for title, line in zip(TITLES, ["Gulls", "Type your problem here", "Fill in the harbour"], strict=False):
        document.add_heading(title)
        document.add_paragraph(line)
    document.save(str(tmp_path / "a.docx"))
    assert written_in(tmp_path / "a.docx") == {"step1": ["Gulls"], "step3": ["Fill in the harbour"]}
    assert "taken as words of the template: 'Type your problem here'" in "\n".join(
        read(tmp_path / "a.docx").notes.said
    )


def test_a_line_of_a_story_is_never_a_template_s_word(tmp_path: Path) -> None:
    document = docx.Document()
    lines = ["Your journey ends here.", "[She slept.]", "____", "Type it here, he said."]
    for line in [*lines, "Click or tap here to enter text."]:
        document.add_paragraph(line)
    document.save(str(tmp_path / "a.docx"))
    assert written_in(tmp_path / "a.docx", load_task("ttcw")) == {"story": lines}
