"""Models that are trained on people's ratings to score: splits, pairs, training, and the card of each."""

from creaeval.training.card import Card, Epoch

__all__ = ["Card", "Epoch"]
