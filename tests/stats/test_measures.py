"""The records of measures, and how other packages add theirs."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING

import numpy as np
import pytest

from creaeval.errors import SettingError
from creaeval.stats import measures
from creaeval.stats.grid import grid
from creaeval.stats.measures import (
    PAPER,
    Levels,
    Measure,
    get_measure,
    get_measures,
    list_measures,
    measure_label,
    register_measure,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from creaeval.stats.grid import Part


def largest_distance(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.abs(x - y).max())


def largest_distances(part: Part) -> np.ndarray:
    distances = np.abs(part.x - part.y) * part.present
    largest: np.ndarray = np.max((part.counts[:, :, np.newaxis] > 0) * distances, axis=1)
    return largest


theirs = Measure(
    "largest",
    "largest distance",
    largest_distance,
    on_grid=largest_distances,
    better="lower",
    in_points=True,
    bounds=(0, math.inf),
    needs="a pair",
)
two_of_theirs = [theirs, replace(theirs, key="other")]
copy_of_theirs = replace(theirs, label="another distance")
takes_a_name = [replace(theirs, key="mine"), replace(theirs, key="qwk")]
no_measure = largest_distance


@pytest.fixture(autouse=True)
def _no_trace(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(measures, "_measures", dict(measures._measures))
    measures._plug_ins.cache_clear()
    yield
    measures._plug_ins.cache_clear()


def offer(monkeypatch: pytest.MonkeyPatch, *offers: tuple[str, str]) -> None:
    """Have other packages offer measures by entry points."""
    offered = [EntryPoint(name, value, measures.GROUP) for name, value in offers]

    def entry_points(*, group: str) -> Iterable[EntryPoint]:
        return [entry for entry in offered if entry.group == group]

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)


def test_the_papers_measures_come_first() -> None:
    assert tuple(measure.key for measure in list_measures()[:3]) == PAPER
    assert [measure.label for measure in get_measures([*PAPER, "qwk"])] == ["QWK", "Pearson r", "ICC(A,1)"]


def test_what_is_better_decides_the_merit() -> None:
    assert [get_measure(key).merit(-2.0) for key in ("qwk", "rmse", "bias")] == [-2.0, 2.0, -2.0]


@pytest.mark.parametrize("measure", list_measures(), ids=lambda measure: measure.key)
def test_a_record_is_consistent(measure: Measure) -> None:
    assert measure.label
    assert measure.definition
    assert measure.comparable <= (measure.on_grid is not None and measure.better == "higher")
    assert measure.in_points == (measure.better != "higher")
    assert measure.bounds[0] < measure.bounds[1]


def test_a_constant_scorer_is_named() -> None:
    qwk, pearson = get_measure("qwk"), get_measure("pearson")
    assert qwk.remark([1, 2, 3], [2, 2, 2], ("judge", "rater A")) == "0 since rater A is constant"
    assert pearson.remark([1, 2, 3], [2, 2, 2], ("judge", "rater A")) == "rater A is constant"
    assert qwk.remark([1, 2, 3], [2, 2, 4], ("judge", "rater A")) == ""
    assert qwk.remark([2, 2], [3, 3], ("judge", "rater A")) == "both are constant"
    assert qwk.remark([2, math.nan], [math.nan, 3], ("judge", "rater A")) == "scored by both: 0"


def test_a_key_and_the_bounds_of_a_share_are_checked() -> None:
    with pytest.raises(ValueError, match="measure 'Largest distance': expected small letters"):
        replace(theirs, key="Largest distance")
    with pytest.raises(ValueError, match="a share lies between 0 and 1"):
        replace(theirs, share=True)


def test_levels_are_counted_used_or_not() -> None:
    assert [Levels(1, 7).number, Levels(0, 10, 0.5).number, Levels(0, 1, 0.1).number] == [7, 21, 11]


def test_a_measure_of_another_package_is_found_by_its_entry_point_and_works_everywhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    offer(monkeypatch, ("distances", f"{__name__}:two_of_theirs"))
    assert [measure.key for measure in get_measures(["largest", "other"])] == ["largest", "other"]
    assert theirs in list_measures()
    assert measure_label("other") == "largest distance"
    scores = np.array([[1.0, 2], [5, 2], [4, math.nan]])
    assert grid(scores, [(0, 1)], ["largest", "qwk"]).values["largest"] == 3


def test_a_single_record_may_be_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, ("largest", f"{__name__}:theirs"))
    assert get_measure("largest") is theirs


def test_an_unknown_measure_is_an_error_that_names_the_nearest_of_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    offer(monkeypatch, ("largest", f"{__name__}:theirs"), ("broken", "no_such_package_here:them"))
    with pytest.raises(
        SettingError, match=r"measure 'largst': expected one of qwk, .*largest\. Did you mean 'largest'\?"
    ) as caught:
        get_measure("largst")
    assert "measures 'broken' of no_such_package_here:them cannot be loaded: ModuleNotFoundError" in str(
        caught.value
    )
    assert measure_label("largst") == "largst"


def test_a_package_that_cannot_be_loaded_is_reported_when_its_name_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    offer(
        monkeypatch,
        ("broken", "no_such_package_here:them"),
        ("odd", f"{__name__}:no_measure"),
        ("largest", f"{__name__}:theirs"),
    )
    assert get_measure("qwk").label == "QWK"
    assert get_measure("largest") is theirs
    with pytest.raises(SettingError, match="measures 'broken' of no_such_package_here:them cannot be loaded"):
        get_measure("broken")
    with pytest.raises(SettingError, match=r"measures 'odd' of .*expected a creaeval.*Measure"):
        get_measure("odd")


def test_a_key_that_two_packages_offer_raises_and_names_both(monkeypatch: pytest.MonkeyPatch) -> None:
    places = [f"{__name__}:theirs", f"{__name__}:copy_of_theirs"]
    offer(monkeypatch, ("one", places[0]), ("two", places[1]))
    for _ in range(2):
        with pytest.raises(
            SettingError, match=f"'largest' is registered twice: by {places[0]} and by {places[1]}"
        ):
            get_measure("largest")


def test_a_package_that_takes_the_key_of_a_built_in_measure_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    offer(monkeypatch, ("pack", f"{__name__}:takes_a_name"))
    message = f"measure 'qwk' is registered twice: by creaeval.stats.kappa and by {__name__}:takes_a_name"
    with pytest.raises(SettingError, match=message):
        get_measure("mine")
    assert get_measure("qwk").label == "QWK"


def test_a_key_registered_twice_raises_and_names_both_modules() -> None:
    assert register_measure(theirs) == register_measure(replace(theirs)) == theirs
    with pytest.raises(
        SettingError, match=f"'qwk' is registered twice: by creaeval.stats.kappa and by {__name__}"
    ):
        register_measure(replace(theirs, key="qwk"))


def test_the_records_are_read_without_numpy() -> None:
    code = (
        "import sys\n"
        "from creaeval.stats.measures import list_measures\n"
        "assert len(list_measures()) > 9\n"
        "assert not {'numpy', 'scipy', 'importlib.metadata'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
