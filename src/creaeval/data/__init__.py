"""Responses, ratings, scores and scenarios, and the readers of their files."""

from creaeval.data.items import make_step, split_items
from creaeval.data.matching import unmatched
from creaeval.data.model import Item, Rating, Response, Scores, StepText
from creaeval.data.ratings import read_ratings
from creaeval.data.reader import Found, read_data
from creaeval.data.reading import Reading, read_columns
from creaeval.data.responses import read_responses
from creaeval.data.scenarios import find_scenario, read_scenarios
from creaeval.data.scores import read_scores

__all__ = [
    "Found",
    "Item",
    "Rating",
    "Reading",
    "Response",
    "Scores",
    "StepText",
    "find_scenario",
    "make_step",
    "read_columns",
    "read_data",
    "read_ratings",
    "read_responses",
    "read_scenarios",
    "read_scores",
    "split_items",
    "unmatched",
]
