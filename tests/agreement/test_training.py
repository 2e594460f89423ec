"""What a judge was trained on is in no measure of its agreement, and shown apart where it is asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from agreement.sheets_of_points import FOCUS, qwk, ratings, run, scores, sheets
from agreement.tables import row
from booklets import cgpst
from creaeval.agreement import AgreementOptions, agree, find_common, long_table
from creaeval.agreement.methods.ablation_table import ablation_table
from creaeval.agreement.methods.judge_grid import judge_agreement, judge_pairs
from creaeval.agreement.methods.method_table import method_table
from creaeval.agreement.runs.compare_runs import compare_runs
from creaeval.agreement.runs.verbosity import verbosity
from creaeval.agreement.training import leave_out, only_trained, trained_on
from creaeval.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.data import Rating, Scores

A = [1, 2, 3, 4, 5, 6, 7, 2]
B = [2, 2, 3, 5, 5, 6, 8, 1]
# Perfect where it was trained (R0 to R2), worse elsewhere.
JUDGE = [1, 2, 3, 5, 3, 4, 9, 4]
OTHER = [4, 1, 2, 4, 6, 5, 7, 2]
SEEN = frozenset({"R0", "R1", "R2"})
PLAIN = AgreementOptions(resamples=0, measures=("qwk",))
APART = PLAIN.change(include_training=True)


def trained(values: Sequence[float] = JUDGE, seen: frozenset[str] = SEEN, method: str = "sft") -> Scores:
    return replace(scores(method, sheets("hf:j", {"focus": values})), trained_on={"hf:j": seen})


def people(*values: Sequence[float]) -> list[Rating]:
    return ratings(*(sheets(name, {"focus": of}) for name, of in zip("AB", values, strict=False)))


def mean_qwk(values: Sequence[float], places: Sequence[int]) -> float:
    """The protocol's mean over both raters, on some responses, by the peer."""
    return sum(qwk([values[n] for n in places], [of[n] for n in places]) for of in (A, B)) / 2


LEFT = range(3, 8)


def test_who_was_trained_on_what_is_read_from_scores_and_runs_and_is_unknown_where_nothing_tells() -> None:
    both = scores("m", sheets("hf:j", {"focus": JUDGE}), sheets("openai:x", {"focus": JUDGE}))
    assert trained_on(both) == {"hf:j": None}
    assert trained_on(replace(both, trained_on={"hf:j": SEEN})) == {"hf:j": SEEN}
    made = run("1", "sft", None, sheets("hf:j", {"focus": JUDGE}))
    judges = [{"name": "hf:j", "in_training": sorted(SEEN)}, {"name": "samer:k"}, {"name": "openai:x"}]
    assert trained_on(replace(made, manifest={**made.manifest, "judges": judges})) == {
        "hf:j": SEEN,
        "samer:k": None,
    }
    _, notes = leave_out(both, cgpst())
    assert notes == [
        "hf:j: nothing tells which responses it was trained on, so its agreement may rest on some of them."
    ]


def test_responses_of_its_training_data_are_left_out_of_a_judges_agreement_and_counted() -> None:
    report = agree(cgpst(), trained(), people(A, B), PLAIN)
    cell = row(report.tables["means"], judge="hf:j", dimension=FOCUS, metric="qwk")
    assert cell["value"] == pytest.approx(mean_qwk(JUDGE, LEFT))
    assert cell["value"] < mean_qwk(JUDGE, range(8)) - 0.05
    assert cell["n"] == 5
    between = row(report.tables["means"], judge="human-human", dimension=FOCUS, metric="qwk")
    assert between["value"] == pytest.approx(qwk(A, B))
    assert between["n"] == 8
    assert (
        "hf:j: 3 of 8 responses are of its training data and left out of its agreement (5 are left). "
        "--include-training shows it with them, apart."
    ) in report.notes


def test_only_rated_responses_are_counted() -> None:
    _, notes = long_table(cgpst(), [trained()], people(A[:4], B[:4]))
    assert "hf:j: 3 of 4 responses are of its training data" in notes[0]


def test_every_table_of_the_report_is_without_them() -> None:
    """Beside the same scores that never held these responses, nothing differs."""
    shorter = replace(trained(), sheets=trained().sheets[3:], trained_on={"hf:j": frozenset()})
    other = scores("direct", sheets("k", {"focus": OTHER}))
    options = PLAIN.change(values="final", within="school", groups="language", writer="writer")
    of_all = [
        rating.model_copy(update={"metadata": {"school": "x", "language": "de", "writer": "human"}})
        for rating in people(A, B)
    ]
    left, whole = (agree(cgpst(), [part, other], of_all, options) for part in (trained(), shorter))
    assert set(left.tables) == set(whole.tables) > {"comparison", "calibration", "stand_in", "within"}
    for name, table in left.tables.items():
        assert table.equals(whole.tables[name]), name
    assert left.data.long.equals(whole.data.long)


def test_asked_for_the_agreement_on_all_is_shown_beside_and_marked_and_nothing_else_changes() -> None:
    plain, apart = (agree(cgpst(), trained(), people(A, B), options) for options in (PLAIN, APART))
    marked = row(apart.tables["means"], judge="hf:j (with training data)", dimension="AVG", metric="qwk")
    assert marked["value"] == pytest.approx(mean_qwk(JUDGE, range(8)))
    assert (marked["n"], marked["method"]) == (8, "sft (with training data)")
    for name in ("means", "agreement"):
        rest = apart.tables[name][~apart.tables[name]["judge"].str.contains("training")]
        assert rest.reset_index(drop=True).equals(plain.tables[name].reset_index(drop=True))
    assert all(
        apart.tables[name].equals(plain.tables[name]) for name in set(plain.tables) - {"means", "agreement"}
    )
    assert list(apart.summary["judge"]) == ["hf:j", "hf:j (with training data)", "human-human"]
    assert not any("--include-training" in note for note in apart.notes)


def test_a_judge_that_was_trained_on_all_has_no_value_and_the_reason_is_said() -> None:
    whole = trained(seen=frozenset(f"R{n}" for n in range(8)))
    report = agree(cgpst(), whole, people(A, B), PLAIN)
    assert set(report.tables["means"]["judge"]) == {"human-human"}
    assert any(
        "hf:j: all 8 responses are of its training data, so it has no agreement" in n for n in report.notes
    )
    with pytest.raises(SettingError, match=r"No score is left .* all 8 responses are of its training data"):
        agree(cgpst(), whole, people(A), PLAIN)
    report = agree(cgpst(), whole, people(A), APART)
    assert list(report.tables["means"]["judge"]) == ["hf:j (with training data)"] * 2
    with pytest.raises(
        SettingError, match=r"No response is there .* all 8 responses are of its training data"
    ):
        method_table(cgpst(), [whole], people(A, B), PLAIN)


def test_methods_are_compared_on_what_all_of_them_may_be_judged_on() -> None:
    other = scores("direct", sheets("k", {"focus": OTHER}))
    table = method_table(cgpst(), [other, trained()], people(A, B), APART)
    for method, values in (("direct", OTHER), ("sft", JUDGE)):
        cell = row(table, method=method, dimension=FOCUS)
        assert cell["value"] == pytest.approx(mean_qwk(values, LEFT))
        assert cell["n"] == 5
    assert row(table, method="direct", dimension=FOCUS)["lost"] == 3
    marked = row(table, method="sft (with training data)", dimension=FOCUS)
    assert marked["value"] == pytest.approx(mean_qwk(JUDGE, range(8)))
    assert marked[["rank", "lost", "p"]].isna().all()
    assert "not compared" in marked["reason"]
    assert any(
        "3 are left out" in note and "or were trained on them" in note for note in table.attrs["notes"]
    )


def test_of_several_methods_one_that_was_trained_on_all_says_why_it_has_no_value() -> None:
    whole = trained(seen=frozenset(f"R{n}" for n in range(8)))
    other = scores("direct", sheets("k", {"focus": OTHER}))
    reason = "no scores that were rated other than of its training data"
    table = method_table(cgpst(), [other, whole], people(A, B), PLAIN)
    assert row(table, method="sft", dimension=FOCUS)["reason"] == reason
    assert row(table, method="direct", dimension=FOCUS)["n"] == 8
    table = ablation_table(cgpst(), [other, whole], people(A, B), PLAIN)
    assert row(table, method="sft")["reason"] == reason


def test_judges_pairs_and_lengths_are_without_them_too() -> None:
    panel = scores("panel", sheets("hf:j", {"focus": JUDGE}), sheets("k", {"focus": OTHER}))
    panel = replace(panel, trained_on={"hf:j": SEEN})
    table = judge_agreement(cgpst(), [panel], people(A, B), APART)
    by_judge = table[table["dimension"].eq(FOCUS)].set_index("judge")
    assert dict(by_judge["n"]) == {"hf:j": 5, "k": 5, "hf:j (with training data)": 8}
    assert by_judge["value"]["hf:j"] == pytest.approx(mean_qwk(JUDGE, LEFT))
    assert by_judge["value"]["hf:j (with training data)"] == pytest.approx(mean_qwk(JUDGE, range(8)))
    pairs = judge_pairs(cgpst(), [panel], PLAIN)
    cell = row(pairs, first="hf:j", dimension=FOCUS)
    assert cell["n"] == 5
    assert cell["value"] == pytest.approx(qwk([JUDGE[n] for n in LEFT], [OTHER[n] for n in LEFT]))
    lengths = {f"R{n}": 10 + n for n in range(8)}
    counted = verbosity(cgpst(), [panel], people(A, B), lengths, dimension=FOCUS, options=PLAIN)
    assert set(counted.loc[counted["judge"].isin(["hf:j", "k"]), "n"]) == {5}


def test_runs_are_compared_without_them() -> None:
    other = scores("direct", sheets("k", {"focus": OTHER}), source="other")
    compared = compare_runs(cgpst(), trained(), other, people(A, B), PLAIN)
    cell = row(compared.tables["agreement"], dimension=FOCUS, metric="qwk")
    assert cell["n"] == 5
    assert any("3 of 8 responses are of its training data" in note for note in compared.notes)


def test_repeats_and_corrected_points_of_a_trained_judge_keep_their_marks() -> None:
    repeated = scores("sft", *(sheets("hf:j", {"focus": JUDGE}, repeat=n) for n in (1, 2)))
    repeated = replace(repeated, trained_on={"hf:j": SEEN})
    means = agree(cgpst(), repeated, people(A, B), APART).tables["means"]
    marked = [name for name in dict.fromkeys(means["judge"]) if "training" in name]
    assert marked == ["hf:j (with training data)", "hf:j#2 (with training data)"]
    means = agree(cgpst(), trained(), people(A, B), APART, correct=True).tables["means"]
    assert "hf:j (corrected, with training data)" in set(means["judge"])


def test_a_judge_that_was_trained_on_nothing_here_is_not_shown_twice() -> None:
    elsewhere = trained(seen=frozenset({"X"}))
    assert only_trained(elsewhere) is None
    report = agree(cgpst(), elsewhere, people(A, B), APART)
    assert set(report.tables["means"]["judge"]) == {"hf:j", "human-human"}
    assert not any("training" in note for note in report.notes)
    assert find_common(cgpst(), [elsewhere], people(A, B), PLAIN).trained == frozenset()
