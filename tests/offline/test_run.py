"""Runs with the offline scorer: chosen where no model is named, through the ledger like any other."""

from __future__ import annotations

import csv
import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

import creaeval
from creaeval.offline import OfflineScorer
from creaeval.offline.card import read_card
from creaeval.offline.doubts import mark_of
from creaeval.runs.confidence import confidences
from creaeval.runs.defaults import default_method
from creaeval.tasks import load_task
from data_folder import shared_data
from uses import use

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CommandLine

ROWS = [
    ("u1", "brick", "doorstop", "ann"),
    ("u2", "Brick", "grind it to pigment for cave paintings", "bob"),
    ("u3", "sock", "hand puppet", ""),
    ("u4", "brick", " ", "ann"),
    ("u5", "brick", "als Briefbeschwerer benutzen", "ann"),
]


@pytest.fixture
def uses(tmp_path: Path) -> Path:
    path = tmp_path / "uses.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("id", "object", "response", "participant"), *ROWS])
    return path


def table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def test_uses_are_scored_without_naming_a_model(command: CommandLine, uses: Path) -> None:
    ended = command("score", uses, "--task", "aut", "--out", "results")
    assert ended.code == 0, ended.err
    assert "method offline, judges offline" in ended.err
    assert (
        "failures.csv, confidence.csv, participants.csv, participants_reliability.csv, results.xlsx"
        in " ".join(ended.out.split())
    )
    rows = {row["response_id"]: row for row in table(command.folder / "results" / "scores.csv")}
    assert sorted(rows) == ["u1", "u2", "u3", "u4", "u5"]
    assert rows["u4"]["score"] == ""
    assert rows["u4"]["invalid"] == "blank"
    alone = OfflineScorer(threads=1)
    for name in ("u1", "u2", "u3", "u5"):
        use = next(row for row in ROWS if row[0] == name)
        assert float(rows[name]["score"]) == alone.score([use[1:3]])[0].originality
        assert {rows[name][key] for key in ("method", "judge")} == {"offline"}


def test_each_score_has_a_confidence_and_its_warnings_are_summed_up(command: CommandLine, uses: Path) -> None:
    ended = command("score", uses, "--task", "aut", "--out", "results")
    sure = {row["response_id"]: row for row in table(command.folder / "results" / "confidence.csv")}
    assert sorted(sure) == ["u1", "u2", "u3", "u5"]
    assert all(0 < float(sure[name]["confidence"]) < 1 for name in ("u1", "u2", "u5"))
    assert {name: row["warnings"] for name, row in sure.items()} == {
        "u1": "",
        "u2": "",
        "u3": "object never seen in training",
        # One use of another language in an English file: the file counts.
        "u5": "",
    }
    assert "never saw (sock): 1 uses" in " ".join(ended.out.split())


GERMAN = ["Briefbeschwerer", "Türstopper", "Hammer", "als Ball", "keine Idee von Kunst", "Haus bauen"]


def write_uses(path: Path, texts: list[str]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = [(f"u{number}", "brick", text) for number, text in enumerate(texts, 1)]
        csv.writer(file).writerows([("id", "object", "response"), *rows])
    return path


def warned(command: CommandLine, path: Path) -> tuple[list[str], str]:
    """The ids of uses that are perhaps not English, and what the command said at its end."""
    ended = command("score", path, "--task", "aut", "--out", f"results_{path.stem}")
    rows = table(command.folder / f"results_{path.stem}" / "confidence.csv")
    foreign = [row["response_id"] for row in rows if "perhaps not English" in row["warnings"]]
    return foreign, " ".join(ended.out.split())


def test_every_use_of_a_german_file_is_warned_of_also_where_its_words_are_english_too(
    command: CommandLine,
) -> None:
    foreign, said = warned(command, write_uses(command.folder / "german.csv", GERMAN))
    assert foreign == ["u1", "u2", "u3", "u4", "u5", "u6"]
    assert "Perhaps not English (u1, u2, u3, u4, u5 and 1 more): 6 of 6 uses." in said
    record = json.loads((command.folder / "results_german" / "run.json").read_text())
    assert record["not_english"] == foreign


def test_no_use_of_an_english_file_is_warned_of_for_names_in_it(command: CommandLine) -> None:
    texts = ["doorstop", "Doppelkorn schnapps", "build a small house", "Jägermeister bottle", "a hat"]
    foreign, said = warned(command, write_uses(command.folder / "english.csv", texts))
    assert foreign == []
    assert "not English" not in said


def test_the_language_is_that_of_the_run_whatever_calls_its_uses_share(command: CommandLine) -> None:
    """Each object has a call of its own, and `Hammer` in it nothing that tells the language."""
    path = command.folder / "objects.csv"
    lines = [f"u{n},{thing},{text}" for n, (thing, text) in enumerate(zip("abcdef", GERMAN, strict=True), 1)]
    path.write_text("\n".join(["id,object,response", *lines]), encoding="utf-8")
    foreign, _ = warned(command, path)
    assert foreign == ["u1", "u2", "u3", "u4", "u5", "u6"]


def test_a_run_of_before_languages_were_judged_by_the_file_keeps_its_warnings(tmp_path: Path) -> None:
    from dataclasses import replace

    run = creaeval.score(
        [use("b-1", "als Briefbeschwerer für Papier benutzen"), use("b-2", "Ball", "rope")],
        task="aut",
        ledger=tmp_path / "ledger.db",
    )
    assert list(confidences(run)["warnings"]) == ["perhaps not English"] * 2
    older = {name: value for name, value in run.manifest.items() if name != "not_english"}
    assert list(confidences(replace(run, manifest=older))["warnings"]) == ["perhaps not English", ""]


def test_uses_of_the_training_data_are_counted_and_named(command: CommandLine, uses: Path) -> None:
    with shared_data("aut/aut.csv").open(encoding="utf-8", newline="") as file:
        known = next(row for row in csv.DictReader(file) if row["split"] == "train")
    with uses.open("a", newline="", encoding="utf-8") as file:
        csv.writer(file).writerow(["u6", known["prompt"], known["response"], "eve"])
    ended = command("score", uses, "--task", "aut", "--out", "results")
    rows = {
        row["response_id"]: row["in_training"] for row in table(command.folder / "results" / "confidence.csv")
    }
    assert (rows["u6"], rows["u3"]) == ("yes", "no")
    n_known = sum(value == "yes" for value in rows.values())
    assert f"was trained on or chosen by {n_known} of these 6 uses" in " ".join(ended.err.split())


def test_all_uses_it_learnt_from_or_was_chosen_by_are_known_and_few_others() -> None:
    """Every row of train and val; of test the 53 that equal a train row and the one that equals a val row."""
    trained = read_card().trained
    with shared_data("aut/aut.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    n_known = Counter(row["split"] for row in rows if mark_of(row["prompt"], row["response"]) in trained)
    assert n_known == {"train": 13567, "val": 842, "test": 54}
    authors = {
        part: {row["participant"] for row in rows if row["split"] == part} for part in ("train", "val")
    }
    by_author = [row["participant"] for row in rows if row["split"] == "test"]
    # As docs/aut_scorer.md and docs/results say.
    assert sum(name in authors["train"] for name in by_author) == 985
    assert sum(name in authors["train"] | authors["val"] for name in by_author) == 989


def test_uses_given_as_objects_have_a_confidence_too(tmp_path: Path) -> None:
    run = creaeval.score(
        [use("b-1", "a hat"), use("b-2", "a boat")], task="aut", ledger=tmp_path / "ledger.db"
    )
    assert list(confidences(run)["response_id"]) == ["b-1", "b-2"]


def test_the_same_command_again_takes_everything_from_the_ledger(command: CommandLine, uses: Path) -> None:
    command("score", uses, "--task", "aut", "--out", "results")
    before = (command.folder / "results" / "scores.csv").read_bytes()
    again = command("score", uses, "--task", "aut", "--out", "results")
    assert again.code == 0
    assert "2 of them from the ledger" in " ".join(again.out.split())
    assert (command.folder / "results" / "scores.csv").read_bytes() == before


def test_the_record_of_a_run_names_the_weights_by_their_hash(command: CommandLine, uses: Path) -> None:
    command("score", uses, "--task", "aut", "--out", "results")
    (judge,) = json.loads((command.folder / "results" / "run.json").read_text())["judges"]
    assert judge["name"] == judge["provider"] == "offline"
    assert len(judge["sha256"]) == 64


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--method", "offline", "--judge", "scripted:a"], "own scorer as judge"),
        (["--method", "direct", "--judge", "offline"], "can be asked nothing else"),
        (["--set", "temperature=0.5"], "is no language model"),
        (["--model", "folder", "--method", "offline"], "--model goes with methods of trained models"),
        (["--judge", "offline:other"], "there is one offline scorer"),
    ],
)
def test_what_the_offline_scorer_cannot_do_is_refused(
    command: CommandLine, uses: Path, arguments: list[str], said: str
) -> None:
    from scripted import ScriptedModel

    command.add(ScriptedModel("scripted:a"))
    ended = command("score", uses, "--task", "aut", "--out", "results", *arguments)
    assert ended.code == 1
    assert said in " ".join(ended.err.split())


def test_other_tasks_are_refused(command: CommandLine, uses: Path) -> None:
    booklet = command.folder / "booklet.csv"
    booklet.write_text("response_id,scenario,step1\nr1,s,text\n")
    ended = command("score", booklet, "--method", "offline", "--missing-step", "skip")
    assert ended.code == 1
    assert ended.err


def test_a_named_model_is_asked_by_the_method_creaeval() -> None:
    aut, cgpst = load_task("aut"), load_task("cgpst")
    assert default_method(aut, []) == default_method(aut, ["offline"]) == "offline"
    assert default_method(aut, ["local"]) == default_method(cgpst, []) == "creaeval"


def test_the_library_uses_it_too(uses: Path, tmp_path: Path) -> None:
    run = creaeval.score(uses, task="aut", ledger=tmp_path / "ledger.db")
    assert run.manifest["method"] == "offline"
    assert len(run.scores) == 5


def test_the_released_table_scores_as_the_card_says() -> None:
    """Pearson's r of the val rows, computed here from its definition, is the one on the card."""
    import numpy as np

    from creaeval.offline.card import CARD, FILES

    with shared_data("aut/aut.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["split"] == "val"]
    found = OfflineScorer().score([(row["prompt"], row["response"]) for row in rows])
    x = np.array([one.originality for one in found])
    y = np.array([float(row["human_mean"]) for row in rows])
    x, y = x - x.mean(), y - y.mean()
    r = float((x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum()))
    card = json.loads((FILES / CARD).read_text())
    assert card["results"]["val"]["n"] == len(rows) == 842
    assert r == pytest.approx(card["results"]["val"]["r"], abs=0.001)
