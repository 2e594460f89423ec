"""Conditions that end `creaeval compare` with an exit code, such as ``qwk drops 0.05``."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from creaeval.agreement.pairs import AVG
from creaeval.errors import SettingError
from creaeval.stats.measures import get_measure, list_measures

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd

#: Agreement measures that are compared; a condition is on their mean over dimensions.
AGREEMENT = tuple(measure.key for measure in list_measures() if measure.comparable)
#: Of these one value a run is known, without an interval.
USAGE = ("cost", "tokens", "seconds", "failures")
GRAMMAR = (
    "MEASURE [surely] drops|rises AMOUNT[%], as in 'qwk drops 0.05', 'mean surely drops 2' or "
    f"'cost rises 20%'. MEASURE is {', '.join(AGREEMENT)} (with ratings), mean, {', '.join(USAGE[:-1])} or "
    f"{USAGE[-1]}"
)
COLUMNS = ["condition", "a", "b", "change", "low", "high", "limit", "n", "failed", "reason"]
_FORM = re.compile(
    r"\s*(?P<measure>\w+)\s+(?P<surely>surely\s+)?(?P<direction>drops|rises)\s+(by\s+)?"
    r"(?P<amount>\d+(\.\d*)?|\.\d+)\s*(?P<percent>%)?\s*",
    re.ASCII | re.IGNORECASE,
)
# 0.75 - 0.70 is a little less than 0.05 in binary fractions.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Condition:
    """What must not happen from run A to run B.

    Attributes
    ----------
    text : str
        As it was written.
    measure : str
        A measure of agreement that is compared, ``mean`` or one of ``USAGE``.
    direction : {"drops", "rises"}
        Which change is unwanted.
    amount : float
        How much of it, in the measure's own unit, or in percent of A's value.
    percent : bool
        Whether it is in percent.
    surely : bool
        Whether the whole interval must lie there, and not only the estimate.
    """

    text: str
    measure: str
    direction: Literal["drops", "rises"]
    amount: float
    percent: bool
    surely: bool

    @property
    def is_agreement(self) -> bool:
        """Whether it is on a measure of agreement, so that it needs ratings."""
        return self.measure not in ("mean", *USAGE)


def read_conditions(texts: Iterable[str], *, with_ratings: bool) -> list[Condition]:
    """Read conditions.

    Parameters
    ----------
    texts : iterable of str
        Each as in ``GRAMMAR``.
    with_ratings : bool
        Whether there are ratings, which agreement needs.

    Returns
    -------
    list of Condition

    Raises
    ------
    SettingError
        A text has another form, names no measure, or asks for what cannot be known.
    """
    return [_read(text, with_ratings) for text in texts]


def _read(text: str, with_ratings: bool) -> Condition:
    match = _FORM.fullmatch(text)
    if match is None:
        raise SettingError(f"condition {text!r}: expected {GRAMMAR}.")
    measure = match["measure"].lower()
    if measure not in ("mean", *USAGE) and not _is_compared(measure):
        raise SettingError(f"condition {text!r}: there is no measure {measure!r}. Expected {GRAMMAR}.")
    if measure not in ("mean", *USAGE) and not with_ratings:
        raise SettingError(f"condition {text!r}: agreement needs ratings; give --ratings FILE.")
    if match["surely"] and measure in USAGE:
        raise SettingError(
            f"condition {text!r}: {measure} has no interval, so nothing is sure of it; leave 'surely' out."
        )
    return Condition(
        text=" ".join(text.split()),
        measure=measure,
        direction="drops" if match["direction"].lower() == "drops" else "rises",
        amount=float(match["amount"]),
        percent=match["percent"] is not None,
        surely=match["surely"] is not None,
    )


def _is_compared(measure: str) -> bool:
    try:
        return get_measure(measure).comparable
    except SettingError:
        return False


def check_conditions(conditions: Sequence[Condition], tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Hold conditions against what was found.

    Parameters
    ----------
    conditions : sequence of Condition
        The conditions.
    tables : mapping of str to pandas.DataFrame
        ``differences`` and ``usage``, and ``agreement`` for conditions on agreement, of
        :class:`~creaeval.agreement.runs.compare_runs.RunComparison`.

    Returns
    -------
    pandas.DataFrame
        One row a condition: the values of both runs, ``change`` (B minus A) with its interval, ``limit`` (the
        change from which it fails), ``n`` (responses), ``failed`` and ``reason``. It fails where the change
        in the unwanted direction is at least the amount, and not 0; with ``surely``, where that holds of
        the nearer end of the interval. What is undefined fails, with its reason; a change in the other
        direction that all resamples share does not.
    """
    import pandas as pd

    return pd.DataFrame([_check(one, tables) for one in conditions], columns=COLUMNS)


def _check(condition: Condition, tables: Mapping[str, pd.DataFrame]) -> list[object]:
    from creaeval.stats.draws import ALL_EQUAL

    a, b, low, high, n, reason = _find(condition.measure, tables)
    change = b - a
    sign = -1.0 if condition.direction == "drops" else 1.0
    amount = condition.amount / 100 * abs(a) if condition.percent else condition.amount
    # The end of the interval that is nearest to no change in the unwanted direction.
    bound = {False: change, True: high if condition.direction == "drops" else low}[condition.surely]
    if math.isnan(change):
        failed, reason = True, f"undefined: {reason or 'no value in one of the runs'}"
    elif math.isnan(bound) and not (ALL_EQUAL in reason and sign * change <= _ROUNDING):
        failed, reason = True, f"undefined: no interval ({reason or 'no resamples'})"
    elif condition.is_agreement and (unequal := _unequal(condition, tables)):
        failed, reason = True, f"not comparable: defined for one of the runs only in {', '.join(unequal)}"
    else:
        failed = sign * bound >= amount - _ROUNDING and sign * bound > _ROUNDING
        reason = "" if condition.measure in USAGE else reason
    return [condition.text, a, b, change, low, high, sign * amount + 0.0, n, failed, reason]


def _find(measure: str, tables: Mapping[str, pd.DataFrame]) -> tuple[float, float, float, float, object, str]:
    """Return A's and B's value, the interval of B minus A, n, and what must be said."""
    if measure in USAGE:
        row = _row(tables["usage"], measure=measure)
        n = min(row["n_a"], row["n_b"])
        return float(row["a"]), float(row["b"]), math.nan, math.nan, n, str(row["reason"])
    if measure == "mean":
        of = tables["differences"]
        # Without any Total, the mean over dimensions.
        totals = of.loc[of["dimension"].eq("total"), "n"]
        row = _row(of, dimension="total" if totals.gt(0).any() else AVG)
        names = ("mean_a", "mean_b")
    else:
        row = _row(tables["agreement"], dimension=AVG, metric=measure)
        names = ("first_value", "second_value")
    a, b, low, high = (float(row.get(name, math.nan)) for name in (*names, "low", "high"))
    return a, b, -high, -low, row["n"], str(row["reason"])


def _row(table: pd.DataFrame, **where: str) -> dict[Any, Any]:
    """Return the row with these values; where nothing could be compared there is none."""
    for name, value in where.items():
        table = table[table[name].eq(value)]
    rows = table.to_dict("records")
    return rows[0] if rows else {"n": 0, "reason": "no score of one of the runs can be compared"}


def _unequal(condition: Condition, tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """Name dimensions that are in the mean of one run alone, so that the means are of different things."""
    of = tables["agreement"]
    rows = of[of["metric"].eq(condition.measure) & of["dimension"].ne(AVG)]
    return list(map(str, rows.loc[rows["first_value"].isna() != rows["second_value"].isna(), "dimension"]))
