"""Agreement as people read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from agreement.tables import summary_text
from creaeval.agreement import agree
from creaeval.report.agreement_notes import agreement_notes
from creaeval.report.agreement_tables import agreement_tables
from creaeval.tasks import load_task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from creaeval.agreement import AgreementReport

POINTS = [1, 2, 3, 4, 5, 6, 7, 8, 2, 3, 6, 7]
# Every rank turned round; and points whose r with POINTS is below 0 with an interval to both sides.
REVERSED = [9 - points for points in POINTS]
UNRELATED = [5, 1, 7, 3, 6, 2, 4, 3, 6, 2, 7, 1]


def report_of(judges: Mapping[str, Sequence[int]], ratings: Mapping[str, Sequence[int]]) -> AgreementReport:
    def frame(scorers: Mapping[str, Sequence[int]], kind: str) -> pd.DataFrame:
        rows = [
            (f"r{place}", name, "step2.focus", points)
            for name, given in scorers.items()
            for place, points in enumerate(given)
        ]
        return pd.DataFrame(rows, columns=["response_id", kind, "dimension", "score"])

    scores = frame(judges, "judge") if judges else ()
    options = {"measures": ["qwk", "pearson"], "resamples": 200}
    return agree(load_task("cgpst"), scores, frame(ratings, "rater"), **options)  # type: ignore[arg-type]


def test_worse_than_chance_is_only_what_the_interval_says() -> None:
    unrelated = report_of({"other": UNRELATED}, {"A": POINTS, "B": POINTS})
    means = unrelated.tables["means"].query("dimension == 'AVG' and metric == 'pearson'").set_index("judge")
    value, high = (float(means[name]["other"]) for name in ("value", "high"))
    assert value < 0 < high
    assert not [note for note in agreement_notes(unrelated) if "worse than chance" in note]
    turned = report_of({"turned": REVERSED}, {"A": POINTS, "B": POINTS})
    (note,) = [note for note in agreement_notes(turned) if "worse than chance" in note]
    # QWK, of the dimension and of the average; r is -1 on every resample, which makes no interval.
    assert note.startswith("2 values (turned) lie below 0 with the whole interval")


def test_a_report_is_read_as_text_of_any_width() -> None:
    report = report_of({"same": POINTS}, {"A": POINTS, "B": [*POINTS[1:], 1]})
    for width in (80, 120):
        lines = summary_text(report, width).splitlines()
        assert max(map(len, lines)) <= width
        assert all(line == line.rstrip() for line in lines)
        for title in ("QWK", "Pearson r", "Judges and raters"):
            assert any(line.startswith(title) for line in lines)
    assert "Agreement between people is no upper bound" in summary_text(report)


def test_raters_alone_have_their_reliability_in_any_design() -> None:
    (table,) = [
        table
        for table in agreement_tables(report_of({}, {"A": POINTS, "B": REVERSED}))
        if table.title == "Reliability of raters"
    ]
    assert [line.name for line in table.rows] == [
        *("One rater, absolute", "One rater, consistent", "Mean of raters, absolute"),
        *("Mean of raters, consistent", "Krippendorff's alpha (interval)"),
    ]
    assert table.caption == "n = 12"
    assert any("The mean is of 2 raters" in note for note in table.notes)
