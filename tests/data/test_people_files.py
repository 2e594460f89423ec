"""Files as labs, coaches and writing researchers have them, each read to what a careful person reads in it.

The files lie in ``cases/files``, what they hold in its ``expected.json``.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from creaeval.data import Found, read_data, read_ratings
from creaeval.tasks import load_task

from .support import problems_of
from .test_file_cases import ten_points

FILES = Path(__file__).parent / "cases" / "files"
#: Documents: tests/cli/test_data_show.py reads them as people do.
BOOKLETS = {
    "Blue Whales.docx",
    "team Owls.docx",
    "six_tables.docx",
    "two_columns.docx",
    "stories",
    "scenario.txt",
}
#: Options of a file that is not read without.
OPTIONS: dict[str, dict[str, Any]] = {
    "wide_semicolons.csv": {"split": ";"},
    "ratings_99.csv": {"missing": ["-99"]},
}


@cache
def cases() -> dict[str, dict[str, Any]]:
    return {case["file"]: case for case in json.loads((FILES / "expected.json").read_text(encoding="utf-8"))}


@cache
def read(name: str) -> Found:
    return read_data(FILES / name, load_task(cases()[name]["task"]), **OPTIONS.get(name, {}))


TABLES = sorted(set(cases()) - BOOKLETS - {"plain_matrix.csv"})


def seen(found: Found, wanted: dict[str, Any]) -> list[dict[str, Any]]:
    """What was read of responses, in the words of what is expected."""
    if "steps" in wanted:
        return [
            {
                "id": response.id,
                "steps": {
                    step: [item.text for item in text.items]
                    or [line for line in text.text.splitlines() if line]
                    for step, text in response.steps.items()
                },
            }
            for response in found.responses
        ]
    return [
        {
            **({"participant": response.metadata["participant"]} if "participant" in wanted else {}),
            "object": response.metadata["object"],
            "text": response.steps["uses"].text,
        }
        for response in found.responses
    ]


@pytest.mark.parametrize("name", [name for name in TABLES if "responses" in cases()[name]])
def test_responses_are_those_that_people_wrote(name: str) -> None:
    expected = cases()[name]["responses"]
    found = read(name)
    assert seen(found, expected[0]) == expected
    assert len({response.id for response in found.responses}) == len(expected)


@pytest.mark.parametrize("name", [name for name in TABLES if "ratings" in cases()[name]])
def test_ratings_are_those_that_people_gave(name: str) -> None:
    expected = cases()[name]["ratings"]
    found = read(name)
    ids = [response.id for response in found.responses]
    rows = [(rating.get("response_id") or ids[rating["n"] - 1], rating) for rating in expected]
    scores = Counter(
        (rating.response_id, rating.rater, rating.sheet.final("uses.originality")) for rating in found.ratings
    )
    assert scores == Counter((name, rating["rater"], rating["score"]) for name, rating in rows)
    assert len(found.responses) == len(cases()[name].get("responses", ()))


@pytest.mark.parametrize("name", sorted(set(TABLES) - {"stories.csv", "teams.xlsx"}))
def test_what_was_found_out_is_said(name: str) -> None:
    said = {
        "survey_export.csv": ["rows 2, 3 below the header belong to it", "left out as personal data"],
        "form_export.csv": ["each line is one use", "(e-mail address)"],
        "wide_semicolons.csv": ["ids are made of participant, object and number"],
        "deutsch.csv": ["ids are made of participant, object and number"],
        "deutsch_utf16.txt": ["ids are made of participant, object and number"],
        "no_id.csv": ["ids are made of participant, object and number"],
        "blank_and_total_rows.csv": ["left out 1 row as sums of others"],
        "title_above.xlsx": ["above it stands"],
        "ratings_names.csv": ["read as raters of these names"],
        "ratings_creativity.csv": ["was read as uses.originality, the only dimension of task aut"],
        "ratings_mean_row.xlsx": ["left out 1 row as sums of others"],
    }
    notes = " ".join(read(name).notes)
    for words in said.get(name, []):
        assert words in notes
    if name not in said:
        assert notes == ""


def test_no_address_goes_along() -> None:
    for name in ("survey_export.csv", "form_export.csv"):
        carried = " ".join(" ".join(response.metadata.values()) for response in read(name).responses)
        assert "@" not in carried


def test_a_number_for_what_is_missing_is_named_with_the_option() -> None:
    path = FILES / "ratings_99.csv"
    first, *others = problems_of(lambda: read_ratings(path, load_task("aut")))
    for problem in (first, *others):
        assert problem.startswith(f"{path}, row ")
        assert "found '-99', expected a number from 1 to 5" in problem
        assert "If -99 stands for a missing value, say --missing -99." in problem


def test_the_matrix_of_shrout_and_fleiss_needs_no_more_than_a_scale() -> None:
    # Shrout & Fleiss (1979), Table 2: six targets, four judges.
    ratings = read_ratings(FILES / "plain_matrix.csv", ten_points())
    table = {(r.response_id, r.rater): r.sheet.final("use.originality") for r in ratings}
    rows = [[table[f"t{target}", f"J{judge}"] for judge in range(1, 5)] for target in range(1, 7)]
    assert rows == [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
