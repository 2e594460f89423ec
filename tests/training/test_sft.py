"""Training a tiny model with random weights: needs the extra "train"."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

import creaeval
from creaeval.errors import SettingError
from creaeval.llm import ChatRequest, Settings
from creaeval.llm.chat import AttemptError
from creaeval.llm.local import hf
from creaeval.llm.local.hf import HfModel, load_model, model_sha256, prompt_ids
from creaeval.llm.local.trained import Trained
from creaeval.methods import Case
from creaeval.runs.trained import mark_of_case
from creaeval.training.card import read_card
from creaeval.training.sft import SftSettings, encode_pairs, train_sft

from . import tiny

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from creaeval.training.card import Card, Epoch

torch = pytest.importorskip("torch", reason='needs the extra "train"')
pytest.importorskip("accelerate", reason='needs the extra "train"')
pytest.importorskip("peft", reason='needs the extra "train"')

# peft and Trainer ask transformers under names that its newest version gives up.
pytestmark = pytest.mark.filterwarnings("ignore:.*gradient_checkpointing.* is deprecated:FutureWarning")
FULL = SftSettings(tune="full", epochs=9, rate=6e-3, batch=1, patience=9)


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the model ``base``."""
    folder = tmp_path_factory.mktemp("sft")
    tiny.make_model(folder / "base", tiny.texts_of(tiny.story_pairs(folder, 10)))
    return folder


@pytest.fixture(scope="module")
def trained(folder: Path) -> Card:
    """The card of the model ``full``, trained on ten responses."""
    pairs = tiny.story_pairs(folder, 10)
    return train_sft(pairs, base=folder / "base", out=folder / "full", split_by="plot", settings=FULL)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CREAEVAL_CACHE", str(tmp_path / "cache"))


def test_the_loss_falls_on_both_parts_of_the_training_side(trained: Card) -> None:
    first, last = trained.epochs[0], trained.epochs[-1]
    assert last.train["loss"] < first.train["loss"] / 4
    assert last.held_out["loss"] < first.held_out["loss"] / 4
    best = min(trained.epochs, key=lambda epoch: epoch.held_out["loss"])
    assert trained.best_epoch == best.number
    assert trained.ended == "all epochs"


def test_no_response_of_the_test_side_is_trained_on_and_no_plot_is_on_both_sides(trained: Card) -> None:
    sides = [set(trained.split.train), set(trained.split.test)]
    assert not sides[0] & sides[1]
    assert sorted(sides[0] | sides[1]) == [f"R{number:02d}" for number in range(10)]
    # Two responses each share a plot: R00 and R01, R02 and R03 …
    plots = [{int(one[1:]) // 2 for one in side} for side in sides]
    assert not plots[0] & plots[1]
    assert set(trained.stopping) < sides[0]


def test_the_card_beside_the_model_holds_what_it_takes_to_repeat_it(folder: Path, trained: Card) -> None:
    assert read_card(folder / "full") == trained
    assert trained.base == {"name": "base", "sha256": model_sha256(folder / "base")}
    assert trained.settings["rate"] == FULL.rate
    assert {"python", "torch", "transformers"} <= set(trained.versions)
    assert (trained.kind, trained.task, trained.rater, trained.split.by) == ("sft", "story", "A", "plot")
    assert not (folder / "full" / ".new").exists()


def test_the_card_has_a_mark_of_each_response_of_the_training_side(folder: Path, trained: Card) -> None:
    task = tiny.story(folder)
    cases = [Case(task, tiny.response(task, number), None) for number in range(10)]
    marks = {case.response.id: mark_of_case(case) for case in cases}
    assert set(trained.marks) == {marks[name] for name in trained.split.train}
    assert HfModel(str(folder / "full")).trained == Trained(
        frozenset(trained.split.train), frozenset(trained.marks)
    )


def test_a_trained_model_scores_like_any_judge_and_the_same_each_time(folder: Path, trained: Card) -> None:
    task = tiny.story(folder)
    given = [tiny.response(task, number) for number in (0, 3)]
    found = [
        creaeval.score(
            given, task=task, method="sft", judges=HfModel(str(folder / "full")), ledger=folder / f"{n}.db"
        )
        for n in range(2)
    ]
    assert not found[0].n_failed, found[0].failures
    assert found[0].sheets == found[1].sheets
    (sheet, _) = found[0].sheets
    assert sheet.scorer == "hf:full"
    assert {row.dimension for row in sheet.rows()} == {
        "story.pace", "story.ending", "story.overall", "total"
    }  # fmt: skip
    assert found[0].manifest["judges"][0]["settings"]["temperature"] == 0


def test_an_adapter_is_trained_saved_and_loaded_with_its_base_as_it_was(folder: Path) -> None:
    pairs, base = tiny.story_pairs(folder, 4), folder / "base"
    before = model_sha256(base)
    settings = SftSettings(epochs=3, rate=3e-2, batch=1, dropout=0.0)
    card = train_sft(pairs, base=base, out=folder / "lora", settings=settings)
    losses = [epoch.train["loss"] for epoch in card.epochs]
    assert losses == sorted(losses, reverse=True)
    assert model_sha256(base) == before
    assert not (folder / "lora" / "model.safetensors").exists()
    # What was held out has the loss that training saw when it kept the epoch.
    tokenizer, model = load_model(folder / "lora")
    kept = next(epoch for epoch in card.epochs if epoch.number == card.best_epoch)
    held = [pair for pair in pairs.pairs if pair.ids[0] in card.stopping]
    (example,), _ = encode_pairs(tokenizer, model, held)
    with torch.inference_mode():
        loss = model(**{name: torch.tensor([ids]) for name, ids in example.features.items()}).loss
    assert float(loss) == pytest.approx(kept.held_out["loss"], rel=1e-4)
    with pytest.raises(SettingError, match="this is an adapter itself; name the model it belongs to"):
        train_sft(pairs, base=folder / "lora", out=folder / "twice")


def test_the_loss_is_on_the_reply_and_its_end_alone(folder: Path) -> None:
    tokenizer, model = load_model(folder / "base")
    (pair, *_) = tiny.story_pairs(folder, 2).pairs
    ((example,), left_out) = encode_pairs(tokenizer, model, [pair])
    assert left_out == {}
    labels = example.features["labels"]
    learnt = [token for token in labels if token != -100]
    assert tokenizer.decode(learnt) == f"{pair.reply}<|end|>"
    # Up to there it is what scoring shows the model.
    shown = prompt_ids(tokenizer, pair.prompt.system, tiny.turn(pair.prompt.user))
    assert example.features["input_ids"][: labels.count(-100)] == shown


def test_a_pair_longer_than_the_window_is_counted_and_never_cut(folder: Path) -> None:
    pairs = tiny.story_pairs(folder, 4)
    narrow = tiny.make_model(folder / "narrow", tiny.texts_of(pairs), window=64)
    tokenizer, model = load_model(narrow)
    assert encode_pairs(tokenizer, model, pairs.pairs) == (
        [],
        {"longer than the model's window of 64 tokens": 4},
    )
    with pytest.raises(SettingError, match="every prompt is longer than its window of 64"):
        train_sft(pairs, base=narrow, out=folder / "cut", settings=FULL)
    with pytest.raises(AttemptError, match=r"the prompt has \d+ tokens and the model's window 64"):
        asyncio.run(HfModel(str(narrow)).request(request(pairs.pairs[0].prompt.user)))


def request(text: str) -> ChatRequest:
    return ChatRequest("", tiny.turn(text), {}, "scores", Settings(temperature=0, seed=None, max_tokens=16))


def test_a_reply_that_does_not_end_is_cut_at_the_limit_and_says_so(folder: Path) -> None:
    tokenizer, loaded = load_model(folder / "base")
    loaded.generation_config.eos_token_id = [len(tokenizer)]  # which no reply holds
    model = HfModel(str(folder / "base"))
    model._loaded = (tokenizer, loaded)
    reply = asyncio.run(model.request(request("Write the scores.")))
    assert (reply.finish, reply.usage.output, reply.model) == ("length", 16, "base")


def test_stopping_keeps_the_best_epoch_so_far_and_before_the_first_there_is_nothing(folder: Path) -> None:
    pairs, base = tiny.story_pairs(folder, 4), folder / "base"

    def stop(epoch: Epoch) -> None:
        if epoch.number == 2:
            raise KeyboardInterrupt

    slow = SftSettings(tune="full", rate=1e-3, batch=1)
    card = train_sft(pairs, base=base, out=folder / "stopped", settings=slow, tell=stop)
    assert (card.ended, len(card.epochs), card.best_epoch) == ("stopped by the user", 2, 2)
    assert model_sha256(folder / "stopped") != model_sha256(base)
    with pytest.raises(SettingError, match="expected a new or an empty folder"):
        train_sft(pairs, base=base, out=folder / "stopped", settings=FULL)


def test_training_ends_early_where_what_is_held_out_gets_no_better(folder: Path) -> None:
    # With a rate of next to nothing, losses stay as they are but for the noise of the first one.
    settings = SftSettings(tune="full", epochs=9, rate=1e-9, batch=3, patience=1)
    card = train_sft(
        tiny.story_pairs(folder, 4), base=folder / "base", out=folder / "early", settings=settings
    )
    assert card.ended == "no better for 1 epochs"
    assert card.best_epoch == len(card.epochs) - 1 < 8


def test_without_a_package_the_error_is_the_line_that_installs_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hf, "find_spec", lambda _: None)
    with pytest.raises(SettingError, match=r'training needs torch.*Run: pip install "creaeval\[train\]"'):
        train_sft(tiny.story_pairs(folder, 4), base=folder / "base", out=folder / "none")


def test_replies_are_one_object_without_white_space(folder: Path) -> None:
    for pair in tiny.story_pairs(folder, 4).pairs:
        assert json.dumps(json.loads(pair.reply), separators=(",", ":")) == pair.reply


def test_a_gguf_file_is_trained_and_an_adapter_of_it_scores(tmp_path: Path) -> None:
    pytest.importorskip("gguf", reason='needs the extra "train"')
    pairs = tiny.story_pairs(tmp_path, 10)
    base = tiny.make_gguf(tmp_path, tiny.texts_of(pairs))
    settings = SftSettings(epochs=3, rate=1e-2, batch=1)
    card = train_sft(pairs, base=base, out=tmp_path / "out", settings=settings)
    assert card.base == {"name": "tiny.gguf", "sha256": model_sha256(base)}
    assert card.epochs[-1].train["loss"] < card.epochs[0].train["loss"]
    _, model = load_model(tmp_path / "out")
    assert getattr(model.get_base_model(), "hf_quantizer", None) is None
    # Both learn to write, but random weights learn little: what it says is no sheet, and the reason is kept.
    run = creaeval.score(
        [tiny.response(tiny.story(tmp_path), 0)],
        task=tiny.story(tmp_path), method="sft", judges=HfModel(str(tmp_path / "out")),
        ledger=tmp_path / "l.db", settings={"judge.max_tokens": "20"},
    )  # fmt: skip
    assert run.n_failed == 1


def test_a_loss_that_is_no_number_ends_training_with_a_reason(folder: Path, tmp_path: Path) -> None:
    settings = SftSettings(tune="full", epochs=2, rate=1e30, batch=1)
    with pytest.raises(SettingError, match="the loss is no number any more"):
        train_sft(tiny.story_pairs(folder, 10), base=folder / "base", out=tmp_path / "out", settings=settings)
