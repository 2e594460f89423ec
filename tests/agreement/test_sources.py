"""Scores and ratings in any form people hold them in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pytest

import creaeval
from creaeval.errors import DataError, SettingError

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.agreement import AgreementReport

RATINGS = pd.DataFrame({"id": ["a", "b", "c", "d"], "R1": [1, 2, 4, 5], "R2": [1, 3, 4, 4]})
SCORES = pd.DataFrame({"response_id": ["a", "b", "c", "d"], "judge": "m", "originality": [1, 2, 3, 5]})


def means(report: AgreementReport) -> list[tuple[str, str]]:
    """The values of every mean, the method's name aside, which is that of the file."""
    table = report.tables["means"]
    return [(row["metric"], f"{row['value']:.6f}") for row in table.to_dict("records")]


def test_a_frame_a_file_a_list_and_objects_give_the_same_agreement(tmp_path: Path) -> None:
    task = creaeval.load_task("aut")
    RATINGS.to_csv(tmp_path / "r.csv", index=False)
    SCORES.to_csv(tmp_path / "s.csv", index=False)
    objects = creaeval.read_ratings(RATINGS, task)
    forms = [
        (SCORES, RATINGS),
        (str(tmp_path / "s.csv"), tmp_path / "r.csv"),
        (SCORES.to_dict("records"), RATINGS.to_dict("records")),
        ([SCORES], objects),
        (creaeval.read_scores(tmp_path / "s.csv", task), [tmp_path / "r.csv"]),
    ]
    found = [means(creaeval.agree(task, *form, resamples=0)) for form in forms]
    assert all(one == found[0] for one in found)


def test_raters_need_no_task_but_a_scale() -> None:
    """ICCs by hand: mean squares of rows 15/3, of the error 1/3, of columns 0."""
    report = creaeval.raters(RATINGS, scale="1-5", resamples=0)
    values = report.tables["raters"].set_index("coefficient")["value"]
    rows, error, columns = 5.0, 1 / 3, 0.0
    assert values["ICC(C,1) = ICC(3,1)"] == pytest.approx((rows - error) / (rows + error))
    assert values["ICC(A,1) = ICC(2,1)"] == pytest.approx(
        (rows - error) / (rows + error + 2 / 4 * (columns - error))
    )
    assert report.dimensions == ("response.score",)
    with pytest.raises(SettingError, match="--scale"):
        creaeval.raters(RATINGS)


def test_what_is_no_source_is_refused_by_its_place() -> None:
    task = creaeval.load_task("aut")
    with pytest.raises(DataError, match=r"Scores, entry 2: found 3 \(int\)"):
        creaeval.agree(task, [SCORES, 3], RATINGS)
    with pytest.raises(DataError, match=r"Entry 2: found None \(NoneType\)"):
        creaeval.read_ratings([RATINGS, None], task)


def test_a_mixture_is_scored_whole(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,object,response\nu1,brick,a doorstop\n")
    frame = pd.DataFrame({"id": ["u2"], "object": ["brick"], "response": ["a hat"]})
    row = {"id": "u3", "object": "rope", "response": "a lead"}
    one = creaeval.read_responses([row], creaeval.load_task("aut"))
    run = creaeval.score([tmp_path / "a.csv", frame, *one], task="aut", ledger=tmp_path / "l.db")
    assert sorted(run.scores["response_id"]) == ["u1", "u2", "u3"]
