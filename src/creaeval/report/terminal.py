"""Print a run so that it can be read: the sheet, what needs attention, what it took."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from creaeval.data.points import points_range
from creaeval.report.display import plain_table
from creaeval.report.display.terminal import print_tables, titled_table
from creaeval.report.participants import participant_rows
from creaeval.report.progress import cost_text
from creaeval.runs.notes import run_notes
from creaeval.runs.participants import ALL_OBJECTS, Participants
from creaeval.tasks import display_name, identities, resolve
from creaeval.wording import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from creaeval.data import Rating
    from creaeval.runs import Run
    from creaeval.sheets import ScoreSheet
    from creaeval.tasks import Task

_SHEETS_SHOWN = 3
_ROWS_SHOWN = 40
_TEXT_SHOWN = 60
_PARTICIPANTS_SHOWN = 20


def print_run(
    console: Console,
    run: Run,
    ratings: Sequence[Rating] = (),
    *,
    rating_note: str = "",
    said: Sequence[str] = (),
) -> None:
    """Print a run's scores and what should be known about them, but for the notes that were said before."""
    if run.task.total == "none":
        table, all_shown = _text_table(run)
        console.print(table)
        if not all_shown:
            console.print(f"The first {_ROWS_SHOWN} rows; scores_wide.csv has all.")
        _print_participants(console, run)
    elif run.summary.scored <= _SHEETS_SHOWN:
        scored = [outcome for outcome in run.outcomes if outcome.sheets]
        if ratings and scored:
            console.print("± is the judge's score minus the rating beside it, in points.")
        for outcome in scored:
            ratings_of_it = [rating for rating in ratings if rating.response_id == outcome.response_id]
            console.print(_sheet_table(run.task, outcome.response_id, outcome.sheets, ratings_of_it))
        if ratings and scored and rating_note:
            console.print(f"[yellow]{escape(rating_note)}[/yellow]")
    else:
        console.print(_overview(run))
        if run.summary.scored > _ROWS_SHOWN:
            console.print(f"The first {_ROWS_SHOWN} of {run.summary.scored}; scores_wide.csv has all.")
    for line in notes(run):
        if line not in said:
            console.print(escape(line), highlight=False)
    if run.n_failed:
        console.print(_failure_table(run))


def notes(run: Run) -> list[str]:
    """Say in a few lines what should be known about a run, and what it took."""
    lines, tokens = [account(run), *run_notes(run)], run.summary.tokens["all"]
    if tokens.calls:
        again = f", {tokens.from_ledger} of them from the ledger" if tokens.from_ledger else ""
        reasoning = f" ({tokens.reasoning_tokens:,} reasoning)" if tokens.reasoning_tokens else ""
        lines.append(
            f"{tokens.calls} calls{again}: {tokens.input_tokens:,} tokens in "
            f"({tokens.cached_tokens:,} cached), {tokens.output_tokens:,} out{reasoning}; "
            f"{tokens.seconds:.0f} s of requests; {cost_text(tokens.cost_usd, tokens.unpriced)}."
        )
    return lines


def account(run: Run) -> str:
    """Say what became of every response: ``5 uses: 2 scored, 1 failed, 2 non-answers …``."""
    summary, missing = run.summary, int(run.manifest.get("not_reached", 0))
    parts = [f"{summary.scored:,} scored"]
    if summary.failed:
        parts.append(f"{summary.failed:,} failed")
    if summary.non_answers:
        codes = ", ".join(f"{number:,} {code}" for code, number in summary.non_answers.items())
        parts.append(f"{plural(sum(summary.non_answers.values()), 'non-answer')} ({codes})")
    if missing:
        parts.append(f"{missing:,} not reached")
    return f"{plural(len(run.outcomes) + missing, run.task.noun)}: {', '.join(parts)}."


def _sheet_table(
    task: Task, response_id: str, sheets: Sequence[ScoreSheet], ratings: Sequence[Rating]
) -> Table:
    table = titled_table(f"Score sheet of {escape(response_id)}")
    table.add_column("", no_wrap=True)
    table.add_column("of", justify="right", style="dim")
    for sheet in sheets:
        heading = "\n".join([sheet.scorer, *_repeat(sheet, sheets)])
        table.add_column(escape(heading), justify="right", overflow="fold")
    for rating in ratings:
        table.add_column(escape(rating.rater), justify="right", overflow="fold")
        for _ in sheets:
            table.add_column("±", justify="right", style="cyan")
    scorers = [*sheets, *(rating.sheet for rating in ratings)]
    for step in task.steps:
        parts = [f"{step.id}.{part}" for part in step.parts]
        if all(scorer.final(part) is None for scorer in scorers for part in parts):
            table.add_row(f"{escape(step.name)}: not scored", style="dim", end_section=True)
            continue
        table.add_row(escape(step.name), style="bold")
        for identity in parts:
            last = identity == parts[-1]
            row = _sheet_row(task, identity, sheets, ratings)
            table.add_row(f"  {row[0]}", *row[1:], style="bold" if last else "", end_section=last)
    table.add_row(*_sheet_row(task, "total", sheets, ratings), style="bold")
    return table


def _repeat(sheet: ScoreSheet, sheets: Sequence[ScoreSheet]) -> list[str]:
    """Say which of a response's repeats a sheet is, as far as there are any."""
    evidence = [f"evidence {sheet.evidence_repeat}"] if any(s.evidence_repeat > 1 for s in sheets) else []
    judging = [f"repeat {sheet.judge_repeat}"] if any(s.judge_repeat > 1 for s in sheets) else []
    return evidence + judging


def _sheet_row(
    task: Task, identity: str, sheets: Sequence[ScoreSheet], ratings: Sequence[Rating]
) -> list[str]:
    cells = [_points(sheet.final(identity)) for sheet in sheets]
    for rating in ratings:
        rated = rating.sheet.final(identity)
        cells += [_points(rated), *(_difference(sheet.final(identity), rated) for sheet in sheets)]
    most = points_range(task, *resolve(task, identity))[1]
    return [escape(display_name(task, identity)), _points(most), *cells]


def _text_table(run: Run) -> tuple[Table, bool]:
    """Show the first scores of short texts, with the points or why there are none; say whether it is all."""
    noun, parts = run.task.noun, identities(run.task)
    table = titled_table(f"Scores of each {noun}, {len(run.outcomes)} in all")
    for heading in (noun.capitalize(), "", "Judge"):
        table.add_column(heading, overflow="fold")
    for part in parts:
        table.add_column(escape(display_name(run.task, part)), justify="right")
    sheets = (sheet for outcome in run.outcomes for sheet in outcome.sheets)
    for sheet in islice(sheets, _ROWS_SHOWN):
        text = " ".join(run.metadata.get(sheet.response_id, {}).get("response", "").split())
        shown = f"{text[:_TEXT_SHOWN]}…" if len(text) > _TEXT_SHOWN else text
        values = [sheet.final(part) for part in parts]
        cells = [f"{value:g}" if value is not None else sheet.invalid or "–" for value in values]
        table.add_row(*map(escape, (sheet.response_id, shown, sheet.label, *cells)))
    return table, next(sheets, None) is None


def _print_participants(console: Console, run: Run) -> None:
    """Show participants over all objects where they are few enough to be read here."""
    if not 0 < Participants(run).number <= _PARTICIPANTS_SHOWN:
        return
    whole = run.participants
    rows = participant_rows(run.task, whole[whole["object"] == ALL_OBJECTS]).drop(columns=["Object", "Uses"])
    print_tables(console, [plain_table(rows, "Participants, over all objects", digits=2)])


def _overview(run: Run) -> Table:
    table = Table(title=f"{len(run.outcomes)} responses", title_justify="left", pad_edge=False)
    scored = islice((outcome for outcome in run.outcomes if outcome.sheets), _ROWS_SHOWN)
    table.add_column("Response")
    table.add_column("Judge")
    for step in run.task.steps:
        most = points_range(run.task, step, "overall")[1]
        table.add_column(f"{step.id}\n({_points(most)})", justify="right")
    table.add_column(f"Total\n({_points(run.task.max)})", justify="right", style="bold")
    for sheet, sheets in ((sheet, outcome.sheets) for outcome in scored for sheet in outcome.sheets):
        overalls = [_points(sheet.final(f"{step.id}.overall")) for step in run.task.steps]
        judge = ", ".join([sheet.scorer, *_repeat(sheet, sheets)])
        table.add_row(escape(sheet.response_id), escape(judge), *overalls, _points(sheet.total))
    return table


def _failure_table(run: Run) -> Table:
    table = Table(
        title=f"{run.n_failed} not scored, or not by every judge, or not in full",
        title_justify="left",
        style="red",
    )
    for name in ("Response", "Stage", "Model", "Reason"):
        table.add_column(name, overflow="fold")
    for outcome in run.outcomes:
        for failure in outcome.failures:
            table.add_row(
                escape(outcome.response_id), failure.where, escape(failure.model), escape(failure.reason)
            )
    return table


def _points(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{round(value, digits):g}"


def _difference(score: float | None, rating: float | None) -> str:
    if score is None or rating is None:
        return "–"
    return f"{score - rating:+g}" if score != rating else "0"
