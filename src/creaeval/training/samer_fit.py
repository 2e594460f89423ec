"""Fit SaMer's heads to pairs of vectors: its three losses, the loop, and the epoch that is kept.

The losses are those of Feng et al. (ICLR 2025; code Irving-Feng/SaMer). The sign of a pair is 1 where its
first text won, -1 where the second did, 0 for a tie. In the original the margin loss of a dimension looks at
whether the pair as a whole was decided, so that dimensions that are tied enter it with a target of 2, which
stands for a tie there; here a dimension's own sign decides.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from creaeval.errors import DataError, SettingError
from creaeval.llm.local.samer_net import make_heads, overall_of
from creaeval.training.card import Epoch
from creaeval.training.samer_pairs import make_pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from creaeval.training.samer_pairs import Labelled

#: As in the original; the rate rises over the first tenth of all steps.
WEIGHT_DECAY, WARM_UP, GRADIENT_NORM = 0.1, 0.1, 1.0
LOSSES = ("dimension", "ranking", "overall")
#: By how much the better text's score is to exceed the other's.
MARGIN = 0.3


@dataclass(frozen=True)
class SamerSettings:
    """How SaMer is trained; where the original has a value, it is the default.

    Parameters
    ----------
    epochs : int
        Passes over the pairs at most. The original has one, over far more pairs than one study gives.
    patience : int
        Epochs without a lower loss of the held-out responses before training ends.
    rate : float
        Learning rate at its highest, after a tenth of all steps; it falls to 0 in a line.
    batch : int
        Pairs in a step.
    pairs : int
        Pairs of texts at most.
    width : int
        Of the heads' inner layers.
    seed : int
        Of the split, the pairs, the first weights and the order.
    """

    epochs: int = 10
    patience: int = 2
    rate: float = 5e-5
    batch: int = 32
    pairs: int = 20_000
    width: int = 1024
    seed: int = 0


@dataclass(frozen=True)
class Data:
    """Tensors of all texts of the training side, and the places of pairs in them.

    Parameters
    ----------
    vectors, asked : torch.Tensor, shape (n, hidden)
        Of the texts, and of their instructions alone.
    relevant : torch.Tensor of bool, shape (n, n_outputs)
        Dimensions of each text's step.
    points : torch.Tensor, shape (n, n_outputs)
        The rater's; 0 where the dimension is of another step.
    overalls : torch.Tensor, shape (n,)
        The rater's Overall of the step.
    train, held_out : list of (int, int)
        Pairs to train on, and those that say when to stop.
    """

    vectors: Any
    asked: Any
    relevant: Any
    points: Any
    overalls: Any
    train: list[tuple[int, int]]
    held_out: list[tuple[int, int]]

    @classmethod
    def make(
        cls,
        texts: Sequence[Labelled],
        vectors: Any,
        asked: Any,
        dimensions: Sequence[str],
        held_out: set[str],
        settings: SamerSettings,
    ) -> Data:
        """Lay out texts and make their pairs, none between the two parts; DataError if there is none."""
        import torch

        check_pairs([text for text in texts if text.response_id not in held_out])
        where = vectors.device
        sides = []
        for is_held_out in (False, True):
            places = [n for n, text in enumerate(texts) if (text.response_id in held_out) == is_held_out]
            pairs = make_pairs([texts[n] for n in places], most=settings.pairs, seed=settings.seed)
            sides.append([(places[a], places[b]) for a, b in pairs])
        return cls(
            vectors,
            asked,
            torch.tensor([[name in text.points for name in dimensions] for text in texts], device=where),
            torch.tensor(
                [[text.points.get(name, 0.0) for name in dimensions] for text in texts],
                dtype=torch.float64,
                device=where,
            ),
            torch.tensor([text.overall for text in texts], dtype=torch.float64, device=where),
            sides[0],
            sides[1],
        )


def check_pairs(texts: Sequence[Labelled]) -> None:
    """Raise DataError unless two of the texts that are to be trained on can be compared."""
    if not make_pairs(texts, most=1, seed=0):
        raise DataError(
            f"No pair can be made: {len(texts)} texts to train on, and no two of one scenario and step. "
            "SaMer learns from comparisons; it needs several responses to one scenario."
        )


def dimension_loss(logits: Any, relevant: Any) -> Any:
    """Binary cross-entropy of which dimensions matter.

    Parameters
    ----------
    logits : torch.Tensor, shape (n, n_outputs)
        Of the dimension head, for instructions alone and for both texts of each pair.
    relevant : torch.Tensor of bool, shape (n, n_outputs)
        Which do.

    Returns
    -------
    torch.Tensor, shape ()
        The mean.
    """
    from torch.nn.functional import binary_cross_entropy_with_logits

    return binary_cross_entropy_with_logits(logits, relevant.float())


def ranking_loss(first: Any, second: Any, signs: Any, counts: Any) -> Any:
    """Margin loss of decided pairs and squared difference of ties, weighted by their numbers.

    Parameters
    ----------
    first, second : torch.Tensor
        Raw scores of dimensions, shape (n, n_outputs), or overalls, shape (n,).
    signs : torch.Tensor
        Of each pair, in the same shape.
    counts : torch.Tensor of bool
        Which of them count, in the same shape; a dimension of another step does not.

    Returns
    -------
    torch.Tensor, shape ()
        The mean over all that count; 0 if none does.
    """
    gap = first - second
    margin = (MARGIN - signs * gap).clamp(min=0)
    each = margin.where(signs != 0, gap**2)
    return (each * counts).sum() / counts.sum().clamp(min=1)


def losses_of(heads: Any, data: Data, pairs: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Compute the three losses of some pairs."""
    import torch

    first, second = (torch.tensor(side, device=data.vectors.device) for side in zip(*pairs, strict=True))
    relevant = data.relevant[first]  # the second text is of the same step
    vectors = data.vectors[first], data.vectors[second]
    scores = [heads["scoring"](side) for side in vectors]
    overalls = [
        overall_of(score, heads["weighting"](side), relevant)
        for score, side in zip(scores, vectors, strict=True)
    ]
    logits = heads["dimension"](torch.cat([data.asked[first], *vectors]))
    signs = torch.sign(data.points[first] - data.points[second]).float()
    decided = torch.sign(data.overalls[first] - data.overalls[second]).float()
    return {
        "dimension": dimension_loss(logits, relevant.repeat(3, 1)),
        "ranking": ranking_loss(scores[0], scores[1], signs, relevant),
        "overall": ranking_loss(
            overalls[0], overalls[1], decided, torch.ones_like(decided, dtype=torch.bool)
        ),
    }


def fit(
    data: Data, settings: SamerSettings, say: Callable[[str], None]
) -> tuple[Any, list[Epoch], int | None, str]:
    """Train the heads and keep those of the best epoch.

    Parameters
    ----------
    data : Data
        The training side.
    settings : SamerSettings
        How to train.
    say : callable
        Called with a line on each epoch.

    Returns
    -------
    tuple of (torch.nn.ModuleDict, list of Epoch, int or None, str)
        The heads, what each epoch brought, the number of the one that is kept, and why training ended. The
        best is that with the lowest sum of the losses of ranking and overall of what was held out, or else of
        the training pairs.

    Raises
    ------
    SettingError
        A loss is no number any more.
    KeyboardInterrupt
        The user stopped it before the end of the first epoch.
    """
    import torch

    count, hidden = data.relevant.shape[1], data.vectors.shape[1]
    steps = settings.epochs * -(-len(data.train) // settings.batch)
    warm = max(1, round(WARM_UP * steps))
    epochs: list[Epoch] = []
    best: tuple[float, int, Any] | None = None
    ended = f"all {settings.epochs} epochs done"
    with torch.random.fork_rng():
        torch.manual_seed(settings.seed)
        heads = make_heads(hidden, count, settings.width).to(data.vectors.device)
        optimizer = torch.optim.AdamW(heads.parameters(), lr=settings.rate, weight_decay=WEIGHT_DECAY)
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda step: min((step + 1) / warm, max(0.0, (steps - step) / max(1, steps - warm)))
        )
        try:
            for number in range(1, settings.epochs + 1):
                train = _epoch(heads, data, settings.batch, optimizer, schedule)
                held_out = _mean_losses(heads, data, data.held_out, settings.batch)
                epochs.append(Epoch(number=number, train=train, held_out=held_out))
                say(_progress(epochs[-1]))
                # Scoring reads no prediction of which dimensions matter, so that has no say.
                measured = sum(loss for name, loss in (held_out or train).items() if name != "dimension")
                if not math.isfinite(measured):
                    raise SettingError(f"epoch {number}: the loss is no number any more. Use a lower --rate.")
                if best is None or measured < best[0]:
                    best = measured, number, copy.deepcopy(heads.state_dict())
                elif held_out and number - best[1] >= settings.patience:
                    ended = f"no lower loss of what was held out for {settings.patience} epochs"
                    break
        except KeyboardInterrupt:
            if best is None:
                raise
            ended = "stopped by the user"
    if best is not None:
        heads.load_state_dict(best[2])
    return heads.eval(), epochs, best[1] if best else None, ended


def _epoch(heads: Any, data: Data, size: int, optimizer: Any, schedule: Any) -> dict[str, float]:
    import torch

    heads.train()
    order = torch.randperm(len(data.train)).tolist()
    sums = dict.fromkeys(LOSSES, 0.0)
    for start in range(0, len(order), size):
        batch = [data.train[n] for n in order[start : start + size]]
        losses = losses_of(heads, data, batch)
        optimizer.zero_grad()
        sum(losses.values()).backward()
        torch.nn.utils.clip_grad_norm_(heads.parameters(), GRADIENT_NORM)
        optimizer.step()
        schedule.step()
        for name, loss in losses.items():
            sums[name] += float(loss.detach()) * len(batch)
    return {name: value / len(order) for name, value in sums.items()}


def _mean_losses(heads: Any, data: Data, pairs: Sequence[tuple[int, int]], size: int) -> dict[str, float]:
    import torch

    heads.eval()
    sums: dict[str, float] = {}
    with torch.no_grad():
        for start in range(0, len(pairs), size):
            batch = pairs[start : start + size]
            for name, loss in losses_of(heads, data, batch).items():
                sums[name] = sums.get(name, 0.0) + float(loss) * len(batch)
    return {name: value / len(pairs) for name, value in sums.items()}


def _progress(epoch: Epoch) -> str:
    parts = [
        f"{side} " + ", ".join(f"{name} {value:.4f}" for name, value in losses.items())
        for side, losses in (("training:", epoch.train), ("held out:", epoch.held_out))
        if losses
    ]
    return f"epoch {epoch.number}: {'; '.join(parts)}"
