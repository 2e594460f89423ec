"""Models that are trained on people's ratings to score: splits, pairs, training, and the card of each."""

from creaeval.training.card import Card, Epoch, read_card, seen_in_training, write_card
from creaeval.training.split import TEST_SHARE, Split, split_ids

__all__ = [
    "TEST_SHARE",
    "Card",
    "Epoch",
    "Split",
    "read_card",
    "seen_in_training",
    "split_ids",
    "write_card",
]
