"""The report of one run, perhaps beside another one of the same responses."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

from creaeval.analysis.points import compared_dimensions
from creaeval.errors import SettingError
from creaeval.report.evidence_text import evidence_notes
from creaeval.report.html.agreement import agreement_headline, agreement_section
from creaeval.report.html.data import Case, Part, ReportData, RunPart, Section, Table
from creaeval.report.progress import cost_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from creaeval.analysis.agree import AgreementReport
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
    """Put the report of a run together.

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
    parts = tuple(RunPart(one, ratings, label) for label, one in name_runs(runs))
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
        scored, failed = part.run.summary.scored, part.run.summary.failed
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
    """Say in a few pairs of words what ran.

    Parameters
    ----------
    part : RunPart
        The run.

    Returns
    -------
    list of tuple of (str, str)
        Run, method, models and counts.
    """
    manifest = part.run.manifest
    judges = ", ".join(str(judge["name"]) for judge in manifest["judges"])
    analyst = manifest.get("analyst")
    repeats = [f"{manifest.get(f'{one}_repeats', 1)} x {one}" for one in ("evidence", "judge")]
    return [
        ("Run", f"{part.run.id} ({part.run.state})"),
        ("Method", part.name),
        *([("Analyst", str(analyst["name"]))] if analyst else []),
        ("Judges" if len(manifest["judges"]) > 1 else "Judge", judges),
        *([("Repeats", ", ".join(repeats))] if repeats != ["1 x evidence", "1 x judge"] else []),
        ("Creaeval", str(manifest.get("versions", {}).get("creaeval", "unknown"))),
    ]


def run_sections(part: RunPart, *, alone: bool = True) -> list[Section]:
    """Lay out what a run came to and what it took: notes, cost, settings.

    Parameters
    ----------
    part : RunPart
        The run.
    alone : bool
        Whether it is the only one of the report; else its name is in the headings.

    Returns
    -------
    list of Section
    """
    of = "" if alone else f": {part.name}"
    return [
        Section(f"What to know about the scores{of}", run_notes(part.run)),
        Section(f"Calls, tokens and cost{of}", [_tokens(part.run)]),
        Section(f"Models, settings and versions{of}", _settings(part.run), folded=True),
    ]


def run_notes(run: Run) -> list[str]:
    """Say in sentences what should be known about a run's scores."""
    summary, lines = run.summary, []
    lines += evidence_notes(run, "the pages of responses")
    if summary.disagreements:
        places = "place" if summary.disagreements == 1 else "places"
        lines.append(
            f"Computed values differ from the judge's own in {summary.disagreements} {places}. The computed "
            "ones count; what the judge wrote stands beside them."
        )
    if summary.not_captured:
        lines.append(f"{summary.not_captured} expected scores could not be taken.")
    lines += summary.grid_notes
    if summary.failed_attempts:
        lines.append(f"{summary.failed_attempts} attempts at calls failed and were made again or given up.")
    if not run.responses:
        lines.append(
            "The texts were not kept when this run was made. Score again, which costs nothing, as all calls "
            "are in the ledger."
        )
    return lines or ["Nothing out of the ordinary."]


def _tokens(run: Run) -> Table:
    import pandas as pd

    names = {step.id: step.name for step in run.task.steps}
    rows = [
        {
            "Stage": "All" if stage == "all" else names.get(stage, stage),
            "Calls": of.calls,
            "From ledger": of.from_ledger,
            "Tokens in": of.input_tokens,
            "Cached": of.cached_tokens,
            "Tokens out": of.output_tokens,
            "Reasoning": of.reasoning_tokens,
            "Seconds": round(of.seconds),
            "Cost": cost_text(of.cost_usd, of.unpriced),
        }
        for stage, of in run.summary.tokens.items()
    ]
    note = "Calls from the ledger cost nothing in this run; tokens and cost are those of when they were made."
    return Table("By stage", pd.DataFrame(rows), note, foot=1)


def _cost(runs: Sequence[Run]) -> str:
    spent = [run.summary.tokens["all"] for run in runs]
    return cost_text(sum(one.cost_usd for one in spent), sum(one.unpriced for one in spent))


def _settings(run: Run) -> list[Part]:
    import pandas as pd

    manifest = run.manifest
    roles = [("analyst", manifest["analyst"])] if manifest.get("analyst") else []
    roles += [("judge", judge) for judge in manifest["judges"]]
    settings = [
        (role, str(model["name"]), name, _text(value))
        for role, model in roles
        for name, value in _flat(
            {key: value for key, value in model.items() if key not in ("name", "limits")}
        ).items()
    ]
    versions = list(manifest.get("versions", {}).items())
    return [
        Table("Settings", pd.DataFrame(settings, columns=["Role", "Model", "Setting", "Value"])),
        Table("Versions", pd.DataFrame(versions, columns=["Package", "Version"]).astype(str)),
        f"Task {manifest['task']}, SHA-256 {manifest['task_sha256']}. {manifest.get('platform', '')}.",
    ]


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in values.items():
        found |= {f"{name}.{k}": v for k, v in value.items()} if isinstance(value, dict) else {name: value}
    return found


def _text(value: Any) -> str:
    return "–" if value is None or value == "" else str(value)


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
    both = _both(run, against)
    return max(both, key=lambda one: _distance(first.get(one, {}), second.get(one, {})), default=None)


def _both(run: Run, against: Run) -> list[str]:
    others = set(_ids(against))
    return [one for one in _ids(run) if one in others]


def _ids(run: Run) -> list[str]:
    return list(run.metadata)


def _points(run: Run) -> dict[str, dict[str, float]]:
    """By response, the judges' mean of every dimension that methods are compared by."""
    parts = compared_dimensions(run.task)
    found: dict[str, dict[str, float]] = {}
    for outcome in run.outcomes:
        values: dict[str, list[float]] = {}
        for sheet in outcome.sheets:
            for part in parts:
                if (value := sheet.final(part)) is not None:
                    values.setdefault(part, []).append(value)
        found[outcome.response_id] = {part: fmean(of) for part, of in values.items()}
    return found


def _distance(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    return sum(abs(first[part] - second[part]) for part in first.keys() & second.keys())
