"""Fine-tune an encoder on rated uses, with a running mean of its weights; or on a teacher's scores."""

from __future__ import annotations

import json
import math
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn import functional

from aut.measures import measure
from aut.network import Scorer, freeze, groups_of_weights, open_encoder, pad
from aut.rows import choose, encode, ids_hash, in_batches, read_rows

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray
    from tokenizers import Tokenizer


@dataclass(frozen=True)
class Choices:
    """All that decides a model, as its card states it."""

    encoder: str
    by: str = "split"
    form: str = "pair"
    seed: int = 1
    epochs: float = 5.0
    batch: int = 32
    rate: float = 1e-4
    layer_decay: float = 0.9
    dropout: float = 0.1
    mean_decay: float = 0.998
    ranking: float = 0.0
    centred: float = 0.0
    pooled_weight: float = 0.0
    start: str = ""
    teacher: str = ""
    teacher_share: float = 0.7
    looks: float = 0.5
    freeze: int = 1


def targets_of(rows: pd.DataFrame) -> NDArray[np.float32]:
    """Points, and points less the mean of their study and object."""
    points = rows["human_mean"]
    inner = points - points.groupby(rows["group"]).transform("mean")
    return np.stack([points, inner], axis=1).astype(np.float32)


def loss_of(
    found: torch.Tensor, target: torch.Tensor, weight: torch.Tensor, choices: Choices
) -> torch.Tensor:
    """Squared error, weighted, with the parts that the choices ask for."""
    errors = (found - target) ** 2
    loss = (weight * errors[:, 0]).sum() / weight.sum()
    if choices.centred:
        loss = loss + choices.centred * (weight * errors[:, 1]).sum() / weight.sum()
    if choices.ranking:
        # RankNet on all pairs of the batch, each weighted by how far apart people put the two.
        apart = target[:, None, 0] - target[None, :, 0]
        gap = apart.clamp(min=0)
        between = found[:, None, 0] - found[None, :, 0]
        loss = loss + choices.ranking * (gap * functional.softplus(-2 * between)).sum() / gap.sum().clamp(
            min=1e-6
        )
    return loss


def predict(model: Scorer, tokens: list[list[int]], pad_id: int, size: int = 128) -> NDArray[np.float64]:
    """Both heads' outputs for rows, in their order."""
    model.eval()
    found = np.empty((len(tokens), 2))
    with torch.inference_mode():
        for batch in in_batches(tokens, size):
            found[batch] = model(*pad([tokens[row] for row in batch], pad_id)).double().numpy()
    return found


def open_tokenizer(folder: Path) -> tuple[Tokenizer, int]:
    """Tokenizer of an encoder and the id it pads with."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    pad_id = tokenizer.token_to_id("[PAD]")
    return tokenizer, tokenizer.token_to_id("<pad>") if pad_id is None else pad_id


def train(data: Path, encoder: Path, out: Path, choices: Choices) -> None:
    """Train one model and write its weights, those that were best on val, and its card to a folder."""
    from safetensors.torch import load_file, save_file

    torch.manual_seed(choices.seed)
    rng = np.random.default_rng(choices.seed)
    rows = read_rows(data)
    fit, val = choose(rows, choices.by, "train"), choose(rows, choices.by, "val")
    tokenizer, pad_id = open_tokenizer(encoder)
    targets = targets_of(fit)
    mean, spread = targets.mean(axis=0), targets.std(axis=0)
    weights = np.minimum(fit["n_pooled"].to_numpy(np.float32), 4) ** choices.pooled_weight
    n_rated, rated_hash = len(fit), ids_hash(fit)
    if choices.teacher:
        fit, targets, weights = add_teacher(rows, fit, targets, weights, choices)
    fit_tokens = encode(tokenizer, fit, choices.form)
    val_tokens = encode(tokenizer, val, choices.form)
    standard = torch.from_numpy((targets - mean) / spread)
    row_weights = torch.from_numpy(weights)
    model, running = open_encoder(encoder, choices.dropout), open_encoder(encoder, choices.dropout)
    if choices.start:
        model.load_state_dict(load_file(Path(choices.start) / "model.safetensors"))
    running.load_state_dict(model.state_dict())
    freeze(model, choices.freeze)
    moving = [
        (old, new)
        for old, new in zip(running.parameters(), model.parameters(), strict=True)
        if new.requires_grad
    ]
    optimizer = torch.optim.AdamW(groups_of_weights(model, choices.rate, choices.layer_decay), foreach=True)
    starts = [group["lr"] for group in optimizer.param_groups]
    steps_each = math.ceil(len(fit) / choices.batch)
    steps, warm = int(steps_each * choices.epochs), int(0.06 * steps_each * choices.epochs)
    out.mkdir(parents=True, exist_ok=True)
    step, best, history, began, losses = 0, -1.0, [], time.time(), []
    while step < steps:
        for batch in in_batches(fit_tokens, choices.batch, rng):
            if step >= steps:
                break
            share = min((step + 1) / max(warm, 1), (steps - step) / max(steps - warm, 1))
            for group, start in zip(optimizer.param_groups, starts, strict=True):
                group["lr"] = start * share
            model.train()
            found = model(*pad([fit_tokens[row] for row in batch], pad_id))
            loss = loss_of(found, standard[batch], row_weights[batch], choices)
            loss.backward()
            torch.nn.utils.clip_grad_norm_([new for _, new in moving], 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            step += 1
            losses.append(loss.item())
            decay = min(choices.mean_decay, (1 + step) / (10 + step))
            with torch.no_grad():
                torch._foreach_lerp_(*map(list, zip(*moving, strict=True)), 1 - decay)
            if step % int(steps_each * choices.looks) == 0 or step == steps:
                scores = predict(running, val_tokens, pad_id)[:, 0] * spread[0] + mean[0]
                now = measure(scores, val)
                record = {
                    "epoch": round(step / steps_each, 2),
                    "loss": round(float(np.mean(losses)), 4),
                    **{f"val_{name}": value for name, value in now.items()},
                    "seconds": round(time.time() - began),
                }
                history.append(record)
                losses = []
                print(json.dumps(record), flush=True)
                if now["r"] > best:
                    best = now["r"]
                    save_file(
                        {name: one.contiguous() for name, one in running.state_dict().items()},
                        out / "model.safetensors",
                    )
                card = {
                    # A card that is shipped names no folder.
                    "choices": {
                        **asdict(choices),
                        "start": Path(choices.start).name,
                        "teacher": teacher_names(choices),
                    },
                    "target_mean": [float(one) for one in mean],
                    "target_spread": [float(one) for one in spread],
                    "train": {"n": n_rated, "n_made": len(fit) - n_rated, "sha256_of_ids": rated_hash},
                    "val": {"n": len(val), "sha256_of_ids": ids_hash(val)},
                    "objects": sorted(set(fit["prompt"])),
                    "best_val_r": best,
                    "history": history,
                    "torch": torch.__version__,
                    "threads": torch.get_num_threads(),
                }
                (out / "card.json").write_text(json.dumps(card, indent=1) + "\n")


def teacher_names(choices: Choices) -> list[str]:
    """Names of the models that scored: those of their tables, without where they lie."""
    return [Path(name).stem for name in choices.teacher.split(",") if name]


def add_teacher(
    rows: pd.DataFrame,
    fit: pd.DataFrame,
    targets: NDArray[np.float32],
    weights: NDArray[np.float32],
    choices: Choices,
) -> tuple[pd.DataFrame, NDArray[np.float32], NDArray[np.float32]]:
    """Mix people's points with the mean of teachers' scores, and add rows that only teachers scored.

    Each file has row_id, prompt, response, score and inner, of the same rows: train rows, and drawn uses.
    """
    import pandas as pd

    files = [
        pd.read_csv(name, keep_default_na=False, na_values=[""], dtype={"row_id": str})
        for name in choices.teacher.split(",")
    ]
    taught = files[0]
    for kind in ("score", "inner"):
        taught[kind] = np.mean([file.set_index("row_id")[kind][taught["row_id"]] for file in files], axis=0)
    banned = set(rows.loc[rows["split"] == "test", "row_id"])
    taught = taught[~taught["row_id"].isin(banned)].drop_duplicates("row_id")
    # A model that is to be tried on objects it never saw must not see them in moved uses either.
    taught = taught[taught["prompt"].isin(set(fit["prompt"]))]
    by_id = taught.set_index("row_id")
    there = fit["row_id"].isin(by_id.index)
    mixed = targets.copy()
    soft = by_id.loc[fit.loc[there, "row_id"], ["score", "inner"]].to_numpy(np.float32)
    mixed[there] = (1 - choices.teacher_share) * targets[there] + choices.teacher_share * soft
    extra = taught[~taught["row_id"].isin(set(rows["row_id"]))]
    return (
        pd.concat([fit, extra], ignore_index=True),
        np.concatenate([mixed, extra[["score", "inner"]].to_numpy(np.float32)]),
        np.concatenate([weights, np.ones(len(extra), np.float32)]),
    )


def load(folder: Path, encoder: Path) -> tuple[Scorer, dict[str, object]]:
    """Open a trained model and its card."""
    from safetensors.torch import load_file

    model = open_encoder(encoder)
    model.load_state_dict(load_file(folder / "model.safetensors"))
    return model.eval(), json.loads((folder / "card.json").read_text())
