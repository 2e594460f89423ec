"""The paper's temperature pilot, computed again from the raw files its authors published.

arXiv 2609.03432, Tables 9 (BERTScore), 10 (Self-BLEU) and 11 (variance): four models, three temperatures, ten
responses. The files hold values per response, not the evidence or the scores themselves.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from creaeval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

#: The measures as in :mod:`creaeval.agreement.runs.stability`; Self-BLEU is the pilot's own variant.
MEASURES = ("bertscore", "self_bleu_pilot", "variance")
INTEGRITY = "Step-2 Integrity"
AVG = "AVG"
#: The columns of the paper's tables.
DIMENSIONS = (
    "Step-1 Fluency",
    "Step-1 Flexibility",
    "Step-1 Elaboration",
    "Step-1 Originality",
    INTEGRITY,
    "Step-2 Focus",
    "Step-2 Adequacy",
)
RAW_COLUMNS = ["model", "temperature", "measure", "dimension", "response_id", "item", "value"]
TABLE_COLUMNS = ["model", "temperature", "measure", "dimension", "value", "n_responses"]

_SIMILARITY, _SCORING = "Raw_Results", "Raw_Results_Scoring"
_KEYS = {"bleu": "self_bleu_pilot", "bert": "bertscore"}
_PARTS_OF_INTEGRITY = (
    "Step-2 Condition Phrase",
    "Step-2 Stem & KVP",
    "Step-2 Purpose",
    "Step-2 FS Parameters",
)
_KNOWN = (*(name for name in DIMENSIONS if name != INTEGRITY), *_PARTS_OF_INTEGRITY)
_SPELLING = {"Flexbility": "Flexibility"}
# Means of equal values may differ in the last binary digits.
_DIGITS = 9


def read_pilot(folder: Path | str) -> pd.DataFrame:
    """Read the raw files of the pilot.

    Parameters
    ----------
    folder : path
        Holds ``Raw_Results`` and ``Raw_Results_Scoring``, each with a file ``MODEL_tem=T.json``
        for every model and temperature.

    Returns
    -------
    pandas.DataFrame
        Columns ``model``, ``temperature``, ``measure`` (bertscore, self_bleu_pilot, variance), ``dimension``
        (``Step-1 Fluency``; Integrity as its four parts), ``response_id``, ``item`` (missing where the value
        is of the response) and ``value``, one row a value.

    Raises
    ------
    DataError
        A folder has no such files, a file is not in this form, or lacks one of the dimensions.
    """
    import pandas as pd

    rows = [
        (model, temperature, measure, *rest)
        for part in (_SIMILARITY, _SCORING)
        for path, model, temperature in _files(Path(folder) / part)
        for measure, *rest in _read(path, part == _SCORING)
    ]
    frame = pd.DataFrame(rows, columns=RAW_COLUMNS)
    return frame.astype({"temperature": float, "item": "Int64", "value": float})


def pilot_tables(raw: pd.DataFrame) -> pd.DataFrame:
    """Compute the paper's Tables 9 to 11.

    Parameters
    ----------
    raw : pandas.DataFrame
        From :func:`read_pilot`.

    Returns
    -------
    pandas.DataFrame
        Columns ``model``, ``temperature``, ``measure``, ``dimension`` (the seven of the paper and ``AVG``,
        their unweighted mean), ``value`` and ``n_responses``. Items are averaged within a response, then the
        responses; Integrity is the mean of its four parts.

    References
    ----------
    arXiv 2609.03432, Tables 9 to 11.
    """
    import pandas as pd

    where = ["model", "temperature", "measure"]
    merged = raw.assign(
        dimension=raw["dimension"].where(~raw["dimension"].isin(_PARTS_OF_INTEGRITY), INTEGRITY)
    )
    of_responses = merged.groupby([*where, "dimension", "response_id"], sort=False)["value"].mean()
    grouped = of_responses.groupby(level=[*where, "dimension"], sort=False)
    table = pd.DataFrame({"value": grouped.mean(), "n_responses": grouped.size()}).reset_index()
    average = table.groupby(where, sort=False).agg({"value": "mean", "n_responses": "min"}).reset_index()
    both = pd.concat([table, average.assign(dimension=AVG)], ignore_index=True)
    both["dimension"] = pd.Categorical(both["dimension"], [*DIMENSIONS, AVG], ordered=True)
    ordered = both.sort_values(["measure", "model", "temperature", "dimension"], ignore_index=True)
    return ordered.astype({"dimension": str})[TABLE_COLUMNS]


def best_temperatures(table: pd.DataFrame) -> pd.DataFrame:
    """Find the best temperature of each model, measure and dimension.

    Parameters
    ----------
    table : pandas.DataFrame
        From :func:`pilot_tables`.

    Returns
    -------
    pandas.DataFrame
        Columns ``measure``, ``model``, ``dimension`` and ``best``: a tuple of temperatures, several where
        they tie. The best has the highest similarity or the lowest variance.
    """
    import pandas as pd

    rows = []
    for (measure, model, dimension), cell in table.groupby(["measure", "model", "dimension"], sort=False):
        values = cell["value"].round(_DIGITS)
        best = values.min() if measure == "variance" else values.max()
        rows.append(
            (measure, model, dimension, tuple(sorted(map(float, cell["temperature"][values == best]))))
        )
    return pd.DataFrame(rows, columns=["measure", "model", "dimension", "best"])


def count_best(table: pd.DataFrame, temperature: float = 0.2) -> pd.DataFrame:
    """Count the cells in which a temperature is best.

    Parameters
    ----------
    table : pandas.DataFrame
        From :func:`pilot_tables`.
    temperature : float
        The one the paper chose.

    Returns
    -------
    pandas.DataFrame
        A row a measure for the cells of models by dimensions, and one for those of ``AVG``: ``measure``,
        ``cells`` (``dimensions`` or ``AVG``), ``n``, ``best_or_tied`` and ``strictly_best``.
    """
    import pandas as pd

    best = best_temperatures(table)
    best["cells"] = best["dimension"].eq(AVG).map({True: AVG, False: "dimensions"})
    rows = [
        (
            measure,
            cells,
            len(chosen),
            sum(temperature in one for one in chosen["best"]),
            sum(one == (temperature,) for one in chosen["best"]),
        )
        for (measure, cells), chosen in best.groupby(["measure", "cells"], sort=True)
    ]
    return pd.DataFrame(rows, columns=["measure", "cells", "n", "best_or_tied", "strictly_best"])


def variances_of_whole_scores(raw: pd.DataFrame) -> pd.DataFrame:
    """Count the variances that occur where a response has one score on a dimension.

    Parameters
    ----------
    raw : pandas.DataFrame
        From :func:`read_pilot`.

    Returns
    -------
    pandas.DataFrame
        Columns ``value`` and ``n``, by value. Fluency, Elaboration and Originality of step 1 are left out:
        their values are means over items.

    Notes
    -----
    The population variance of two whole numbers is (difference / 2) ** 2: 0, .25, 1, 2.25. That of five is a
    multiple of 1 / 25, so .25 and 2.25 cannot be of five repeats.
    """
    by_items = {"Step-1 Fluency", "Step-1 Elaboration", "Step-1 Originality"}
    chosen = raw[raw["measure"].eq("variance") & ~raw["dimension"].isin(by_items)]
    return chosen.groupby("value").size().rename("n").reset_index()


def shares_of_exact_repeats(raw: pd.DataFrame) -> pd.DataFrame:
    """Share of Self-BLEU values that say no more than whether one-token texts repeat each other.

    Parameters
    ----------
    raw : pandas.DataFrame
        From :func:`read_pilot`.

    Returns
    -------
    pandas.DataFrame
        Columns ``dimension``, ``n`` (values of items or responses, at all models and temperatures),
        ``share_0`` (of values 0) and ``share_631`` (of values .631, five equal texts of one token each).
    """
    import pandas as pd

    chosen = raw[raw["measure"].eq("self_bleu_pilot")]
    rows = [
        (dimension, len(values), float(values.eq(0).mean()), float(values.eq(0.631).mean()))
        for dimension, values in chosen.groupby("dimension", sort=False)["value"]
    ]
    return pd.DataFrame(rows, columns=["dimension", "n", "share_0", "share_631"])


def _files(folder: Path) -> Iterator[tuple[Path, str, float]]:
    paths = sorted(folder.glob("*_tem=*.json"))
    if not paths:
        raise DataError(
            f"{folder}: found no files MODEL_tem=T.json, expected the raw files of the temperature pilot. "
            f"Name the folder that holds {_SIMILARITY} and {_SCORING}."
        )
    for path in paths:
        model, _, temperature = path.stem.rpartition("_tem=")
        try:
            yield path, model, float(temperature)
        except ValueError:
            raise DataError(f"{path.name}: found temperature {temperature!r}, expected a number.") from None


def _read(path: Path, scoring: bool) -> Iterator[tuple[str, str, str, int | None, float]]:
    """Yield measure, dimension, response, item and value."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path.name}: cannot be read as JSON: {error}") from error
    seen = set()
    for step, dimensions in _fields(path, "", document):
        for given, responses in _fields(path, step, dimensions):
            dimension = f"{step} {_SPELLING.get(given, given)}"
            if dimension not in _KNOWN:
                raise DataError(f"{path.name}: found dimension {dimension!r}, expected {', '.join(_KNOWN)}.")
            seen.add(dimension)
            for response, found in _fields(path, f"{step}/{given}", responses):
                where = f"{step}/{given}/{response}"
                if scoring:
                    yield "variance", dimension, response, None, _number(path, where, found)
                    continue
                fields = _fields(path, where, found)
                by_items = all(isinstance(one, dict) for _, one in fields)
                for number, (name, values) in enumerate(fields if by_items else [("", found)], 1):
                    place = f"{where}/{name}" if by_items else where
                    given_values = dict(_fields(path, place, values))
                    for key, measure in _KEYS.items():
                        value = _number(path, f"{place}/{key}", given_values.get(key))
                        yield measure, dimension, response, number if by_items else None, value
    if missing := [name for name in _KNOWN if name not in seen]:
        raise DataError(f"{path.name}: found no {missing[0]}, expected all of {', '.join(_KNOWN)}.")


def _fields(path: Path, where: str, value: Any) -> list[tuple[str, Any]]:
    if not isinstance(value, dict) or not value:
        raise DataError(f"{path.name}, {where or 'top'}: found {str(value)[:60]!r}, expected an object.")
    return list(value.items())


def _number(path: Path, where: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise DataError(f"{path.name}, {where}: found {value!r}, expected a number.")
    return float(value)
