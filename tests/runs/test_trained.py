"""What a judge was trained on is recorded when it scores, in the ledger and in every table of scores."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import booklets
import creaeval
from creaeval.data import read_scores
from creaeval.errors import DataError, SettingError
from creaeval.llm import Ledger
from creaeval.llm.local.trained import Trained, read_trained
from creaeval.offline.doubts import mark_of
from creaeval.runs import RunStore, export_run
from creaeval.runs.export import read_run_folder
from creaeval.runs.notes import run_notes
from creaeval.runs.trained import mark_of_case, recorded_training
from creaeval.tasks import load_task
from data_folder import shared_data
from scripted import ScriptedModel
from uses import use, use_cases

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from creaeval.data import Response
    from creaeval.runs import Run


class Judge(ScriptedModel):
    """A scripted model that says what it was trained on."""

    def __init__(self, name: str, trained: Trained | None) -> None:
        provider, _, model = name.partition(":")
        super().__init__(name, identity={"provider": provider, "base_url": "", "model": model})
        self.trained = trained


def score_booklets(
    folder: Path, responses: Sequence[Response], *judges: ScriptedModel, **options: Any
) -> Run:
    return creaeval.score(
        responses,
        scenarios=booklets.scenarios(),
        judges=list(judges),
        method="direct",
        ledger=folder / "l.db",
        **options,
    )


def mark(response: Response) -> str:
    return mark_of_case(booklets.case(response))


def test_a_response_is_known_by_its_text_whatever_it_is_called_and_an_id_alone_is_no_proof(
    tmp_path: Path,
) -> None:
    known, other = booklets.marked("a", "seen"), booklets.marked("b", "new")
    judge = Judge("hf:sft", Trained(ids=frozenset({"b"}), marks=frozenset({mark(known)})))
    run = score_booklets(tmp_path, [known.model_copy(update={"id": "renamed"}), other], judge)
    assert run.trained_on == {"hf:sft": {"renamed"}}


def test_a_card_of_before_marks_were_kept_is_read_by_ids(tmp_path: Path) -> None:
    (tmp_path / "card.json").write_text(json.dumps({"split": {"train": ["a"], "test": ["b"]}}))
    trained = read_trained(tmp_path)
    assert trained == Trained(frozenset({"a"}))
    run = score_booklets(tmp_path, [booklets.variant("a"), booklets.variant("b")], Judge("hf:sft", trained))
    assert run.trained_on == {"hf:sft": {"a"}}


def test_a_folder_without_a_card_tells_nothing_and_a_torn_card_is_refused(tmp_path: Path) -> None:
    assert read_trained(tmp_path) is None
    for text in ('{"split": ', "[]", '{"split": {"test": []}}'):
        (tmp_path / "card.json").write_text(text)
        with pytest.raises(SettingError, match="expected the card of a trained model"):
            read_trained(tmp_path)


def test_the_ledger_and_the_tables_keep_it_for_each_judge_apart(tmp_path: Path) -> None:
    known, other = booklets.variant("a", group="x"), booklets.marked("b", "new")
    judges = Judge("hf:sft", Trained(marks=frozenset({mark(known)}))), ScriptedModel("scripted:llm")
    made = score_booklets(tmp_path, [known, other], *judges, judge_repeats=2)
    with Ledger.open(tmp_path / "l.db") as ledger:
        run = RunStore(ledger).load(made.id)
        assert run.trained_on == {"hf:sft": {"a"}}
        export_run(run, tmp_path / "out")
    with (tmp_path / "out" / "scores.csv").open(encoding="utf-8", newline="") as file:
        rows = {(row["response_id"], row["judge"]): row["in_training"] for row in csv.DictReader(file)}
    assert rows == {
        ("a", "hf:sft"): "yes",
        ("b", "hf:sft"): "no",
        ("a", "scripted:llm"): "",
        ("b", "scripted:llm"): "",
    }
    for name in ("scores.csv", "scores_wide.csv"):
        (scores,) = read_scores(tmp_path / "out" / name, run.task)
        assert scores.trained_on == {"hf:sft": {"a"}}, name
        assert scores.metadata["a"] == {"group": "x"}, name
    again = read_run_folder(tmp_path / "out", run.task)
    assert again is not None
    assert again.trained_on == run.trained_on


def test_a_run_whose_judges_do_not_tell_has_no_such_column_and_no_carried_one_is_taken_for_it(
    tmp_path: Path,
) -> None:
    response = booklets.variant("a", in_training="yes")
    run = score_booklets(tmp_path, [response], ScriptedModel("scripted:llm"))
    export_run(run, tmp_path / "out")
    (scores,) = read_scores(tmp_path / "out", run.task)
    assert scores.trained_on == run.trained_on == {}
    assert scores.metadata["a"] == {"input_in_training": "yes"}


def test_a_file_of_scores_in_any_form_may_say_it_and_what_it_says_is_read_as_yes_or_no(
    tmp_path: Path,
) -> None:
    path = tmp_path / "judges.csv"
    head = "response_id,judge,uses.originality,in training\n"
    path.write_text(head + "u1,m,3,Yes\nu2,m,2,no\nu1,n,3,\nu2,n,2,\n", encoding="utf-8")
    (scores,) = read_scores(path, load_task("aut"))
    assert scores.trained_on == {"m": {"u1"}}
    path.write_text(head + "u1,m,3,perhaps\nu2,m,2,no\n", encoding="utf-8")
    with pytest.raises(DataError, match="'in training': found 'perhaps', expected yes, no or nothing"):
        read_scores(path, load_task("aut"))
    export_run(offline_run(tmp_path, [use("u1", "a hat")]), tmp_path / "out")
    table = tmp_path / "out" / "scores.csv"
    table.write_text(table.read_text().replace(",yes,", ",perhaps,"))
    with pytest.raises(DataError, match=r"in_training.*: found 'perhaps', expected yes, no or nothing"):
        read_scores(table, load_task("aut"))


def offline_run(folder: Path, uses: Sequence[Response]) -> Run:
    return creaeval.score(uses, task="aut", ledger=folder / "offline.db")


def test_the_offline_scorer_is_recorded_by_use_and_an_older_run_is_read_by_what_it_said_of_each(
    tmp_path: Path,
) -> None:
    with shared_data("aut/aut.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    known = [row for part in ("train", "val") for row in [r for r in rows if r["split"] == part][:3]]
    uses = [use(row["row_id"], f"{row['response']}.", row["prompt"]) for row in known]
    blank = use("blank", " ")
    run = offline_run(tmp_path, [*uses, use("new", "teach a whole choir of snails to sing"), blank])
    seen = {row["row_id"] for row in known}
    assert run.trained_on == {"offline": seen}
    older = {**run.manifest, "judges": [{**judge} for judge in run.manifest["judges"]]}
    del older["judges"][0]["in_training"]
    assert replace(run, manifest=older).trained_on == {"offline": seen}
    assert recorded_training({**older, "method": "direct"}, run.outcomes) == {}
    export_run(run, tmp_path / "out")
    (scores,) = read_scores(tmp_path / "out", run.task)
    assert scores.trained_on == {"offline": seen}
    assert "offline was trained on or chosen by 6 of these 8 uses" in " ".join(run_notes(run))


def test_the_mark_of_a_use_is_that_of_the_offline_scorer() -> None:
    (case,) = use_cases([use("u1", "a door-stop!", "Brick")])
    assert mark_of_case(case) == mark_of("brick", "a doorstop")


def test_a_trained_model_without_a_card_is_named_before_it_scores(tmp_path: Path) -> None:
    run = creaeval.score(
        [booklets.variant("a")],
        scenarios=booklets.scenarios(),
        judges=Judge("hf:elsewhere", None),
        method="sft",
        ledger=tmp_path / "l.db",
    )
    assert any(
        note.startswith("hf:elsewhere: no card lies beside the model, so nothing tells which responses")
        for note in run.manifest["notes"]
    )
    assert run.trained_on == {}
