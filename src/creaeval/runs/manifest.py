"""Record what it takes to repeat a run: versions, models, settings, prompts, inputs, costs."""

from __future__ import annotations

import hashlib
import json
import platform
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from creaeval.llm.key import answer_settings
from creaeval.methods import get_method, prompt_hashes
from creaeval.runs.confidence import not_english
from creaeval.runs.notes import plan_notes, result_notes
from creaeval.runs.plan import unscored_items

if TYPE_CHECKING:
    from creaeval.llm import ChatModel
    from creaeval.llm.prices import Price
    from creaeval.llm.settings import RoleSettings
    from creaeval.runs.plan import Plan
    from creaeval.runs.run import Run

_PACKAGES = (
    "creaeval",
    "pydantic-ai-slim",
    "openai",
    "anthropic",
    "google-genai",
    "groq",
    "mistralai",
    "xllamacpp",
    "pydantic",
    "rapidfuzz",
)


def describe_plan(plan: Plan) -> dict[str, Any]:
    """Describe a run before it starts: JSON values only, file names without folders, no keys."""
    judges = plan.roles[-len(plan.judges) :]
    method, batching, options = get_method(plan.method), plan.batching, plan.options
    return {
        "run_id": plan.run_id,
        "task": plan.task.id,
        "task_sha256": _hash(plan.task.model_dump(mode="json")),
        "method": plan.method,
        "analyst": None if len(judges) == len(plan.roles) else _model(*plan.roles[0]),
        **({"evidence": options.evidence, "copied": options.copied} if plan.analyst is not None else {}),
        "evidence_repeats": plan.evidence_repeats,
        "judge_repeats": plan.judge_repeats,
        "judges": [
            {
                **_model(*judge),
                **({"scorer": method.scorer(judge[0].name)} if method.suffix else {}),
                # The model's folder may be gone when its agreement is measured.
                **_in_training(plan, judge[0]),
            }
            for judge in judges
        ],
        **({"examples": [asdict(example) for example in options.examples]} if options.examples else {}),
        **({"reference_cutoff": options.reference_cutoff} if plan.method == "reference" else {}),
        "prompts_sha256": {"language": plan.task.language, **prompt_hashes(plan.task.language)},
        "scenarios": sorted({case.scenario.id for case in plan.cases if case.scenario is not None}),
        "responses": [
            {
                "id": case.response.id,
                "file": PurePath(case.response.source).name,
                **({"scenario": case.scenario.id} if case.scenario is not None else {}),
                "sha256": _hash(case.response.model_dump(mode="json", exclude={"source"})),
            }
            for case in plan.cases
        ],
        "refused": sorted(plan.refused),
        **({} if batching is None else {"batching": batching.model_dump(mode="json")}),
        "items_beyond_the_maximum": unscored_items(plan),
        **({"not_english": not_english(plan)} if plan.method == "offline" else {}),
        "notes": plan_notes(plan),
        **({"not_read": list(plan.not_read)} if plan.not_read else {}),
        "versions": {"python": platform.python_version(), **_versions()},
        "platform": f"{platform.system()} {platform.machine()}",
    }


def describe_result(run: Run, plan: Plan) -> dict[str, Any]:
    """Describe what a run came to, for the end of its record; no cost where a call has no known price."""
    summary = run.summary
    spent = summary.tokens["all"]
    quotes = ("quotes", "quotes_exact", "quotes_nearly", "quotes_elsewhere", "quotes_not_found")
    return {
        "scored": summary.scored,
        "failed": summary.failed,
        "non_answers": dict(summary.non_answers),
        "not_reached": len(plan.responses) - len(run.outcomes),
        "with_failures": summary.with_failures,
        **({"not_captured": summary.not_captured} if plan.batching is not None else {}),
        **{name: getattr(summary, name) for name in quotes},
        "observations": summary.observations,
        "observations_copied_in_part": summary.copied_observations,
        "observations_with_scores": summary.scored_observations,
        "evidence_notes": summary.evidence_notes,
        "failed_attempts": summary.failed_attempts,
        "tokens_by_stage": {stage: asdict(tokens) for stage, tokens in summary.tokens.items()},
        "cost_usd": None if spent.unpriced else spent.cost_usd,
        "notes": [*plan_notes(plan), *result_notes(run)],
    }


def _model(model: ChatModel, role: RoleSettings) -> dict[str, Any]:
    price: Price | None = getattr(model, "price", None)
    return {
        "name": model.name,
        **dict(model.identity),
        "settings": {**answer_settings(role.settings), "timeout": role.settings.timeout},
        "limits": asdict(role.limits),
        "usd_per_million_tokens": None if price is None else asdict(price),
    }


def _in_training(plan: Plan, judge: ChatModel) -> dict[str, list[str]]:
    told = plan.in_training.get(judge.name)
    return {} if told is None else {"in_training": list(told)}


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _versions() -> dict[str, str]:
    versions: dict[str, str] = {}
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions
