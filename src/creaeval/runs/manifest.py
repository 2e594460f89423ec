"""Record what it takes to repeat a run: versions, models, settings, prompts, inputs, costs."""

from __future__ import annotations

import hashlib
import json
import platform
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from creaeval.methods import prompt_hashes
from creaeval.runs.plan import unscored_items

if TYPE_CHECKING:
    from collections.abc import Mapping

    from creaeval.llm import ChatModel
    from creaeval.runs.plan import Plan
    from creaeval.runs.run import Run

_PACKAGES = ("creaeval", "openai", "pydantic-ai-slim", "pydantic", "rapidfuzz", "xllamacpp")


def describe_plan(plan: Plan) -> dict[str, Any]:
    """Describe a run before it starts.

    Parameters
    ----------
    plan : Plan
        The plan.

    Returns
    -------
    dict
        JSON values only; file names without folders, no keys.
    """
    return {
        "run_id": plan.run_id,
        "task": plan.task.id,
        "task_sha256": _hash(plan.task.model_dump(mode="json")),
        "method": plan.method,
        "analyst": _model(plan.analyst),
        "judges": [_model(judge) for judge in plan.judges],
        "settings": asdict(plan.settings),
        "prompts_sha256": {"language": plan.task.language, **prompt_hashes(plan.task.language)},
        "scenarios": sorted({case.scenario.id for case in plan.cases if case.scenario is not None}),
        "responses": [
            {
                "id": case.response.id,
                "file": PurePath(case.response.source).name,
                "sha256": _hash(case.response.model_dump(mode="json", exclude={"source"})),
            }
            for case in plan.cases
        ],
        "refused": sorted(plan.refused),
        "items_beyond_the_maximum": unscored_items(plan),
        "versions": {"python": platform.python_version(), **_versions()},
        "platform": f"{platform.system()} {platform.machine()}",
    }


def describe_result(run: Run, plan: Plan) -> dict[str, Any]:
    """Describe what a run came to, for the end of its record.

    Parameters
    ----------
    run : Run
        The run, with all outcomes it has.
    plan : Plan
        The plan.

    Returns
    -------
    dict
        Counts, quotes, tokens by stage, and the cost: 0 for models that are free, null where no price is
        known.
    """
    found, quotes = run.quotes()
    copied, observations = run.copied_observations()
    free = all(model.free for model in (plan.analyst, *plan.judges))
    return {
        "scored": sum(bool(outcome.sheets) for outcome in run.outcomes),
        "failed": run.n_failed,
        "not_reached": len(plan.responses) - len(run.outcomes),
        "quotes": quotes,
        "quotes_found": found,
        "observations": observations,
        "observations_copied_in_part": copied,
        "tokens_by_stage": {stage: asdict(tokens) for stage, tokens in run.tokens_by_stage().items()},
        "cost_usd": 0.0 if free else None,
    }


def _model(model: ChatModel) -> dict[str, Any]:
    return {"name": model.name, **dict(model.identity)}


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _versions() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
