"""What should be known of a run beside its scores: one list for the screen, the record and the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.runs.confidence import confidence_notes
from creaeval.runs.defaults import batch_notes
from creaeval.runs.export import outcomes_file
from creaeval.runs.plan import repeat_notes, unscored_items
from creaeval.runs.trained import training_notes

if TYPE_CHECKING:
    from creaeval.runs.plan import Plan
    from creaeval.runs.run import Run


def plan_notes(plan: Plan) -> list[str]:
    """Say what should be known before the first call, each once.

    Parameters
    ----------
    plan : Plan
        What is to be done; its own notes come first.

    Returns
    -------
    list of str
        Sentences, one note each: what was noted when it was made, what its models say of themselves, which
        responses they were trained on, repeats that may be equal, responses that share no calls, items that
        are not scored.
    """
    models = [note for model, _ in plan.roles if (note := getattr(model, "warning", ""))]
    notes = [*plan.notes, *models, *training_notes(plan), *repeat_notes(plan), *batch_notes(plan)]
    return list(dict.fromkeys([*notes, *unscored_items(plan)]))


def run_notes(run: Run) -> list[str]:
    """Say what should be known of a run: what was noted before its first call, and of its results.

    Parameters
    ----------
    run : Run
        The run. One that was killed, or is of before notes were kept, has those of its results made anew.

    Returns
    -------
    list of str
        As in ``notes`` of its record; empty where there is nothing out of the ordinary.
    """
    kept = run.manifest.get("notes")
    if kept is not None and "scored" in run.manifest:
        return list(kept)
    return [*(kept or ()), *result_notes(run)]


def result_notes(run: Run) -> list[str]:
    """Say what should be known of what came out of a run, counted from its outcomes.

    Parameters
    ----------
    run : Run
        The run.

    Returns
    -------
    list of str
        Sentences on evidence, values that were computed otherwise, grids that could not be read, uses that
        the offline scorer knows too little of, and attempts that failed.
    """
    summary, where = run.summary, outcomes_file(run.task)
    lines = _evidence_notes(run, where)
    if summary.not_captured:
        lines.append(
            f"Expected scores: {summary.not_captured} could not be taken (invalid is not_captured), since "
            f"too little of the probability was on known points; see trail in {where}."
        )
    if wrong := summary.disagreements:
        lines.append(
            f"Computed values differ from the judge's own in {wrong} {'place' if wrong == 1 else 'places'} "
            f"(first: {summary.first_disagreement}); the computed ones count, both are in scores.csv."
        )
    lines += summary.grid_notes
    lines += confidence_notes(run)
    if summary.failed_attempts:
        lines.append(f"{summary.failed_attempts} attempts at calls failed and were made again or given up.")
    return lines


def _evidence_notes(run: Run, where: str) -> list[str]:
    """Say what was checked of a run's evidence, and what was found."""
    summary, manifest = run.summary, run.manifest
    lines: list[str] = []
    # A run from before there were two depths names none.
    if manifest.get("analyst") and manifest.get("evidence"):
        again = ", copied words asked for again" if manifest.get("copied") == "again" else ""
        lines.append(f"Evidence: {manifest['evidence']}, by {manifest['analyst']['name']}{again}.")
    if summary.quotes:
        share = summary.quotes_exact / summary.quotes
        lines.append(
            f"Quotes: {summary.quotes_exact} of {summary.quotes} ({share:.0%}) stand in their own item or "
            f"step word for word, {summary.quotes_nearly} nearly, {summary.quotes_elsewhere} elsewhere in "
            f"the response, {summary.quotes_not_found} nowhere; each says so in {where}."
        )
    if summary.copied_observations:
        lines.append(
            f"Observations: {summary.copied_observations} of {summary.observations} repeat six or more words "
            f"in a row of the response, so the judges have seen these words; see copied in {where}."
        )
    if summary.scored_observations:
        lines.append(
            f"Scores in evidence: {summary.scored_observations} of {summary.observations} observations hold "
            f"what reads like a score, although the analyst was asked again; see score_words in {where}."
        )
    if summary.evidence_notes:
        lines.append(
            f"The analyst's answers: {summary.evidence_notes} remarks on what was left out or is to be read "
            f"with care; see notes in {where}."
        )
    return lines
