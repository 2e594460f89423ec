"""Evidence and score sheets, and everything on them that is arithmetic or can be checked."""

from creaeval.sheets.evidence import Depth, DimensionEvidence, Evidence, ItemEvidence, Quote, StepEvidence
from creaeval.sheets.grid import GridCheck, check_grid, faulty_columns, read_grid
from creaeval.sheets.quotes import StepTexts, find_quote
from creaeval.sheets.score_sheet import (
    ItemScores,
    Score,
    ScoreSheet,
    StepLayout,
    StepScores,
    disagreements,
    distinct_categories,
    evidence_layout,
)
from creaeval.sheets.wording import copied_runs, copied_share, find_score_words

__all__ = [
    "Depth",
    "DimensionEvidence",
    "Evidence",
    "GridCheck",
    "ItemEvidence",
    "ItemScores",
    "Quote",
    "Score",
    "ScoreSheet",
    "StepEvidence",
    "StepLayout",
    "StepScores",
    "StepTexts",
    "check_grid",
    "copied_runs",
    "copied_share",
    "disagreements",
    "distinct_categories",
    "evidence_layout",
    "faulty_columns",
    "find_quote",
    "find_score_words",
    "read_grid",
]
