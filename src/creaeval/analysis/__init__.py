"""Tables from runs and ratings."""

from creaeval.analysis.differences import differences

__all__ = ["differences"]
