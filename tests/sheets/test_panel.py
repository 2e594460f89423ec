"""What several sheets come to, by hand."""

from __future__ import annotations

import pytest

from creaeval.sheets import ScoreSheet, StepScores
from creaeval.sheets.panel import PANEL_JUDGES, PanelRow, is_panel_judge, panel_rows
from creaeval.tasks import identities, parse_task

ESSAY = parse_task(
    """
id: essay
name: Essay
source: made for the tests
description: Write.
steps:
  - id: text
    name: Text
    instruction: Write.
    dimensions:
      - {id: ideas, name: Ideas, description: How many?, scale: 0-10}
      - {id: style, name: Style, description: How?, scale: 0-10}
    groups: [{id: both, name: Both, members: [ideas, style]}]
""",
    "essay.yaml",
)


def sheet(
    ideas: float | None = None,
    style: float | None = None,
    *,
    total: float | None = None,
    response: str = "r",
    scorer: str = "j",
) -> ScoreSheet:
    written = {"ideas": ideas, "style": style}
    step = StepScores(step="text", written={name: v for name, v in written.items() if v is not None})
    return ScoreSheet(response_id=response, scorer=scorer, steps=(step,), computed_total=total)


def panel(*sheets: ScoreSheet) -> dict[str, PanelRow]:
    return {row.dimension: row for row in panel_rows(ESSAY, sheets)}


IDEAS = "text.ideas"


# Mean, median, majority, spread of Ideas.
CASES: dict[str, tuple[list[float], tuple[float, float, float | None, float]]] = {
    "all alike": ([4, 4, 4], (4, 4, 4, 0)),
    "two of three alike": ([4, 7, 4], (5, 4, 4, 3)),
    "all differ": ([1, 5, 9], (5, 5, None, 8)),
    "two that differ: the median is between": ([4, 7], (5.5, 5.5, None, 3)),
    "two alike": ([6, 6], (6, 6, 6, 0)),
    "a tie of two and two is no majority": ([3, 3, 8, 8], (5.5, 5.5, None, 5)),
    "half of them is no majority": ([3, 3, 1, 8], (3.75, 3, None, 7)),
    "three of five are one": ([2, 9, 2, 2, 10], (5, 2, 2, 8)),
    "half points": ([2.5, 2.5, 4], (3, 2.5, 2.5, 1.5)),
    "none at all is a score": ([0, 0, 3], (1, 0, 0, 3)),
}


@pytest.mark.parametrize("name", CASES)
def test_mean_median_majority_and_spread(name: str) -> None:
    values, expected = CASES[name]
    row = panel(*[sheet(value) for value in values])[IDEAS]
    assert (row.mean, row.median, row.majority, row.spread) == pytest.approx(expected)
    assert row.n_sheets == len(values)


def test_a_missing_value_is_left_out_and_counted_as_missing() -> None:
    rows = panel(sheet(4, total=9), sheet(None, 2), sheet(8, None, total=3))
    assert (rows[IDEAS].mean, rows[IDEAS].n_sheets) == (6, 2)
    assert (rows["total"].mean, rows["total"].n_sheets) == (6, 2)
    # One sheet alone is no panel, and none at all is not either.
    assert rows["text.style"] == PanelRow("r", "text.style", 1)
    assert rows["text.both"] == PanelRow("r", "text.both", 0)


def test_every_step_level_identity_and_the_total_have_a_value() -> None:
    assert list(panel(sheet(1), sheet(2))) == identities(ESSAY)


def test_the_final_value_counts_where_a_judge_wrote_another() -> None:
    step = StepScores(step="text", written={"ideas": 1}, computed={"ideas": 5})
    two = [ScoreSheet(response_id="r", scorer=name, steps=(step,)) for name in "ab"]
    assert panel(*two)[IDEAS].mean == 5


def test_responses_are_kept_apart_and_one_sheet_alone_has_no_panel() -> None:
    sheets = [sheet(1, response="b"), sheet(7, response="a"), sheet(3, response="b"), sheet(1, response="c")]
    sheets.append(sheet(8, response="a"))
    rows = panel_rows(ESSAY, sheets)
    expected = [(response, name) for response in "ba" for name in identities(ESSAY)]
    assert [(row.response_id, row.dimension) for row in rows] == expected
    assert [row.mean for row in rows if row.dimension == IDEAS] == [2, 7.5]


def test_a_panels_names_are_told_from_judges() -> None:
    assert all(map(is_panel_judge, PANEL_JUDGES))
    assert is_panel_judge("Panel  Mean")
    assert not any(map(is_panel_judge, ["openai:mean", "panel", "local", ""]))
