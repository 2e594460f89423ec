"""Tables of a run: scores in long and wide form, its panel, failures, with the metadata of responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from creaeval.sheets import Score
from creaeval.sheets.panel import N_SHEETS, STATISTICS, panel_rows
from creaeval.sheets.score_sheet import IN_TRAINING, INVALID, REPEATS, SCORE_COLUMNS
from creaeval.sheets.variables import variable_names, wide_names
from creaeval.tasks import identities

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd

    from creaeval.runs.run import Run
    from creaeval.sheets import ScoreSheet
    from creaeval.tasks import Task

FAILURE_COLUMNS = ["response_id", "stage", "model", "reason"]


def has_repeats(manifest: Mapping[str, Any]) -> bool:
    """Whether a run gathers evidence or scores it more than once."""
    return any(manifest.get(f"{name}s", 1) > 1 for name in REPEATS)


def has_panel(manifest: Mapping[str, Any]) -> bool:
    """Whether a run makes more than one sheet of a response."""
    # The record decides, not the sheets that are there: parts of one table must have the same columns.
    return len(manifest["judges"]) > 1 or has_repeats(manifest)


def long_table(run: Run) -> pd.DataFrame:
    """Make the table of all scores, a row for each value of each sheet."""
    codes = _code_columns(run.task)
    rows: list[dict[str, Any]] = []
    for outcome in run.outcomes:
        for sheet in outcome.sheets:
            head = {"judge": sheet.scorer, **{name: getattr(sheet, name) for name in REPEATS}}
            head |= _in_training(run, sheet)
            scores = [score for score in sheet.rows() if score.step or run.task.total != "none"]
            if codes:
                # What has no points for a reason has rows that say so.
                scored = {score.dimension for score in scores}
                missing = [part for part in identities(run.task) if part not in scored]
                scores += [Score(part.rpartition(".")[0], None, part) for part in missing]
            for score in scores:
                reason = dict.fromkeys(codes, "" if score.score is not None else sheet.invalid)
                rows.append({"response_id": outcome.response_id, **head, **vars(score), **reason})
    points = dict.fromkeys(["score", "model_score", "computed_score"], "Float64")
    return _table(run, [*SCORE_COLUMNS, *codes, *_training_column(run)], rows).astype(
        {"item": "Int64", **points}
    )


def wide_table(run: Run) -> pd.DataFrame:
    """Make the table of final scores, a row for each sheet; where there are repeats it says which one.

    Its columns have names that SPSS and Stata accept; see :func:`~creaeval.sheets.variables.variable_names`.
    """
    repeats = REPEATS if has_repeats(run.manifest) else ()
    codes, parts = _code_columns(run.task), wide_names(run.task)
    rows: list[dict[str, Any]] = []
    for outcome in run.outcomes:
        for sheet in outcome.sheets:
            head = {"judge": sheet.scorer, **{name: getattr(sheet, name) for name in repeats}}
            values = {title: sheet.final(part) for part, title in parts.items()}
            reason = {**dict.fromkeys(codes, sheet.invalid), **_in_training(run, sheet)}
            rows.append({"response_id": outcome.response_id, **head, **values, **reason})
    columns = ["response_id", "method", "judge", *repeats, *parts.values(), *codes, *_training_column(run)]
    kinds = {**dict.fromkeys(repeats, "Int64"), **dict.fromkeys(parts.values(), "Float64")}
    return _table(run, columns, rows, variables=True).astype(kinds)


def panel_table(run: Run) -> pd.DataFrame:
    """Make the table of what the sheets of each response come to, a row for each response and identity.

    ``mean``, ``median``, ``majority`` and ``spread`` are of the final values of ``n_sheets`` sheets; see
    :class:`~creaeval.sheets.panel.PanelRow`. There are no rows for a response with one sheet.
    """
    rows = [
        {**vars(row), "step": row.dimension.rpartition(".")[0]}
        for outcome in run.outcomes
        for row in panel_rows(run.task, outcome.sheets)
    ]
    columns = ["response_id", "method", "step", "dimension", N_SHEETS, *STATISTICS]
    return _table(run, columns, rows).astype({N_SHEETS: "Int64", **dict.fromkeys(STATISTICS, "Float64")})


def failure_table(run: Run) -> pd.DataFrame:
    """Make the table of why responses, or single judges of them, have no scores."""
    import pandas as pd

    rows = [
        (outcome.response_id, failure.where, failure.model, failure.reason)
        for outcome in run.outcomes
        for failure in outcome.failures
    ]
    return pd.DataFrame(rows, columns=FAILURE_COLUMNS)


def unread_table(run: Run) -> pd.DataFrame:
    """Make rows of the table of failures for the files and sheets that were not read."""
    import pandas as pd

    rows = [("", "reading", "", note) for note in run.manifest.get("not_read", ())]
    return pd.DataFrame(rows, columns=FAILURE_COLUMNS)


def _code_columns(task: Task) -> list[str]:
    return [INVALID] if any(step.invalid for step in task.steps) else []


def _training_column(run: Run) -> list[str]:
    return [IN_TRAINING] if run.trained_on else []


def _in_training(run: Run, sheet: ScoreSheet) -> dict[str, str]:
    """Say whether the judge was trained on the response; empty for a judge that does not tell."""
    trained = run.trained_on.get(sheet.scorer)
    word = "" if trained is None else "yes" if sheet.response_id in trained else "no"
    return dict.fromkeys(_training_column(run), word)


def _table(
    run: Run, columns: Sequence[str], rows: Iterable[Mapping[str, Any]], *, variables: bool = False
) -> pd.DataFrame:
    """Make a table of rows, each with the method and behind it the metadata of its response."""
    import pandas as pd

    carried = run.carried_columns
    shown = _apart(variable_names(carried) if variables else carried, columns)
    if variables:
        shown = variable_names(shown, columns)
    names = dict(zip(carried, shown, strict=True))
    whole = [
        {
            **row,
            "method": run.manifest["method"],
            **{names[name]: text for name, text in run.metadata.get(row["response_id"], {}).items()},
        }
        for row in rows
    ]
    return pd.DataFrame(whole, columns=[*columns, *shown])


def _apart(names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Name columns of metadata so that one called like a table's own column becomes ``input_NAME``.

    Whatever its case, since whoever reads the table tells no cases apart. The columns of repeats, panels and
    training count as own in every table, so that none is taken for them.
    """
    taken = {name.casefold() for name in (*columns, *REPEATS, N_SHEETS, IN_TRAINING)}
    others = {name.casefold() for name in names}
    shown_names: list[str] = []
    for name in names:
        shown = name
        while shown.casefold() in taken or (shown != name and shown.casefold() in others):
            shown = f"input_{shown}"
        taken.add(shown.casefold())
        shown_names.append(shown)
    return shown_names
