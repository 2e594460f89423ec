"""One table in every medium."""

from __future__ import annotations

import json
import math
import re
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from creaeval.agreement.methods.method_table import rank_methods
from creaeval.report.display import Cell, DisplayTable, Line, cross_table, plain_table, table_of
from creaeval.report.display.latex import _SMALL, _TEXT_WIDTH, escape_latex, latex_tables, text_width
from creaeval.report.display.markdown import escape_markdown, markdown_tables
from creaeval.report.display.numbers import fold, interval, number, p_value, span
from creaeval.report.display.sheets import to_frame, write_sheets
from creaeval.report.display.terminal import print_tables
from creaeval.report.experiment.tables import readable
from creaeval.report.html.cells import make_grids, remarks
from creaeval.tasks import load_task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_CELLS = Path(__file__).resolve().parents[1] / "stats" / "paper_cells.json"


def published(name: str) -> pd.DataFrame:
    """A table of arXiv 2609.03432 in long form, ranked."""
    content = json.loads(_CELLS.read_text(encoding="utf-8"))
    table = content["tables"][name]
    rows = []
    for place, dimension in enumerate([*content["dimensions"], "AVG"]):
        values: Mapping[str, float] = {
            method: [*of["cells"], of["AVG"]][place] for method, of in table["methods"].items()
        }
        ranks = rank_methods(table["measure"], values)
        rows += [(table["measure"], dimension, name, value, ranks[name]) for name, value in values.items()]
    return pd.DataFrame(rows, columns=["measure", "dimension", "method", "value", "rank"])


def methods() -> pd.DataFrame:
    """Two methods of which one is undefined in a dimension."""
    frame = pd.DataFrame(
        {
            "measure": "pearson",
            "dimension": ["step1.fluency", "step1.fluency", "AVG", "AVG"],
            "method": ["a_b", "[c]|d", "a_b", "[c]|d"],
            "value": [-0.0104, math.nan, 1.0, 0.5],
            "low": [-0.2, math.nan, 0.9, math.nan],
            "high": [0.1, math.nan, 1.0, math.nan],
            "n": [40, 38, 38, 38],
            "defined": ["2 of 2", "0 of 2", "20 of 20", "19 of 20"],
            "reason": ["", "j is constant", "", "j is constant"],
            "rank": pd.array([1, None, 1, 2], dtype="Int64"),
            "significant": pd.array([None, None, True, None], dtype="boolean"),
        }
    )
    frame.attrs["notes"] = ("50% of them & more",)
    return frame


def many(judges: Sequence[str], *, intervals: bool = True) -> DisplayTable:
    """Judges beside people in the 20 dimensions of CGPST, whose names are those of the task."""
    task = load_task("cgpst")
    parts = [f"{step.id}.{part.id}" for step in task.steps for part in step.dimensions]
    ends = (-0.99, 0.99) if intervals else (math.nan, math.nan)
    rows = [(name, part, -0.123, *ends, 40) for name in (*judges, "human-human") for part in (*parts, "AVG")]
    frame = pd.DataFrame(rows, columns=["judge", "dimension", "value", "low", "high", "n"])
    return cross_table(frame, "judge", "dimension", "QWK", task=task)


def printed(*tables: DisplayTable, width: int = 120) -> list[str]:
    file = StringIO()
    print_tables(Console(file=file, width=width), tables)
    return [line.rstrip() for line in file.getvalue().splitlines()]


def lines_of(text: str) -> dict[str, list[str]]:
    """The rows of a Markdown table by their first cell; of several tables, one behind the other."""
    rows: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("|"):
            name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
            rows.setdefault(name, []).extend(cells)
    return rows


@pytest.mark.parametrize(
    ("value", "form", "written"),
    [
        (0.6388, ",.3f", ".639"),
        (-0.01, ",.3f", "−.010"),
        (-0.0001, ",.3f", ".000"),
        (0.0004, "+,.3f", ".000"),
        (0.05, "+,.2f", "+.05"),
        (1.0, ",.3f", "1.000"),
        (10.5, ",.2f", "10.50"),
        (1234.5, ",.0f", "1,234"),
        (-0.125, "+.1%", "−12.5%"),
        (math.nan, ",.3f", "–"),
        (-math.inf, ",.3f", "−∞"),
    ],
)
def test_a_number_is_written_one_way(value: float, form: str, written: str) -> None:
    assert number(value, form) == written


@given(st.floats(-2000, 2000), st.integers(0, 4))
def test_no_number_has_a_hyphen_a_zero_before_its_point_or_a_sign_of_nothing(
    value: float, digits: int
) -> None:
    written = number(value, f",.{digits}f")
    assert "-" not in written
    assert not re.match("−?0[.]", written)
    assert written.startswith("−") == (round(value, digits) < 0)
    assert float(written.replace("−", "-").replace(",", "")) == pytest.approx(
        value, abs=0.5 * 10**-digits + 1e-9
    )


def test_intervals_p_values_and_spans() -> None:
    assert interval(-0.2, 0.1) == "[−.20, .10]"
    assert interval(math.nan, math.nan) == ""
    assert [p_value(p) for p in (0.0004, 0.001, 0.5, 1.0, math.nan)] == ["<.001", ".001", ".500", "1.000", ""]
    assert [span([40, 40]), span([19, 1200])] == ["40", "19–1,200"]


def test_texts_break_behind_signs_and_words_that_are_too_long_anywhere() -> None:
    assert fold("openai:gpt-5.4-2026", 12) == ["openai:gpt-", "5.4-2026"]
    assert fold("Correctly Written", 12) == ["Correctly", "Written"]
    assert fold("a" * 25, 10) == ["a" * 10, "a" * 10, "a" * 5]
    assert fold("", 10) == [""]


def test_the_papers_table_2_has_its_best_and_second_best() -> None:
    tables = readable("methods", published("Table 2"))
    rows = lines_of(markdown_tables(tables, "QWK on CGPST"))
    dimensions = rows.pop("")
    marks = {
        mark: [
            (name, dimensions[at])
            for name, cells in rows.items()
            for at, c in enumerate(cells)
            if c.startswith(mark)
        ]
        for mark in ("**", "_")
    }
    # CreaEval is best in every column of Table 2.
    assert marks["**"] == [("CreaEval", name) for name in dimensions]
    assert len(dimensions) == len(marks["_"]) == 21
    # Second best as printed there: Direct in S1 Fluency, GoT in S3 Fluency, SFT on the average.
    for pair in (("Direct Score", "S1 Fluency"), ("GoT", "S3 Fluency"), ("SFT", "AVG")):
        assert pair in marks["_"]
    assert rows["CreaEval"][-1] == "**.639**"
    assert rows["GoT"][dimensions.index("S2 Adequacy")] == ".001"
    latex = latex_tables(tables, "QWK on CGPST")
    assert latex.count(r"\textbf{") == latex.count(r"\underline{") == 21
    assert r"\caption{QWK on CGPST: QWK}" in latex


def test_marks_intervals_stars_and_what_is_undefined_in_markdown() -> None:
    text = markdown_tables(readable("methods", methods(), load_task("cgpst")), "A_B")
    assert text.startswith("**A\\_B**\n\n**Pearson r**\n\n**Identify Challenges**\n\n|  | Fluency | AVG |\n")
    assert "| a\\_b | **−.010** \\[−.20, .10\\] | **1.000**\\* \\[.90, 1.00\\] |" in text
    assert "| \\[c\\]\\|d | – | _.500_ |" in text
    assert "| n | 38–40 | 38 |" in text
    assert text.endswith(
        "- \\[c\\]|d, Identify Challenges: Fluency: undefined (j is constant).\n"
        "- \\[c\\]|d, AVG: mean of 19 of 20 values, the others are undefined.\n"
        "- \\* p \\< .05 against the second best.\n- 50% of them \\& more\n"
        "- Best in bold, second best in italics.\n"
    )


def test_the_same_in_latex() -> None:
    tables = readable("methods", methods(), load_task("cgpst"))
    text = latex_tables(tables, "A_B", ["[Mine]."])
    assert r"\caption{A\_B: Pearson r}" in text
    assert (
        "a\\_b & \\textbf{$-$.010} & \\textbf{1.000}$^{*}$ \\\\\n & {\\scriptsize [$-$.20, .10]} & " in text
    )
    assert "{}[c]|d & -- & \\underline{.500} \\\\" in text
    assert "\\midrule\nn & 38--40 & 38 \\\\" in text
    assert (
        "50\\% of them \\& more\\\\\nBest in bold, second best underlined.\\\\\n{}[Mine].\\end{minipage}"
        in text
    )
    assert text.count("{") == text.count("}")


def test_the_same_in_the_terminal() -> None:
    lines = printed(*readable("methods", methods(), load_task("cgpst")))
    rows = [line.split() for line in lines]
    assert rows[2] == ["a_b", "[c]|d", "n"]
    assert ["Fluency", "−.010", "[−.20,", ".10]", "–", "38–40"] in rows
    assert ["AVG", "1.000*", "[.90,", "1.00]", ".500", "38"] in rows
    assert "[c]|d, AVG: mean of 19 of 20 values, the others are undefined." in lines


def test_the_same_on_a_page() -> None:
    (table,) = readable("methods", methods(), load_task("cgpst"))
    (grid,) = make_grids(table)
    assert grid.groups == (("", 1), ("Identify Challenges", 1), ("", 1))
    assert grid.columns == (("", False), ("Fluency", True), ("AVG", True))
    first, undefined = grid.rows[0][1], grid.rows[1][1]
    assert (first.text, first.order, first.more) == ("−.010¹", -0.0104, "[−.20, .10]")
    assert (undefined.text, undefined.order) == ("–", None)
    assert grid.rows[0][2].text == "1.000¹*"
    assert [cell.text for cell in grid.foot[0]] == ["n", "38–40", "38"]
    assert remarks(table).endswith("50% of them & more ¹ best, ² second best.")


def test_the_same_in_a_workbook(tmp_path: Path) -> None:
    import openpyxl  # type: ignore[import-untyped,unused-ignore]

    (table,) = readable("methods", methods().assign(method=["=1+1", "b", "=1+1", "b"]), load_task("cgpst"))
    path = write_sheets([table, table], tmp_path / "t.xlsx")
    book = openpyxl.load_workbook(path)
    assert len(book.sheetnames) == 2
    heading, first, second = list(book["Pearson r"].values)[:3]
    fluency = "Identify Challenges: Fluency"
    assert heading == (None, fluency, f"{fluency}, low", f"{fluency}, high", "AVG", "AVG, low", "AVG, high")
    # No name is a formula; numbers are whole, not as they are rounded for people.
    assert first == ("'=1+1", -0.0104, -0.2, 0.1, 1, 0.9, 1)
    assert second == ("b", None, None, None, 0.5, None, None)
    assert "50% of them & more" in [row[0] for row in book["Pearson r"].values]
    assert to_frame(table).shape == (3 + len(table.remarks), 7)


def test_n_stands_in_the_caption_a_column_or_a_row() -> None:
    def table(*counts: int) -> DisplayTable:
        frame = pd.DataFrame({"a": list("ppqq"), "b": list("xyxy"), "value": 0.5, "n": counts})
        return cross_table(frame, "a", "b")

    assert table(9, 9, 9, 9).caption == "n = 9"
    by_row, by_column = table(8, 8, 9, 9), table(8, 9, 8, 7)
    assert [line.name for line in by_row.columns] == ["x", "y", "n"]
    assert [cell.text for cell in by_row.column(2)] == ["8", "9"]
    assert [line.name for line in by_column.rows] == ["p", "q", "n"]
    assert [cell.text for cell in by_column.cells[2]] == ["8", "7–9"]


def test_a_table_that_is_turned_has_each_cell_under_the_same_names() -> None:
    table = table_of("t", ["x", "y"], [("p", [Cell(1.0), Cell(2.0)]), ("q", [Cell(3.0), Cell("a")])])
    turned = table.turned()
    assert [line.name for line in turned.rows] == ["x", "y"]
    assert [[cell.text for cell in row] for row in turned.cells] == [["1.000", "3.000"], ["2.000", "a"]]
    assert turned.turned() == table
    assert (table.is_numeric(0), table.is_numeric(1)) == (True, False)


@given(
    st.lists(st.tuples(st.integers(1, 40), st.sampled_from("abc"), st.booleans()), min_size=1, max_size=12)
)
def test_parts_hold_every_column_once_and_fit(columns: list[tuple[int, str, bool]]) -> None:
    lines = [Line(str(at), group, every=every) for at, (_, group, every) in enumerate(columns)]
    table = table_of("t", lines, [("r", [Cell(float(at)) for at in range(len(lines))])])
    widths = [width for width, _, _ in columns]
    parts = table.parts(widths, 60)
    names = [[int(line.name) for line in part.columns] for part in parts]
    assert all(sum(widths[at] for at in part) <= 60 for part in names)
    assert all(part == sorted(part) for part in names)
    assert {at for part in names for at in part} == set(range(len(columns)))
    single = [at for part in names for at in part if not columns[at][2]]
    assert len(single) == len(set(single))


@pytest.mark.parametrize("judges", [2, 5, 9, 30])
@pytest.mark.parametrize("intervals", [True, False])
def test_latex_fits_the_page(judges: int, intervals: bool) -> None:
    names = [f"openai:gpt-5.{n}-2026-03_preview_of_a_long_name" for n in range(judges)]
    text = latex_tables([many(names, intervals=intervals)], "Agreement with people")
    bodies = re.findall(r"\\begin{tabular}{@{}(\w+)@{}}\n(.*?)\\end{tabular}", text, re.DOTALL)
    assert len(bodies) > 1
    for kinds, body in bodies:
        rows = [
            list(map(_width, line.removesuffix(r" \\").split(" & ")))
            for line in body.splitlines()
            if line.endswith(r" \\") and "multicolumn" not in line
        ]
        assert {len(row) for row in rows} == {len(kinds)}
        # Each column is as wide as the widest of its cells, with 3 pt at either side.
        width = sum(max(column) + 6 for column in zip(*rows, strict=True)) - 6
        assert width <= _TEXT_WIDTH
    # A float holds no more lines than a page.
    floats = text.split(r"\begin{table}")[1:]
    assert max(part.count("\\\\\n") for part in floats) <= 50
    assert sum("(continued)" in part for part in floats) == len(floats) - 1


def _width(cell: str) -> float:
    text = re.sub(r"\\scriptsize |[{}\\]", "", cell.replace("$-$", "−"))
    return text_width(text, _SMALL) if "scriptsize" in cell else text_width(text)


def test_rows_that_do_not_fit_a_page_go_on_in_a_further_float() -> None:
    frame = pd.DataFrame({"response": [f"r{n}" for n in range(120)], "points": range(120)})
    text = latex_tables([plain_table(frame, "Points")])
    assert text.count(r"\begin{table}") == 3
    assert text.count("response & points") == 3
    assert all(f"r{n} & {n} " in text for n in range(120))


@pytest.mark.parametrize("width", [80, 120, 200])
@pytest.mark.parametrize("judges", [1, 2, 3, 9])
def test_the_terminal_shows_every_value_within_its_width(width: int, judges: int) -> None:
    lines = printed(many([f"judge{n}" for n in range(judges)]), width=width)
    assert max(map(len, lines)) <= width
    values = sum(line.count("−.123") for line in lines)
    # People stand beside the judges of every part.
    assert values >= 21 * (judges + 1)
    if judges <= 3:
        assert sum(line.count("[−.99, .99]") for line in lines) == values
    # Few judges have dimensions below each other, many stand below each other themselves.
    assert any(line.startswith("   Fluency") for line in lines) == (judges <= 3)


def test_where_room_is_short_averages_keep_their_intervals_and_it_is_said() -> None:
    lines = printed(many([f"scripted:judge{n}" for n in range(9)]), width=80)
    assert sum(line.count("[−.99, .99]") for line in lines) == 10
    assert "For want of room only averages have their intervals here" in "\n".join(lines)


def test_names_of_users_are_text_in_every_medium() -> None:
    name = "[bold]x[/bold] <b> $y$ a_b\x1b[31m\n#1"
    table = table_of(name, [name], [(name, [Cell(name)])], corner=name, notes=[name])
    assert "\x1b" not in "".join(printed(table))
    assert "[bold]x[/bold]" in printed(table)[0]
    assert escape_markdown(name) == "\\[bold\\]x\\[/bold\\] \\<b\\> \\$y\\$ a\\_b \\[31m \\#1"
    assert "\x1b" not in markdown_tables([table])
    latex = latex_tables([table])
    assert "\\textless{}b\\textgreater{} \\$y\\$ a\\_b [31m" in latex
    assert escape_latex("a_b & 5% {y} ~^\\ − –") == (
        "a\\_b \\& 5\\% \\{y\\} \\textasciitilde{}\\textasciicircum{}\\textbackslash{} $-$ --"
    )


def test_latex_takes_no_bracket_for_an_option_even_behind_spaces() -> None:
    table = table_of("t", ["n"], [("\n[3cm]", [Cell(1)]), (" * a", [Cell(2)])], notes=[" [x]"])
    lines = latex_tables([table]).splitlines()
    for text in ("[3cm]", "* a"):
        (line,) = [line for line in lines if text in line]
        assert line.startswith("{}")
    assert any(r"\footnotesize {} [x]" in line for line in lines)


def test_any_frame_is_shown_as_it_is() -> None:
    frame = pd.DataFrame(
        {
            "model": ["x", "[2] y", "*"],
            "calls": [1, 2, 3000],
            "share": [0.5, math.nan, -2.0],
            "whole": [1.0, 2.0, 30.0],
            "good": [True, False, None],
        }
    )
    table = plain_table(frame, foot=1, links={"x": "0-0"})
    assert table.corner == "model"
    assert [[cell.text for cell in row] for row in table.cells] == [
        ["1", ".500", "1", "yes"],
        ["2", "–", "2", "no"],
        ["3,000", "−2.000", "30", "–"],
    ]
    assert [(line.summary, line.link) for line in table.rows] == [(False, "0-0"), (False, ""), (True, "")]
    empty = plain_table(frame.iloc[:0], notes=["No model."])
    assert "| model | calls | share | whole | good |" in markdown_tables([empty])
    assert "No model." in latex_tables([empty])


def test_ablations_stand_with_value_and_change_side_by_side() -> None:
    frame = pd.DataFrame(
        {
            "measure": ["qwk", "qwk", "qwk"],
            "method": ["full", "less", "none"],
            "value": [0.64, 0.2, math.nan],
            "low": [0.6, 0.1, math.nan],
            "high": [0.7, 0.3, math.nan],
            "difference": [math.nan, -0.44, math.nan],
            "difference_low": [math.nan, -0.5, math.nan],
            "difference_high": [math.nan, -0.4, math.nan],
            "change_percent": [math.nan, -68.75, math.nan],
            "significant": pd.array([None, True, None], dtype="boolean"),
            "n": [40, 40, 0],
            "reason": ["", "", "no scores that were rated"],
        }
    )
    text = markdown_tables(readable("ablations", frame))
    assert "| full | .640 \\[.60, .70\\] |  | 40 |" in text
    assert "| less | .200 \\[.10, .30\\] | −.440\\* (−69%) \\[−.50, −.40\\] | 40 |" in text
    assert "| none | – | – | 0 |" in text
    assert "- none, QWK: undefined (no scores that were rated)." in text


def test_a_grid_has_analysts_down_and_judges_across() -> None:
    frame = pd.DataFrame(
        {
            "measure": ["qwk"] * 3 + ["icc"],
            "method": "creaeval",
            "analyst": ["g", "g", "d", "g"],
            "judge": ["q", "p", "q", "q"],
            "value": [0.61, 0.62, 0.63, 0.64],
            "n": [10, 10, 9, 10],
        }
    )
    first, second = readable("grid", frame)
    assert (first.title, second.title) == ("QWK", "ICC(A,1)")
    assert [line.name for line in first.columns] == ["q", "p", "n"]
    assert [line.name for line in first.rows] == ["g", "d"]
    assert [[cell.text for cell in row] for row in first.cells] == [[".610", ".620", "10"], [".630", "", "9"]]


def test_judges_and_pairs_of_judges_stand_below_each_other() -> None:
    frame = pd.DataFrame({"measure": "qwk", "dimension": "AVG", "method": ["m", "m"], "value": [0.1, 0.2]})

    def names(**columns: Any) -> list[str]:
        (table,) = readable("judges", frame.assign(**columns))
        return [line.name for line in table.rows]

    assert names(judge=["a", "b"]) == ["a", "b"]
    assert names(first=["a", "all judges"], second=["b", ""]) == ["a and b", "all judges"]
    assert names(method=["m", "n"], judge="a") == ["m: a", "n: a"]


def test_points_and_shares_have_two_decimals() -> None:
    rows = [("bias", "m", 0.126), ("qwk_share", "m", 0.126), ("qwk", "m", 0.126)]
    frame = pd.DataFrame(rows, columns=["metric", "judge", "value"])
    assert [cell.text for cell in cross_table(frame, "judge", "metric").cells[0]] == [".13", ".13", ".126"]
