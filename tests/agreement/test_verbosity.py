"""Length and score: by hand, beside NumPy, and where nothing can be said."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from agreement.tables import row
from creaeval.agreement.options import AgreementOptions
from creaeval.agreement.runs.verbosity import (
    RATERS,
    VERBOSITY_COLUMNS,
    count_words,
    response_lengths,
    verbosity,
)
from creaeval.data import Rating, Response, Scores, make_step
from creaeval.sheets import ScoreSheet, StepScores
from creaeval.stats.draws import make_draws
from creaeval.tasks import load_task, parse_task
from uses import use

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
      - {id: ideas, name: Ideas, description: How many?, scale: 0-99}
      - {id: style, name: Style, description: How?, scale: 0-99}
""",
    "essay.yaml",
)
# With ties in each.
WORDS = [12, 40, 7, 55, 23, 23, 61, 90, 34, 18, 70, 5]
DIRECT = [9, 14, 6, 17, 12, 10, 15, 19, 12, 12, 16, 5]
OTHER = [8, 9, 11, 14, 7, 12, 10, 13, 12, 9, 11, 8]
HUMAN = [7, 10, 8, 12, 9, 11, 12, 13, 8, 9, 14, 6]
NO_INTERVALS = AgreementOptions(resamples=0)


def sheets(scorer: str, totals: Sequence[float | None], repeat: int = 1) -> list[ScoreSheet]:
    """A sheet a response; ideas have 2 of the points and style the rest, None leaves style out."""
    return [
        ScoreSheet(
            response_id=f"R{n:02}",
            scorer=scorer,
            judge_repeat=repeat,
            steps=(
                StepScores(
                    step="text", written={"ideas": 2.0} | ({} if total is None else {"style": total - 2.0})
                ),
            ),
            written_total=99.0,
        )
        for n, total in enumerate(totals)
    ]


def scores(method: str, **judges: Sequence[float | None]) -> Scores:
    return Scores(method, tuple(one for name, of in judges.items() for one in sheets(name, of)), {}, method)


def ratings(**raters: Sequence[float | None]) -> list[Rating]:
    return [
        Rating(response_id=sheet.response_id, rater=name, sheet=sheet)
        for name, totals in raters.items()
        for sheet in sheets(name, totals)
    ]


def lengths(words: Sequence[int] = WORDS) -> dict[str, int]:
    return {f"R{n:02}": number for n, number in enumerate(words)}


def table(*given: Scores, by: Sequence[Rating] = (), **options: Any) -> pd.DataFrame:
    options = {"options": NO_INTERVALS, **options}
    return verbosity(ESSAY, given, by, options.pop("lengths", lengths()), **options)


def ranks(values: Sequence[float]) -> list[float]:
    return list(pd.Series(values).rank())


def residual_r(x: Sequence[float], y: Sequence[float], given: Sequence[float]) -> float:
    """The definition: the correlation of what a straight line in the third leaves of each."""
    design = np.column_stack([np.ones(len(given)), given])

    def left(values: Sequence[float]) -> Any:
        return np.asarray(values) - design @ np.linalg.lstsq(design, np.asarray(values), rcond=None)[0]

    rests = left(x), left(y)
    # What is left of a column that the third determines is rounding.
    return math.nan if min(map(np.ptp, rests)) < 1e-9 else float(np.corrcoef(*rests)[0, 1])


def test_correlations_are_those_of_numpy_and_a_change_is_a_share_of_that_of_direct() -> None:
    found = table(scores("creaeval", j=OTHER), scores("direct", j=DIRECT))
    assert [*found.columns] == VERBOSITY_COLUMNS
    for measure, of in (("pearson", list), ("spearman", ranks)):
        direct, other = (np.corrcoef(of(WORDS), of(given))[0, 1] for given in (DIRECT, OTHER))
        one = row(found, method="creaeval", measure=measure)
        assert one["value"] == pytest.approx(other)
        assert row(found, method="direct", measure=measure)["value"] == pytest.approx(direct)
        assert one["difference"] == pytest.approx(other - direct)
        assert one["change"] == pytest.approx(other / direct - 1)
        assert (one["n"], one["left_out"], one["reason"]) == (12, 0, "")
    alone = row(found, method="direct", measure="pearson")
    assert math.isnan(alone["change"])
    assert alone["reason"] == "difference: the others are set beside this method"


def test_a_single_dimension_or_a_steps_overall_may_be_the_score() -> None:
    # Ideas have 2 points on every sheet, style has the rest, and the only step's Overall is the Total.
    style, overall, total = (
        row(table(scores("direct", j=DIRECT), dimension=name), method="direct", measure="pearson")["value"]
        for name in ("text.style", "text.overall", None)
    )
    assert style == pytest.approx(np.corrcoef(WORDS, [one - 2 for one in DIRECT])[0, 1])
    assert overall == total
    ideas = row(table(scores("direct", j=DIRECT), dimension="text.ideas"), method="direct", measure="pearson")
    assert math.isnan(ideas["value"])
    assert "constant: score" in ideas["reason"]
    # A sheet without style lacks a Total, and has its points for ideas.
    part = table(scores("direct", j=[None, *DIRECT[1:]]), dimension="text.ideas")
    assert row(part, measure="pearson", method="direct")["n"] == len(DIRECT)


def test_the_method_that_others_are_set_beside_may_be_named_as_in_the_paper() -> None:
    given = scores("creaeval", j=OTHER), scores("direct", j=DIRECT)
    pd.testing.assert_frame_equal(table(*given, against="Direct Score"), table(*given))


def test_a_negative_correlation_of_direct_does_not_turn_the_sign_of_the_change() -> None:
    # r is 1/2 and -1: the difference is 1.5, a rise by 150% of the size of the other.
    found = table(scores("x", j=[3, 5, 4]), scores("direct", j=[6, 5, 4]), lengths=lengths([1, 2, 3]))
    one = row(found, method="x", measure="pearson")
    assert one["value"] == pytest.approx(0.5)
    assert (one["difference"], one["change"]) == (pytest.approx(1.5), pytest.approx(1.5))


def test_partial_correlations_are_those_of_residuals() -> None:
    halves = {"A": [one + 2.0 for one in HUMAN], "B": [one - 2.0 for one in HUMAN]}
    found = table(scores("direct", j=DIRECT), by=ratings(**halves))
    pearson = row(found, method="direct", measure="partial_pearson")["value"]
    assert pearson == pytest.approx(residual_r(WORDS, DIRECT, HUMAN))
    spearman = row(found, method="direct", measure="partial_spearman")["value"]
    assert spearman == pytest.approx(residual_r(ranks(WORDS), ranks(DIRECT), ranks(HUMAN)))
    raters = row(found, judge=RATERS, measure="pearson")
    assert raters["value"] == pytest.approx(np.corrcoef(WORDS, HUMAN)[0, 1])


@pytest.mark.parametrize("measure", ["pearson", "spearman", "partial_pearson", "partial_spearman"])
def test_intervals_are_of_the_statistic_computed_anew_on_each_resample(measure: str) -> None:
    def statistic(index: Any, of: Sequence[float]) -> float:
        x, y, z = (np.asarray(values, dtype=float)[index] for values in (WORDS, of, HUMAN))
        if measure.endswith("spearman"):
            x, y, z = (pd.Series(values).rank().to_numpy() for values in (x, y, z))
        if measure.startswith("partial"):
            return residual_r(x, y, z)
        return float(np.corrcoef(x, y)[0, 1])

    draws = make_draws(12, n_resamples=200, seed=3)
    rows = [np.repeat(np.arange(12), counts.astype(int)) for part in draws.counts() for counts in part]
    other, direct = (np.array([statistic(index, of) for index in rows]) for of in (OTHER, DIRECT))
    found = table(
        *(scores("other", j=OTHER), scores("direct", j=DIRECT)),
        by=ratings(A=HUMAN),
        options=AgreementOptions(resamples=200, seed=3),
    )
    one = row(found, method="other", measure=measure)
    assert (one["low"], one["high"]) == tuple(pytest.approx(np.nanquantile(other, q)) for q in (0.025, 0.975))
    ends = np.nanquantile(other - direct, [0.025, 0.975])
    assert (one["difference_low"], one["difference_high"]) == tuple(map(pytest.approx, ends))
    base = np.nanquantile(direct, [0.025, 0.975])
    if base[0] <= 0 <= base[1]:
        assert math.isnan(one["change_low"])
        assert "change: no interval" in one["reason"]
    else:
        ends = np.nanquantile((other - direct) / np.abs(direct), [0.025, 0.975])
        assert (one["change_low"], one["change_high"]) == tuple(map(pytest.approx, ends))


def test_bca_intervals_and_whole_clusters_are_possible() -> None:
    plots = {f"R{n:02}": {"plot": f"{n % 6}", "genre": f"{n % 4}"} for n in range(12)}
    given = (replace(scores("other", j=OTHER), metadata=plots), scores("direct", j=DIRECT))
    options = AgreementOptions(resamples=100, interval="bca", cluster=("plot",))
    one = row(table(*given, options=options), method="other", measure="pearson")
    assert one["low"] < one["value"] < one["high"]
    alone = row(table(*given, options=options.change(cluster=())), method="other", measure="pearson")
    assert (alone["low"], alone["high"]) != (one["low"], one["high"])
    few = options.change(interval="percentile", cluster="genre")
    none = row(table(*given, options=few), method="other", measure="pearson")
    assert math.isnan(none["low"])
    assert none["reason"].startswith("no interval: fewer than 5 clusters")


def test_an_interval_that_many_resamples_are_missing_from_says_so() -> None:
    # The score varies in one of twelve responses, which (11/12)^12 = 35% of resamples lack.
    one = row(
        table(scores("x", j=[7] * 11 + [9]), options=AgreementOptions(resamples=500)),
        method="x",
        measure="pearson",
    )
    share = float(one["reason"].removeprefix("undefined in ").partition("%")[0]) / 100
    assert share == pytest.approx((11 / 12) ** 12, abs=0.07)
    assert "of the resamples, which the interval leaves out" in one["reason"]


def test_methods_are_compared_on_responses_that_all_scored_in_full() -> None:
    gaps = [None, *OTHER[1:]]
    words = {name: number for name, number in lengths().items() if name != "R01"}
    by = ratings(A=[*HUMAN[:11], None])
    found = table(scores("x", j=gaps, k=OTHER), scores("direct", j=DIRECT), by=by, lengths=words)
    # Without R00, which j did not score in full, and R01, whose length is not known.
    assert set(
        found.loc[found["measure"].isin(["pearson", "spearman"]) & (found["judge"] != RATERS), "n"]
    ) == {10}
    one = row(found, method="direct", measure="pearson")
    assert one["value"] == pytest.approx(np.corrcoef(WORDS[2:], DIRECT[2:])[0, 1])
    assert one["left_out"] == 2
    # R11 has no whole rating.
    partial = row(found, method="direct", measure="partial_pearson")
    assert (partial["n"], partial["left_out"]) == (9, 3)
    assert partial["value"] == pytest.approx(residual_r(WORDS[2:11], DIRECT[2:11], HUMAN[2:11]))
    lonely = row(found, method="x", judge="k", measure="pearson")
    assert lonely["reason"] == "difference: no scores of direct by this judge"


def test_a_judge_without_a_whole_sheet_does_not_leave_the_others_with_nothing() -> None:
    found = table(scores("x", j=[None] * 12), scores("direct", j=DIRECT))
    assert row(found, method="direct", measure="pearson")["n"] == 12
    one = row(found, method="x", measure="pearson")
    assert (one["n"], one["left_out"]) == (0, 12)
    assert one["reason"] == "no sheet has every dimension"


def test_a_judges_repeats_are_averaged_and_expected_scores_stand_beside_its_own() -> None:
    again = [one + 2 * (n % 2) for n, one in enumerate(OTHER)]
    repeated = Scores("x", (*sheets("j", OTHER), *sheets("j", again, repeat=2)), {}, "x")
    expected = scores("direct-expected", **{"j (expected)": OTHER})
    found = table(repeated, expected, scores("direct", j=DIRECT))
    assert set(found["judge"]) == {"j"}
    mean = [one + n % 2 for n, one in enumerate(OTHER)]
    assert row(found, method="x", measure="pearson")["value"] == pytest.approx(np.corrcoef(WORDS, mean)[0, 1])
    assert not math.isnan(row(found, method="direct-expected", measure="pearson")["change"])


def test_what_is_undefined_is_missing_and_says_why() -> None:
    def reasons(measure: str, given: Scores, **options: Any) -> tuple[bool, str]:
        one = row(table(given, **options), method=given.method, measure=measure)
        return math.isnan(one["value"]), one["reason"].partition(";")[0]

    flat = scores("x", j=[7] * 12)
    assert reasons("pearson", flat) == (True, "constant: score")
    assert reasons("spearman", scores("x", j=OTHER), lengths=lengths([5] * 12)) == (True, "constant: length")
    assert reasons("pearson", scores("x", j=OTHER[:1])) == (True, "fewer than 2 responses that all scored")
    assert reasons("partial_pearson", scores("x", j=OTHER)) == (True, "nobody rated these responses in full")
    assert reasons("partial_pearson", scores("x", j=OTHER), by=ratings(A=[4] * 12)) == (
        True,
        "constant: raters' score",
    )
    same = {"by": ratings(A=OTHER)}
    assert reasons("partial_pearson", scores("x", j=OTHER), **same) == (
        True,
        "length or score follows from the raters' scores exactly",
    )
    assert reasons("partial_spearman", scores("x", j=OTHER[:2]), by=ratings(A=HUMAN)) == (
        True,
        "fewer than 3 responses that all scored and raters, too",
    )


def test_a_mean_of_raters_among_single_ones_is_no_rater() -> None:
    by = ratings(A=HUMAN, **{"mean": [1.0 * n for n in range(12)]})
    found = table(scores("direct", j=DIRECT), by=by)
    assert row(found, judge=RATERS, measure="pearson")["value"] == pytest.approx(
        np.corrcoef(WORDS, HUMAN)[0, 1]
    )


def test_without_scores_there_are_no_rows() -> None:
    empty = table()
    assert ([*empty.columns], len(empty)) == (VERBOSITY_COLUMNS, 0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("A hat, a drum -- and a doorstop.", 7),
        ("It's well-known; 2 of 3\nlines…", 6),
        ("हिन्दी में लिखा है", 4),
        ("туман над рекой", 3),
        ("안녕하세요 세계", 2),
        # Each Han and kana letter, and two words in Latin script; the full stop is none.
        ("霧の水 AI で作る GPU。", 8),
        ("ภาษาไทย", 7),
    ],
)
def test_words_are_counted_by_the_rule_that_is_stated(text: str, words: int) -> None:
    assert count_words(text) == words


def test_lengths_are_of_what_a_judge_sees_by_response_or_by_use() -> None:
    texts: Mapping[str, Any] = {"step1": ["one two", "", "three"], "step2": "four five, six."}
    cgpst = load_task("cgpst")
    steps = {name: make_step(cgpst.step(name), text) for name, text in texts.items()}
    assert response_lengths([Response(id="r", steps=steps)]) == {"r": 6}
    too_many = make_step(cgpst.step("step1"), ["word"] * 30)
    most = cgpst.step("step1").items
    assert most is not None
    assert response_lengths([Response(id="r", steps={"step1": too_many})]) == {"r": most.max}
    assert response_lengths([Response(id="r", steps=steps)], "step1") == {"r": 3}
    assert response_lengths([Response(id="r", steps=steps)], "step3") == {}
    uses = [use("b-1", "a hat"), use("b-2", ""), use("b-3", "a very small drum")]
    assert response_lengths(uses) == {"b-1": 2, "b-2": 0, "b-3": 4}
