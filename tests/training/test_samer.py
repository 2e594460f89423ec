"""SaMer from training to scores, on a tiny backbone with random weights."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

import creaeval
from creaeval.errors import DataError, SettingError
from creaeval.llm.local.hf import model_sha256
from creaeval.llm.local.samer import SamerModel
from creaeval.training.card import Card, read_card
from creaeval.training.samer_train import train_samer

from .samer_data import SCENARIOS, SETTINGS, N, backbone, level, rating, response, trained, walk

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.runs.run import Run

torch: Any = pytest.importorskip("torch", reason='needs the extra "train"')
pytest.importorskip("transformers", reason='needs the extra "train"')


@dataclass(frozen=True)
class Trained:
    """A trained SaMer, its backbone and its card."""

    folder: Path
    backbone: Path
    before: str
    card: Card

    def score(self, ledger: Path, **changed: Any) -> Run:
        """Score all responses of the made-up task."""
        task = walk()
        return creaeval.score(
            [response(task, number) for number in range(N)],
            **{
                "task": task,
                "scenarios": SCENARIOS,
                "method": "samer",
                "judges": f"samer:{self.folder}",
                "ledger": ledger,
                **changed,
            },
        )


@pytest.fixture(scope="module")
def samer(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("samer")
    model = backbone(folder / "tiny")
    before = model_sha256(model)
    return Trained(folder / "model", model, before, trained(folder / "model", model))


@pytest.fixture(scope="module")
def run(samer: Trained, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return samer.score(tmp_path_factory.mktemp("run") / "ledger.db")


@pytest.mark.parametrize("loss", ["dimension", "ranking", "overall"])
def test_each_loss_falls_on_data_that_can_be_told_apart(samer: Trained, loss: str) -> None:
    first, last = samer.card.epochs[0], samer.card.epochs[-1]
    assert last.train[loss] < first.train[loss] / 3
    assert last.held_out[loss] < first.held_out[loss] / 3


def test_responses_that_were_never_seen_get_the_points_of_their_level(samer: Trained, run: Run) -> None:
    sheets = {sheet.response_id: sheet for sheet in run.sheets}
    assert len(sheets) == N
    test = samer.card.split.test
    # The 7:3 split of 48: 14 is nearer to 14.4 than 15.
    assert len(test) == 14
    assert not set(test) & {*samer.card.split.train, *samer.card.stopping}
    wrong = 0
    for number in range(N):
        if f"R{number:02d}" in test:
            sheet, good = sheets[f"R{number:02d}"], level(number)
            wrong += sheet.final("plan.depth") != good
            wrong += sheet.final("plan.order") != 4 - good
            wrong += sheet.final("tale.wit") != good
    assert wrong <= 4  # of 42; by chance three quarters would be


def test_a_sheet_has_sums_where_the_task_has_them(run: Run) -> None:
    for sheet in run.sheets:
        plan = sheet.step("plan")
        assert plan is not None
        assert plan.computed["overall"] == plan.written["depth"] + plan.written["order"]
        assert sheet.written_total == sum(step.written["overall"] for step in sheet.steps)
        assert sheet.total is not None


def test_the_backbone_stays_as_it_was(samer: Trained) -> None:
    assert model_sha256(samer.backbone) == samer.before == samer.card.base["sha256"]


def test_scoring_again_from_the_files_gives_the_same_reply_bit_by_bit(samer: Trained, run: Run) -> None:
    import asyncio

    from creaeval.llm import ChatRequest, Message, Settings
    from creaeval.methods.samer import samer_prompt
    from creaeval.training.samer_pairs import cases_of

    task = walk()
    (case,) = cases_of(task, [response(task, 5)], SCENARIOS)
    prompt = samer_prompt(case)
    request = ChatRequest(prompt.system, (Message("user", prompt.user),), {}, "x", Settings())
    replies = {asyncio.run(SamerModel(str(samer.folder)).request(request)).text for _ in range(2)}
    assert len(replies) == 1
    (sheet,) = (sheet for sheet in run.sheets if sheet.response_id == "R05")
    assert json.loads(replies.pop())["tale"]["wit"] == sheet.final("tale.wit")


def test_training_again_gives_the_same_weights_and_scales_whatever_the_test_side_holds(
    samer: Trained, tmp_path: Path
) -> None:
    task, test = walk(), set(samer.card.split.test)
    trained(tmp_path / "once", samer.backbone, epochs=1)
    # The same text and the same points for all of the test side, so that neither can have had a part.
    steps, points = response(task, 0).steps, rating(task, 0).sheet.steps
    responses = [response(task, n) for n in range(N)]
    ratings = [rating(task, n) for n in range(N)]
    train_samer(
        [one.model_copy(update={"steps": steps}) if one.id in test else one for one in responses],
        [
            one.model_copy(update={"sheet": one.sheet.model_copy(update={"steps": points})})
            if one.response_id in test
            else one
            for one in ratings
        ],
        task=task,
        scenarios=SCENARIOS,
        rater="A",
        backbone=samer.backbone,
        out=tmp_path / "again",
        settings=replace(SETTINGS, epochs=1),
    )
    for file in ("heads.safetensors", "samer.json"):
        assert (tmp_path / "again" / file).read_bytes() == (tmp_path / "once" / file).read_bytes()


def test_the_card_says_what_was_trained_on_what(samer: Trained) -> None:
    card = read_card(samer.folder)
    assert card == samer.card
    assert (card.kind, card.task, card.rater) == ("samer", "walk", "A")
    assert card.settings["pairs_made"] > 100
    assert set(card.stopping) < set(card.split.train)
    assert "tiny" in card.base["name"]
    assert str(samer.backbone.parent) not in card.model_dump_json()


def test_a_column_is_never_parted(samer: Trained, tmp_path: Path) -> None:
    card = trained(tmp_path / "out", samer.backbone, split_by="scenario", epochs=1)
    sides = [{int(one[1:]) % 4 for one in side} for side in (card.split.train, card.split.test)]
    assert not sides[0] & sides[1]
    assert len(sides[0] | sides[1]) == 4
    with pytest.raises(SettingError, match=r"--split-by class: response 'R00' has no value there.*school"):
        trained(tmp_path / "other", samer.backbone, split_by="class")


def test_a_name_tells_where_the_weights_are_the_same(samer: Trained, tmp_path: Path) -> None:
    copied = tmp_path / "elsewhere" / "model"
    shutil.copytree(samer.folder, copied)
    assert SamerModel(str(copied)).identity == SamerModel(str(samer.folder)).identity
    assert SamerModel(str(copied)).name == "samer:model"
    about = json.loads((copied / "samer.json").read_text())
    about["scales"]["tale.wit"]["points"][0] = 1.0
    (copied / "samer.json").write_text(json.dumps(about))
    assert SamerModel(str(copied)).identity != SamerModel(str(samer.folder)).identity


def test_another_backbone_than_that_of_training_is_refused(samer: Trained, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(samer.folder, folder)
    changed = tmp_path / "changed"
    shutil.copytree(samer.backbone, changed)
    config = json.loads((changed / "config.json").read_text())
    (changed / "config.json").write_text(json.dumps({**config, "rms_norm_eps": 0.1}))
    (folder / "backbone.path").write_text(str(changed))
    other = Trained(folder, changed, "", samer.card)
    with pytest.raises(SettingError, match="is not the backbone 'tiny' that samer:model was trained on"):
        other.score(tmp_path / "ledger.db")
    (folder / "backbone.path").write_text("/nowhere")
    with pytest.raises(SettingError, match=r"backbone\.path: names no model that is there"):
        other.score(tmp_path / "ledger.db")


def test_settings_that_would_do_nothing_are_refused(samer: Trained, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="cannot honour temperature"):
        samer.score(tmp_path / "ledger.db", settings={"judge.temperature": 0.7})


def test_other_methods_and_other_tasks_are_refused(samer: Trained, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="samer:model goes with --method samer"):
        samer.score(tmp_path / "ledger.db", method="direct")
    task = walk()
    other = task.model_copy(update={"id": "ride"})
    with pytest.raises(SettingError, match=r"found task ride, expected walk with plan\.depth"):
        samer.score(tmp_path / "ledger.db", task=other)


def test_a_text_beyond_the_backbones_window_is_never_cut(samer: Trained, tmp_path: Path) -> None:
    task = walk()
    long = response(task, 1).steps["tale"].model_copy(update={"text": "dull " * 400})
    one = response(task, 1)
    one = one.model_copy(update={"steps": {**one.steps, "tale": long}})
    found = creaeval.score(
        [one],
        task=task,
        scenarios=SCENARIOS,
        method="samer",
        judges=f"samer:{samer.folder}",
        ledger=tmp_path / "ledger.db",
    )
    assert list(found.sheets) == []
    (failure,) = found.outcomes[0].failures
    assert "tale: the text has" in failure.reason
    assert "reads at most 256" in failure.reason
    card = train_samer(
        [one, *(response(task, number) for number in range(N) if number != 1)],
        [rating(task, number) for number in range(N)],
        task=task,
        scenarios=SCENARIOS,
        rater="A",
        backbone=samer.backbone,
        out=tmp_path / "out",
        settings=replace(SETTINGS, epochs=1),
    )
    assert "R01" in card.split.train
    assert card.left_out == {"longer than the backbone's window of 256 tokens": 1}


def test_what_cannot_be_trained_is_said_before_anything_is_loaded(samer: Trained, tmp_path: Path) -> None:
    task = walk()

    def train(**changed: Any) -> None:
        train_samer(
            changed.pop("responses", [response(task, number) for number in range(N)]),
            changed.pop("ratings", [rating(task, number) for number in range(N)]),
            **{
                "task": task,
                "scenarios": SCENARIOS,
                "rater": "A",
                "backbone": samer.backbone,
                "out": tmp_path / "out",
                "settings": replace(SETTINGS, epochs=1),
                **changed,
            },
        )

    with pytest.raises(SettingError, match="--rater B: found no rating by 'B'; the ratings are by A"):
        train(rater="B")
    with pytest.raises(SettingError, match="expected a new or an empty folder"):
        train(out=samer.folder)
    with pytest.raises(SettingError, match="there is no such folder"):
        train(backbone=tmp_path / "none")
    with pytest.raises(DataError, match="No pair can be made"):
        train(responses=[response(task, number) for number in range(4)])


def test_a_directory_that_is_no_samer_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"none/samer\.json: there is no such file"):
        _ = SamerModel(str(tmp_path / "none")).identity
    with pytest.raises(SettingError, match="expected a directory after the colon"):
        SamerModel("")
    (tmp_path / "samer.json").write_text("{}")
    with pytest.raises(SettingError, match="found another form than 1"):
        _ = SamerModel(str(tmp_path)).identity
