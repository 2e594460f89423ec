"""Ways to score a response, all with one signature; prompts stand beside them as templates."""

from creaeval.methods.base import CallSummary, Case, Method, Outcome, Roles, StageFailure, summarise
from creaeval.methods.registry import get_method, register
from creaeval.methods.render import prompt_hashes, prompt_languages

__all__ = [
    "CallSummary",
    "Case",
    "Method",
    "Outcome",
    "Roles",
    "StageFailure",
    "get_method",
    "prompt_hashes",
    "prompt_languages",
    "register",
    "summarise",
]
