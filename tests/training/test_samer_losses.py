"""SaMer's losses, worked out by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest

from creaeval.llm.local.samer_net import make_heads, outputs_of, overall_of
from creaeval.training.samer_fit import dimension_loss, ranking_loss

torch: Any = pytest.importorskip("torch", reason='needs the extra "train"')


def test_the_dimension_loss_is_the_mean_cross_entropy() -> None:
    # sigmoid(0) = .5: -ln .5. sigmoid(ln 3) = .75, which does not matter: -ln .25.
    logits = torch.tensor([[0.0, math.log(3)]])
    found = dimension_loss(logits, torch.tensor([[True, False]]))
    assert float(found) == pytest.approx((math.log(2) + math.log(4)) / 2)


@pytest.mark.parametrize(
    ("first", "second", "sign", "loss"),
    [
        (1.0, 0.5, 1, 0.0),  # ahead by .5, more than .3
        (1.0, 0.9, 1, 0.2),  # ahead by .1: .3 - .1
        (1.0, 0.5, -1, 0.8),  # the other should be ahead: .3 + .5
        (1.0, 0.5, 0, 0.25),  # a tie: .5 squared
    ],
)
def test_a_pair_costs_what_it_lacks_of_the_margin_and_a_tie_its_squared_gap(
    first: float, second: float, sign: int, loss: float
) -> None:
    one, two, signs = (torch.tensor([[value]]) for value in (first, second, float(sign)))
    assert float(ranking_loss(one, two, signs, torch.tensor([[True]]))) == pytest.approx(loss)


def test_both_parts_are_weighted_by_their_numbers_and_dimensions_of_other_steps_are_left_out() -> None:
    first = torch.tensor([[1.0, 1.0, 9.0], [1.0, 2.0, 9.0]])
    second = torch.zeros(2, 3)
    signs = torch.tensor([[-1.0, 0.0, -1.0], [-1.0, 0.0, -1.0]])
    counts = torch.tensor([[True, True, False], [True, True, False]])
    # 1.3 and 1.3 for the lost pairs, 1 and 4 for the ties, 4 in all.
    assert float(ranking_loss(first, second, signs, counts)) == pytest.approx((1.3 + 1.3 + 1 + 4) / 4)


def test_a_tied_dimension_of_a_decided_pair_is_a_tie() -> None:
    # The original let it enter the margin loss with a target of 2: .3 - 2 * 0 = .3 for equal scores.
    equal = torch.tensor([[0.4]])
    assert float(ranking_loss(equal, equal, torch.tensor([[0.0]]), torch.tensor([[True]]))) == 0


def test_the_overall_weighs_relevant_dimensions_alone() -> None:
    # Weights ln 1 and ln 3 of two relevant ones: a quarter of sigmoid(0) and three of sigmoid(ln 3).
    scores = torch.tensor([[0.0, math.log(3), 99.0]])
    weights = torch.tensor([[0.0, math.log(3), 99.0]])
    found = overall_of(scores, weights, torch.tensor([[True, True, False]]))
    assert float(found[0]) == pytest.approx(0.25 * 0.5 + 0.75 * 0.75)


def test_heads_have_the_layers_of_the_original() -> None:
    with torch.device("meta"):
        heads = make_heads(4096, 42, 1024)
    shapes = {
        name: [tuple(reversed(layer.weight.shape)) for layer in head if isinstance(layer, torch.nn.Linear)]
        for name, head in heads.items()
    }
    assert shapes["scoring"] == [(4096, 2048), (2048, 1024), (1024, 1024), (1024, 1024), (1024, 42)]
    others = [(4096, 1024), (1024, 1024), (1024, 1024), (1024, 42)]
    assert shapes["dimension"] == shapes["weighting"] == others
    assert all(parameter.ndim == 2 for parameter in heads.parameters())  # no bias anywhere
    places = {
        name: [n for n, layer in enumerate(head) if isinstance(layer, torch.nn.Dropout)]
        for name, head in heads.items()
    }
    # Linear, SiLU, Dropout, then two layers (one in the other heads), then Linear, SiLU, Dropout.
    assert places == {"scoring": [2, 9], "dimension": [2, 7], "weighting": [2, 7]}
    assert {layer.p for head in heads.values() for layer in head if hasattr(layer, "p")} == {0.1}


def test_outputs_do_not_hang_on_other_texts() -> None:
    torch.manual_seed(0)
    heads, vectors = make_heads(8, 3, 4), torch.randn(5, 8)
    relevant = torch.ones(5, 3, dtype=torch.bool)
    scores, overalls = outputs_of(heads, vectors, relevant)
    alone, overall = outputs_of(heads, vectors[2:3], relevant[2:3])
    assert (scores[2] == alone[0]).all()
    assert overalls[2] == overall[0]
    assert ((scores > 0) & (scores < 1)).all()
