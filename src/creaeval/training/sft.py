"""Supervised fine-tuning: a causal language model learns to write the sheets that a rater filled in."""

from __future__ import annotations

import math
import shutil
import time
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from creaeval.errors import SettingError
from creaeval.llm import Message
from creaeval.llm.local.hf import (
    ADAPTER,
    base_of,
    load_model,
    model_sha256,
    need_packages,
    no_bars,
    prompt_ids,
    window,
)
from creaeval.training.card import Card, Epoch, hardware, versions, write_card
from creaeval.training.split import RESPONSE, hold_out, split_ids

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from creaeval.training.pairs import Pair, Pairs

Tune = Literal["lora", "full"]
_IGNORED = -100  # the label of a token that has no part in the loss
_RATES: Mapping[Tune, float] = {"lora": 1e-4, "full": 1e-5}
_NEW = ".new"


@dataclass(frozen=True)
class SftSettings:
    """How a model is trained; the paper states none of these.

    Parameters
    ----------
    tune : {"lora", "full"}
        Low-rank adapters beside all linear layers, or all weights.
    epochs : int
        Passes over the training side at most.
    rate : float or None
        Highest learning rate, reached after a tenth of all steps and then falling to 0; if None, 1e-4 for
        adapters and 1e-5 for all weights.
    batch : int
        Pairs in one step.
    seed : int
        Of the split, of new weights, of the order and of dropout.
    patience : int
        Epochs without a lower loss on what was held out, after which training ends.
    rank, alpha, dropout : int, int, float
        Of the adapters.
    """

    tune: Tune = "lora"
    epochs: int = 5
    rate: float | None = None
    batch: int = 8
    seed: int = 0
    patience: int = 2
    rank: int = 16
    alpha: int = 32
    dropout: float = 0.05


def train_sft(
    pairs: Pairs,
    *,
    base: Path,
    out: Path,
    split_by: str = RESPONSE,
    settings: SftSettings | None = None,
    files: Mapping[str, str] | None = None,
    run: str = "",
    stage: str = "",
    tell: Callable[[Epoch], None] | None = None,
) -> Card:
    """Train a model on the training side of a split and keep the best epoch with its card.

    Parameters
    ----------
    pairs : Pairs
        What to learn.
    base : Path
        The model to begin with: a folder as transformers saves it, or a GGUF file.
    out : Path
        Where to: an empty folder or a new one. Each better epoch replaces the one before.
    split_by : str
        What is never parted: ``response``, ``scenario`` or a column that responses carry.
    settings : SftSettings, optional
        How to train.
    files : mapping of str to str, optional
        Hashes of the files that the pairs are from, by name; for the card, as are the next two.
    run, stage : str
        The run that gathered the evidence, and the stage of the ratings.
    tell : callable, optional
        Called with each epoch.

    Returns
    -------
    Card
        Its ``ended`` says so where the user stopped training; the best epoch so far is kept then, too.

    Raises
    ------
    SettingError
        A package is missing, the folders are wrong, or there is nothing to train on.
    KeyboardInterrupt
        Stopped before the first epoch was over, so that there is nothing to keep.
    """
    settings = settings or SftSettings()
    check_base(base)
    check_out(out)
    need_packages(
        "training", "torch", "transformers", "accelerate", *(["peft"] if settings.tune == "lora" else [])
    )
    by, groups = pairs.groups(split_by)
    split = split_ids(
        [name for pair in pairs.pairs for name in pair.ids], seed=settings.seed, by=by, groups=groups
    )
    import torch
    from transformers import set_seed

    started = time.monotonic()
    set_seed(settings.seed)
    on_gpu = torch.cuda.is_available()
    # All weights are trained in full precision; a frozen base stays as it is saved where a GPU reads that.
    tokenizer, model = load_model(base, dtype="auto" if on_gpu and settings.tune == "lora" else "float32")
    side = set(split.train)
    examples, left_out = encode_pairs(
        tokenizer, model, [pair for pair in pairs.pairs if side.issuperset(pair.ids)]
    )
    if not examples:
        raise SettingError(
            f"model {str(base)!r}: every prompt is longer than its window of {window(model.config)}."
        )
    used = [name for example in examples for name in example.ids]
    split = split.model_copy(update={"train": tuple(used)})
    held = set(hold_out(used, groups, settings.seed))
    if settings.tune == "lora":
        model = _with_adapters(model, base, settings)
    card = Card(
        kind=pairs.kind,
        task=pairs.task.id,
        rater=pairs.rater,
        stage=stage,
        evidence=pairs.evidence,
        base={"name": base.resolve().name, "sha256": model_sha256(base)},
        files=dict(files or {}),
        run=run,
        split=split,
        marks=tuple(sorted({pairs.marks[name] for name in used})),
        stopping=tuple(name for name in used if name in held),
        left_out=dict(Counter(pairs.left_out) + Counter(left_out)),
        settings={
            **asdict(settings),
            "rate": settings.rate or _RATES[settings.tune],
            "rounded_points": pairs.rounded,
            "longest_pair_tokens": max(len(example.ids_in) for example in examples),
        },
        ended="not yet",
        hardware=hardware(),
        versions=versions(),
    )
    return _Keeper(card, model, tokenizer, out, settings, started, tell).train(
        [example for example in examples if not held.issuperset(example.ids)],
        [example for example in examples if held.issuperset(example.ids)],
    )


def check_base(base: Path) -> None:
    """Raise SettingError unless this is a model that can be trained further."""
    if (base / ADAPTER).is_file():
        raise SettingError(
            f"--model {str(base)!r}: this is an adapter itself; name the model it belongs to, in "
            f"{str(base_of(base))!r}."
        )
    base_of(base)


def check_out(out: Path) -> None:
    """Raise SettingError if a folder holds something already."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise SettingError(
            f"--out {str(out)!r}: expected a new or an empty folder; there is something in it."
        )


@dataclass(frozen=True)
class Example:
    """A pair in tokens: prompt and reply, and how many of them are the prompt's."""

    ids: tuple[str, ...]
    ids_in: tuple[int, ...]
    n_prompt: int

    @property
    def features(self) -> dict[str, list[int]]:
        """What the model is given: its loss is on the reply's tokens only, the end included."""
        labels = [*[_IGNORED] * self.n_prompt, *self.ids_in[self.n_prompt :]]
        return {"input_ids": list(self.ids_in), "attention_mask": [1] * len(self.ids_in), "labels": labels}


def encode_pairs(tokenizer: Any, model: Any, pairs: Sequence[Pair]) -> tuple[list[Example], dict[str, int]]:
    """Turn pairs into tokens; nothing is cut off.

    Parameters
    ----------
    tokenizer, model : object
        Of transformers.
    pairs : sequence of Pair
        What to learn.

    Returns
    -------
    tuple of (list of Example, dict of str to int)
        Prompts are the tokens that scoring will show the model. A pair that is longer than the model's window
        is left out; how many responses that concerns, by reason.
    """
    limit = window(model.config)
    examples: list[Example] = []
    left_out = Counter[str]()
    for pair in pairs:
        prompt = prompt_ids(tokenizer, pair.prompt.system, (Message("user", pair.prompt.user),))
        reply = tokenizer(pair.reply, add_special_tokens=False)["input_ids"]
        ids = (*prompt, *reply, tokenizer.eos_token_id)
        if limit is not None and len(ids) > limit:
            left_out[f"longer than the model's window of {limit} tokens"] += len(pair.ids)
        else:
            examples.append(Example(pair.ids, ids, len(prompt)))
    return examples, dict(left_out)


def _with_adapters(model: Any, base: Path, settings: SftSettings) -> Any:
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(
        task_type="CAUSAL_LM",
        target_modules="all-linear",
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
    )
    adapted = get_peft_model(model, config)
    # The folder may be named from anywhere later on.
    adapted.peft_config["default"].base_model_name_or_path = str(base.resolve())
    return adapted


class _Keeper:
    """Trains, and keeps the best epoch so far in the folder with the card, so that an end loses little."""

    def __init__(
        self,
        card: Card,
        model: Any,
        tokenizer: Any,
        out: Path,
        settings: SftSettings,
        started: float,
        tell: Callable[[Epoch], None] | None,
    ) -> None:
        self._card, self._model, self._tokenizer, self._out = card, model, tokenizer, out
        self._settings, self._started, self._tell = settings, started, tell
        self._best = float("inf")
        self._since_best = 0

    def train(self, examples: Sequence[Example], held_out: Sequence[Example]) -> Card:
        """Train and return the card; see :func:`train_sft`."""
        self._out.mkdir(parents=True, exist_ok=True)
        ended = "all epochs"
        trainer = self._trainer(examples, held_out)
        try:
            trainer.train()
        except KeyboardInterrupt:
            if self._card.best_epoch is None:
                shutil.rmtree(self._out / _NEW, ignore_errors=True)
                raise
            ended = "stopped by the user"
        else:
            if self._since_best >= self._settings.patience and len(self._card.epochs) < self._settings.epochs:
                ended = f"no better for {self._settings.patience} epochs"
        self._write(ended=ended)
        return self._card

    def _trainer(self, examples: Sequence[Example], held_out: Sequence[Example]) -> Any:
        import torch
        from transformers import Trainer, TrainerCallback, TrainingArguments

        settings, on_gpu = self._settings, torch.cuda.is_available()
        steps = -(-len(examples) // settings.batch) * settings.epochs
        arguments = TrainingArguments(
            output_dir=str(self._out / _NEW),
            num_train_epochs=settings.epochs,
            learning_rate=self._card.settings["rate"],
            lr_scheduler_type="linear",
            warmup_steps=-(-steps // 10),
            # One pair at a time, so that no padding is needed and long prompts fit.
            per_device_train_batch_size=1,
            per_device_eval_batch_size=1,
            gradient_accumulation_steps=min(settings.batch, len(examples)),
            # Activations are computed anew: long prompts would else not fit beside the weights.
            gradient_checkpointing=True,
            gradient_checkpointing_kwargs={"use_reentrant": False},
            bf16=on_gpu,
            use_cpu=not on_gpu,
            logging_strategy="epoch",
            eval_strategy="epoch" if held_out else "no",
            prediction_loss_only=True,
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
            remove_unused_columns=False,
            dataloader_pin_memory=False,
            seed=settings.seed,
        )
        arguments._n_gpu = 1  # several would be handed several pairs at a time
        keeper = self
        train_loss = 0.0

        class Callback(TrainerCallback):  # type: ignore[misc]  # transformers has no types for it
            def on_log(self, *_: Any, logs: dict[str, float], **__: Any) -> None:
                nonlocal train_loss
                if "loss" in logs:
                    train_loss = float(logs["loss"])
                    if not held_out:
                        keeper.end_epoch(train_loss, None)

            def on_evaluate(
                self, _: Any, __: Any, control: Any, metrics: dict[str, float], **___: Any
            ) -> None:
                control.should_training_stop |= keeper.end_epoch(train_loss, float(metrics["eval_loss"]))

        trainer = Trainer(
            model=self._model,
            args=arguments,
            train_dataset=[example.features for example in examples],
            eval_dataset=[example.features for example in held_out] or None,
            data_collator=_only_one,
            callbacks=[Callback()],
        )
        for printer in [
            c for c in trainer.callback_handler.callbacks if type(c).__name__ == "PrinterCallback"
        ]:
            trainer.remove_callback(printer)
        return trainer

    def end_epoch(self, train_loss: float, loss: float | None) -> bool:
        """Note an epoch, keep the model where it is the best so far, and say whether to stop."""
        epoch = Epoch(
            number=len(self._card.epochs) + 1,
            train={"loss": train_loss},
            held_out={} if loss is None else {"loss": loss},
        )
        self._card = self._card.model_copy(update={"epochs": (*self._card.epochs, epoch)})
        self._since_best += 1
        if not math.isfinite(train_loss if loss is None else loss):
            raise SettingError(
                f"epoch {epoch.number}: the loss is no number any more. Use a lower --rate; what was kept "
                "before is untouched."
            )
        # Where nothing is held out, the last epoch counts.
        if loss is None or loss < self._best:
            self._best = self._best if loss is None else loss
            self._since_best = 0
            self._save()
            self._card = self._card.model_copy(update={"best_epoch": epoch.number})
        self._write()
        if self._tell is not None:
            self._tell(epoch)
        return self._since_best >= self._settings.patience

    def _save(self) -> None:
        # Written beside and then moved, so that an end in the midst of it leaves the earlier one whole.
        new = self._out / _NEW
        shutil.rmtree(new, ignore_errors=True)
        options = {"save_embedding_layers": False} if self._settings.tune == "lora" else {}
        with no_bars():
            self._model.save_pretrained(str(new), **options)
            self._tokenizer.save_pretrained(str(new))
        (new / "README.md").unlink(missing_ok=True)  # peft's, with nothing filled in
        for file in new.iterdir():
            file.replace(self._out / file.name)
        new.rmdir()

    def _write(self, *, ended: str = "not yet") -> None:
        seconds = round(time.monotonic() - self._started, 1)
        self._card = self._card.model_copy(update={"ended": ended, "seconds": seconds})
        write_card(self._out, self._card)


def _only_one(features: Sequence[Mapping[str, list[int]]]) -> dict[str, Any]:
    import torch

    (only,) = features
    return {name: torch.tensor([values]) for name, values in only.items()}
