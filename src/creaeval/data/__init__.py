"""Responses, ratings, scores and scenarios, and the readers of their files."""

from creaeval.data.batches import BATCH, batch_notes, unit_ids
from creaeval.data.items import make_step, split_items
from creaeval.data.ratings import read_ratings
from creaeval.data.readers import read_responses
from creaeval.data.response import Item, Rating, Response, StepText
from creaeval.data.scenarios import find_scenario, read_scenarios
from creaeval.data.score_table import Scores
from creaeval.data.scores_file import read_scores
from creaeval.data.tables.columns import USE_ROLES, read_columns
from creaeval.data.unmatched import unmatched

__all__ = [
    "BATCH",
    "USE_ROLES",
    "Item",
    "Rating",
    "Response",
    "Scores",
    "StepText",
    "batch_notes",
    "find_scenario",
    "make_step",
    "read_columns",
    "read_ratings",
    "read_responses",
    "read_scenarios",
    "read_scores",
    "split_items",
    "unit_ids",
    "unmatched",
]
