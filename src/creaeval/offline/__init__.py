"""The offline scorer of uses: a small encoder that the package carries, run without a network."""

from creaeval.offline.scorer import OfflineScorer, UseScore, scorer_identity

__all__ = ["OfflineScorer", "UseScore", "scorer_identity"]
