"""The files that docs/results/aut.md is made from."""

from __future__ import annotations

import csv
import runpy
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from scipy.stats import pearsonr

from creaeval.data import read_scores
from creaeval.tasks import load_task
from data_folder import shared_data

if TYPE_CHECKING:
    from collections.abc import Mapping

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "aut_samples.py"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the script writes."""
    folder = tmp_path_factory.mktemp("aut")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["aut_samples.py", str(shared_data("aut/aut.csv")), str(folder)])
        runpy.run_path(str(SCRIPT), run_name="__main__")
    return folder


def table(path: Path) -> list[Mapping[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_sample_holds_as_many_uses_of_each_fifth_of_the_scale(made: Path) -> None:
    fifths = Counter(min(4, int((float(use["human_mean"]) - 1) / 0.8)) for use in table(made / "sample.csv"))
    assert fifths == {0: 12, 1: 12, 2: 12, 3: 12, 4: 12}


def test_what_is_trained_on_is_in_no_test(made: Path) -> None:
    test = {use["id"] for use in table(made / "test.csv")}
    assert len(test) == 1000
    assert {use["id"] for use in table(made / "sample.csv")} < test
    assert not {use["id"] for use in table(made / "taught.csv")} & test


def test_the_published_ensemble_agrees_with_people_as_its_data_say(made: Path) -> None:
    """r .783 on the 1,000 rows, as the table's own description has it."""
    people = {use["id"]: float(use["human_mean"]) for use in table(made / "test.csv")}
    (scores,) = read_scores(made / "ensemble.csv", load_task("aut"))
    found = {sheet.response_id: sheet.final("uses.originality") for sheet in scores.sheets}
    assert found.keys() == people.keys()
    r = pearsonr([found[name] for name in people], list(people.values())).statistic
    assert round(float(r), 3) == 0.783
