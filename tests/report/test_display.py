"""Tables as a paper prints them."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest
from creaeval.report.markup import escape_latex, escape_markdown, latex_grid
from creaeval.report.tables import lay_out_tables, paper_number, write_paper_table

from creaeval.agreement.method_table import rank_methods

if TYPE_CHECKING:
    from collections.abc import Mapping

_CELLS = Path(__file__).resolve().parents[1] / "stats" / "paper_cells.json"


def paper_table(name: str) -> pd.DataFrame:
    """A table of arXiv 2609.03432 in long form, ranked."""
    published = json.loads(_CELLS.read_text(encoding="utf-8"))
    table = published["tables"][name]
    rows = []
    for place, dimension in enumerate([*published["dimensions"], "AVG"]):
        values: Mapping[str, float] = {
            method: [*of["cells"], of["AVG"]][place] for method, of in table["methods"].items()
        }
        ranks = rank_methods(table["measure"], values)
        rows += [(table["measure"], dimension, name, value, ranks[name]) for name, value in values.items()]
    return pd.DataFrame(rows, columns=["measure", "dimension", "method", "value", "rank"])


def lines_of(path: Path) -> dict[str, list[str]]:
    """The rows of a Markdown table by their first cell."""
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("|")
    ]
    return {row[0]: row[1:] for row in cells}


def test_the_papers_table_2_has_its_best_and_second_best(tmp_path: Path) -> None:
    frame = paper_table("Table 2")
    _, markdown, latex = write_paper_table(frame, tmp_path, "table2", caption="QWK on CGPST")
    rows = lines_of(markdown)
    methods = rows[""]
    dimensions = [name for name in rows if name not in ("", "---")]
    assert len(dimensions) == 21
    # CreaEval is best in every row of Table 2.
    assert {methods[i] for name in dimensions for i, c in enumerate(rows[name]) if c.startswith("**")} == {
        "CreaEval"
    }
    # Second best as printed there: Direct in S1 Fluency, GoT in S3 Fluency, SFT on the average.
    second = {name: methods[i] for name in dimensions for i, c in enumerate(rows[name]) if c.startswith("_")}
    assert (second["S1 Fluency"], second["S3 Fluency"], second["AVG"]) == ("Direct Score", "GoT", "SFT")
    assert rows["AVG"][-1] == "**.639**"
    assert rows["S2 Adequacy"][methods.index("GoT")] == ".001"
    text = latex.read_text(encoding="utf-8")
    assert text.count(r"\textbf{") == text.count(r"\underline{") == 21
    assert (
        r"\midrule" + "\nAVG & .241 & .219 & .223 & .214 & .208 & .194 & \\underline{.467} & \\textbf{.639}"
        in text
    )
    assert r"\caption{QWK on CGPST: QWK}" in text


def methods_frame() -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "measure": "pearson",
            "dimension": ["step1.fluency", "step1.fluency", "AVG", "AVG"],
            "name": ["Step 1: Fluency", "Step 1: Fluency", "AVG", "AVG"],
            "method": ["a_b", "[c]|d", "a_b", "[c]|d"],
            "value": [-0.0104, math.nan, 1.0, 0.5],
            "low": [-0.2, math.nan, 0.9, math.nan],
            "high": [0.1, math.nan, 1.0, math.nan],
            "n": [40, 38, 38, 38],
            "defined": ["2 of 2", "0 of 2", "20 of 20", "19 of 20"],
            "reason": ["", "j is constant", "", ""],
            "rank": pd.array([1, None, 1, 2], dtype="Int64"),
            "significant": pd.array([None, None, True, None], dtype="boolean"),
        }
    )
    frame.attrs["notes"] = ("50% of them & more",)
    return frame


def test_cells_hold_marks_intervals_stars_dashes_and_n(tmp_path: Path) -> None:
    _, markdown, latex = write_paper_table(methods_frame(), tmp_path, "t", caption="A_B", notes=["Mine."])
    text = markdown.read_text(encoding="utf-8")
    assert "| Step 1: Fluency | **−.010** \\[−.20, .10\\] | – | 38–40 |" in text
    assert "| AVG | **1.000**\\* \\[.90, 1.00\\] | _.500_ | 38 |" in text
    assert "|  | a\\_b | \\[c\\]\\|d | n |" in text
    assert "- – \\[c\\]|d, Step 1: Fluency: j is constant." in text
    assert "- \\[c\\]|d, AVG: mean of 19 of 20 values, the others are undefined." in text
    assert "- \\* p \\< .05 against the second best." in text
    assert text.endswith("- 50% of them \\& more\n- Mine.\n")
    made = latex.read_text(encoding="utf-8")
    assert "Step 1: Fluency & \\textbf{$-$.010} & -- & 38--40 \\\\" in made
    assert " & {\\footnotesize [$-$.20, .10]} &  &  \\\\" in made
    assert "AVG & \\textbf{1.000}$^{*}$ & \\underline{.500} & 38 \\\\" in made
    assert "50\\% of them \\& more\\\\\nMine.\n\\end{minipage}" in made
    assert made.count("{") == made.count("}")


def test_the_csv_is_the_long_frame_and_runs_no_formula(tmp_path: Path) -> None:
    frame = methods_frame().assign(method=["=1+1", "b", "=1+1", "b"])
    path = write_paper_table(frame, tmp_path / "new", "t", caption="x")[0]
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(frame.columns)
    assert [row["method"] for row in rows] == ["'=1+1", "b", "'=1+1", "b"]
    assert (rows[0]["value"], rows[1]["value"]) == ("-0.0104", "")


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.6388, ".639"), (-0.01, "−.010"), (-0.0001, ".000"), (1.0, "1.000"), (12.34, "12.340"), (0.0, ".000")],
)
def test_numbers_are_written_as_the_paper_does(value: float, shown: str) -> None:
    assert paper_number(value) == shown
    assert paper_number(math.nan) == "–"


def test_names_of_users_are_text_in_markdown_and_latex() -> None:
    assert escape_latex("a_b & 5% $x$ {y} #1 ~^\\ <z>\n\nq") == (
        "a\\_b \\& 5\\% \\$x\\$ \\{y\\} \\#1 \\textasciitilde{}\\textasciicircum{}\\textbackslash{} "
        "\\textless{}z\\textgreater{} q"
    )
    assert escape_markdown("<b>*x*</b> [l](u) `c` _i_ $m$\r\n# h") == (
        "\\<b\\>\\*x\\*\\</b\\> \\[l\\](u) \\`c\\` \\_i\\_ \\$m\\$ \\# h"
    )


def test_a_row_that_begins_with_a_bracket_is_no_option_of_the_row_before(tmp_path: Path) -> None:
    frame = pd.DataFrame({"model": ["x", "[2] y", "*"], "calls": [1, 2, 3], "share": [0.5, math.nan, 2.0]})
    _, markdown, latex = write_paper_table(frame, tmp_path, "t", caption="c")
    text = latex.read_text(encoding="utf-8")
    assert "x & 1 & .500 \\\\\n{}[2] y & 2 & -- \\\\\n{}* & 3 & 2.000 \\\\" in text
    assert "| \\[2\\] y | 2 | – |" in markdown.read_text(encoding="utf-8")


def test_ablations_stand_with_value_and_change_side_by_side(tmp_path: Path) -> None:
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
    text = write_paper_table(frame, tmp_path, "t", caption="c")[1].read_text(encoding="utf-8")
    assert "|  | QWK | change | n |" in text
    assert "| full | .640 \\[.60, .70\\] |  | 40 |" in text
    assert "| less | .200 \\[.10, .30\\] | −.440 (−69%)\\* \\[−.50, −.40\\] | 40 |" in text
    assert "| none | – | – | 0 |" in text
    assert "- – none, QWK: no scores that were rated." in text


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
    first, second = lay_out_tables(frame)
    assert (first.title, second.title) == ("QWK", "ICC(A,1)")
    assert first.header == ["analyst", "q", "p", "n"]
    assert [[cell.text for cell in row] for row in first.rows] == [
        ["g", ".610", ".620", "10"],
        ["d", ".630", "", "9"],
    ]


def test_judges_and_pairs_of_judges_stand_across() -> None:
    frame = pd.DataFrame({"measure": "qwk", "dimension": "AVG", "method": ["m", "m"], "value": [0.1, 0.2]})
    (judges,) = lay_out_tables(frame.assign(judge=["a", "b"]))
    assert judges.header == ["", "a", "b"]
    (pairs,) = lay_out_tables(frame.assign(first=["a", "all judges"], second=["b", ""]))
    assert pairs.header == ["", "a and b", "all judges"]
    (several,) = lay_out_tables(frame.assign(method=["m", "n"], judge="a"))
    assert several.header == ["", "m: a", "n: a"]
    # Two values for one cell: shown as they are, not one in place of the other.
    (plain,) = lay_out_tables(frame)
    assert len(plain.rows) == 2


def test_a_table_without_rows_is_its_header_and_its_notes(tmp_path: Path) -> None:
    frame = methods_frame().iloc[:0]
    _, markdown, latex = write_paper_table(frame, tmp_path, "t", caption="c", notes=["No method was run."])
    assert lines_of(markdown)["measure"][:2] == ["dimension", "name"]
    assert "No method was run." in markdown.read_text(encoding="utf-8")
    assert "No method was run." in latex.read_text(encoding="utf-8")


def test_latex_takes_no_bracket_for_an_option_even_behind_spaces() -> None:
    rows = [[escape_latex("\n[3cm]"), "1"], [escape_latex(" * a"), "2"]]
    lines = latex_grid(["", "n"], rows, "", notes=[" [x]"]).splitlines()
    for text in ("[3cm]", "* a", "[x]"):
        (line,) = [one for one in lines if text in one]
        assert line.startswith("{} ")
