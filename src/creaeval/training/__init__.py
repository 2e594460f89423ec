"""Models that are trained on people's ratings to score: splits, pairs, training, and the card of each."""

from creaeval.training.card import Card, Epoch, seen_in_training

__all__ = ["Card", "Epoch", "seen_in_training"]
