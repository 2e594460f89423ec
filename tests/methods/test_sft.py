"""Methods of models that were trained on ratings: what is asked, and whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pytest

import booklets
from creaeval.errors import SettingError
from creaeval.llm.local.hf import HfModel
from creaeval.llm.local.trained import read_trained
from creaeval.llm.providers import registry
from creaeval.runs.plan import make_plan
from creaeval.training.card import Card, write_card
from creaeval.training.split import split_ids
from scripted import ScriptedModel

from .support import scored

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CommandLine
    from creaeval.sheets import Depth

HF = {"provider": "hf", "base_url": "", "model": "sft"}


@pytest.mark.parametrize(("trained", "like"), [("sft", "direct"), ("sft-evidence", "creaeval")])
def test_a_trained_model_is_asked_word_for_word_what_it_was_taught(
    tmp_path: Path, trained: str, like: str
) -> None:
    judges = [ScriptedModel("scripted:judge") for _ in range(2)]
    sheets = [
        scored(booklets.case(), tmp_path, None, [judge], method).sheets
        for method, judge in zip((trained, like), judges, strict=True)
    ]
    assert judges[0].requests == judges[1].requests
    assert sheets[0] == sheets[1]


@pytest.mark.parametrize("method", ["sft", "sft-evidence"])
def test_a_model_that_was_not_trained_for_it_is_refused(method: str) -> None:
    with pytest.raises(SettingError, match=rf"{method}.*hf:DIR.*scripted:one"):
        make_plan(
            task=booklets.cgpst(),
            responses=[booklets.booklet()],
            scenarios=booklets.scenarios(),
            analyst=ScriptedModel("scripted:a"),
            judges=[ScriptedModel("scripted:one")],
            method=method,
        )


def test_score_takes_the_folder_of_a_trained_model_and_says_what_it_was_trained_on(
    command: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    booklets.write_inputs(command.folder, booklets.booklet(), booklets.variant("other"))
    folder = command.folder / "sft"
    folder.mkdir()
    split = split_ids(["demo", "other"]).model_copy(update={"train": ("demo",), "test": ("other",)})
    write_card(
        folder, Card(kind="sft", task="cgpst", rater="A", base={}, split=split, settings={"epochs": 1})
    )
    model = ScriptedModel("hf:sft", identity=HF)
    model.trained = read_trained(folder)  # type: ignore[attr-defined]
    monkeypatch.setitem(registry._FACTORIES, "hf", lambda rest: {"sft": model}[rest])
    given = ("score", "booklets.json", "--scenario", "scenario.yaml", "--method", "sft")
    ended = command(*given, "--model", "sft", "--out", "out")
    assert ended.code == 0, ended.err
    assert "hf:sft was trained on or chosen by 1 of these 2 responses (demo)" in ended.err
    assert (command.folder / "out" / "scores.csv").read_text(encoding="utf-8").count("hf:sft") > 1


def test_score_says_where_a_model_is_needed_and_where_it_has_no_place(command: CommandLine) -> None:
    booklets.write_inputs(command.folder, booklets.booklet())
    given = ("score", "booklets.json", "--scenario", "scenario.yaml", "--method")
    ended = command(*given, "sft")
    assert ended.code == 1
    assert (
        "--method sft scores with a model that was trained for it: name its folder with --model" in ended.err
    )
    ended = command(*given, "direct", "--model", "sft")
    assert ended.code == 1
    assert "--model goes with methods of trained models, not with direct; use --judge" in ended.err
    ended = command(*given, "sft", "--model", "nowhere")
    assert ended.code == 1
    assert "model 'nowhere': there is no such folder" in ended.err


@pytest.mark.parametrize(
    ("kind", "evidence", "known"),
    [
        ("sft-evidence", "full", "full"),
        ("sft-evidence", "brief", "brief"),
        # Before cards named it there was brief evidence alone.
        ("sft-evidence", "", "brief"),
        ("sft", "", ""),
    ],
)
def test_a_trained_model_names_the_depth_of_its_evidence_by_its_card(
    tmp_path: Path, kind: str, evidence: Depth | Literal[""], known: str
) -> None:
    split = split_ids(["a", "b"])
    card = Card(kind=kind, task="cgpst", rater="A", evidence=evidence, base={}, split=split, settings={})
    write_card(tmp_path, card)
    assert HfModel(str(tmp_path)).evidence == known


def test_a_folder_without_a_card_names_none(tmp_path: Path) -> None:
    assert HfModel(str(tmp_path)).evidence == ""
