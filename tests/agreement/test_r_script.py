"""agreement.R beside what creaeval wrote: the same numbers by psych and lme4, where these are installed."""

from __future__ import annotations

import csv
import functools
import math
import re
import shutil
import subprocess
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

import creaeval
from creaeval.report.agreement_files import write_agreement
from creaeval.tasks import load_task

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    # By scorer and dimension.
    Points = Mapping[tuple[str, str], NDArray[np.float64]]

RSCRIPT = shutil.which("Rscript")
DIMENSIONS = ("step2.focus", "step2.adequacy")
SEVERITY = (-1.5, 0.0, 1.0, 0.5)
_LINE = re.compile(
    r"(?P<table>\w+) +(?P<value>\w+) +(?P<n>\d+) compared, (?P<one_alone>\d+) undefined in one alone, "
    r"(?P<at_bound>\d+) at a bound, largest difference (?P<largest>\S+)"
)


@functools.cache
def why_no_r() -> str:
    if RSCRIPT is None:
        return "R is not installed"
    missing = 'for (p in c("psych", "lme4")) if (!requireNamespace(p, quietly = TRUE)) cat(p, "")'
    said = subprocess.run([RSCRIPT, "-e", missing], capture_output=True, text=True, check=True).stdout
    return f"R lacks the packages {said}" if said else ""


@pytest.fixture(autouse=True)
def _needs_r() -> None:
    if why_no_r():
        pytest.skip(why_no_r())


class Compared(NamedTuple):
    """How many values R and creaeval both have, or one of them, and how far they are apart."""

    n: int
    one_alone: int
    at_bound: int
    largest: float

    def check(self, n: int, most: float = 1e-9) -> None:
        """All values were compared, and differ by less than `most`."""
        assert (self.n, self.one_alone, self.at_bound) == (n, 0, 0)
        assert self.largest < most


def run_r(folder: Path) -> tuple[dict[tuple[str, str], Compared], str]:
    """Run the script; by table and value what it compared, and all it said."""
    assert RSCRIPT is not None
    ended = subprocess.run(
        [RSCRIPT, "agreement.R"], cwd=folder, capture_output=True, encoding="utf-8", check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert not ended.stderr
    found = {}
    for line in _LINE.finditer(ended.stdout):
        largest = math.nan if line["largest"] == "-" else float(line["largest"])
        n, one_alone, at_bound = (int(line[name]) for name in ("n", "one_alone", "at_bound"))
        found[line["table"], line["value"]] = Compared(n, one_alone, at_bound, largest)
    return found, ended.stdout


def points(scorers: Sequence[str], n: int = 40) -> Points:
    """Whole points from 1 to 10 by scorer and dimension: a quality, a severity and noise."""
    rng = np.random.default_rng(0)
    made = {}
    for dimension in DIMENSIONS:
        quality = rng.normal(5.5, 2, n)
        for scorer, severity in zip(scorers, SEVERITY, strict=False):
            seen = quality + severity + rng.normal(0, 1, n)
            made[scorer, dimension] = np.clip(np.rint(seen), 1, 10)
    return made


def write_points(path: Path, column: str, made: Points) -> Path:
    """Write a row a value; ids are 001, 002 and so on, and nan has no row."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["response_id", column, "dimension", "score"])
        for (scorer, dimension), values in made.items():
            table.writerows(
                (f"{number:03}", scorer, dimension, f"{value:g}")
                for number, value in enumerate(values, 1)
                if not np.isnan(value)
            )
    return path


def agree(folder: Path, judged: Points, rated: Points) -> Path:
    scores = write_points(folder / "scores.csv", "judge", judged)
    ratings = write_points(folder / "ratings.csv", "rater", rated)
    task = load_task("cgpst")
    report = creaeval.agree(task, creaeval.read_scores(scores, task), ratings, resamples=0)
    write_agreement(report, folder / "out")
    return folder / "out"


def test_means_components_and_iccs_are_those_of_psych_and_lme4(tmp_path: Path) -> None:
    judged = points(["model@001", 'a "b", c'])
    rated = points(["Žofie 李", "Ann, Dr", "NA"])
    found, said = run_r(agree(tmp_path, judged, rated))
    # Two judges and the raters among each other; two dimensions and their mean; three measures.
    found["agreement", "value"].check(27)
    found["raters", "value"].check(12)
    variance = found["variance", "variance"]
    assert variance.n + variance.at_bound == 12
    assert variance.n >= 6
    assert variance.largest < 1e-4
    assert "psych beside these formulas" in said
    checked = re.search(r"cohen\.kappa (\S+), ICC (\S+)", said)
    assert checked is not None
    assert max(map(float, checked.groups())) < 1e-9


def test_undefined_values_are_undefined_in_both(tmp_path: Path) -> None:
    judged, rated = points(["judge"]), points(["A", "B"])
    for table, scorer in ((judged, "judge"), (rated, "A")):
        table[scorer, "step2.focus"][:] = 4
    rated["B", "step2.focus"][:] = 5
    found, said = run_r(agree(tmp_path, judged, rated))
    # Of focus nothing is defined; of adequacy, and the mean over dimensions, two rows of three measures.
    found["agreement", "value"].check(12)
    assert "step2.focus, judges: there is a single one" in said


def test_ratings_may_be_missing(tmp_path: Path) -> None:
    judged, rated = points(["one", "two"], n=60), points(["A", "B", "C"], n=60)
    for place, values in enumerate(rated.values()):
        values[place % 5 :: 5] = np.nan
    found, _ = run_r(agree(tmp_path, judged, rated))
    found["agreement", "value"].check(27)


def test_half_points_and_a_single_rater(tmp_path: Path) -> None:
    judged, rated = points(["one", "two"]), points(["A"])
    rated["A", "step2.focus"] += 0.5
    found, said = run_r(agree(tmp_path, judged, rated))
    found["agreement", "value"].check(18)
    assert "step2.focus, raters: there is a single one" in said
    assert "Rasch model: skipped, " in said


def crossed() -> Matrix:
    return one_dimension(60, 4, np.ones((60, 4), dtype=bool))


def two_of_six() -> Matrix:
    """Each response by another pair of six raters."""
    pairs = list(combinations(range(6), 2))
    chosen = [pairs[response % len(pairs)] for response in range(90)]
    return one_dimension(90, 6, np.array([[rater in pair for rater in range(6)] for pair in chosen]))


def two_islands() -> Matrix:
    chosen = [(0, 1) if response < 30 else (2, 3) for response in range(70)]
    return one_dimension(70, 4, np.array([[rater in pair for rater in range(4)] for pair in chosen]))


def one_dimension(n: int, k: int, is_there: NDArray[np.bool_]) -> Matrix:
    rng = np.random.default_rng(n)
    values = 10 + rng.normal(0, 2.5, (n, 1)) + rng.normal(0, 1.5, k) + rng.normal(0, 1.2, (n, k))
    return np.where(is_there, np.clip(np.rint(values), 1, 20), np.nan)


@pytest.mark.parametrize("design", [crossed, two_of_six, two_islands])
def test_components_leniency_and_fair_means_are_those_of_lme4(
    tmp_path: Path, design: Callable[[], Matrix]
) -> None:
    matrix = design()
    names = [f"rater {number}" for number in range(matrix.shape[1])]
    made = {(name, "Quality"): column for name, column in zip(names, matrix.T, strict=True)}
    source = write_points(tmp_path / "ratings.csv", "rater", made)
    write_agreement(creaeval.raters(source, scale="1-20", resamples=0), tmp_path / "out")
    found, said = run_r(tmp_path / "out")
    assert ("2 islands of raters" in said) == (design is two_islands)
    for value in ("leniency", "se"):
        found["severity", value].check(len(names), 1e-5)
    for value in ("fair_mean", "se"):
        found["fair_means", value].check(len(matrix), 1e-5)
    for value in ("value", "raters", "needed"):
        found["reliability", value].check(4, 1e-5)
    found["variance", "variance"].check(3, 1e-4)


def test_a_judges_leniency_is_beside_the_raters_of_its_responses(tmp_path: Path) -> None:
    judged, rated = points(["one", "two"], n=60), points(["A", "B", "C"], n=60)
    for place, values in enumerate(rated.values()):
        values[place % 3 :: 3] = np.nan
    found, _ = run_r(agree(tmp_path, judged, rated))
    for value in ("leniency", "se"):
        found["severity", value].check(10, 1e-5)
