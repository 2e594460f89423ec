"""Tables of a run: scores in long and wide form and failures, with the metadata that responses carry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from creaeval.sheets import Score
from creaeval.sheets.panel import N_SHEETS, panel_rows
from creaeval.sheets.score_sheet import REPEATS, SCORE_COLUMNS
from creaeval.tasks import identities

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd

    from creaeval.runs.run import Run
    from creaeval.tasks import Task

#: Stands behind the scores where a text can have a code: why it has no score.
INVALID = "invalid"
FAILURE_COLUMNS = ["response_id", "stage", "model", "reason"]


def has_repeats(manifest: Mapping[str, Any]) -> bool:
    """Whether a run gathers evidence or scores it more than once."""
    return any(manifest.get(f"{name}s", 1) > 1 for name in REPEATS)


def has_panel(manifest: Mapping[str, Any]) -> bool:
    """Whether a run makes more than one sheet of a response."""
    # The record decides, not the sheets that are there: parts of one table must have the same columns.
    return len(manifest["judges"]) > 1 or has_repeats(manifest)


def long_table(run: Run, *, panel: bool = True) -> pd.DataFrame:
    """Make the table of all scores, and if wanted after each response's rows those of its panel.

    The panel's rows are there where a run has several sheets of a response, with a column ``n_sheets``. In
    them ``judge`` names the statistic (see :data:`creaeval.sheets.panel.PANEL_JUDGES`), ``score`` is its
    value, and repeats and the model's own and computed scores are empty.
    """
    panel = panel and has_panel(run.manifest)
    codes = _code_columns(run.task)
    rows: list[dict[str, Any]] = []
    for outcome in run.outcomes:
        for sheet in outcome.sheets:
            head = {"judge": sheet.scorer, **{name: getattr(sheet, name) for name in REPEATS}}
            scores = [score for score in sheet.rows() if score.step or run.task.total != "none"]
            if codes:
                # What has no points for a reason has rows that say so.
                scored = {score.dimension for score in scores}
                missing = [part for part in identities(run.task) if part not in scored]
                scores += [Score(part.rpartition(".")[0], None, part) for part in missing]
            for score in scores:
                reason = dict.fromkeys(codes, "" if score.score is not None else sheet.invalid)
                rows.append({"response_id": outcome.response_id, **head, **vars(score), **reason})
        for row in panel_rows(run.task, outcome.sheets) if panel else ():
            for identity, value in row.values.items():
                place = {"step": identity.rpartition(".")[0], "dimension": identity}
                numbers = {"score": value, N_SHEETS: row.n[identity]}
                rows.append({"response_id": outcome.response_id, "judge": row.judge, **place, **numbers})
    columns = [*SCORE_COLUMNS, *([N_SHEETS] if panel else []), *codes]
    whole = dict.fromkeys(["item", *(_counts(columns) if panel else [])], "Int64")
    kinds = {**whole, **dict.fromkeys(["score", "model_score", "computed_score"], "Float64")}
    return _table(run, columns, rows).astype(kinds)


def wide_table(run: Run, *, panel: bool = True) -> pd.DataFrame:
    """Make the table of final scores, a row for each sheet, and if wanted for each statistic of a panel.

    Where there are repeats, a table with the panel's rows has columns for them; ``n_sheets`` in the panel's
    rows is how many sheets the response has.
    """
    repeats = REPEATS if panel and has_repeats(run.manifest) else ()
    panel = panel and has_panel(run.manifest)
    codes, parts = _code_columns(run.task), identities(run.task)
    rows: list[dict[str, Any]] = []
    for outcome in run.outcomes:
        for sheet in outcome.sheets:
            head = {"judge": sheet.scorer, **{name: getattr(sheet, name) for name in repeats}}
            values = {part: sheet.final(part) for part in parts}
            reason = dict.fromkeys(codes, sheet.invalid)
            rows.append({"response_id": outcome.response_id, **head, **values, **reason})
        for row in panel_rows(run.task, outcome.sheets) if panel else ():
            head = {"judge": row.judge, N_SHEETS: row.n_sheets}
            rows.append({"response_id": outcome.response_id, **head, **row.values})
    columns = ["response_id", "method", "judge", *repeats, *([N_SHEETS] if panel else []), *parts, *codes]
    kinds = {**dict.fromkeys(_counts(columns), "Int64"), **dict.fromkeys(parts, "Float64")}
    return _table(run, columns, rows).astype(kinds)


def failure_table(run: Run) -> pd.DataFrame:
    """Make the table of why responses, or single judges of them, have no scores."""
    import pandas as pd

    rows = [
        (outcome.response_id, failure.where, failure.model, failure.reason)
        for outcome in run.outcomes
        for failure in outcome.failures
    ]
    return pd.DataFrame(rows, columns=FAILURE_COLUMNS)


def _code_columns(task: Task) -> list[str]:
    return [INVALID] if any(step.invalid for step in task.steps) else []


def _counts(columns: Sequence[str]) -> list[str]:
    """Those of the columns that hold whole numbers and are empty in some rows."""
    return [name for name in (*REPEATS, N_SHEETS) if name in columns]


def _table(run: Run, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Make a table of rows, each with the method and behind it the metadata of its response."""
    import pandas as pd

    names = _metadata_columns(run, columns)
    whole = [
        {
            **row,
            "method": run.manifest["method"],
            **{names[name]: text for name, text in run.metadata.get(row["response_id"], {}).items()},
        }
        for row in rows
    ]
    return pd.DataFrame(whole, columns=[*columns, *names.values()])


def _metadata_columns(run: Run, columns: Sequence[str]) -> dict[str, str]:
    """Name the columns of metadata; one that is called like a table's own column becomes ``input_NAME``.

    Whatever its case, since whoever reads the table tells no cases apart. The columns of repeats and panels
    count as own in every table, so that none is taken for them.
    """
    names = dict.fromkeys(name for metadata in run.metadata.values() for name in metadata)
    taken = {name.casefold() for name in (*columns, *REPEATS, N_SHEETS)}
    others = {name.casefold() for name in names}
    shown_names: dict[str, str] = {}
    for name in names:
        shown = name
        while shown.casefold() in taken or (shown != name and shown.casefold() in others):
            shown = f"input_{shown}"
        taken.add(shown.casefold())
        shown_names[name] = shown
    return shown_names
