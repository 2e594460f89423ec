"""The one type that agreement is computed from: what goes in comes out, and parts of it are parts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.tables import by_response, judge, table
from booklets import cgpst
from creaeval.agreement.rating_data import LONG_COLUMNS, RatingData, Scorer, Unit
from creaeval.agreement.slots import put_into_slots
from creaeval.errors import SettingError

Points = dict[tuple[Unit, Scorer, str], float]

JUDGES = ("j", "j@2", "vertex:text-bison@001", "vertex:text-bison@002", "A", "slot 1")
scorers = st.builds(Scorer, st.sampled_from(("A", "B", "slot 1"))) | st.builds(
    judge, st.sampled_from(JUDGES), st.sampled_from(("m", "n")), st.integers(1, 3), st.integers(1, 3)
)
units = st.builds(Unit, st.sampled_from(("R", "R item 2", "2", "10")), st.integers(0, 2))
DIMENSIONS = ("e", "d", "f")
values = st.integers(-5, 5).map(float)
points = st.dictionaries(st.tuples(units, scorers, st.sampled_from(DIMENSIONS)), values, min_size=1)


def build(given: Points) -> RatingData:
    known = list(dict.fromkeys(scorer for _, scorer, _ in given))
    rows = [
        (unit, known.index(scorer), DIMENSIONS.index(name), value)
        for (unit, scorer, name), value in given.items()
    ]
    return RatingData.build(
        cgpst(), DIMENSIONS, known, rows, carried={"plot": {"R item 2": "p", "gone": "q"}}
    )


def read(data: RatingData) -> Points:
    """Read the data's table back."""
    frame = data.table()
    assert len(frame) == len(data.long)
    read = {}
    for row in frame.astype({"item": object}).itertuples():
        repeats = int(row.evidence_repeat), int(row.judge_repeat)  # type: ignore[arg-type]
        is_judge = row.kind == "judge"
        scorer = judge(row.judge, row.method, *repeats) if is_judge else Scorer(row.scorer)  # type: ignore[arg-type]
        item = 0 if row.item is pd.NA else int(row.item)  # type: ignore[arg-type]
        read[Unit(str(row.response_id), item), scorer, str(row.dimension)] = float(row.points)  # type: ignore[arg-type]
    return read


@settings(max_examples=50, deadline=None)
@given(points)
def test_the_table_holds_what_the_data_were_built_of(given: Points) -> None:
    data = build(given)
    assert read(data) == given
    frame = data.table()
    assert tuple(frame.columns) == (*LONG_COLUMNS, "plot")
    assert set(frame.loc[frame["response_id"].eq("R item 2"), "plot"]) <= {"p"}
    assert frame.loc[frame["response_id"].ne("R item 2"), "plot"].isna().all()
    assert (frame["person"] == frame["scorer"]).all()
    assert data.units == tuple(sorted({unit for unit, *_ in given}))
    assert set(data.scorers) == {scorer for _, scorer, _ in given}
    assert (*data.judges, *data.raters) == data.scorers
    # No two scorers of a kind look alike.
    for kind in (data.judges, data.raters):
        assert len(set(map(data.label, kind))) == len(kind)


@settings(max_examples=50, deadline=None)
@given(points)
def test_the_matrix_holds_every_value_once(given: Points) -> None:
    data = build(given)
    assert (~np.isnan(data.matrix.values)).sum() == len(given)
    for (unit, scorer, name), value in given.items():
        assert data.take(name, [scorer])[data.units.index(unit), 0] == value
    assert np.isnan(data.take("d", [Scorer("nobody")])).all()
    assert data.take("d", []).shape == (len(data.units), 0)


@settings(max_examples=50, deadline=None)
@given(
    points,
    st.permutations(DIMENSIONS),
    st.integers(1, 3),
    st.sets(units),
    st.sampled_from(("judge", "rater")),
)
def test_a_selection_keeps_what_it_names(
    given: Points, order: list[str], number: int, kept: set[Unit], kind: str
) -> None:
    data = build(given)
    chosen = order[:number]
    part = data.select(dimensions=chosen, scorers=lambda scorer: scorer.kind == kind, units=kept)
    expected = {
        key: value
        for key, value in given.items()
        if key[0] in kept and key[1].kind == kind and key[2] in chosen
    }
    assert read(part) == expected
    assert part.dimensions == tuple(chosen)
    assert set(part.units) == {unit for unit, *_ in expected}
    # Those that are left stand in the order they stood in.
    assert part.scorers == tuple(one for one in data.scorers if one in {scorer for _, scorer, _ in expected})
    assert part.carried == data.carried
    assert read(data.select()) == read(data) == given


@settings(max_examples=50, deadline=None)
@given(points, st.integers(0, 2**32 - 1))
def test_other_values_stand_where_points_stood(given: Points, seed: int) -> None:
    data = build(given)
    random = np.random.default_rng(seed)
    drawn = random.integers(0, 9, data.matrix.values.shape).astype(float)
    drawn[random.random(drawn.shape) < 0.3] = np.nan
    places = {
        (unit, scorer, name): drawn[data.units.index(unit), data.matrix.columns[name, scorer]]
        for unit, scorer, name in given
    }
    changed = data.with_values(drawn)
    assert read(changed) == {key: value for key, value in places.items() if not np.isnan(value)}
    assert read(data) == given
    assert read(data.with_values(data.matrix.values)) == given


def test_judges_come_first_in_the_order_given_and_those_without_points_are_left_out() -> None:
    order = [Scorer("B"), judge("k"), Scorer("A"), judge("j"), judge("none")]
    rows = [(Unit("R2"), number, 0, 1.0) for number in range(4)] + [(Unit("R1"), 3, 1, 2.0)]
    data = RatingData.build(cgpst(), ["d", "e"], order, rows)
    assert data.scorers == (judge("k"), judge("j"), Scorer("B"), Scorer("A"))
    assert data.response_ids == ("R1", "R2")
    assert data.take("e", data.judges).tolist()[0] == pytest.approx([np.nan, 2], nan_ok=True)


def test_nothing_is_data_too() -> None:
    data = RatingData.build(cgpst(), ["d"], [judge("j")], [])
    assert (data.units, data.scorers, data.methods, len(data.table())) == ((), (), (), 0)
    assert data.take("d", [judge("j")]).shape == (0, 1)
    assert data.select(dimensions=["d"]).dimensions == ("d",)


def test_names_that_end_like_repeats_are_judges_of_their_own() -> None:
    names = ["vertex:text-bison@001", "vertex:text-bison@002"]
    data = table({(judge(name, "m", 1, repeat), "", "d"): [1] for name in names for repeat in (1, 2)})
    assert data.repeats() == {judge(name): [judge(name), judge(name, repeat=2)] for name in names}
    assert [data.label(scorer) for scorer in data.scorers] == [
        "vertex:text-bison@001",
        "vertex:text-bison@001#2",
        "vertex:text-bison@002",
        "vertex:text-bison@002#2",
    ]
    assert [scorer.judge.repeat for scorer in data.judges] == [(1, 1)] * 4


def test_labels_name_the_method_where_there_are_several() -> None:
    two = table(
        {(judge("j", "m", 2, 3), "", "d"): [1], (judge("n", "n"), "", "d"): [1], ("rater", "A", "d"): [1]}
    )
    # A judge that is a method by itself needs no second name.
    assert [two.label(scorer) for scorer in two.scorers] == ["m: j@2#3", "n", "A"]
    assert [two.repeats(method) for method in ("m", "n", "o")] == [
        {judge("j"): [judge("j", "m", 2, 3)]},
        {judge("n", "n"): [judge("n", "n")]},
        {},
    ]
    corrected = two.rename(lambda scorer: Scorer(scorer.name, scorer.kind, "m", variant="corrected"))
    assert [corrected.label(scorer) for scorer in corrected.judges] == ["j (corrected)", "n (corrected)"]
    assert corrected.methods == ("m",)
    assert two.methods == ("m", "n")


def test_columns_are_carried_by_response_whatever_its_id() -> None:
    rows = [(Unit("R 1 item 2", item), 0, 0, 1.0) for item in (1, 2)] + [(Unit("R"), 0, 0, 1.0)]
    carried = {"plot": {"R 1 item 2": "p"}, "dimension": {"R": "x"}}
    data = RatingData.build(cgpst(), ["d"], [Scorer("A")], rows, carried=carried)
    assert data.column("plot") == [None, "p", "p"]
    frame = data.table()
    assert frame["item"].isna().tolist() == [False, False, True]
    # A carried column never takes the place of one of the table's own.
    assert set(frame["dimension"]) == {"d"}
    with pytest.raises(
        SettingError, match="plots: the responses carry no such column; they carry plot, dimension"
    ):
        data.column("plots")


def test_the_person_is_who_filled_a_slot() -> None:
    given = {"9": [1, 3, None, 6], "10": [2, None, 5, 8], "11": [None, 4, 5, None]}
    data = table(
        {("rater", name, "d"): values for name, values in given.items()} | {("judge", "j", "d"): [1] * 4},
        carried={"plot": by_response("abcd")},
    )
    frame = put_into_slots(data).table()
    filled = frame[frame["kind"].eq("rater")].sort_values(["response_id", "scorer"])
    assert filled["person"].tolist() == ["9", "10", "9", "11", "10", "11", "9", "10"]
    assert filled["scorer"].tolist() == ["slot 1", "slot 2"] * 4
    assert set(frame.loc[frame["kind"].eq("judge"), "person"]) == {"j"}
    assert frame["plot"].notna().all()
