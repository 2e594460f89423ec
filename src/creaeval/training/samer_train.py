"""Train SaMer's heads on pairs made from one rater's points, and save what scores with them."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from creaeval.errors import DataError
from creaeval.llm.local.hf import base_of, model_sha256, need_packages
from creaeval.llm.local.samer import ABOUT, BACKBONE, FORM, HEADS
from creaeval.llm.local.samer_net import TooLongError, best_dtype, load_backbone, outputs_of
from creaeval.methods.samer import check_codes, dimensions_of
from creaeval.runs.trained import mark_of_case
from creaeval.training.card import Card, hardware, versions, write_card
from creaeval.training.pairs import choose_rater
from creaeval.training.samer_fit import (
    GRADIENT_NORM,
    MARGIN,
    WARM_UP,
    WEIGHT_DECAY,
    Data,
    SamerSettings,
    check_pairs,
    fit,
)
from creaeval.training.samer_pairs import Labelled, cases_of, label
from creaeval.training.samer_scale import fit_scale
from creaeval.training.sft import check_out
from creaeval.training.split import RESPONSE, group_by, hold_out, split_ids

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from creaeval.data import Rating, Response
    from creaeval.llm.local.samer_net import Backbone
    from creaeval.methods import Case
    from creaeval.tasks import Scenario, Task


def train_samer(
    responses: Sequence[Response],
    ratings: Sequence[Rating],
    *,
    task: Task,
    scenarios: Mapping[str, Scenario],
    rater: str,
    stage: str = "",
    backbone: Path,
    out: Path,
    split_by: str = RESPONSE,
    settings: SamerSettings | None = None,
    files: Mapping[str, str] | None = None,
    tell: Callable[[str], None] | None = None,
) -> Card:
    """Train SaMer and write its directory: heads, scales, where the backbone lies, and the card.

    Parameters
    ----------
    responses : sequence of Response
        What was written.
    ratings : sequence of Rating
        Points of the same responses; those of other raters are not used.
    task : Task
        The task.
    scenarios : mapping of str to Scenario
        Beside those the task brings.
    rater : str
        Whose points are the target.
    stage : str
        At which stage, where the rater gave points at several.
    backbone : pathlib.Path
        A causal language model's folder; it stays as it is.
    out : pathlib.Path
        The directory, new or empty.
    split_by : str
        ``response``, or a column (``scenario``, ``object`` …) whose groups are never parted.
    settings : SamerSettings, optional
        How to train.
    files : mapping of str to str, optional
        Hashes of the files the data came from, for the card.
    tell : callable, optional
        Called with each line of progress.

    Returns
    -------
    Card
        As written. Nothing of the test side was read by the network or used for the scales. When the user
        stops it, the best epoch so far is kept.

    Raises
    ------
    DataError
        There is too little to make a pair of.
    SettingError
        A package, the rater, the backbone, a column or an empty directory is missing.
    """
    chosen, say = settings or SamerSettings(), tell or (lambda _: None)
    need_packages("SaMer", "torch", "transformers", "safetensors")
    if task.batching is not None:
        check_codes(task)
    check_out(out)
    base = base_of(backbone)
    cases = cases_of(task, responses, scenarios)
    texts, left_out = label(cases, list(choose_rater(ratings, rater, stage).values()))
    for line in _lines(left_out):
        say(f"Left out: {line}.")
    if not texts:
        raise DataError(f"rater {rater!r}: no text can be used.", _lines(left_out))
    groups = _groups(cases, split_by)
    split = split_ids(
        list(dict.fromkeys(text.response_id for text in texts)),
        seed=chosen.seed,
        by=split_by,
        groups=groups,
    )
    held_out = hold_out(split.train, groups, chosen.seed + 1)
    held = set(held_out)
    started = time.monotonic()
    # Texts of the test side are never read by the network.
    side = set(split.train)
    texts = [text for text in texts if text.response_id in side]
    dimensions = [name for step in task.steps for name in dimensions_of(task, step.id)]
    # Reading takes nearly all time, so what can be known before is said before.
    _check_rated(dimensions, texts, rater)
    check_pairs([text for text in texts if text.response_id not in held])
    dtype = best_dtype()
    texts, vectors, asked = _vectors(load_backbone(backbone, dtype), texts, left_out, say)
    _check_rated(dimensions, texts, rater)
    read = {text.response_id for text in texts}
    split = split.model_copy(update={"train": tuple(name for name in split.train if name in read)})
    data = Data.make(texts, vectors, asked, dimensions, held, chosen)
    say(f"{len(data.train)} pairs to train on and {len(data.held_out)} to say when to stop.")
    heads, epochs, best, ended = fit(data, chosen, say)
    out.mkdir(parents=True, exist_ok=True)
    base_named = {"name": base.resolve().name, "sha256": model_sha256(backbone)}
    about = {
        "form": FORM,
        "task": task.id,
        "dimensions": dimensions,
        "hidden": int(vectors.shape[1]),
        "width": chosen.width,
        "dtype": dtype,
        "backbone": base_named,
        "scales": _scales(heads, data, dimensions),
    }
    _save(out, heads, about, backbone)
    card = Card(
        kind="samer",
        task=task.id,
        rater=rater,
        stage=stage,
        base={**base_named, "dtype": dtype},
        files=dict(files or {}),
        split=split,
        marks=tuple(sorted({mark_of_case(case) for case in cases if case.response.id in read})),
        stopping=tuple(held_out),
        left_out=left_out,
        settings={
            **asdict(chosen),
            "texts": len(texts),
            "pairs_made": len(data.train),
            "pairs_held_out": len(data.held_out),
            "margin": MARGIN,
            "weight_decay": WEIGHT_DECAY,
            "warm_up": WARM_UP,
            "gradient_norm": GRADIENT_NORM,
            "scale": "quantiles of the training side",
        },
        epochs=tuple(epochs),
        best_epoch=best,
        ended=ended,
        seconds=round(time.monotonic() - started, 1),
        hardware=hardware(),
        versions=versions(),
    )
    write_card(out, card)
    return card


def _groups(cases: Sequence[Case], by: str) -> dict[str, str] | None:
    """Find the group of each response; None where each is its own."""
    if by == RESPONSE:
        return None
    columns: dict[str, dict[str, str]] = {}
    for case in cases:
        own = {"scenario": case.scenario.id} if case.scenario is not None else {}
        columns[case.response.id] = {**case.response.metadata, **own}
    return group_by(by, columns)


def _vectors(
    body: Backbone, texts: Sequence[Labelled], left_out: dict[str, int], say: Callable[[str], None]
) -> tuple[list[Labelled], Any, Any]:
    """Compute the vectors of texts and of their instructions alone, once: the backbone is frozen."""
    import torch

    kept: list[Labelled] = []
    rows: list[Any] = []
    alone: dict[str, Any] = {}
    asked: list[Any] = []
    too_long = Counter[str]()
    for number, text in enumerate(texts, 1):
        part = text.part
        try:
            tokens = body.tokens(part.instruction, part.response)
        except TooLongError as error:
            too_long[f"longer than the backbone's window of {error.most} tokens"] += 1
            continue
        if part.instruction not in alone:
            alone[part.instruction] = body.pool(body.tokens(part.instruction))
        kept.append(text)
        rows.append(body.pool(tokens))
        asked.append(alone[part.instruction])
        if number % 500 == 0 or number == len(texts):
            say(f"read {number} of {len(texts)} texts")
    left_out.update(too_long)
    if not rows:
        raise DataError(
            "No text of the training side is left to train on: all were left out.", _lines(left_out)
        )
    return kept, torch.stack(rows), torch.stack(asked)


def _lines(left_out: Mapping[str, int]) -> list[str]:
    return [f"{number} texts {reason}" for reason, number in left_out.items()]


def _check_rated(dimensions: Sequence[str], texts: Sequence[Labelled], rater: str) -> None:
    rated = {name for text in texts for name in text.points}
    if lacking := [name for name in dimensions if name not in rated]:
        raise DataError(
            f"rater {rater!r}: no text of the training side has points for {', '.join(lacking)}; SaMer needs "
            "some for every dimension of the task."
        )


def _scales(heads: Any, data: Data, dimensions: Sequence[str]) -> dict[str, dict[str, list[float]]]:
    """Fit the map of every dimension and of every step's Overall, on the training side."""
    scores, overalls = outputs_of(heads, data.vectors, data.relevant)
    relevant, points = data.relevant.cpu().numpy(), data.points.cpu().numpy()
    rated = data.overalls.cpu().numpy()
    scales = {}
    for column, name in enumerate(dimensions):
        rows = relevant[:, column]
        scales[name] = fit_scale(scores[rows, column], points[rows, column])
        scales.setdefault(f"{name.partition('.')[0]}.overall", fit_scale(overalls[rows], rated[rows]))
    return {name: {"outputs": outputs, "points": values} for name, (outputs, values) in scales.items()}


def _save(out: Path, heads: Any, about: Mapping[str, Any], backbone: Path) -> None:
    from safetensors.torch import save_file

    weights = {name: value.detach().cpu().contiguous() for name, value in heads.state_dict().items()}
    save_file(weights, out / HEADS)
    (out / BACKBONE).write_text(f"{backbone.resolve()}\n", encoding="utf-8")
    # Last, since a directory with it counts as trained.
    (out / ABOUT).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
