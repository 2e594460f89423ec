"""Responses, ratings, scores and scenarios, and the readers of their files."""

from creaeval.data.items import make_step, split_items
from creaeval.data.model import Item, Rating, Response, Scores, StepText
from creaeval.data.ratings import read_ratings, unmatched
from creaeval.data.responses import read_responses
from creaeval.data.scenarios import find_scenario, read_scenarios
from creaeval.data.scores import read_scores
from creaeval.data.tables.columns import USE_ROLES, read_columns

__all__ = [
    "USE_ROLES",
    "Item",
    "Rating",
    "Response",
    "Scores",
    "StepText",
    "find_scenario",
    "make_step",
    "read_columns",
    "read_ratings",
    "read_responses",
    "read_scenarios",
    "read_scores",
    "split_items",
    "unmatched",
]
