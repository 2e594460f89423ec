"""Measures of agreement between two scorers: one record each, from which everything else follows.

Command line, experiments, tables, figures, docs and tests take what they say of a measure from its record.
A new measure is a new record below, or an entry point of another package in the group ``creaeval.measures``
that is a :class:`Measure` or a list of them.

Nothing here loads numpy: the command line shows these names in its help.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from creaeval.errors import SettingError
from creaeval.wording import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.metadata import EntryPoint

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from creaeval.stats.grid import Part

GROUP = "creaeval.measures"
#: What arXiv 2609.03432 reports, and the default everywhere.
PAPER = ("qwk", "pearson", "icc")
#: The measure whose mean over dimensions is the one contrast that needs no correction.
PRIMARY = PAPER[0]

Better = Literal["higher", "lower", "near 0"]
#: ``a pair``: one response that both scored; ``variation``: two, and a scorer who varies; or ``both vary``.
Needs = Literal["a pair", "variation", "both vary"]

_KEY = re.compile(r"[a-z][a-z0-9_]*")


class Levels(NamedTuple):
    """The levels of a scale, used or not: from `low` to `high` in steps of `step` points."""

    low: float
    high: float
    step: float = 1.0

    @property
    def number(self) -> int:
        """How many levels there are."""
        return round((self.high - self.low) / self.step) + 1


@dataclass(frozen=True)
class Measure:
    """A measure of agreement between two scorers of the same responses.

    Parameters
    ----------
    key : str
        What is typed and stands in files: small letters, digits and underscores.
    label : str
        What people read. The form of an ICC is part of it.
    function : callable
        Takes x and y, array-like of shape (n,) with nan for missing scores, and returns a float, nan where
        undefined. With `needs_scale` it takes the :class:`Levels` of the scale, too.
    definition : str
        What it is, in a line of the documentation.
    short : str
        A shorter label for the head of a column.
    on_grid : callable, optional
        The same on many pairs and resamples at once: takes a :class:`~creaeval.stats.grid.Part` and returns
        an array of shape (resamples, pairs). Without it there are no resamples, so no interval and no test.
    better : {"higher", "lower", "near 0"}
        Which values are better.
    in_points : bool
        Whether it is in points of the scale. Of such a measure no share of people's agreement is reached.
    comparable : bool
        Whether methods are compared by it: a higher value says that a method agrees better, and there are
        resamples.
    symmetric : bool
        Whether it is the same when scorers are swapped; of two people neither is the first.
    share : bool
        Whether it is a share of responses, so that on a single pair of scorers its interval is Wilson's.
    bounds : tuple of float
        The least and greatest value it can have; no limit of an interval leaves them.
    needs : {"a pair", "variation", "both vary"}
        What it is undefined without.
    zero_if_constant : bool
        Whether it is 0 for the only reason that one scorer gives every response the same.
    needs_scale : bool
        Whether it depends on the levels of the scale that nobody used.

    Raises
    ------
    ValueError
        The key has another form, or `bounds` of a share are not 0 and 1.
    """

    key: str
    label: str
    function: Callable[..., float]
    definition: str = ""
    short: str = ""
    on_grid: Callable[[Part], NDArray[np.float64]] | None = None
    better: Better = "higher"
    in_points: bool = False
    comparable: bool = True
    symmetric: bool = True
    share: bool = False
    bounds: tuple[float, float] = (-1.0, 1.0)
    needs: Needs = "variation"
    zero_if_constant: bool = False
    needs_scale: bool = False

    def __post_init__(self) -> None:
        if not _KEY.fullmatch(self.key):
            raise ValueError(f"measure {self.key!r}: expected small letters, digits and underscores")
        if self.share and self.bounds != (0.0, 1.0):
            raise ValueError(f"measure {self.key!r}: a share lies between 0 and 1, not in {self.bounds}")

    @property
    def short_label(self) -> str:
        """The label for the head of a column."""
        return self.short or self.label

    @property
    def chance_is_zero(self) -> bool:
        """Whether a value below 0 is worse than chance."""
        return self.better == "higher" and self.bounds[0] < 0

    def merit(self, value: float) -> float:
        """Turn a value into one of which a higher one is better."""
        return {"higher": value, "lower": -value, "near 0": -abs(value)}[self.better]

    def value(self, x: ArrayLike, y: ArrayLike, levels: Levels | None = None) -> float:
        """Compute it for two scorers; nan where undefined, also for want of the scale it needs.

        Parameters
        ----------
        x, y : array_like, shape (n,)
            Scores of the same responses, nan for missing ones.
        levels : Levels, optional
            Of the scale; used by measures that need it.

        Returns
        -------
        float
        """
        if not self.needs_scale:
            return self.function(x, y)
        return math.nan if levels is None else self.function(x, y, levels)

    def why_undefined(
        self,
        x: ArrayLike,
        y: ArrayLike,
        names: tuple[str, str] = ("the first", "the second"),
        levels: Levels | None = None,
    ) -> str:
        """Say why it is undefined for these scores.

        Parameters
        ----------
        x, y : array_like, shape (n,)
            What the function is given.
        names : tuple of str
            Who the two scorers are.
        levels : Levels, optional
            Of the scale.

        Returns
        -------
        str
            The reason, "" if it is defined.
        """
        from creaeval.stats.correlation import lacking, off_levels, pairs

        x, y = pairs(x, y)
        if reason := lacking(x, y, self.needs, names):
            return reason
        if not self.needs_scale:
            return ""
        return "the scale is not known" if levels is None else off_levels(x, y, levels, names)

    def remark(self, x: ArrayLike, y: ArrayLike, names: tuple[str, str], levels: Levels | None = None) -> str:
        """Say why it is undefined, or 0 since a scorer is constant; "" where nothing is to be said.

        Parameters
        ----------
        x, y, names, levels
            As for `why_undefined`.

        Returns
        -------
        str
        """
        from creaeval.stats.correlation import is_constant, pairs

        reason = self.why_undefined(x, y, names, levels)
        if reason or not self.zero_if_constant:
            return reason
        constant = [name for name, scores in zip(names, pairs(x, y), strict=True) if is_constant(scores)]
        return f"0 since {constant[0]} is constant" if constant else ""


def _later(place: str) -> Callable[..., Any]:
    """Stand for a function of this package that is imported when it is first called."""
    module, _, name = place.rpartition(".")

    def call(*arguments: Any) -> Any:
        return getattr(import_module(f"creaeval.stats.{module}"), name)(*arguments)

    call.__module__, call.__name__ = f"creaeval.stats.{module}", name
    return call


_BUILT_IN = (
    Measure(
        "qwk",
        "QWK",
        _later("kappa.quadratic_weighted_kappa"),
        "quadratic weighted kappa on values, 2 cov / (var + var + (difference of means)²)",
        on_grid=_later("vectorised.qwk"),
        zero_if_constant=True,
    ),
    Measure(
        "pearson",
        "Pearson r",
        _later("correlation.pearson"),
        "Pearson's r",
        on_grid=_later("vectorised.pearson"),
        needs="both vary",
    ),
    Measure(
        "icc",
        "ICC(A,1)",
        _later("icc.icc_agreement"),
        "ICC(A,1), that is ICC(2,1): two-way, absolute agreement, single rater",
        on_grid=_later("vectorised.icc_agreement"),
        bounds=(-math.inf, 1.0),
        zero_if_constant=True,
    ),
    Measure(
        "icc1",
        "ICC(1)",
        _later("icc.icc_one_way"),
        "ICC(1), that is ICC(1,1): one-way, single rater; the paper's equation 6",
        on_grid=_later("vectorised.icc_one_way"),
    ),
    Measure(
        "linear",
        "linear weighted kappa",
        _later("kappa.linear_weighted_kappa"),
        "linear weighted kappa on values",
        "linear kappa",
        on_grid=_later("vectorised.linear_kappa"),
        zero_if_constant=True,
    ),
    Measure(
        "kappa",
        "Cohen's kappa",
        _later("kappa.cohen_kappa"),
        "Cohen's kappa, unweighted",
        on_grid=_later("vectorised.cohen_kappa"),
        zero_if_constant=True,
    ),
    Measure(
        "ac1",
        "Gwet's AC1",
        _later("gwet.gwet_ac1"),
        "Gwet's AC1: agreement beyond chance that does not collapse where nearly all scores are equal",
        "AC1",
        on_grid=_later("vectorised.ac1"),
        needs="a pair",
        needs_scale=True,
    ),
    Measure(
        "ac2",
        "Gwet's AC2 (quadratic)",
        _later("gwet.gwet_ac2"),
        "Gwet's AC2 with quadratic weights on values",
        "AC2",
        on_grid=_later("vectorised.ac2"),
        bounds=(-math.inf, 1.0),
        needs="a pair",
        needs_scale=True,
    ),
    Measure(
        "spearman",
        "Spearman rho",
        _later("correlation.spearman"),
        "Spearman's rank correlation",
        comparable=False,
        needs="both vary",
    ),
    Measure(
        "kendall",
        "Kendall tau-b",
        _later("correlation.kendall_tau_b"),
        "Kendall's tau-b",
        comparable=False,
        needs="both vary",
    ),
    Measure(
        "exact",
        "exact agreement",
        _later("differences.exact_agreement"),
        "share of equal scores",
        "exact",
        on_grid=_later("vectorised.exact"),
        share=True,
        bounds=(0.0, 1.0),
        needs="a pair",
    ),
    Measure(
        "adjacent",
        "agreement within 1 point",
        _later("differences.adjacent_agreement"),
        "share of scores at most 1 point apart",
        "within 1 point",
        on_grid=_later("vectorised.adjacent"),
        share=True,
        bounds=(0.0, 1.0),
        needs="a pair",
    ),
    Measure(
        "bias",
        "bias (scorer minus rater, in points)",
        _later("differences.mean_difference"),
        "mean of scorer minus rater, in points",
        "bias",
        on_grid=_later("vectorised.bias"),
        better="near 0",
        in_points=True,
        comparable=False,
        symmetric=False,
        bounds=(-math.inf, math.inf),
        needs="a pair",
    ),
    Measure(
        "mae",
        "mean absolute difference (in points)",
        _later("differences.mean_absolute_error"),
        "mean distance, in points",
        "MAE",
        on_grid=_later("vectorised.mean_absolute"),
        better="lower",
        in_points=True,
        comparable=False,
        bounds=(0.0, math.inf),
        needs="a pair",
    ),
    Measure(
        "rmse",
        "RMSE (in points)",
        _later("differences.rmse"),
        "root mean square difference, in points",
        "RMSE",
        on_grid=_later("vectorised.rmse"),
        better="lower",
        in_points=True,
        comparable=False,
        bounds=(0.0, math.inf),
        needs="a pair",
    ),
)

_measures: dict[str, Measure] = {measure.key: measure for measure in _BUILT_IN}


def list_measures() -> list[Measure]:
    """List the built-in measures and those registered or asked for so far."""
    return list(_measures.values())


def get_measure(key: str) -> Measure:
    """Return the measure with this key.

    Parameters
    ----------
    key : str
        Of a built-in measure, a registered one, or one that an entry point offers.

    Returns
    -------
    Measure

    Raises
    ------
    SettingError
        There is none, two packages offer it, or the package that offers it cannot be loaded.
    """
    if key in _measures:
        return _measures[key]
    offered, failed = _plug_ins()
    if key in failed:
        raise SettingError(failed[key])
    offers = offered.get(key, [])
    if len(offers) > 1:
        places = " and by ".join(place for place, _ in offers)
        raise SettingError(f"measure {key!r} is registered twice: by {places}; rename one of them.")
    if offers:
        return register_measure(offers[0][1])
    known = [*_measures, *offered]
    hint = did_you_mean(key, known)
    unread = "".join(f" ({problem})" for problem in dict.fromkeys(failed.values()))
    raise SettingError(f"measure {key!r}: expected one of {', '.join(known)}. {hint}".rstrip() + unread)


def get_measures(keys: Sequence[str]) -> list[Measure]:
    """Return the measures with these keys, each once; see :func:`get_measure`."""
    return [get_measure(key) for key in dict.fromkeys(keys)]


def measure_label(key: str) -> str:
    """Return what people read for a measure; of what is none, the key."""
    try:
        return get_measure(key).label
    except SettingError:
        return key


def register_measure(measure: Measure) -> Measure:
    """Add a measure under its key.

    Parameters
    ----------
    measure : Measure
        The record.

    Returns
    -------
    Measure
        The same.

    Raises
    ------
    SettingError
        Another measure has the key; both modules are named.
    """
    other = _measures.setdefault(measure.key, measure)
    if other != measure:
        raise SettingError(
            f"measure {measure.key!r} is registered twice: by {other.function.__module__} and by "
            f"{measure.function.__module__}; rename one of them."
        )
    return measure


@cache
def _plug_ins() -> tuple[dict[str, list[tuple[str, Measure]]], dict[str, str]]:
    """Load what other packages offer: by key with its home; and by name, why something cannot be loaded."""
    from importlib.metadata import entry_points

    offered: dict[str, list[tuple[str, Measure]]] = {}
    failed: dict[str, str] = {}
    built_in = {measure.key: measure for measure in _BUILT_IN}
    for entry in entry_points(group=GROUP):
        try:
            measures = _load(entry)
        except SettingError as error:
            failed[entry.name] = str(error)
            continue
        for measure in measures:
            if measure.key in built_in:
                home = built_in[measure.key].function.__module__
                problem = f"measure {measure.key!r} is registered twice: by {home} and by {entry.value}"
                failed |= dict.fromkeys((entry.name, *(other.key for other in measures)), problem)
                break
        else:
            for measure in measures:
                offered.setdefault(measure.key, []).append((entry.value, measure))
    return offered, failed


def _load(entry: EntryPoint) -> list[Measure]:
    try:
        loaded = entry.load()
    except Exception as error:
        raise SettingError(
            f"measures {entry.name!r} of {entry.value} cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    measures = [loaded] if isinstance(loaded, Measure) else loaded
    if not isinstance(measures, list | tuple) or not all(isinstance(each, Measure) for each in measures):
        raise SettingError(
            f"measures {entry.name!r} of {entry.value}: found {loaded!r:.80}, expected a "
            "creaeval.stats.measures.Measure or a list of them"
        )
    return list(measures)
