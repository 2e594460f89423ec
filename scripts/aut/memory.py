"""Correct a model's scores by how far off it was for the rated uses near by."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from aut.measures import measure
from aut.network import pad
from aut.rows import choose, encode, in_batches, read_rows
from aut.train import load, open_tokenizer, targets_of

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray

    from aut.network import Scorer

SHARPNESS = (5.0, 10.0, 15.0, 20.0, 25.0, 30.0)
FILE = "memory.npz"


class Points(nn.Module):
    """Scores in points: the network's, plus a weighted mean of its errors on rated uses.

    The weight of a rated use is exp(sharpness * (cosine - 1)), with the cosine of its pooled vector and the
    vector of the use to be scored: the Nadaraya-Watson estimate of the error that is left (Nadaraya 1964,
    doi:10.1137/1109020; Watson 1964, Sankhya A 26, 359-372).
    """

    rated: torch.Tensor | None
    errors: torch.Tensor

    def __init__(self, model: Scorer, card: dict[str, Any]) -> None:
        super().__init__()
        self.model = model
        self.mean = torch.tensor(card["target_mean"])
        self.spread = torch.tensor(card["target_spread"])
        self.sharpness = 0.0
        self.row_ids: list[str] = []
        self.register_buffer("rated", None)
        self.register_buffer("errors", torch.empty(0))

    def remember(self, vectors: torch.Tensor, errors: torch.Tensor, sharpness: float) -> None:
        """Keep the unit vectors of rated uses, one a row, and people's targets less the network's."""
        self.sharpness = sharpness
        self.rated = vectors.T.contiguous()
        # With a column of ones, one product gives the sums of errors and of weights.
        self.errors = torch.cat([errors, torch.ones(len(errors), 1)], 1)

    def read(self, ids: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Both heads in points, uncorrected, and unit vectors."""
        pooled = self.model.pool(ids, mask)
        return self.model.head(pooled) * self.spread + self.mean, pooled / pooled.norm(dim=1, keepdim=True)

    def correct(
        self, points: torch.Tensor, vectors: torch.Tensor, own: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Add the errors near by; ``own`` is each row's place among the rated ones, left out, or -1."""
        if self.rated is None:
            return points
        weights = torch.exp(self.sharpness * (vectors @ self.rated - 1))
        if own is not None:
            there = own >= 0
            weights[there, own[there]] = 0
        sums = weights @ self.errors
        return points + sums[:, :-1] / sums[:, -1:]

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        return self.correct(*self.read(input_ids, attention_mask))[:, 0]


def open_points(folder: Path, encoder: Path) -> tuple[Points, dict[str, Any]]:
    """Open a trained model with what it remembers, if it remembers anything, and its card."""
    model, card = load(folder, encoder)
    points = Points(model, card).eval()
    if (folder / FILE).exists():
        kept = np.load(folder / FILE)
        points.remember(
            torch.from_numpy(kept["vectors"]).float(),
            torch.from_numpy(kept["errors"]),
            card["memory"]["sharpness"],
        )
        points.row_ids = kept["row_ids"].tolist()
    return points, card


def read_all(
    points: Points, encoder: Path, rows: pd.DataFrame, form: str, size: int = 128
) -> tuple[torch.Tensor, torch.Tensor]:
    """Both heads in points, uncorrected, and unit vectors of rows, in their order."""
    tokenizer, pad_id = open_tokenizer(encoder)
    tokens = encode(tokenizer, rows, form)
    found = torch.empty(len(rows), 2)
    vectors = torch.empty(len(rows), points.model.head.in_features)
    with torch.inference_mode():
        for batch in in_batches(tokens, size):
            found[batch], vectors[batch] = points.read(*pad([tokens[row] for row in batch], pad_id))
    return found, vectors


def correct_all(
    points: Points, found: torch.Tensor, vectors: torch.Tensor, own: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """Correct rows, few at a time: each is compared with all that are remembered."""
    parts = []
    with torch.inference_mode():
        for start in range(0, len(found), 512):
            part = slice(start, start + 512)
            chosen = None if own is None else torch.from_numpy(own[part])
            parts.append(points.correct(found[part], vectors[part], chosen).double().numpy())
    return np.concatenate(parts)


def score_rows(folder: Path, encoder: Path, rows: pd.DataFrame) -> pd.DataFrame:
    """Add a model's ``score`` and its second head's ``inner`` to rows.

    A row that the model remembers is scored without it, so that its own rating does not come back to it.
    """
    points, card = open_points(folder, encoder)
    read = read_all(points, encoder, rows, card["choices"]["form"])
    found = correct_all(points, *read, places_of(points.row_ids, rows))
    return rows.assign(score=found[:, 0], inner=found[:, 1])


def places_of(kept: list[str], rows: pd.DataFrame) -> NDArray[np.int64]:
    """Place of each row among those kept, or -1."""
    places = {row_id: place for place, row_id in enumerate(kept)}
    return np.array([places.get(row_id, -1) for row_id in rows["row_id"]])


def remember(folder: Path, encoder: Path, data: Path) -> None:
    """Write what a model is to remember: the rated uses it was trained on. The sharpness is best on val."""
    points, card = open_points(folder, encoder)
    choices = card["choices"]
    rows = read_rows(data)
    fit, val = (choose(rows, choices["by"], part) for part in ("train", "val"))
    found, vectors = read_all(points, encoder, fit, choices["form"])
    errors = torch.from_numpy(targets_of(fit)) - found
    val_read = read_all(points, encoder, val, choices["form"])
    measured = {}
    for sharpness in SHARPNESS:
        points.remember(vectors, errors, sharpness)
        measured[sharpness] = measure(correct_all(points, *val_read)[:, 0], val)
    best = max(measured, key=lambda sharpness: measured[sharpness]["r"])
    np.savez(
        folder / FILE,
        vectors=vectors.half().numpy(),
        errors=errors.numpy(),
        row_ids=fit["row_id"].to_numpy(str),
    )
    card["memory"] = {"n": len(fit), "sharpness": best, "val": measured}
    (folder / "card.json").write_text(json.dumps(card, indent=1) + "\n")
    print(json.dumps(card["memory"]))
