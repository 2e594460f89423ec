"""`creaeval report RUN`: its figures never stand in the way of the report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import creaeval
from experiments.grids import TASK
from scripted import ScriptedModel

from .pages import check_page

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CommandLine
    from creaeval.runs import Run

ONE_STEP = TASK.partition("  - id: two")[0]
RATINGS = "response_id,rater,dimension,score\nr1,Ann,one.depth,2\nr2,Ann,one.depth,4\n"


def make_run(folder: Path, n: int, *, task: str = TASK, judge: ScriptedModel | None = None) -> Run:
    (folder / "mine.yaml").write_text(task)
    (folder / "ratings.csv").write_text(RATINGS)
    steps = {"one": "First of it.", **({"two": "Second of it."} if task == TASK else {})}
    responses = [{"id": f"r{number}", "steps": steps} for number in range(1, n + 1)]
    (folder / "responses.json").write_text(json.dumps(responses))
    return creaeval.score(
        folder / "responses.json",
        task=str(folder / "mine.yaml"),
        analyst=ScriptedModel(),
        judges=judge or ScriptedModel(),
        ledger=folder / "l.db",
    )


def figures_of(command: CommandLine, run: Run, *options: object) -> list[str]:
    """The captions of a report's figures and what is said below them."""
    ended = command("report", run.id, "--ledger", "l.db", "--resamples", 0, *options)
    assert (ended.code, ended.out.strip()) == (0, "report.html"), ended.err
    page = check_page((command.folder / "report.html").read_text(encoding="utf-8"))
    (section,) = [one for one in page.all("section") if one.all("h2") and one.all("h2")[0].text == "Figures"]
    return [" ".join(one.text.split()) for one in [*section.all("figcaption"), *section.all("p")]]


def test_a_single_response_of_one_step_that_nobody_rated_has_a_report(command: CommandLine) -> None:
    said = figures_of(command, make_run(command.folder, 1, task=ONE_STEP))
    assert said == [
        "Where quotes stand",
        "Length and score",
        "Nobody rated these responses, so there is no agreement with people.",
    ]


def test_figures_of_a_rated_run_have_no_notes_that_the_agreement_has_already(command: CommandLine) -> None:
    said = figures_of(command, make_run(command.folder, 2), "--ratings", "ratings.csv")
    assert said == [
        "Points of people and of methods",
        "What people gave at each level",
        "Agreement with people, and of people with each other",
        "Where quotes stand",
        "Length and score",
    ]


def test_a_run_in_which_every_response_failed_has_a_report_that_says_so(command: CommandLine) -> None:
    broken = ScriptedModel(answer=lambda _: "no score sheet at all")
    said = figures_of(
        command, make_run(command.folder, 2, task=ONE_STEP, judge=broken), "--ratings", "ratings.csv"
    )
    assert said[0] == "Where quotes stand"
    assert "No response is there to compare on. creaeval: scored nothing that was rated." in said[1]
    page = (command.folder / "report.html").read_text(encoding="utf-8")
    # With one rater and no judge there is nothing that could agree.
    assert "There is no agreement with the ratings. There is a single rater and no judge" in page


def test_a_run_over_uses_has_a_report_with_figures(command: CommandLine) -> None:
    rows = "".join(f"u{n},rope,p1,a swing {n}\n" for n in range(1, 4))
    (command.folder / "uses.csv").write_text(f"id,object,participant,use\n{rows}")
    (command.folder / "ratings.csv").write_text(
        "response_id,rater,dimension,score\nu1,Ann,originality,2\nu2,Ann,originality,5\n"
    )
    run = creaeval.score(
        command.folder / "uses.csv",
        task="aut",
        analyst=ScriptedModel(),
        judges=ScriptedModel(),
        ledger="l.db",
    )
    assert "Points of people and of methods" in figures_of(command, run, "--ratings", "ratings.csv")
