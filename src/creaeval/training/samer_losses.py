"""SaMer's three losses (Feng et al., ICLR 2025; code Irving-Feng/SaMer), on tensors of torch.

The sign of a pair is 1 where its first text won, -1 where the second did, 0 for a tie. In the original the
margin loss of a dimension looks at whether the pair as a whole was decided, so that dimensions that are tied
enter it with a target of 2, which stands for a tie there; here a dimension's own sign decides.
"""

from __future__ import annotations

from typing import Any

#: By how much the better text's score is to exceed the other's.
MARGIN = 0.3


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
