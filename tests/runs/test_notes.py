"""What the console warns of at score is in the run's record and on its page."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import creaeval
from booklets import booklet, scored
from creaeval.report.html import render_report, run_report
from creaeval.runs.notes import plan_notes, result_notes, run_notes
from uses import use

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CommandLine

GERMAN = ["Briefbeschwerer", "Türstopper", "als Hammer benutzen", "Haus bauen"]


def words(text: str) -> str:
    return " ".join(text.split())


def write_team(folder: Path) -> None:
    """A folder of uses, of which one was trained on, with a file nobody reads, and a rating of nobody."""
    folder.mkdir()
    rows = [("u1", "brick", "doorstop"), *((f"g{n}", "Kelle", text) for n, text in enumerate(GERMAN))]
    lines = ["id,object,response", *map(",".join, rows)]
    (folder / "uses.csv").write_text("\n".join(lines), encoding="utf-8")
    (folder / "scan.pdf").write_bytes(b"%PDF")
    (folder.parent / "ratings.csv").write_text("id,rater,originality\nu1,A,1\nu9,A,2\n")


def test_what_the_console_says_is_in_the_record_and_on_the_page(command: CommandLine) -> None:
    write_team(command.folder / "team")
    ended = command("score", "team", "--task", "aut", "--ratings", "ratings.csv", "--out", "results")
    assert ended.code == 0, ended.err
    record = json.loads((command.folder / "results" / "run.json").read_text(encoding="utf-8"))
    beginnings = [
        "team: not read: scan.pdf",
        "rating id u9 has no response",
        "The offline scorer was trained on English uses",
        "offline was trained on or chosen by 1 of these 5 uses (u1)",
        "Of objects that the offline scorer never saw (Kelle): 4 uses",
        "Perhaps not English (u1, g0, g1, g2, g3): 5 of 5 uses",
    ]
    notes = record["notes"]
    assert [note for note, start in zip(notes, beginnings, strict=True) if not note.startswith(start)] == []
    console = words(ended.err + ended.out)
    assert [words(note) for note in notes if console.count(words(note)) != 1] == []
    assert command("report", record["run_id"], "--out", "page.html").code == 0
    page = (command.folder / "page.html").read_text(encoding="utf-8")
    assert [note for note in notes if note not in page] == []
    assert "Nothing out of the ordinary" not in page
    # Shown again, all of them are said.
    shown = words(command("runs", "show", record["run_id"]).out)
    assert [note for note in notes if words(note) not in shown] == []


def test_folders_of_files_are_not_named_in_the_record(command: CommandLine) -> None:
    write_team(command.folder / "team")
    command("score", command.folder / "team", "--task", "aut", "--out", "results")
    text = (command.folder / "results" / "run.json").read_text(encoding="utf-8")
    assert "team: not read: scan.pdf" in text
    assert str(command.folder) not in text


def test_a_run_without_notes_of_its_own_has_those_of_its_results(tmp_path: Path) -> None:
    """One of before they were kept, and one that was killed, which has those of before its first call."""
    run = scored(tmp_path, booklet())
    assert run_notes(run) == result_notes(run) != []
    older = {name: value for name, value in run.manifest.items() if name != "notes"}
    assert run_notes(replace(run, manifest=older)) == result_notes(run)
    killed = {**older, "notes": ["a note"]}
    del killed["scored"]
    assert run_notes(replace(run, manifest=killed)) == ["a note", *result_notes(run)]


def test_a_run_of_which_nothing_is_to_be_said_says_so(tmp_path: Path) -> None:
    run = creaeval.score([use("a", "zzz a hat for a stone gnome")], task="aut", ledger=tmp_path / "l.db")
    quiet = replace(run, manifest={**run.manifest, "notes": []})
    assert "Nothing out of the ordinary." in render_report(run_report(quiet))


def test_a_note_is_added_to_a_plan_without_another_run_coming_of_it(tmp_path: Path) -> None:
    from creaeval.runs import prepare

    plan = prepare([use("a", "a hat")], task="aut", scenarios=None, method="offline")
    noted = plan.noting(["first"]).noting(["second", "first"])
    assert plan_notes(noted)[:2] == ["first", "second"]
    assert noted.run_id == plan.run_id
    assert noted.batches is plan.batches
