"""What became of a run's evidence, in words, for terminals and pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from creaeval.runs import Run


def evidence_notes(run: Run, where: str) -> list[str]:
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
