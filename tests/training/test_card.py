from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import booklets
from creaeval.errors import DataError, SettingError
from creaeval.llm.local.trained import read_trained
from creaeval.runs.plan import make_plan
from creaeval.runs.trained import training_notes
from creaeval.training.card import Card, Epoch, hash_files, read_card, write_card
from creaeval.training.split import split_ids
from scripted import ScriptedModel

if TYPE_CHECKING:
    from pathlib import Path


def card(*ids: str) -> Card:
    return Card(
        kind="sft",
        task="cgpst",
        rater="A",
        base={"name": "base", "sha256": "0" * 64},
        split=split_ids(ids or ("a", "b", "c", "d")),
        settings={"epochs": 3},
        epochs=(Epoch(number=1, train={"loss": 2.5}, held_out={"loss": 2.25}),),
    )


class Trained(ScriptedModel):
    """A scripted model that lies in a folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__("hf:sft", identity={"provider": "hf", "base_url": "", "model": "sft"})
        self.trained = read_trained(folder)


def test_a_card_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_card(tmp_path, card())
    assert read_card(tmp_path) == card()
    assert [path.name for path in tmp_path.iterdir()] == ["card.json"]


def test_a_model_without_a_card_has_none_and_a_torn_one_is_an_error(tmp_path: Path) -> None:
    assert read_card(tmp_path) is None
    (tmp_path / "card.json").write_text('{"kind": "sft", ', encoding="utf-8")
    with pytest.raises(SettingError, match=r"card\.json: .*expected the card of a trained model"):
        read_card(tmp_path)
    (tmp_path / "card.json").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingError, match="cannot be read"):
        read_card(tmp_path)


def test_responses_of_the_training_side_are_named_before_they_are_scored(tmp_path: Path) -> None:
    made = card("R1", "R2", "R3", "R4", "R5", "R6", "R7")
    write_card(tmp_path, made)
    trained, tested = made.split.train[0], made.split.test[0]

    def notes(*ids: str) -> list[str]:
        plan = make_plan(
            task=booklets.cgpst(),
            responses=[booklets.variant(one) for one in ids],
            scenarios=booklets.scenarios(),
            analyst=None,
            judges=[Trained(tmp_path)],
            method="sft",
        )
        return training_notes(plan)

    (line,) = notes(trained, tested, "other")
    assert line.startswith(f"hf:sft was trained on or chosen by 1 of these 3 responses ({trained}): ")
    assert notes(tested, "other") == []


def test_files_are_hashed_by_name_and_two_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for folder, text in (("a", "abc"), ("b", "")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.csv").write_text(text, encoding="utf-8")
    found = hash_files([tmp_path / "a", tmp_path / "b" / "x.csv"])
    # FIPS 180-2: SHA-256 of "abc"; of nothing.
    assert {name: digest[:16] for name, digest in found.items()} == {
        "x.csv": "ba7816bf8f01cfea",
        "x.csv (2)": "e3b0c44298fc1c14",
    }


def test_a_sheet_of_a_workbook_is_its_file_and_lock_files_are_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "booklets"
    folder.mkdir()
    for name in ("a.csv", "~$a.xlsx", ".DS_Store"):
        (folder / name).write_text(name, encoding="utf-8")
    (tmp_path / "ratings.xlsx").write_bytes(b"x")
    assert list(hash_files([folder, tmp_path / "ratings.xlsx#final"])) == ["a.csv", "ratings.xlsx"]
    with pytest.raises(DataError, match=r"gone\.csv: cannot be read"):
        hash_files([tmp_path / "gone.csv"])
