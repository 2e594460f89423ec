"""Ways to score a response, all with one signature; prompts stand beside them as templates."""

from creaeval.methods.base import (
    Analysis,
    CallSummary,
    Case,
    Method,
    Options,
    Outcome,
    Roles,
    StageFailure,
    summarise,
)
from creaeval.methods.registry import canonical_name, get_method, list_methods, register
from creaeval.methods.render import prompt_hashes, prompt_languages

__all__ = [
    "Analysis",
    "CallSummary",
    "Case",
    "Method",
    "Options",
    "Outcome",
    "Roles",
    "StageFailure",
    "canonical_name",
    "get_method",
    "list_methods",
    "prompt_hashes",
    "prompt_languages",
    "register",
    "summarise",
]
