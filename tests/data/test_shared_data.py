"""The one booklet of the released data, against what was read off it by hand (facts of the data)."""

from __future__ import annotations

import pytest

from creaeval.data import Rating, find_scenario, read_ratings, read_responses, read_scenarios
from creaeval.sheets import check_grid, disagreements
from data_folder import shared_data

from .support import cgpst, the_problem


@pytest.fixture(scope="module")
def ratings() -> dict[str, Rating]:
    return {r.rater: r for r in read_ratings([shared_data("cgpst/data_A.json")], cgpst())}


def test_both_raters_sheets_add_up_again(ratings: dict[str, Rating]) -> None:
    assert {rater: r.sheet.total for rater, r in ratings.items()} == {"H01": 116, "H02": 117}
    assert {rater: r.sheet.written_total for rater, r in ratings.items()} == {"H01": 116, "H02": 117}
    assert [disagreements(r.sheet) for r in ratings.values()] == [[], []]


@pytest.mark.parametrize(
    ("identity", "first", "second"),
    [
        ("step1.fluency", 8, 8),
        ("step1.flexibility", 5, 5),
        ("step1.originality", 3, 7),
        ("step2.integrity", 8, 8),
        ("step3.fluency", 7, 7),
        ("step3.flexibility", 2, 2),
        ("step3.originality", 7, 9),
        ("step4.relevance", 6, 8),
        ("step5.overall", 4, 4),
        ("step6.humaneness", 3, 2),
        ("step6.overall", 25, 18),
    ],
)
def test_each_value_is_the_one_on_the_sheet(
    ratings: dict[str, Rating], identity: str, first: int, second: int
) -> None:
    assert [ratings[rater].sheet.final(identity) for rater in ("H01", "H02")] == [first, second]


def test_item_four_of_step_three_is_a_duplicate_for_both(ratings: dict[str, Rating]) -> None:
    for rating in ratings.values():
        step3 = rating.sheet.step("step3")
        assert step3 is not None
        assert [item.item for item in step3.items if not item.valid] == [4]
        assert step3.items[3].invalid == "duplicate"


def test_json_and_word_document_hold_the_same_response() -> None:
    (a,) = read_responses([shared_data("cgpst/data_A.json")], cgpst())
    (b,) = read_responses([shared_data("cgpst/A05_FS10.docx")], cgpst())
    assert (a.id, a.scenario) == (b.id, b.scenario) == ("A05_FS10", "FS10")
    for step in cgpst().steps:
        assert a.steps[step.id].text == b.steps[step.id].text
        assert a.steps[step.id].items == b.steps[step.id].items
    assert [len(a.steps[s].items) for s in ("step1", "step3", "step4")] == [8, 8, 5]


def test_the_grid_has_one_faulty_column_and_gives_four() -> None:
    (response,) = read_responses([shared_data("cgpst/A05_FS10.docx")], cgpst())
    check = check_grid(response.steps["step5"].text, 5)
    assert (check.score, check.faulty_columns) == (4, (4,))


def test_the_released_scenarios_are_found_by_the_response() -> None:
    scenarios = read_scenarios(shared_data("cgpst/future_scenarios_en.json"))
    (response,) = read_responses([shared_data("cgpst/data_A.json")], cgpst())
    scenario = find_scenario(response, scenarios, cgpst())
    assert scenario is not None
    assert (scenario.id, scenario.title) == ("FS10", "Ocean Soup")


def test_the_released_table_of_human_scores_holds_means_and_no_ratings() -> None:
    # Scenarios by models, with two rows of headers; it names neither a response nor a rater.
    path = shared_data("cgpst/human_scores_table.xlsx")
    problem = the_problem(lambda: read_ratings(path, cgpst()))
    assert problem.startswith(
        f"{path}, Data: no column could be the id (what was rated). Found the columns FS1"
    )
