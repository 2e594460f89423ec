"""Rows of a panel beside those of its judges and repeats, in the tables that a run writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from creaeval.sheets.panel import N_SHEETS, panel_rows
from creaeval.sheets.score_sheet import REPEATS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas as pd

    from creaeval.runs.run import Run
    from creaeval.sheets.panel import PanelRow


def has_repeats(manifest: Mapping[str, Any]) -> bool:
    """Whether a run gathers evidence or scores it more than once."""
    return any(manifest.get(f"{name}s", 1) > 1 for name in REPEATS)


def has_panel(manifest: Mapping[str, Any]) -> bool:
    """Whether a run makes more than one sheet of a response.

    The record decides, not the sheets that are there: parts of one table must have the same columns.
    """
    return len(manifest["judges"]) > 1 or has_repeats(manifest)


def long_with_panel(run: Run) -> pd.DataFrame:
    """Return a run's scores in long form, where it has several sheets a response with the panel's rows.

    Parameters
    ----------
    run : Run
        The run, or a part of it.

    Returns
    -------
    pandas.DataFrame
        ``run.scores``, or that with a column ``n_sheets`` and after each response's rows those of its panel:
        ``judge`` names the statistic (see :data:`creaeval.sheets.panel.PANEL_JUDGES`), ``score`` is its
        value, and repeats and the model's own and computed scores are empty.
    """
    frame = run.scores
    if not has_panel(run.manifest):
        return frame

    def rows(row: PanelRow) -> Iterable[dict[str, Any]]:
        for identity, score in row.values.items():
            step, dot, _ = identity.partition(".")
            n_sheets = row.n[identity]
            yield {"step": step if dot else "", "dimension": identity, "score": score, N_SHEETS: n_sheets}

    return _with_rows(run, frame, rows, after="computed_score")


def wide_with_panel(run: Run) -> pd.DataFrame:
    """Return a run's final scores in wide form, where it has several sheets a response with the panel's rows.

    Parameters
    ----------
    run : Run
        The run, or a part of it.

    Returns
    -------
    pandas.DataFrame
        ``run.scores_wide``, with columns for the repeats where there are any; ``n_sheets`` in the panel's
        rows is how many sheets the response has.
    """
    frame = run.scores_wide
    after = "judge"
    if has_repeats(run.manifest):
        for name in REPEATS:
            numbers = [getattr(sheet, name) for sheet in run.sheets]
            frame.insert(list(frame).index(after) + 1, name, numbers)
            after = name
    if not has_panel(run.manifest):
        return frame

    def rows(row: PanelRow) -> Iterable[dict[str, Any]]:
        yield {**row.values, N_SHEETS: row.n_sheets}

    return _with_rows(run, frame, rows, after=after)


def _with_rows(run: Run, frame: pd.DataFrame, rows: Any, *, after: str) -> pd.DataFrame:
    import pandas as pd

    frame.insert(list(frame).index(after) + 1, N_SHEETS, None)
    # What a response carries stands in its panel's rows, too.
    own = _own_columns(run, frame)
    carried = frame.drop_duplicates("response_id").set_index("response_id").drop(columns=own)
    made = [
        {
            **carried.loc[row.response_id].to_dict(),
            "response_id": row.response_id,
            "method": run.manifest["method"],
            "judge": row.judge,
            **cells,
        }
        for row in panel_rows(run.task, run.sheets)
        for cells in rows(row)
    ]
    kinds = {name: "Int64" for name in (*REPEATS, N_SHEETS) if name in frame}
    frame = frame.astype(kinds)
    panel = pd.DataFrame(made, columns=frame.columns).astype(frame.dtypes.to_dict())
    whole = pd.concat([frame, panel], ignore_index=True) if made else frame
    order = {response_id: n for n, response_id in enumerate(dict.fromkeys(frame["response_id"]))}
    return whole.sort_values("response_id", key=lambda ids: ids.map(order), kind="stable", ignore_index=True)


def _own_columns(run: Run, frame: pd.DataFrame) -> list[str]:
    n_carried = len({name for extra in run.metadata.values() for name in extra})
    # The carried columns are the last ones of either table.
    return [name for name in frame.columns[: len(frame.columns) - n_carried] if name != "response_id"]
