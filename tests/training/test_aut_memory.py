"""What the offline scorer of uses remembers of rated uses, as scripts/aut trains it."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra train")

from aut.memory import Points, correct_all  # noqa: E402
from aut.network import Scorer  # noqa: E402
from aut.teach import move, vary  # noqa: E402


def without_memory() -> Points:
    encoder = torch.nn.Module()
    encoder.config = SimpleNamespace(hidden_size=2)
    return Points(Scorer(encoder), {"target_mean": [0.0, 0.0], "target_spread": [1.0, 1.0]})


@pytest.fixture
def points() -> Points:
    one = without_memory()
    vectors = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    one.remember(vectors, torch.tensor([[1.0, -1.0], [0.0, 2.0]]), sharpness=2.0)
    return one


def test_a_score_is_corrected_by_the_weighted_mean_of_the_errors_near_by(points: Points) -> None:
    found = correct_all(points, torch.tensor([[3.0, 0.5]]), torch.tensor([[0.6, 0.8]]))
    first, second = math.exp(2 * (0.6 - 1)), math.exp(2 * (0.8 - 1))
    total = first + second
    assert found[0] == pytest.approx([3 + first / total, 0.5 + (2 * second - first) / total], abs=1e-6)


def test_a_rated_use_is_scored_without_its_own_rating(points: Points) -> None:
    found = correct_all(points, torch.tensor([[3.0, 0.5]]), torch.tensor([[1.0, 0.0]]), np.array([0]))
    # Only the other one is left, whatever its distance.
    assert found[0] == pytest.approx([3.0, 2.5], abs=1e-6)


def test_nothing_remembered_changes_nothing() -> None:
    found = correct_all(without_memory(), torch.tensor([[3.0, 0.5]]), torch.tensor([[1.0, 0.0]]))
    assert found[0] == pytest.approx([3.0, 0.5])


def test_made_uses_change_one_word_or_the_object() -> None:
    fit = pd.DataFrame({"prompt": ["brick", "brick", "rope"], "response": ["a b c", "d", "e f"], "src": "s"})
    moved = move(fit, 20, np.random.default_rng(0))
    assert set(moved["response"]) <= set(fit["response"])
    assert set(moved["prompt"]) == {"brick", "rope"}
    for its_object, text in vary(fit, 20, np.random.default_rng(0))[["prompt", "response"]].to_numpy():
        words, known = text.split(), {"brick": ("a b c", "abcd"), "rope": ("e f", "ef")}[its_object]
        source = known[0].split()
        if len(words) < len(source):
            assert words in [source[:at] + source[at + 1 :] for at in range(len(source))]
        else:
            changed = [new for old, new in zip(source, words, strict=True) if old != new]
            assert len(changed) <= 1
            assert set(changed) <= set(known[1])
