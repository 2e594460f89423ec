"""The program as a user starts it, against a server on this machine: results, interruption, resumption."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from booklets import marked, write_inputs
from loopback import Loopback, Scripted
from scripted import served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import CommandLine
    from loopback import Handler

PROGRAM = Path(sys.executable).with_name("creaeval")
KEY = "sk-test-7d1e5b90c2a4"
ARGUMENTS = ("score", "booklets.json", "--scenario", "scenario.yaml")
MODELS = ("--analyst", "openai:tiny", "--judge", "openai:tiny")
# Six steps and a judge for each of two booklets.
CALLS = 2 * (6 + 1)


def start(folder: Path, url: str) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}
    environment |= {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": KEY, "COLUMNS": "200"}
    return subprocess.Popen(
        [str(PROGRAM), *ARGUMENTS, *MODELS, "--out", str(folder / "results")],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        # A suite that runs in the background ignores Ctrl-C, and what it starts would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


@dataclass(frozen=True)
class Finished:
    folder: Path
    server: Loopback
    code: int
    out: str
    err: str

    def text(self, name: str) -> str:
        return (self.folder / "results" / name).read_text(encoding="utf-8")

    def rows(self, name: str) -> list[dict[str, str]]:
        return list(csv.DictReader(self.text(name).splitlines()))


def finish(process: subprocess.Popen[str], folder: Path, server: Loopback) -> Finished:
    out, err = process.communicate(timeout=120)
    return Finished(folder, server, process.returncode, out, err)


def in_this_process(command: CommandLine, folder: Path, server: Loopback) -> Finished:
    """Give the same command without starting a program, which takes seconds."""
    command.monkeypatch.chdir(folder)
    command.monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    command.monkeypatch.setenv("OPENAI_API_KEY", KEY)
    ended = command(*ARGUMENTS, *MODELS, "--out", folder / "results")
    return Finished(folder, server, ended.code, ended.out, ended.err)


def prepared(folder: Path) -> Path:
    first, second = marked("R01", "alfa"), marked("R02", "bravo")
    write_inputs(
        folder,
        first.model_copy(update={"metadata": {"group": "control"}}),
        second.model_copy(update={"metadata": {"group": "=1+1"}}),
    )
    return folder


def answers() -> Handler:
    """What is said of one booklet differs from what is said of the other, so they share no call."""
    return served("alfa|bravo")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    """One run from start to end."""
    folder = prepared(tmp_path_factory.mktemp("whole"))
    with Loopback(answers()) as server:
        yield finish(start(folder, server.url), folder, server)


def test_a_run_ends_with_code_0_and_says_where_its_files_are(whole: Finished) -> None:
    assert (whole.code, "Traceback" in whole.err) == (0, False), whole.err
    assert f"Files are in {whole.folder / 'results'}" in whole.out
    assert "Score sheet of R01" in whole.out
    said = (
        "2 responses, task cgpst, method creaeval, analyst openai:tiny (full evidence), judges openai:tiny."
    )
    assert said in whole.err


def test_a_run_makes_one_call_a_step_and_one_a_judge_with_the_key(whole: Finished) -> None:
    assert Counter(body["response_format"]["json_schema"]["name"] for body in whole.server.requests) == {
        **{f"step{number}_evidence": 2 for number in range(1, 7)},
        "cgpst_scores": 2,
    }
    assert {headers["Authorization"] for headers in whole.server.headers} == {f"Bearer {KEY}"}
    assert {body["temperature"] for body in whole.server.requests} == {0.2}


def test_scores_csv_has_the_columns_that_were_decided_and_the_carried_one(whole: Finished) -> None:
    assert whole.text("scores.csv").splitlines()[0] == (
        "response_id,method,judge,evidence_repeat,judge_repeat,step,item,dimension,score,model_score,"
        "computed_score,group"
    )
    rows = whole.rows("scores.csv")
    # A sheet has 31 identities; six valid challenges and six solutions with three item dimensions each, the
    # blank challenge with its Fluency of 0, and five criteria with two.
    assert len(rows) == 2 * (31 + 6 * 3 + 1 + 6 * 3 + 5 * 2)
    assert {row["judge"] for row in rows} == {"openai:tiny"}
    assert {(row["evidence_repeat"], row["judge_repeat"]) for row in rows} == {("1", "1")}
    assert {(row["response_id"], row["group"]) for row in rows} == {("R01", "control"), ("R02", "'=1+1")}
    assert [row["step"] for row in rows if row["dimension"] == "total"] == ["", ""]


def test_scores_csv_holds_the_final_the_models_and_the_computed_value(whole: Finished) -> None:
    rows = {(row["response_id"], row["dimension"], row["item"]): row for row in whole.rows("scores.csv")}

    def values(dimension: str, item: str = "") -> list[float | None]:
        row = rows["R01", dimension, item]
        return [
            float(row[name]) if row[name] else None for name in ("score", "model_score", "computed_score")
        ]

    # The server calls every item valid and otherwise writes the lowest number.
    assert values("step1.fluency", "1") == [1, 1, None]
    assert values("step1.fluency") == [6, 0, 6]
    assert values("step5.correctly_used") == [4, 1, 4]
    assert values("step2.focus") == [1, 1, None]
    # 6 + 1 (one category), 0 + 0 + 0 + 0 + 1 + 1, 6 + 1, 0, 4, and six ones.
    assert values("total") == [7 + 2 + 7 + 0 + 4 + 6, 0, 26]


def test_scores_wide_has_a_row_a_response_and_a_column_an_identity(whole: Finished) -> None:
    rows = whole.rows("scores_wide.csv")
    assert list(rows[0])[:4] == ["response_id", "method", "judge", "step1_fluency"]
    assert list(rows[0])[-2:] == ["total", "group"]
    assert len(rows[0]) == 3 + 31 + 1
    assert [(row["response_id"], float(row["total"])) for row in rows] == [("R01", 26), ("R02", 26)]


def test_the_other_files_are_there_and_can_be_read(whole: Finished) -> None:
    results = whole.folder / "results"
    assert whole.text("failures.csv").strip() == "response_id,stage,model,reason"
    responses = {path.stem: json.loads(path.read_text("utf-8")) for path in (results / "responses").iterdir()}
    assert {name: entry["response_id"] for name, entry in responses.items()} == {"R01": "R01", "R02": "R02"}
    entry = responses["R01"]
    assert list(entry["memories"]) == [f"step{number}" for number in range(1, 7)]
    assert len(entry["evidence"]["steps"]) == 6
    assert entry["sheets"][0]["computed_total"] == 26
    assert len(entry["calls"]) == 7


def test_run_json_holds_what_it_takes_to_repeat_the_run(whole: Finished) -> None:
    record = json.loads(whole.text("run.json"))
    assert (record["state"], record["task"], record["method"]) == ("finished", "cgpst", "creaeval")
    assert record["analyst"] == {
        "name": "openai:tiny",
        "provider": "openai",
        "base_url": whole.server.url,
        "model": "tiny",
        # Full evidence is longer than most replies, so the analyst has twice the usual limit.
        "settings": {"temperature": 0.2, "max_tokens": 8192, "seed": 1, "timeout": 600.0},
        "limits": {"concurrency": 8, "requests_per_minute": None, "tokens_per_minute": None},
        "usd_per_million_tokens": None,
    }
    usual = {**record["analyst"]["settings"], "max_tokens": 4096}
    assert record["judges"] == [{**record["analyst"], "settings": usual}]
    assert (record["evidence"], record["copied"]) == ("full", "report")
    assert {"language", "analyst.jinja", "evidence.jinja", "judge.jinja"} <= set(record["prompts_sha256"])
    assert [(r["id"], r["file"]) for r in record["responses"]] == [
        ("R01", "booklets.json"),
        ("R02", "booklets.json"),
    ]
    assert {"python", "creaeval", "pydantic"} <= set(record["versions"])
    assert (record["scored"], record["failed"], record["not_reached"]) == (2, 0, 0)
    assert record["tokens_by_stage"]["all"]["calls"] == CALLS
    # No price is known for this server.
    assert record["cost_usd"] is None


def test_neither_the_record_nor_the_ledger_nor_the_output_holds_the_key_or_a_folder(whole: Finished) -> None:
    files = [*(whole.folder / ".creaeval").iterdir(), *(whole.folder / "results").rglob("*.*")]
    assert {"ledger.db", "run.json", "scores.csv"} <= {path.name for path in files}
    for path in files:
        content = path.read_bytes()
        assert KEY.encode() not in content, path
        assert str(whole.folder).encode() not in content, path
    assert KEY not in whole.out + whole.err


def test_the_same_command_again_asks_nothing_and_ends_with_the_same_scores(
    command: CommandLine, whole: Finished
) -> None:
    scores, wide = whole.text("scores.csv"), whole.text("scores_wide.csv")
    run_id = json.loads(whole.text("run.json"))["run_id"]
    again = in_this_process(command, whole.folder, whole.server)
    assert again.code == 0, again.err
    assert len(whole.server.requests) == CALLS
    assert (again.text("scores.csv"), again.text("scores_wide.csv")) == (scores, wide)
    assert json.loads(again.text("run.json"))["run_id"] == run_id
    assert f"{CALLS} calls, {CALLS} of them from the ledger" in again.out


def test_a_run_that_was_killed_and_then_interrupted_repeats_no_finished_call_and_ends_with_the_same_scores(
    command: CommandLine, tmp_path: Path, whole: Finished
) -> None:
    prepared(tmp_path)
    answer, answered = answers(), {"before": 5}

    def handler(body: dict[str, Any], number: int) -> Scripted:
        return answer(body, number) if number < answered["before"] else Scripted(delay=300)

    def stopped_by(how: signal.Signals, server: Loopback) -> Finished:
        process = start(tmp_path, server.url)
        # Once both booklets wait for a reply, every earlier reply has been committed.
        both_wait, deadline = answered["before"] + 2, time.monotonic() + 120
        while len(server.requests) < both_wait and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(how)
        ended = finish(process, tmp_path, server)
        assert len(server.requests) == both_wait, ended.err
        return ended

    with Loopback(handler) as server:
        killed = stopped_by(signal.SIGKILL, server)
        assert killed.code == -signal.SIGKILL
        # Requests 5 and 6 got no answer and come again as 7 and 8; 9 is answered too.
        answered["before"] = 10
        stopped = stopped_by(signal.SIGINT, server)
        assert stopped.code == 130, stopped.err
        assert "Stopped with 0 of 2 responses done; every finished call is kept." in stopped.err
        assert "The same command goes on from there." in stopped.err
        assert "Traceback" not in stopped.err
        assert json.loads(stopped.text("run.json"))["state"] == "stopped"
        assert stopped.rows("scores.csv") == []
        answered["before"] = 1000
        resumed = in_this_process(command, tmp_path, server)
        # Of 14 calls 5 + 3 were finished; twice two were under way.
        assert len(server.requests) == CALLS + 2 * 2
    assert resumed.code == 0, resumed.err
    assert f"{CALLS} calls, 8 of them from the ledger" in resumed.out
    assert resumed.text("scores.csv") == whole.text("scores.csv")
    assert json.loads(resumed.text("run.json"))["state"] == "finished"
