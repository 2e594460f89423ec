"""What two runs were made with, and what they took."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from creaeval.runs import Run

if TYPE_CHECKING:
    import pandas as pd

    from creaeval.data import Scores

SETTING_COLUMNS = ["setting", "a", "b"]
USAGE_COLUMNS = ["measure", "unit", "a", "b", "b_over_a", "n_a", "n_b", "reason"]
FAILURE_COLUMNS = ["run", "response_id", "stage", "model", "reason"]
#: What of a run's record can change its scores; the rest is times, results and the responses themselves.
_RECORDED = (
    "task_sha256",
    "method",
    "analyst",
    "judges",
    "evidence_repeats",
    "judge_repeats",
    "examples",
    "prompts_sha256",
    "scenarios",
    "versions",
    "platform",
)
_HASH_DIGITS = 12
#: By measure, its unit and the fields of :class:`~creaeval.runs.Tokens` it adds up.
_USAGE = {
    "cost": ("USD per response", ("cost_usd",)),
    "tokens": ("per response", ("input_tokens", "output_tokens")),
    "input_tokens": ("per response", ("input_tokens",)),
    "output_tokens": ("per response", ("output_tokens",)),
    "calls": ("per response", ("calls",)),
    "seconds": ("of requests, per response", ("seconds",)),
}


def differing_settings(first: Run | Scores, second: Run | Scores) -> pd.DataFrame:
    """List the settings in which two runs differ.

    Parameters
    ----------
    first, second : Run or Scores
        Runs A and B. Of scores made elsewhere only the method and the judges are known.

    Returns
    -------
    pandas.DataFrame
        A row for each setting that differs: ``setting`` (its place in the record, such as
        ``judge.settings.temperature``), ``a`` and ``b`` as text, empty where a run has none. Hashes are cut.
    """
    import pandas as pd

    if isinstance(first, Run) and isinstance(second, Run):
        several = any(len(one.manifest["judges"]) > 1 for one in (first, second))
        a, b = (_flat(one.manifest, several) for one in (first, second))
    else:
        a, b = _named(first), _named(second)
    rows = [(name, a.get(name, ""), b.get(name, "")) for name in dict.fromkeys([*a, *b])]
    return pd.DataFrame([row for row in rows if row[1] != row[2]], columns=SETTING_COLUMNS)


def _named(of: Run | Scores) -> dict[str, str]:
    if isinstance(of, Run):
        judges = [str(judge.get("scorer", judge["name"])) for judge in of.manifest["judges"]]
        return {"method": str(of.manifest["method"]), "judges": ", ".join(judges)}
    return {"method": of.method, "judges": ", ".join(dict.fromkeys(sheet.scorer for sheet in of.sheets))}


def _flat(manifest: Mapping[str, Any], several: bool) -> dict[str, str]:
    chosen = {name: manifest[name] for name in _RECORDED if name in manifest}
    judges = chosen.pop("judges")
    chosen |= (
        {f"judge {number}": one for number, one in enumerate(judges, 1)} if several else {"judge": judges[0]}
    )
    if examples := chosen.get("examples"):
        digest = hashlib.sha256(json.dumps(examples, sort_keys=True).encode()).hexdigest()
        chosen["examples"] = f"{len(examples)}, {digest[:_HASH_DIGITS]}"
    # How many requests may be open changes no score.
    return {name: text for name, text in _leaves(chosen, "") if ".limits." not in name}


def _leaves(value: Any, place: str) -> list[tuple[str, str]]:
    if isinstance(value, Mapping):
        return [
            leaf for name, one in value.items() for leaf in _leaves(one, f"{place}.{name}" if place else name)
        ]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [leaf for number, one in enumerate(value, 1) for leaf in _leaves(one, f"{place}.{number}")]
    text = "" if value is None else str(value)
    return [(place, text[:_HASH_DIGITS] if "sha256" in place else text)]


def changed_responses(first: Run | Scores, second: Run | Scores) -> list[str]:
    """List responses that have the same id in both runs and are not the same text.

    Parameters
    ----------
    first, second : Run or Scores
        Runs A and B; of scores made elsewhere nothing is known.

    Returns
    -------
    list of str
    """
    if not (isinstance(first, Run) and isinstance(second, Run)):
        return []
    a, b = (
        {one["id"]: one.get("sha256") for one in run.manifest.get("responses", ())} for run in (first, second)
    )
    # Of the short responses of older runs no hash is known.
    return [name for name, digest in a.items() if digest and b.get(name) and b[name] != digest]


def usage(first: Run | Scores, second: Run | Scores) -> pd.DataFrame:
    """Set beside each other what two runs took for a response, and the share they failed at.

    Parameters
    ----------
    first, second : Run or Scores
        Runs A and B. Of scores made elsewhere nothing is known.

    Returns
    -------
    pandas.DataFrame
        A row for each measure: cost, tokens, input and output tokens, calls, seconds and failures; ``unit``,
        the values, ``b_over_a``, ``n_a`` and ``n_b`` (responses) and
        ``reason`` where a value is missing. Replies from the ledger count with what they took when they were
        made. Seconds are those of requests, summed: not how long a run took.
    """
    import pandas as pd

    rows: list[tuple[Any, ...]] = []
    n = [_reached(one) for one in (first, second)]
    for measure, (unit, fields) in _USAGE.items():
        found = [_per_response(one, measure, fields) for one in (first, second)]
        rows.append((measure, unit, *_both(found), *n, _reasons(found)))
    found = [_failed(one) for one in (first, second)]
    rows.append(("failures", "share of responses", *_both(found), *n, _reasons(found)))
    return pd.DataFrame(rows, columns=USAGE_COLUMNS)


def _reached(of: Run | Scores) -> int:
    if not isinstance(of, Run):
        return len({sheet.response_id for sheet in of.sheets})
    return len(of.outcomes)


def _per_response(of: Run | Scores, measure: str, fields: Sequence[str]) -> tuple[float, str]:
    if why := _unknown(of):
        return math.nan, why
    assert isinstance(of, Run)  # noqa: S101 - scores have a reason above
    tokens = of.summary.tokens["all"]
    if measure == "cost" and tokens.unpriced:
        return math.nan, f"{tokens.unpriced} of {tokens.calls} calls without a known price"
    return sum(float(getattr(tokens, field)) for field in fields) / _reached(of), ""


def _failed(of: Run | Scores) -> tuple[float, str]:
    if why := _unknown(of):
        return math.nan, why
    assert isinstance(of, Run)  # noqa: S101 - scores have a reason above
    return of.n_failed / _reached(of), ""


def _unknown(of: Run | Scores) -> str:
    if not isinstance(of, Run):
        return "a file of scores does not say"
    return "" if _reached(of) else "no response was reached"


def _both(found: Sequence[tuple[float, str]]) -> tuple[float, float, float]:
    a, b = found[0][0], found[1][0]
    return a, b, b / a if a else math.nan


def _reasons(found: Sequence[tuple[float, str]]) -> str:
    said = [f"{run}: {why}" for run, (_, why) in zip("AB", found, strict=True) if why]
    return "; ".join(said or (["no ratio to 0"] if found[0][0] == 0 else []))


def failures_of_both(first: Run | Scores, second: Run | Scores) -> pd.DataFrame:
    """List why responses of either run have no scores, or not all.

    Parameters
    ----------
    first, second : Run or Scores
        Runs A and B.

    Returns
    -------
    pandas.DataFrame
        Columns ``run`` (A or B), ``response_id``, ``stage``, ``model`` and ``reason``.
    """
    import pandas as pd

    parts = [
        one.failures.assign(run=run) for run, one in (("A", first), ("B", second)) if isinstance(one, Run)
    ]
    return pd.concat(parts)[FAILURE_COLUMNS] if parts else pd.DataFrame(columns=FAILURE_COLUMNS)
