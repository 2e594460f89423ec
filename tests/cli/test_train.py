"""`creaeval train sft`: what is refused before anything is loaded; tests/training trains."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import booklets
from creaeval.demo import demo_file

if TYPE_CHECKING:
    from conftest import CommandLine, Ended


@pytest.fixture
def train(command: CommandLine) -> CommandLine:
    """The command line in a folder with a booklet, its ratings and the shape of a model."""
    booklets.write_inputs(command.folder, booklets.booklet())
    with demo_file("ratings.json") as path:
        (command.folder / "ratings.json").write_bytes(path.read_bytes())
    base = command.folder / "base"
    base.mkdir()
    (base / "config.json").write_text("{}", encoding="utf-8")
    (base / "model.safetensors").write_bytes(b"")
    return command


def sft(command: CommandLine, *more: str, files: str = "booklets.json", rater: str = "Example A") -> Ended:
    common = ("--ratings", "ratings.json", "--rater", rater, "--model", "base", "--out", "out")
    return command("train", "sft", *([files] if files else []), *common, *more)


def test_a_rater_who_is_not_there_is_named_with_those_who_are(train: CommandLine) -> None:
    ended = sft(train, "--scenario", "scenario.yaml", rater="Nobody")
    assert ended.code == 1
    assert "found no rating by 'Nobody'; the ratings are by Example A, Example B" in ended.err


def test_a_folder_without_a_model_and_one_that_is_full_are_refused(train: CommandLine) -> None:
    ended = sft(train, "--model", "nowhere")
    assert ended.code == 1
    assert "model 'nowhere': there is no such folder" in ended.err
    ended = sft(train, "--out", "base")
    assert ended.code == 1
    assert "--out 'base': expected a new or an empty folder" in ended.err


def test_evidence_comes_from_a_run_and_responses_from_files(train: CommandLine) -> None:
    for more, files, words in [
        (["--on", "evidence"], "", "--on evidence needs --run"),
        (["--on", "evidence", "--run", "3f"], "booklets.json", "takes responses and scenarios from the run"),
        (["--on", "evidence", "--run", "3f"], "", "there is no ledger here"),
        (["--run", "3f"], "booklets.json", "--run goes with --on evidence"),
        ([], "", "Expected files of responses"),
    ]:
        ended = sft(train, *more, files=files)
        assert ended.code == 1
        assert words in ended.err
    assert not (train.folder / ".creaeval").exists()


def test_one_response_cannot_be_parted(train: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("creaeval.training.sft.need_packages", lambda *_: None)
    ended = sft(train, "--scenario", "scenario.yaml")
    assert ended.code == 1
    assert "1 pairs of prompt and sheet by Example A." in ended.err
    assert "split by response: found 1 in all, expected at least two" in ended.err


def test_uses_of_several_people_share_a_pair_only_when_asked_to(train: CommandLine) -> None:
    (train.folder / "uses.csv").write_text(
        "Nr,Thing,use,participant\nu1,brick,a hat,p1\nu2,brick,a boat,p2\nu3,rope,a belt,p1\n",
        encoding="utf-8",
    )
    (train.folder / "rated.csv").write_text("id,human_mean\nu1,3.3\nu2,1.0\nu3,2\n", encoding="utf-8")
    given = ["--task", "aut", "--columns", "id=Nr,object=Thing", "--ratings", "rated.csv"]
    # Then it ends, for want of torch or of a model in base; the pairs were made before.
    for more, pairs in [((), 3), (("--mix-participants",), 2)]:
        ended = train(
            "train",
            "sft",
            "uses.csv",
            *given,
            "--rater",
            "human_mean",
            "--model",
            "base",
            "--out",
            "out",
            *more,
        )
        assert f"{pairs} pairs of prompt and sheet by human_mean." in ended.err
        assert "1 points were rounded" in ended.err
    ended = sft(train, "--on", "evidence", "--run", "3f", "--mix-participants", files="")
    assert "--columns and --mix-participants are for files" in ended.err
