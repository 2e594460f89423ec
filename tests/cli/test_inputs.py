"""Every word that may name a run, its results or a file, in every command that takes one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from scripted import ScriptedModel, fill

if TYPE_CHECKING:
    from conftest import CommandLine, Ended
    from creaeval.llm import ChatRequest

TEXTS = ["0 bricks", "1 lamp", "2 boats", "3 hats"]
RATINGS = "id,rater,originality\n" + "".join(
    f"e{number},{rater},{number}\n" for number in range(4) for rater in "AB"
)
TASK = """id: metaphors
name: Metaphors
source: Our own rubric, 2026
description: A respondent completes a metaphor.
steps:
  - id: metaphor
    name: Metaphor
    instruction: Complete the sentence.
    dimensions:
      - {id: originality, name: Originality, description: How unusual?, scale: 0-4}
"""
FEW = ("--resamples", "0")


def by_first_digit(request: ChatRequest) -> str:
    """Give as many points as the text begins with."""
    text = request.messages[-1].text
    number = next(n for n, written in enumerate(TEXTS) if written in text)
    values = {"metaphors_scores.metaphor.originality": number}
    return json.dumps(fill(request.schema, request.schema_name, values))


@pytest.fixture
def run_id(command: CommandLine) -> str:
    """A run of a task of one's own, whose judges give what both people gave; its results are in ``out``."""
    (command.folder / "own.yaml").write_text(TASK)
    lines = "".join(f"e{number},{text}\n" for number, text in enumerate(TEXTS))
    (command.folder / "texts.csv").write_text(f"id,response\n{lines}")
    (command.folder / "ratings.csv").write_text(RATINGS)
    command.add(*(ScriptedModel(f"scripted:{name}", answer=by_first_digit) for name in ("j", "k")))
    ended = command(
        *("score", "texts.csv", "--task", "own.yaml", "--method", "direct", "--out", "out"),
        *("--judge", "scripted:j", "--judge", "scripted:k"),
    )
    assert ended.code == 0, ended.err
    (command.folder / "own.yaml").unlink()
    return command("runs", "list").out.split("\t")[0]


def words(run_id: str) -> list[str]:
    return [run_id, run_id[:6], "out", "out/run.json", "out/scores.csv", "out/scores_wide.csv"]


def test_agree_takes_whatever_names_the_run_and_its_task(command: CommandLine, run_id: str) -> None:
    for word in words(run_id):
        ended = command("agree", word, "ratings.csv", *FEW, "--against", word)
        assert ended.code == 0, (word, ended.err)
        assert "Originality" in ended.out


def test_compare_takes_whatever_names_a_run(command: CommandLine, run_id: str) -> None:
    for first, second in zip(words(run_id), reversed(words(run_id)), strict=True):
        ended = command("compare", first, second, "--ratings", "ratings.csv", *FEW)
        assert ended.code == 0, (first, second, ended.err)


def test_report_takes_whatever_names_a_run_and_shows_its_texts(command: CommandLine, run_id: str) -> None:
    for word in words(run_id):
        page = command.folder / "page.html"
        page.unlink(missing_ok=True)
        ended = command("report", word, "--ratings", "ratings.csv", "--out", "page.html", *FEW)
        assert ended.code == 0, (word, ended.err)
        assert "2 boats" in page.read_text(encoding="utf-8"), word


def test_report_of_a_folder_needs_no_ledger_but_its_task(command: CommandLine, run_id: str) -> None:
    elsewhere = ("--ledger", "none.db", *FEW)
    refused = command("report", "out", *elsewhere)
    assert refused.code == 1
    assert "of the task 'metaphors'; name its YAML file with --task FILE, or the ledger" in refused.err
    (command.folder / "own.yaml").write_text(TASK)
    ended = command("report", "out", "--task", "own.yaml", "--out", "page.html", *elsewhere)
    assert ended.code == 0, ended.err
    assert not (command.folder / "none.db").exists()


def test_a_report_is_of_a_run(command: CommandLine, run_id: str) -> None:
    ended = command("report", "ratings.csv")
    assert ended.code == 1
    assert "ratings.csv: expected a run: its id, or the folder that `creaeval score --out DIR`" in ended.err


def test_the_judges_of_a_run_are_compared_as_raters(command: CommandLine, run_id: str) -> None:
    for word in words(run_id):
        ended = command("raters", word, *FEW, "--out", "pair")
        assert ended.code == 0, (word, ended.err)
        assert "The raters here are judges, not people" in ended.err
        rows = (command.folder / "pair" / "severity.csv").read_text(encoding="utf-8-sig")
        assert "scripted:j" in rows
        assert "scripted:k" in rows


def test_a_run_and_people_are_no_raters_together(command: CommandLine, run_id: str) -> None:
    ended = command("raters", run_id, "ratings.csv")
    assert ended.code == 1
    assert f"use `creaeval agree {run_id} RATINGS`" in ended.err


def test_a_run_is_no_file_of_ratings(command: CommandLine, run_id: str) -> None:
    for word in (run_id, "out", "out/scores.csv"):
        for arguments in (("agree", "out", word), ("compare", "out", "out", "--ratings", word)):
            ended = command(*arguments)
            assert ended.code == 1
            assert f"{word} is a run, not ratings: `creaeval compare` sets two runs side by side" in ended.err


def test_an_id_without_a_ledger_is_told_where_it_was_looked_for(command: CommandLine) -> None:
    ended = command("report", "12ab")
    assert ended.code == 1
    assert "12ab: there is no such file or folder, and no ledger .creaeval/ledger.db" in ended.err
    assert not (command.folder / ".creaeval").exists()


def test_what_names_nothing_is_refused(command: CommandLine, run_id: str) -> None:
    for arguments in (("agree", "nobody", "ratings.csv"), ("report", "nobody"), ("compare", "nobody", "out")):
        ended = command(*arguments)
        assert ended.code == 1
        assert "nobody: there is no such file or folder, and it is no run's id either" in ended.err


def test_ratings_that_do_not_fit_the_task_name_the_option_and_the_task_they_fit(
    command: CommandLine,
) -> None:
    # Of uses: 89 rows that cgpst, which nobody named, cannot read.
    lines = "".join(f"u{number},A,originality,3\n" for number in range(89))
    (command.folder / "uses.csv").write_text(f"response_id,rater,dimension,score\n{lines}")
    ended = command("raters", "uses.csv")
    assert ended.code == 1
    first, second = error_lines(ended)
    assert first == (
        "Error: The ratings were read as those of task cgpst, since none was named, and do not fit it; "
        "--task names another. They can be read as aut or ttcw."
    )
    assert second.startswith("uses.csv, column 'score': 89 rows (2, 3, 4, …): 'originality' is in more")


def test_ratings_of_another_task_than_the_runs(command: CommandLine, run_id: str) -> None:
    (command.folder / "other.csv").write_text("response_id,rater,dimension,score\ne1,A,step2.focus,3\n")
    for word, of in ((run_id, f"run {run_id}"), ("out", "out/run.json")):
        ended = command("agree", word, "other.csv")
        assert ended.code == 1
        assert f"read as those of task metaphors, that of {of}, and do not fit it; --task" in ended.err
        assert "They can be read as cgpst." in ended.err


def test_one_wrong_score_is_no_question_of_the_task_that_was_named(command: CommandLine) -> None:
    (command.folder / "uses.csv").write_text("response_id,rater,dimension,score\nu1,A,originality,9\n")
    ended = command("raters", "uses.csv", "--task", "aut")
    assert ended.code == 1
    assert "--task" not in ended.err
    assert "expected a number from 1 to 5" in ended.err


def error_lines(ended: Ended) -> list[str]:
    return ended.err.strip().split("\n")
