"""Uses share calls, and nothing else: each is a response with rows, evidence and failures of its own."""

from __future__ import annotations

import csv
import json
import re
from typing import TYPE_CHECKING, Any

import pytest

import creaeval
from creaeval.agreement import agree, differences
from creaeval.data import Response, StepText, read_ratings, read_scores
from creaeval.errors import DataError, LedgerError, SettingError, TaskError
from creaeval.llm import Ledger
from creaeval.llm.chat import AttemptError
from creaeval.methods import Case
from creaeval.runs import RunStore, export_run
from creaeval.runs.batching import make_batches
from creaeval.runs.defaults import choose_batching
from creaeval.runs.export import read_run_folder
from creaeval.sheets.score_sheet import SCORE_COLUMNS
from creaeval.tasks import Batching, load_task, parse_task
from scripted import ScriptedModel, WithChances, text_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import CommandLine
    from creaeval.llm import ChatRequest
    from creaeval.runs import Run

AUT = load_task("aut")
TABLE = """id,object,use,participant,invalid
u1,brick,build a wall,p1,x
u2,brick,I don't know,p1,x
u3,rope,,p1,x
u4,brick,=a hat for a statue,p1,x
u5,rope,skip,p2,y
"""


def points(request: ChatRequest) -> dict[str, int]:
    """By item, what a judge gives: 5 for the hat, 2 for the wall, 1 for all else."""
    shown = text_of(request)
    by_word = {"hat for a statue": 5, "build a wall": 2}
    lines = [line for line in shown.splitlines() if line.startswith("item_")]
    return {
        line.partition(":")[0]: next((p for word, p in by_word.items() if word in line), 1) for line in lines
    }


def scores_reply(request: ChatRequest) -> str:
    wanted = request.schema["properties"]["uses"]["properties"]["items"]["required"]
    found = points(request)
    return json.dumps({"uses": {"items": {name: {"originality": found[name]} for name in wanted}}})


def run_of(folder: Path, *, judges: Any = None, method: str = "direct", **options: Any) -> Run:
    (folder / "uses.csv").write_text(TABLE, encoding="utf-8")
    judge = ScriptedModel("j", answer=scores_reply)
    given = {"judges": judges or [judge], "analyst": ScriptedModel("a"), "ledger": folder / "l.db", **options}
    return creaeval.score(folder / "uses.csv", task="aut", method=method, **given)


def rows(run: Run, *columns: str) -> list[tuple[Any, ...]]:
    frame = run.scores.astype(object).where(run.scores.notna(), None)
    return list(frame[list(columns)].itertuples(index=False, name=None))


def test_every_use_has_one_row_a_judge_and_who_has_no_score_has_a_reason(tmp_path: Path) -> None:
    judge = ScriptedModel("j", answer=scores_reply)
    run = run_of(tmp_path, judges=[judge])
    assert (run.state, run.n_failed, len(run.failures)) == ("finished", 0, 0)
    assert rows(run, "response_id", "judge", "dimension", "item", "score", "model_score", "invalid") == [
        ("u1", "j", "uses.originality", None, 2, 2, ""),
        ("u2", "j", "uses.originality", None, None, None, "dont_know"),
        ("u3", "j", "uses.originality", None, None, None, "blank"),
        ("u4", "j", "uses.originality", None, 5, 5, ""),
        ("u5", "j", "uses.originality", None, 1, 1, ""),
    ]
    # Two calls: three uses of the brick by one person, one of the rope; about the blank one nobody is asked.
    assert len(judge.requests) == 2
    assert "know" not in text_of(judge.requests[0]).partition("# Form")[2]
    assert "Object: brick" in text_of(judge.requests[0])


def test_the_tables_carry_each_uses_own_columns_and_no_sums(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    own = [*SCORE_COLUMNS, "invalid"]
    carried = ["object", "participant", "input_invalid", "response"]
    assert list(run.scores) == [*own, *carried]
    assert rows(run, *carried)[2] == ("rope", "p1", "x", "")
    wide = run.scores_wide
    assert list(wide) == ["response_id", "method", "judge", "uses_originality", "invalid", *carried]
    assert list(wide["response_id"]) == ["u1", "u2", "u3", "u4", "u5"]


def test_evidence_and_judgement_leave_out_the_same_uses(tmp_path: Path) -> None:
    judge, analyst = (
        ScriptedModel("j", values={"aut_scores.uses.items.item_3.originality": 4}),
        ScriptedModel("a"),
    )
    run = run_of(tmp_path, judges=[judge], analyst=analyst, method="creaeval")
    assert rows(run, "response_id", "score", "invalid") == [
        ("u1", 1, ""),
        ("u2", None, "dont_know"),
        ("u3", None, "blank"),
        ("u4", 4, ""),
        ("u5", 1, ""),
    ]
    assert (len(analyst.requests), len(judge.requests)) == (2, 2)
    # The judge sees nothing of what was written.
    assert "wall" not in text_of(judge.requests[0])
    evidence = {outcome.response_id: outcome.evidence for outcome in run.outcomes}
    assert [name for name, own in evidence.items() if own is None] == ["u2", "u3"]
    for name in ("u1", "u4", "u5"):
        own = evidence[name]
        assert own is not None
        assert (own.response_id, own.steps[0].items) == (name, ())
        assert list(own.steps[0].dimensions) == ["originality"]


@pytest.mark.parametrize("form", ["folder", "scores.csv"])
def test_what_a_run_wrote_is_read_back_and_loaded_again(tmp_path: Path, form: str) -> None:
    judges = [ScriptedModel("j", answer=scores_reply), ScriptedModel("k")]
    run = run_of(tmp_path, judges=judges, judge_repeats=1)
    export_run(run, tmp_path / "out")
    path = tmp_path / "out" if form == "folder" else tmp_path / "out" / "scores.csv"
    (found,) = read_scores(path, AUT)
    both = (sorted(map(str, one.sheets)) for one in (found, run))
    assert next(both) == next(both)
    assert found.metadata["u4"] == {
        **{"object": "brick", "participant": "p1", "input_invalid": "x", "response": "=a hat for a statue"},
    }
    with Ledger.open(tmp_path / "l.db") as ledger:
        loaded = RunStore(ledger).load(run.id)
        assert loaded.scores.equals(run.scores)
        assert loaded.metadata == run.metadata
    lines = (tmp_path / "out" / "responses.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["response_id"] for line in lines] == ["u1", "u2", "u3", "u4", "u5"]
    again = read_run_folder(tmp_path / "out", AUT)
    assert again is not None
    assert again.scores[list(SCORE_COLUMNS)].equals(run.scores[list(SCORE_COLUMNS)])


def test_uses_of_which_each_fails_are_failures_of_their_own(tmp_path: Path) -> None:
    def invalid(request: ChatRequest) -> int:
        return 9 if "Object: brick" in text_of(request) else 0

    run = run_of(tmp_path, judges=[ScriptedModel("j", answer=scores_reply, invalid=invalid)])
    # Nobody is asked about u2, so it does not fail.
    assert list(run.failures["response_id"]) == ["u1", "u4"]
    record = run.manifest
    assert (record["scored"], record["failed"], record["not_reached"]) == (1, 2, 0)
    assert record["non_answers"] == {"dont_know": 1, "blank": 1}
    assert [row[0] for row in rows(run, "response_id")] == ["u2", "u3", "u5"]


def poisoned(word: str, label: str = "aut_scores") -> Callable[[ChatRequest], int]:
    """No usable reply to a request that shows a word."""

    def invalid(request: ChatRequest) -> int:
        return 9 if word in text_of(request) and request.schema_name == label else 0

    return invalid


def uses_file(folder: Path, n: int) -> Path:
    lines = [f"u{number},brick,use number {number:02},p1" for number in range(1, n + 1)]
    path = folder / "uses.csv"
    path.write_text("\n".join(["id,object,use,participant", *lines]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("poison", [1, 13, 20])
def test_one_use_that_cannot_be_scored_costs_itself_alone(tmp_path: Path, poison: int) -> None:
    judge = ScriptedModel("j", answer=scores_reply, invalid=poisoned(f"number {poison:02}"))
    run = creaeval.score(
        uses_file(tmp_path, 20), task="aut", method="direct", judges=judge, ledger=tmp_path / "l.db"
    )
    assert list(run.failures["response_id"]) == [f"u{poison}"]
    assert (run.manifest["scored"], run.manifest["failed"]) == (19, 1)
    # 20 in one call, then its halves: the half without the use is done, the other one goes on, to one use.
    calls = {outcome.response_id: outcome.calls for outcome in run.outcomes}
    shared = [call.shared_by for call in calls[f"u{poison}"]]
    assert shared == sorted(shared, reverse=True)
    assert (shared[0], shared[-1]) == (20, 1)
    # Every request is counted once, whoever shares it: four tries of each call that failed.
    assert len(run.calls) == len(judge.requests)
    assert run.summary.tokens["all"].calls == len(judge.requests)


def test_a_judge_that_scored_the_whole_is_not_asked_again(tmp_path: Path) -> None:
    steady = ScriptedModel("steady", answer=scores_reply)
    failing = ScriptedModel("failing", answer=scores_reply, invalid=poisoned("number 03"))
    run = creaeval.score(
        uses_file(tmp_path, 8),
        task="aut",
        method="direct",
        judges=[steady, failing],
        ledger=tmp_path / "l.db",
    )
    assert len(steady.requests) == 1
    assert [tuple(row) for row in run.failures[["response_id", "model"]].to_numpy()] == [("u3", "failing")]
    judges = {name: list(own["judge"]) for name, own in run.scores.groupby("response_id", sort=False)}
    assert judges.pop("u3") == ["steady"]
    assert set(map(tuple, judges.values())) == {("steady", "failing")}


def test_evidence_of_a_shared_call_stays_where_a_judge_fails_on_it(tmp_path: Path) -> None:
    analyst = ScriptedModel("a")

    def refuses_four(request: ChatRequest) -> int:
        return 9 if "item_4" in json.dumps(request.schema) else 0

    judge = ScriptedModel("j", invalid=refuses_four)
    run = creaeval.score(
        uses_file(tmp_path, 4), task="aut", judges=judge, analyst=analyst, ledger=tmp_path / "l.db",
        method="creaeval",
    )  # fmt: skip
    assert (run.n_failed, len(analyst.requests)) == (0, 1)
    assert [len(outcome.sheets) for outcome in run.outcomes] == [1, 1, 1, 1]
    for outcome in run.outcomes:
        assert outcome.evidence is not None
        assert outcome.evidence.response_id == outcome.response_id
    # Four tries of the whole, then its two halves.
    assert len(judge.requests) == 6


def test_where_the_analyst_fails_the_halves_have_evidence_of_their_own(tmp_path: Path) -> None:
    analyst = ScriptedModel("a", invalid=poisoned("number 02", "uses_evidence"))
    run = creaeval.score(
        uses_file(tmp_path, 4), task="aut", judges=ScriptedModel("j"), analyst=analyst, method="creaeval",
        ledger=tmp_path / "l.db",
    )  # fmt: skip
    assert [tuple(row) for row in run.failures[["response_id", "stage"]].to_numpy()] == [("u2", "uses")]
    assert [len(outcome.sheets) for outcome in run.outcomes] == [1, 0, 1, 1]


def test_a_use_about_which_nobody_is_asked_is_no_failure_to_anybody(tmp_path: Path) -> None:
    class Watcher:
        def __init__(self) -> None:
            self.seen: dict[str, int] = {}

        def call_done(self, call: Any) -> None:
            pass

        def attempt_failed(self) -> None:
            pass

        def evidence_found(self, response_id: str, evidence: Any) -> None: ...

        def response_done(self, outcome: Any) -> None:
            self.seen[outcome.response_id] = len(outcome.failures)

    watcher = Watcher()
    run = run_of(tmp_path, watcher=watcher)
    assert watcher.seen == {"u2": 0, "u3": 0, "u1": 0, "u4": 0, "u5": 0}
    assert list(watcher.seen)[:2] == ["u2", "u3"]
    assert run.manifest["refused"] == []
    assert (run.summary.scored, run.summary.failed) == (3, 0)


def test_blank_uses_go_by_the_judges_name_of_the_method(tmp_path: Path) -> None:
    run = run_of(tmp_path, judges=[WithChances(ScriptedModel("j"))], method="direct-expected")
    assert set(run.scores["judge"]) == {"j (expected)"}


def test_the_same_use_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "uses.csv").write_text("id,object,use,participant\nu1,brick,wall,p1\n", encoding="utf-8")
    (use,) = creaeval.read_responses(tmp_path / "uses.csv", AUT)
    with pytest.raises(DataError, match="2 responses have the id 'u1'"):
        creaeval.score(
            [use, use], task="aut", method="direct", judges=ScriptedModel(), ledger=tmp_path / "l.db"
        )


def test_blank_uses_have_a_row_for_each_repeat_of_each_judge(tmp_path: Path) -> None:
    judges = [ScriptedModel("j", answer=scores_reply), ScriptedModel("k")]
    run = run_of(tmp_path, judges=judges, judge_repeats=2)
    frame = run.scores[run.scores["response_id"].isin(["u3", "u5"])]
    by_use = {use: of.iloc[:, 2:5].to_numpy().tolist() for use, of in frame.groupby("response_id")}
    expected = [["j", 1, 1], ["j", 1, 2], ["k", 1, 1], ["k", 1, 2]]
    assert by_use == {"u3": expected, "u5": expected}


def test_uses_are_compared_with_ratings_by_their_ids(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    path = tmp_path / "ratings.csv"
    path.write_text(
        "id,rater,Originality\nu1,A,2\nu4,A,4\nu5,A,1.5\nu1,B,1\nu4,B,5\nu5,B,1\n", encoding="utf-8"
    )
    ratings = read_ratings(path, AUT)
    # The judge gives 2, 5 and 1.
    report = agree(AUT, [run], ratings, measures=["rmse", "bias"], resamples=0, groups="object")
    means = report.tables["means"]
    of_judge = means[means["judge"].eq("j") & means["dimension"].eq("uses.originality")]
    assert of_judge.set_index("metric")["value"]["bias"] == pytest.approx((0.5 / 3 + 1 / 3) / 2)
    assert list(dict.fromkeys(report.tables["by_column"]["group"])) == ["brick", "rope"]
    table = differences(run, ratings)
    assert list(table.loc[table["rater"].eq("A") & table["score"].notna(), "difference"]) == [0, 1, -0.5]
    biases = means.loc[means["metric"].eq("bias"), "value"].tolist()
    for items in ("mean", "each"):
        again = agree(AUT, [run], ratings, measures=["bias"], resamples=0, items=items)
        assert again.tables["means"]["value"].tolist() == biases


def test_uses_are_read_as_the_settings_say(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Nr,Thing,Idea\n1,brick,hat;boat\n2,brick,door\n", encoding="utf-8")
    model = ScriptedModel()
    run = creaeval.score(
        tmp_path / "a.csv",
        task="aut",
        method="direct",
        judges=model,
        reading={"columns": {"id": "Nr", "object": "Thing", "response": "Idea"}, "split": ";"},
        batching=Batching(by=(), most=2),
        ledger=tmp_path / "l.db",
    )
    assert list(run.scores["response_id"]) == ["1-1", "1-2", "2-1"]
    assert len(model.requests) == 2
    assert run.manifest["batching"] == {"by": [], "most": 2}


def test_how_many_share_a_call_is_bounded_and_for_tasks_that_allow_it() -> None:
    assert choose_batching(AUT, "direct") == Batching(by=("participant",), most=20)
    assert choose_batching(AUT, "direct", 5, mix_participants=True) == Batching(by=(), most=5)
    # The offline scorer reads each use by itself, so all of one object may share a call.
    assert choose_batching(AUT, "offline") == Batching(by=(), most=100)
    for number in (0, 101):
        with pytest.raises(SettingError, match=f"--uses-per-call {number}: expected a number from 1 to 100"):
            choose_batching(AUT, "direct", number)
    with pytest.raises(SettingError, match="response to task cgpst has calls of its own"):
        choose_batching(load_task("cgpst"), "direct", 5)


def test_uses_of_nobody_known_are_warned_of_once(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,object,use\n1,brick,hat\n2,brick,door\n", encoding="utf-8")
    said = (
        "2 uses are of no known participant, so each is asked about by itself: 2 calls for each model. With "
        "--mix-participants, up to 20 uses of one object share a call, which makes 1;"
    )
    with pytest.warns(UserWarning, match=said) as caught:
        run = creaeval.score(
            tmp_path / "a.csv", task="aut", method="direct", judges=ScriptedModel(), ledger=tmp_path / "l.db"
        )
    assert len(caught) == 1
    assert len(run.sheets) == 2


def test_scores_with_rows_of_a_panel_are_read_without_them(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    export_run(run, tmp_path / "out")
    path = tmp_path / "out" / "scores.csv"
    with path.open(encoding="utf-8", newline="") as file:
        header, *given = list(csv.reader(file))
    # As version 0.1 wrote them: of no repeat.
    panel = {"judge": "panel mean", "evidence_repeat": "", "judge_repeat": ""}
    added = [[panel.get(title, cell) for title, cell in zip(header, row, strict=True)] for row in given]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *given, *added])
    (found,) = read_scores(path, AUT)
    assert {sheet.scorer for sheet in found.sheets} == {"j"}


def test_the_command_line_shows_uses_and_writes_their_participants(command: CommandLine) -> None:
    (command.folder / "uses.csv").write_text(TABLE, encoding="utf-8")
    command.add(ScriptedModel("scripted:j", answer=scores_reply))
    ended = command(
        *("score", "uses.csv", "--task", "aut", "--method", "direct", "--judge", "scripted:j", "--out", "out")
    )
    assert ended.code == 0, ended.err
    assert "Scores of each use, 5 in all" in ended.out
    assert ": 5 uses, task aut" in ended.err
    shown = [line.split() for line in ended.out.splitlines()]
    found = {line[0]: line[-1] for line in shown if line and line[0] in {"u1", "u2", "u3", "u4", "u5"}}
    assert found == {"u1": "2", "u2": "dont_know", "u3": "blank", "u4": "5", "u5": "1"}
    assert "participants.csv" in ended.out
    lines = (command.folder / "out" / "participants.csv").read_text(encoding="utf-8").splitlines()
    assert lines[1:4] == [
        "p1,brick,direct,scripted:j,uses.originality,3,2,0,3.5,5.0,3.5,,,4.0",
        "p1,rope,direct,scripted:j,uses.originality,1,0,0,,,,,,",
        "p1,(all),direct,scripted:j,uses.originality,4,2,0,3.5,5.0,3.5,,,4.0",
    ]
    listed = command("runs", "list").out.splitlines()
    assert [line.split("\t")[-1] for line in listed] == ["5 responses"]
    (run_id,) = {line.split()[0] for line in listed}
    assert "participants_reliability.csv" in command("runs", "export", run_id, "--out", "again").out


METAPHORS = """
id: metaphors
name: Metaphors
source: made for the tests
description: A metaphor for a feeling.
steps:
  - id: metaphor
    name: Metaphor
    instruction: Write a metaphor.
    dimensions:
      - {id: novel, name: Novel, description: How rare?, scale: 0-4}
      - {id: apt, name: Apt, description: How fitting?, scale: 0-4}
"""


def points_by_text(request: ChatRequest) -> str:
    """Novelty is the number in the text, aptness one more; alone or in a list."""
    numbers = [int(word) for word in re.findall(r"worth (\d)", text_of(request))]
    points = [{"novel": number, "apt": number + 1} for number in numbers]
    if "items" not in request.schema["properties"]["metaphor"]["properties"]:
        (alone,) = points
        whole = sum(alone.values())
        return json.dumps({"metaphor": {**alone, "overall": whole}, "total": whole})
    items = {f"item_{place}": own for place, own in enumerate(points, 1)}
    return json.dumps({"metaphor": {"items": items}})


def test_one_line_lets_short_texts_of_a_task_of_your_own_share_calls(tmp_path: Path) -> None:
    lines = [f"m{n},fog {n} worth {n % 4},p{n // 4}" for n in range(8)]
    text = "\n".join(["id,response,participant", *lines])
    (tmp_path / "texts.csv").write_text(f"{text}\n", encoding="utf-8")
    runs, n_requests = [], []
    for more in ("", "batching: 3\n"):
        path = tmp_path / f"task{len(more)}.yaml"
        path.write_text(METAPHORS + more, encoding="utf-8")
        judge = ScriptedModel("j", answer=points_by_text)
        runs.append(
            creaeval.score(
                tmp_path / "texts.csv", task=path, method="direct", judges=judge, ledger=tmp_path / "l.db"
            )
        )
        n_requests.append(len(judge.requests))
    # Four texts of each of two people, three in a call at most.
    assert n_requests == [8, 4]
    alone, shared = ([*rows(run, "response_id", "dimension", "score")] for run in runs)
    assert shared == alone
    # Novel 2 and apt 3 make an Overall and a Total of 5.
    assert [row[1:] for row in alone if row[0] == "m2"] == [
        ("metaphor.novel", 2), ("metaphor.apt", 3), ("metaphor.overall", 5), ("total", 5),
    ]  # fmt: skip


@pytest.mark.parametrize("form", ["step's column", "json", "jsonl", "columns named", "two in a cell"])
def test_batching_changes_nothing_in_how_files_are_read(tmp_path: Path, form: str) -> None:
    task = parse_task(METAPHORS + "batching: 3\n", "m.yaml")
    reading: dict[str, Any] = {}
    path = tmp_path / f"texts.{form if form.startswith('json') else 'csv'}"
    entry = {"id": "m1", "steps": {"metaphor": "a fog"}, "participant": "p"}
    if form == "json":
        path.write_text(json.dumps([entry]), encoding="utf-8")
    elif form == "jsonl":
        path.write_text(f"{json.dumps(entry)}\n", encoding="utf-8")
    elif form == "step's column":
        path.write_text("response_id,Metaphor,participant\nm1,a fog,p\n", encoding="utf-8")
    elif form == "columns named":
        path.write_text("Nr,Text,participant\nm1,a fog,p\n", encoding="utf-8")
        reading = {"columns": {"id": "Nr", "response": "Text"}}
    else:
        path.write_text("id,response,participant\nm,a fog; a mist,p\n", encoding="utf-8")
        reading = {"split": ";"}
    first, *_ = creaeval.read_responses(path, task, **reading)
    expected = "m-1" if form == "two in a cell" else "m1"
    assert (first.id, first.steps["metaphor"].text) == (expected, "a fog")
    assert first.metadata["participant"] == "p"
    assert first.scenario is None


def test_what_may_share_a_call_is_said_by_columns(tmp_path: Path) -> None:
    task = parse_task(METAPHORS + "batching: {by: [class, topic], most: 2}\n", "m.yaml")
    texts = [("a", "x"), ("a", "x"), ("a", "y"), ("b", "x"), ("a", "x"), ("a", "")]
    cases = [
        Case(
            task,
            Response(
                id=f"m{n}",
                steps={"metaphor": StepText(text="fog")},
                metadata={"class": group, "topic": topic} if topic else {"class": group},
            ),
            None,
        )
        for n, (group, topic) in enumerate(texts)
    ]
    together = [[case.response.id for case in batch.cases] for batch in make_batches(cases)]
    # Two at most; one without a topic is asked about by itself.
    assert together == [["m0", "m1"], ["m4"], ["m2"], ["m3"], ["m5"]]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("batching: 0\n", "greater than or equal to 1"),
        ("batching: 101\n", "less than or equal to 100"),
        ("batching: {most: 3, size: 4}\n", "unknown key 'size'"),
    ],
)
def test_batching_that_cannot_be_is_refused(more: str, said: str) -> None:
    with pytest.raises(TaskError, match=said):
        parse_task(METAPHORS + more, "m.yaml")


def test_a_list_step_shares_no_calls() -> None:
    listed = METAPHORS.replace("    dimensions:", "    items: {name: line, max: 3}\n    dimensions:")
    with pytest.raises(TaskError, match="batching needs a single step without items"):
        parse_task(listed + "batching: 3\n", "m.yaml")


def test_batching_for_a_task_that_shares_no_calls_is_refused(tmp_path: Path) -> None:
    task = parse_task(METAPHORS, "m.yaml")
    response = Response(id="m1", steps={"metaphor": StepText(text="fog worth 1")})
    with pytest.raises(SettingError, match="responses to task metaphors share no calls"):
        creaeval.score(
            [response],
            task=task,
            method="direct",
            judges=ScriptedModel(),
            batching=Batching(most=3),
            ledger=tmp_path / "l.db",
        )


def test_a_run_whose_task_has_changed_since_is_refused_where_its_task_is_not_kept(tmp_path: Path) -> None:
    response = Response(id="m1", steps={"metaphor": StepText(text="fog worth 1")})
    judge = ScriptedModel("j", answer=points_by_text)
    task = parse_task(METAPHORS, "m.yaml")
    run = creaeval.score([response], task=task, method="direct", judges=judge, ledger=tmp_path / "l.db")
    export_run(run, tmp_path / "out")
    changed = parse_task(METAPHORS.replace("id: apt", "id: fitting"), "m.yaml")
    said = (
        r"run\.json: response 'm1' has points for metaphor\.apt, which task metaphors does not have: the task"
    )
    with pytest.raises(DataError, match=said):
        read_run_folder(tmp_path / "out", changed)
    # The ledger keeps the task as it was.
    with Ledger.open(tmp_path / "l.db") as ledger:
        assert RunStore(ledger).load(run.id).task == task
        with ledger.engine.begin() as connection:
            connection.exec_driver_sql('UPDATE runs SET task = \'{"id": "metaphors"}\'')
        with pytest.raises(LedgerError, match=f"run {run.id}: its task cannot be read by this version"):
            RunStore(ledger).load(run.id)


def no_answer(request: ChatRequest) -> AttemptError:
    return AttemptError(f"HTTP 500 for {len(text_of(request))} characters", kind="server", retry=False)


def test_a_server_that_answers_nothing_is_asked_for_halves_once(tmp_path: Path) -> None:
    judge = ScriptedModel("j", fails=no_answer)
    run = creaeval.score(
        uses_file(tmp_path, 20), task="aut", method="direct", judges=judge, ledger=tmp_path / "l.db"
    )
    # The twenty, then two tens: not 39 calls, each of which would be waited for and tried again.
    assert len(judge.requests) == 3
    assert (run.n_failed, run.summary.scored, run.summary.failed_attempts) == (20, 0, 3)
    assert {failure.unanswered for outcome in run.outcomes for failure in outcome.failures} == {True}


def test_a_use_that_makes_the_server_fail_costs_itself_alone(tmp_path: Path) -> None:
    judge = ScriptedModel(
        "j",
        answer=scores_reply,
        fails=lambda request: no_answer(request) if "number 13" in text_of(request) else None,
    )
    run = creaeval.score(
        uses_file(tmp_path, 20), task="aut", method="direct", judges=judge, ledger=tmp_path / "l.db"
    )
    assert list(run.failures["response_id"]) == ["u13"]
    assert run.manifest["scored"] == 19


def test_the_folder_of_a_run_names_its_task(command: CommandLine) -> None:
    (command.folder / "uses.csv").write_text(TABLE, encoding="utf-8")
    (command.folder / "ratings.csv").write_text("id,rater,Originality\nu1,A,2\nu4,A,4\nu5,A,1.5\n")
    command.add(ScriptedModel("scripted:j", answer=scores_reply))
    scored = command(
        *("score", "uses.csv", "--task", "aut", "--method", "direct", "--judge", "scripted:j", "--out", "out")
    )
    assert scored.code == 0, scored.err
    for name in ("out", "out/scores.csv", "out/scores_wide.csv"):
        ended = command("agree", name, "ratings.csv", "--measure", "rmse", "--resamples", "0")
        assert ended.code == 0, ended.err
        assert "Originality" in ended.out
    assert command("compare", "out", "out", "--resamples", "0").code == 0
    record = command.folder / "out" / "run.json"
    own = {**json.loads(record.read_text(encoding="utf-8")), "task": "metaphors"}
    record.write_text(json.dumps(own), encoding="utf-8")
    ended = command("agree", "out", "ratings.csv")
    assert ended.code == 1
    assert "this run is of the task 'metaphors'; name its YAML file with --task FILE" in ended.err


def test_a_run_in_which_nothing_was_scored_has_failed(command: CommandLine) -> None:
    (command.folder / "uses.csv").write_text("id,object,use,participant\nu1,brick,a wall,p\n")
    command.add(ScriptedModel("scripted:j", fails=no_answer))
    ended = command(
        *("score", "uses.csv", "--task", "aut", "--method", "direct", "--judge", "scripted:j", "--out", "out")
    )
    assert ended.code == 1
    fields = command("runs", "list").out.strip().split("\t")
    assert (fields[2], fields[-1]) == ("failed", "1 responses, 1 failed")
    assert json.loads((command.folder / "out" / "run.json").read_text())["state"] == "failed"
