"""An encoder with mean pooling and two linear heads: the points, and the points less their group's mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import nn

if TYPE_CHECKING:
    from pathlib import Path


class Scorer(nn.Module):
    """Scores in units of the training targets' standard deviation."""

    def __init__(self, encoder: Any, dropout: float = 0.1) -> None:
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(encoder.config.hidden_size, 2)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def pool(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Mean of the last layer's tokens: one vector a row."""
        states = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        mask = attention_mask.unsqueeze(-1).to(states.dtype)
        return (states * mask).sum(1) / mask.sum(1)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        return self.head(self.dropout(self.pool(input_ids, attention_mask)))


def open_encoder(folder: Path, dropout: float = 0.1) -> Scorer:
    """Read an encoder from a folder in Hugging Face form, nothing fetched."""
    from transformers import AutoModel

    kind = AutoModel.from_pretrained(
        folder,
        local_files_only=True,
        add_pooling_layer=False,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
    )
    return Scorer(kind.float(), dropout)


def pad(tokens: list[list[int]], pad_id: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids and mask of one batch."""
    width = max(len(one) for one in tokens)
    ids = torch.tensor([[*one, *[pad_id] * (width - len(one))] for one in tokens])
    mask = torch.tensor([[1] * len(one) + [0] * (width - len(one)) for one in tokens])
    return ids, mask


def freeze(model: Scorer, depth: int) -> None:
    """Keep the embeddings as they are (depth 1), and the first depth - 1 layers."""
    for name, weight in model.encoder.named_parameters():
        layer = int(name.split(".layer.")[1].split(".")[0]) + 2 if ".layer." in name else 1
        # The rest, such as the relative positions of MPNet, is shared by all layers.
        if layer <= depth and (".layer." in name or name.startswith("embeddings")):
            weight.requires_grad_(requires_grad=False)


def groups_of_weights(model: Scorer, rate: float, decay_by_layer: float) -> list[dict[str, Any]]:
    """Learning rates that fall from the head to the embeddings; no decay of biases and norms."""
    layers = model.encoder.config.num_hidden_layers
    groups = []
    for name, weight in model.named_parameters():
        if not weight.requires_grad:
            continue
        depth = 0 if name.startswith("head") else layers + 1
        if ".layer." in name:
            depth = layers - int(name.split(".layer.")[1].split(".")[0])
        groups.append(
            {
                "params": [weight],
                "lr": rate * decay_by_layer**depth * (10 if depth == 0 else 1),
                "weight_decay": 0.01 if weight.ndim > 1 else 0.0,
            }
        )
    return groups
