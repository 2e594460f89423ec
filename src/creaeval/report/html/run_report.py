"""The report of one run, perhaps beside another one of the same responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from creaeval.agreement.long_table import compared_dimensions
from creaeval.errors import SettingError
from creaeval.report.display import Cell, DisplayTable, plain_table
from creaeval.report.html.agreement import agreement_headline, agreement_section
from creaeval.report.html.data import Case, Part, ReportData, RunPart, Section
from creaeval.report.html.scores import mean_of_known
from creaeval.report.progress import cost_text
from creaeval.runs.notes import run_notes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from creaeval.agreement.agree import AgreementReport
    from creaeval.data import Rating
    from creaeval.runs import Run


def run_report(
    run: Run,
    ratings: Sequence[Rating] = (),
    *,
    agreement: AgreementReport | None = None,
    against: Run | None = None,
    response_id: str | None = None,
    figures: Sequence[Part] = (),
    notes: Sequence[str] = (),
) -> ReportData:
    """Make the report of a run.

    Parameters
    ----------
    run : Run
        The run.
    ratings : sequence of Rating
        People's scores of its responses, of one stage.
    agreement : AgreementReport, optional
        Of the run (or both) with the ratings.
    against : Run, optional
        Another run of the same task; one response is shown under both, side by side.
    response_id : str, optional
        Which; else the one on which the two differ most.
    figures : sequence of Figure, Table or str
        Shown after the agreement, with what is to be said of them.
    notes : sequence of str
        Said before all else.

    Returns
    -------
    ReportData

    Raises
    ------
    SettingError
        The two runs are of different tasks or share no response, or not the one named.
    """
    runs = (run,) if against is None else (run, against)
    parts = tuple(RunPart(named, ratings, label) for label, named in name_runs(runs))
    cases: tuple[Case, ...] = ()
    if against is not None:
        cases = (Case(find_shared(run, against, response_id), 0, 1),)
    elif response_id is not None:
        raise SettingError(
            "A response is shown side by side only with a second run: name one with --against. "
            "In the report of one run, every response has a page."
        )
    sections: list[Section] = []
    if agreement is not None:
        sections.append(agreement_section(agreement))
    if figures:
        sections.append(Section("Figures", list(figures)))
    for part in parts:
        sections += run_sections(part, alone=len(parts) == 1)
    headline: list[tuple[str, str, str]] = []
    for part in parts:
        scored, failed = part.run.summary.scored, part.run.n_failed
        name = f"Scored by {part.name}" if len(parts) > 1 else "Scored"
        headline.append((name, str(scored), f"{failed} with failures" if failed else "no failures"))
    if agreement is not None:
        headline += agreement_headline(agreement)
    headline.append(("Cost", _cost(runs), "of all calls when they were made"))
    return ReportData(
        title=f"{run.task.name}: {' and '.join(part.name for part in parts)}",
        facts=[fact for part in parts for fact in run_facts(part)],
        headline=headline,
        sections=sections,
        runs=parts,
        cases=cases,
        notes=notes,
    )


def name_runs(runs: Sequence[Run]) -> list[tuple[str, Run]]:
    """Name runs by their method, and by their id, too, where they share it."""
    names = [str(run.manifest["method"]) for run in runs]
    if len(set(names)) < len(names):
        names = [f"{name} ({run.id})" for name, run in zip(names, runs, strict=True)]
    return list(zip(names, runs, strict=True))


def run_facts(part: RunPart) -> list[tuple[str, str]]:
    """Say in a few pairs of words what ran."""
    manifest = part.run.manifest
    judges = ", ".join(str(judge["name"]) for judge in manifest["judges"])
    analyst = manifest.get("analyst")
    repeats = [f"{manifest.get(f'{kind}_repeats', 1)} x {kind}" for kind in ("evidence", "judge")]
    return [
        ("Run", f"{part.run.id} ({part.run.state})"),
        ("Method", part.name),
        *([("Analyst", str(analyst["name"]))] if analyst else []),
        ("Judges" if len(manifest["judges"]) > 1 else "Judge", judges),
        *([("Repeats", ", ".join(repeats))] if repeats != ["1 x evidence", "1 x judge"] else []),
        ("Creaeval", str(manifest.get("versions", {}).get("creaeval", "unknown"))),
    ]


def run_sections(part: RunPart, *, alone: bool = True) -> list[Section]:
    """Lay out what a run came to and what it took: notes, cost, settings."""
    suffix = "" if alone else f": {part.name}"
    return [
        Section(f"What to know about the scores{suffix}", _notes(part.run)),
        Section(f"Calls, tokens and cost{suffix}", [_tokens(part.run)]),
        Section(f"Models, settings and versions{suffix}", _settings(part.run), folded=True),
    ]


def _notes(run: Run) -> list[str]:
    lines = run_notes(run)
    if not run.responses:
        lines.append(
            "The texts were not kept when this run was made. Score again, which costs nothing, as all calls "
            "are in the ledger."
        )
    return lines or ["Nothing out of the ordinary."]


def _tokens(run: Run) -> DisplayTable:
    import pandas as pd

    names = {step.id: step.name for step in run.task.steps}
    rows = [
        {
            "Stage": "All" if stage == "all" else names.get(stage, stage),
            "Calls": spent.calls,
            "From ledger": spent.from_ledger,
            "Tokens in": spent.input_tokens,
            "Cached": spent.cached_tokens,
            "Tokens out": spent.output_tokens,
            "Reasoning": spent.reasoning_tokens,
            "Seconds": round(spent.seconds),
            "Cost": Cell(spent.cost_usd, words=cost_text(spent.cost_usd, spent.unpriced)),
        }
        for stage, spent in run.summary.tokens.items()
    ]
    note = "Calls from the ledger cost nothing in this run; tokens and cost are those of when they were made."
    return plain_table(pd.DataFrame(rows), "By stage", foot=1, notes=[note])


def _cost(runs: Sequence[Run]) -> str:
    spent = [run.summary.tokens["all"] for run in runs]
    return cost_text(sum(tokens.cost_usd for tokens in spent), sum(tokens.unpriced for tokens in spent))


def _settings(run: Run) -> list[Part]:
    import pandas as pd

    manifest = run.manifest
    roles = [("analyst", manifest["analyst"])] if manifest.get("analyst") else []
    roles += [("judge", judge) for judge in manifest["judges"]]
    settings = [
        (role, str(model["name"]), name, "–" if value is None or value == "" else str(value))
        for role, model in roles
        for name, value in _flat(model).items()
        if name != "name" and name.partition(".")[0] != "limits"
    ]
    versions = list(manifest.get("versions", {}).items())
    return [
        plain_table(pd.DataFrame(settings, columns=["Role", "Model", "Setting", "Value"]), "Settings"),
        plain_table(pd.DataFrame(versions, columns=["Package", "Version"]).astype(str), "Versions"),
        f"Task {manifest['task']}, SHA-256 {manifest['task_sha256']}. {manifest.get('platform', '')}.",
    ]


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        flat |= {f"{name}.{k}": v for k, v in value.items()} if isinstance(value, dict) else {name: value}
    return flat


def find_shared(run: Run, against: Run, response_id: str | None = None) -> str:
    """Find the response to show under two runs.

    Parameters
    ----------
    run, against : Run
        The runs.
    response_id : str, optional
        The one that was asked for.

    Returns
    -------
    str
        That one, else the one where the judges' means of the dimensions differ most, in the sum of their
        absolute differences.

    Raises
    ------
    SettingError
        The runs are of different tasks or share no response, or not the one named.
    """
    if run.task.id != against.task.id:
        raise SettingError(
            f"Runs {run.id} and {against.id} are of tasks {run.task.id} and {against.task.id}; responses can "
            "only be set side by side under one task."
        )
    if response_id is not None and response_id not in _both(run, against):
        raise SettingError(f"--response {response_id}: the two runs do not share a response of this id.")
    chosen = response_id or most_different(run, against)
    if chosen is None:
        raise SettingError(f"Runs {run.id} and {against.id} share no response.")
    return chosen


def most_different(run: Run, against: Run) -> str | None:
    """Find the response on which the scores of two runs differ most."""
    first, second = _points(run), _points(against)

    def distance(response_id: str) -> float:
        a, b = first.get(response_id, {}), second.get(response_id, {})
        return sum(abs(a[part] - b[part]) for part in a.keys() & b.keys())

    return max(_both(run, against), key=distance, default=None)


def _both(run: Run, against: Run) -> list[str]:
    return [response_id for response_id in run.metadata if response_id in against.metadata]


def _points(run: Run) -> dict[str, dict[str, float]]:
    """By response, the judges' mean of every dimension that methods are compared by."""
    parts = compared_dimensions(run.task)
    points: dict[str, dict[str, float]] = {}
    for outcome in run.outcomes:
        means = {part: mean_of_known(sheet.final(part) for sheet in outcome.sheets) for part in parts}
        points[outcome.response_id] = {part: mean for part, mean in means.items() if mean is not None}
    return points
