from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from agreement.tables import row, table
from booklets import cgpst
from creaeval.agreement.long_table import compared_dimensions
from creaeval.agreement.scorers.total import TOTAL_COLUMNS, total_reliability
from creaeval.tasks import Task, parse_task

if TYPE_CHECKING:
    from creaeval.agreement.rating_data import RatingData

CGPST_STRATA = "step1 (4), step2 (3), step3 (4), step4 + step5 (3), step6 (6)"


def scored(n: int = 30, seed: int = 3) -> RatingData:
    """Random points of one rater on all dimensions of CGPST."""
    generator = np.random.default_rng(seed)
    truth = generator.normal(5, 2, n)
    given = {
        ("rater", "A", name): (truth + generator.normal(0, 2, n)).tolist()
        for name in compared_dimensions(cgpst())
    }
    return table(given)


def alpha(items: np.ndarray) -> float:
    k = items.shape[1]
    return float(k / (k - 1) * (1 - items.var(axis=0, ddof=1).sum() / items.sum(axis=1).var(ddof=1)))


def task_of(*sizes: int) -> Task:
    """A task whose steps one, two, ... have so many dimensions."""
    steps = ""
    for number, size in enumerate(sizes, 1):
        steps += f"  - id: s{number}\n    name: S{number}\n    instruction: Write.\n    dimensions:\n"
        for letter in "abcd"[:size]:
            steps += f"      - {{id: {letter}, name: {letter.upper()}, description: How much?, scale: 1-5}}\n"
    head = "id: small\nname: Small\nsource: made for the tests\ndescription: Write.\nsteps:\n"
    return parse_task(head + steps, "small.yaml")


def test_steps_are_the_strata() -> None:
    data = scored()
    found = total_reliability(data).iloc[0]
    wide = data.table().pivot(index="response_id", columns="dimension", values="points")
    assert found.cronbach_alpha == pytest.approx(alpha(wide.to_numpy()))
    # 1 - sum of var_j (1 - alpha_j) over var of the Total, steps 4 and 5 together
    groups: dict[str, list[str]] = {}
    for name in wide.columns:
        groups.setdefault(name[:5].replace("step5", "step4"), []).append(name)
    error = 0.0
    for members in groups.values():
        part = wide[members].to_numpy()
        error += part.sum(axis=1).var(ddof=1) * (1 - alpha(part))
    assert len(groups) == 5
    assert found.stratified_alpha == pytest.approx(1 - error / wide.sum(axis=1).var(ddof=1))
    assert (found.n, found.strata, found.reason) == (30, CGPST_STRATA, "")


@pytest.mark.parametrize(
    ("sizes", "strata"),
    [
        ((2, 1, 3), "s1 + s2 (3), s3 (3)"),
        ((1, 3, 2), "s1 + s2 (4), s3 (2)"),
        ((1, 1, 2), "s1 + s2 (2), s3 (2)"),
        ((1, 1, 1), "s1 + s2 + s3 (3)"),
        ((2, 2), "s1 (2), s2 (2)"),
    ],
)
def test_a_step_with_a_single_dimension_joins_its_neighbour(sizes: tuple[int, ...], strata: str) -> None:
    task = task_of(*sizes)
    data = table({("judge", "j", name): [1, 2, 3] for name in compared_dimensions(task)}, task=task)
    found = total_reliability(data).iloc[0]
    assert found.strata == strata
    assert found.stratified_alpha == pytest.approx(1)  # all dimensions are the same


def test_incomplete_responses_are_left_out_and_counted() -> None:
    data = scored()
    rows = data.table()
    is_r03 = rows["response_id"].eq("R03").to_numpy()
    lacking = is_r03 & rows["dimension"].eq("step6.impact").to_numpy()
    found, expected = (total_reliability(data.keep(~left)).iloc[0] for left in (lacking, is_r03))
    assert found.n == expected.n == 29
    assert found.stratified_alpha == expected.stratified_alpha
    assert found.cronbach_alpha == expected.cronbach_alpha


def test_what_is_undefined_has_its_reason() -> None:
    task = task_of(2, 2)
    names = compared_dimensions(task)
    data = table(
        {
            **{("judge", "flat", name): [3, 3, 3] for name in names},
            **{("rater", "A", name): [1, 2] for name in names[:3]},
        },
        task=task,
    )
    found = total_reliability(data)
    assert [*found.columns] == TOTAL_COLUMNS
    assert found[["stratified_alpha", "cronbach_alpha"]].isna().all(axis=None)
    assert row(found, scorer="flat").reason == "the Totals are all equal"
    assert row(found, scorer="A").reason == "fewer than 2 responses with all dimensions"
    assert row(found, scorer="A").n == 0
    single = total_reliability(table({("judge", "j", "s1.a"): [1, 2]}, task=task_of(1))).iloc[0]
    assert math.isnan(single.cronbach_alpha)
    assert (single.reason, single.strata) == ("the task has a single dimension", "s1 (1)")
