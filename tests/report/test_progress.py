from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

import creaeval
from booklets import booklet, cgpst, scenarios, variant, without
from creaeval.llm.prices import Price
from creaeval.report.progress import cost_text, show_progress
from creaeval.report.terminal import notes
from creaeval.runs import make_plan
from scripted import ScriptedModel, stage_of

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.runs import Run


def test_progress_counts_calls_responses_failures_and_tokens_and_ends_full(tmp_path: Path) -> None:
    # One reply has to be asked for again, which is a call more than planned.
    model = ScriptedModel(invalid=lambda request: 1 if stage_of(request) == "step2" else 0)
    responses = [variant("[red]a"), without(booklet(), "step1")]
    plan = make_plan(
        task=cgpst(),
        responses=responses,
        scenarios=scenarios(),
        analyst=model,
        judges=[model],
    )
    console = Console(file=StringIO(), force_terminal=True, width=200)
    with show_progress(plan, console) as watcher:
        creaeval.score(
            responses,
            scenarios=scenarios(),
            analyst=model,
            judges=model,
            ledger=tmp_path / "l.db",
            watcher=watcher,
        )
        (line,) = watcher._progress.tasks
    assert (line.completed, line.total) == (7, 7)
    # Eight replies of 110 tokens.
    assert line.fields["counts"] == "2/2 responses, 1 failed, 0.9k tokens, $0"


def test_nothing_is_drawn_where_no_terminal_is(tmp_path: Path) -> None:
    model = ScriptedModel()
    plan = make_plan(
        task=cgpst(),
        responses=[booklet()],
        scenarios=scenarios(),
        analyst=model,
        judges=[model],
    )
    console = Console(file=StringIO())
    with show_progress(plan, console):
        pass
    assert isinstance(console.file, StringIO)
    assert console.file.getvalue().strip() == ""


class Priced(ScriptedModel):
    """Sixty fresh, forty cached and ten tokens of reply a call: 0.0018 dollars at these prices."""

    free = False
    price: Price | None = Price(10, 5, 100)


class Unpriced(Priced):
    price = None


def followed(folder: Path, analyst: ScriptedModel, judge: ScriptedModel) -> tuple[Run, str]:
    """Score one booklet and return the run and the counts of its line."""
    given = {"responses": [booklet()], "scenarios": scenarios(), "analyst": analyst}
    plan = make_plan(task=cgpst(), judges=[judge], **given)  # type: ignore[arg-type]
    console = Console(file=StringIO(), force_terminal=True, width=200)
    with show_progress(plan, console) as watcher:
        run = creaeval.score(judges=judge, ledger=folder / "l.db", watcher=watcher, **given)  # type: ignore[arg-type]
        (line,) = watcher._progress.tasks
    return run, str(line.fields["counts"])


@pytest.mark.parametrize(
    ("analyst", "judge", "cost"),
    [
        (ScriptedModel, ScriptedModel, "$0"),
        # Six calls of the analyst and one of the judge.
        (Priced, Priced, "$0.0126"),
        (ScriptedModel, Priced, "$0.0018"),
        (Unpriced, Unpriced, "7 calls not priced"),
        (ScriptedModel, Unpriced, "1 call not priced"),
        (Priced, Unpriced, "$0.0108 and 1 call not priced"),
    ],
)
def test_the_cost_so_far_is_shown_and_what_is_not_known_of_it(
    tmp_path: Path, analyst: type[ScriptedModel], judge: type[ScriptedModel], cost: str
) -> None:
    asked = analyst("scripted:a"), judge("scripted:j")
    run, counts = followed(tmp_path, *asked)
    assert counts == f"1/1 responses, 0 failed, 0.8k tokens, {cost}"
    (line,) = [line for line in notes(run) if "calls" in line]
    assert line.endswith(f"; {cost}.")
    assert run.manifest["cost_usd"] == (None if "not priced" in cost else float(cost.removeprefix("$")))
    # Again from the ledger nothing is paid, and the run still says what it cost.
    run, counts = followed(tmp_path, *asked)
    assert counts == "1/1 responses, 0 failed, 0.0k tokens, 7 calls from the ledger, $0"
    (line,) = [line for line in notes(run) if "calls" in line]
    assert line.endswith(f"; {cost}.")
    spent = run.manifest["tokens_by_stage"]["all"]
    assert (spent["from_ledger"], spent["new_cost_usd"]) == (7, 0.0)


@pytest.mark.parametrize(
    ("usd", "unpriced", "text"),
    [
        (0.0, 0, "$0"),
        (0.0, 1, "1 call not priced"),
        (0.0, 12, "12 calls not priced"),
        (0.0123456, 0, "$0.0123"),
        (0.99, 0, "$0.9900"),
        (1.0, 0, "$1.00"),
        (1234.5, 2, "$1234.50 and 2 calls not priced"),
        # Little is not nothing.
        (0.00001, 0, "under $0.0001"),
        (0.00001, 1, "under $0.0001 and 1 call not priced"),
    ],
)
def test_a_cost_is_written_so_that_nothing_unknown_looks_free(usd: float, unpriced: int, text: str) -> None:
    assert cost_text(usd, unpriced) == text
