"""The offline scorer of uses: a small encoder that the package carries, run without a network."""

from creaeval.offline.card import is_carried
from creaeval.offline.scorer import OfflineScorer, UseScore, scorer_identity

__all__ = ["OfflineScorer", "UseScore", "is_carried", "scorer_identity"]
