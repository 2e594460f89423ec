"""Who gave what to what: the one type that everything about agreement is computed from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

from creaeval.errors import SettingError
from creaeval.sheets.score_sheet import repeat_label
from creaeval.stats.measures import Levels

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from creaeval.tasks import Task

    Floats = NDArray[np.float64]
    Codes = NDArray[np.intp]

Kind = Literal["judge", "rater"]
Entry = TypeVar("Entry")
#: Columns of :meth:`RatingData.table` before those that responses carry.
LONG_COLUMNS = (
    *("response_id", "item", "kind", "method", "judge", "evidence_repeat", "judge_repeat", "scorer"),
    *("person", "dimension", "points"),
)


class Unit(NamedTuple):
    """What points are given to: a response, or an item of it (from 1; 0 is the response as a whole)."""

    response_id: str
    item: int = 0


@dataclass(frozen=True, slots=True)
class Scorer:
    """A rater, or a judge of a method at one repeat of gathering evidence and of judging it.

    Attributes
    ----------
    name : str
        The rater's, or the judge's.
    kind : {"judge", "rater"}
        Which of them.
    method : str
        The judge's method; empty for raters.
    evidence_repeat, judge_repeat : int
        From 1.
    variant : str
        What was done to the points, such as ``corrected``; empty for points as they were given.
    """

    name: str
    kind: Kind = "rater"
    method: str = ""
    evidence_repeat: int = 1
    judge_repeat: int = 1
    variant: str = ""

    @property
    def judge(self) -> Scorer:
        """The judge whose repeat this is."""
        return replace(self, evidence_repeat=1, judge_repeat=1)

    @property
    def repeat(self) -> tuple[int, int]:
        """Repeat of evidence and of judging."""
        return self.evidence_repeat, self.judge_repeat

    @property
    def label(self) -> str:
        """The name with its repeats, as in ``judge@2#3``, for people to read; never read back."""
        variant = f" ({self.variant})" if self.variant else ""
        return repeat_label(self.name, *self.repeat) + variant


class ScoreMatrix(NamedTuple):
    """Points as a matrix: a row a unit, a column a dimension of a scorer.

    Attributes
    ----------
    values : array of float, shape (units, columns)
        nan where there are no points.
    columns : dict
        A column's number by dimension and scorer; a scorer without points in a dimension has none there.
    """

    values: Floats
    columns: Mapping[tuple[str, Scorer], int]

    def take(self, dimension: str, scorers: Iterable[Scorer]) -> Floats:
        """Return the points of one dimension, shape (units, scorers)."""
        import numpy as np

        places = [self.columns.get((dimension, scorer), -1) for scorer in scorers]
        taken: Floats = np.full((len(self.values), len(places)), np.nan)
        known = [number for number, place in enumerate(places) if place >= 0]
        taken[:, known] = self.values[:, [places[number] for number in known]]
        return taken


@dataclass(frozen=True, eq=False)
class RatingData:
    """Points of judges and raters in a long table, with what must be known of them.

    Attributes
    ----------
    task : Task
        What was rated.
    units : tuple of Unit
        What points are given to, sorted; only those that have points.
    scorers : tuple of Scorer
        Judges in the order of their methods, then raters; only those that have points.
    dimensions : tuple of str
        Identities, in the order of the sheet.
    long : pandas.DataFrame
        One row a value: ``unit``, ``scorer`` and ``dimension`` number the entries of the tuples above,
        ``points`` is a float and never missing. No two rows share a unit, scorer and dimension.
    scales : mapping of str to tuple of float
        Lowest and highest points of each dimension.
    carried : mapping of str to mapping
        By name and response id, the columns that responses and ratings carry.
    people : tuple of str
        The raters' names by the numbers in the column ``person`` of ``long``, where slots stand for raters.
    """

    task: Task
    units: tuple[Unit, ...]
    scorers: tuple[Scorer, ...]
    dimensions: tuple[str, ...]
    long: pd.DataFrame
    scales: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    carried: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    people: tuple[str, ...] = ()

    @classmethod
    def build(
        cls,
        task: Task,
        dimensions: Sequence[str],
        scorers: Sequence[Scorer],
        rows: Sequence[tuple[Unit, int, int, float]],
        scales: Mapping[str, tuple[float, float]] | None = None,
        carried: Mapping[str, Mapping[str, str]] | None = None,
    ) -> RatingData:
        """Make the data of rows: unit, number of the scorer, number of the dimension, and points."""
        import numpy as np
        import pandas as pd

        units, numbers, names, points = zip(*rows, strict=True) if rows else ((), (), (), ())
        place = {unit: number for number, unit in enumerate(sorted(set(units)))}
        occurring = set(numbers)
        order = [
            number
            for kind in ("judge", "rater")
            for number, scorer in enumerate(scorers)
            if scorer.kind == kind and number in occurring
        ]
        renumbered = np.zeros(len(scorers), dtype=np.intp)
        renumbered[order] = np.arange(len(order))
        long = pd.DataFrame(
            {
                "unit": np.array([place[unit] for unit in units], dtype=np.intp),
                "scorer": renumbered[np.array(numbers, dtype=np.intp)],
                "dimension": np.array(names, dtype=np.intp),
                "points": np.array(points, dtype=float),
            }
        )
        named = tuple(scorers[number] for number in order)
        return cls(task, tuple(place), named, tuple(dimensions), long, scales or {}, carried or {})

    @cached_property
    def judges(self) -> tuple[Scorer, ...]:
        """The judges, every repeat by itself."""
        return tuple(scorer for scorer in self.scorers if scorer.kind == "judge")

    @cached_property
    def raters(self) -> tuple[Scorer, ...]:
        """The raters."""
        return tuple(scorer for scorer in self.scorers if scorer.kind == "rater")

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """The methods of the judges."""
        return tuple(dict.fromkeys(scorer.method for scorer in self.judges))

    @cached_property
    def response_ids(self) -> tuple[str, ...]:
        """The responses of the units."""
        return tuple(dict.fromkeys(unit.response_id for unit in self.units))

    @cached_property
    def matrix(self) -> ScoreMatrix:
        """All points as a matrix."""
        import numpy as np

        known, places = np.unique(self._columns, return_inverse=True)
        values: Floats = np.full((len(self.units), len(known)), np.nan)
        values[self.long["unit"].to_numpy(), places] = self.long["points"].to_numpy()
        names = (divmod(int(key), len(self.scorers)) for key in known)
        columns = {
            (self.dimensions[dimension], self.scorers[scorer]): place
            for place, (dimension, scorer) in enumerate(names)
        }
        return ScoreMatrix(values, columns)

    @property
    def _columns(self) -> Codes:
        """A number for the dimension and scorer of each row."""
        numbers: Codes = (
            self.long["dimension"].to_numpy() * len(self.scorers) + self.long["scorer"].to_numpy()
        )
        return numbers

    @cached_property
    def levels(self) -> dict[str, Levels]:
        """The points each dimension can have: whole ones, and halves where anybody gave one."""
        halves = set(self.long.loc[(self.long["points"] % 1).eq(0.5), "dimension"])
        return {
            name: Levels(*self.scales[name], 0.5 if number in halves else 1.0)
            for number, name in enumerate(self.dimensions)
            if name in self.scales
        }

    def take(self, dimension: str, scorers: Sequence[Scorer]) -> Floats:
        """Return the points of one dimension, shape (units, scorers); nan where there are none."""
        return self.matrix.take(dimension, scorers)

    def label(self, scorer: Scorer) -> str:
        """Name a scorer for people; where methods differ, a judge's method stands before it."""
        # A judge that is a method by itself, as in tables of recorded judges, needs no second name.
        alone = scorer.kind == "rater" or len(self.methods) == 1 or scorer.method == scorer.name
        return scorer.label if alone else f"{scorer.method}: {scorer.label}"

    def repeats(self, method: str | None = None) -> dict[Scorer, list[Scorer]]:
        """Return the judges, of one method or of all, each with its repeats."""
        judges: dict[Scorer, list[Scorer]] = {}
        for scorer in self.judges:
            if method in (None, scorer.method):
                judges.setdefault(scorer.judge, []).append(scorer)
        return judges

    def column(self, name: str) -> list[str | None]:
        """Return a carried column by unit, None where a response has no value; or say which there are."""
        if name not in self.carried:
            known = ", ".join(self.carried) or "none"
            raise SettingError(f"{name}: the responses carry no such column; they carry {known}.")
        values = self.carried[name]
        return [values.get(unit.response_id) for unit in self.units]

    def select(
        self,
        *,
        dimensions: Sequence[str] | None = None,
        scorers: Callable[[Scorer], bool] | None = None,
        units: Collection[Unit] | None = None,
    ) -> RatingData:
        """Keep some dimensions (in the order given), scorers and units."""
        import numpy as np

        chosen = self.dimensions if dimensions is None else tuple(dimensions)
        keep = np.isin(
            self.long["dimension"],
            [number for number, name in enumerate(self.dimensions) if name in set(chosen)],
        )
        if scorers is not None:
            kept = [number for number, scorer in enumerate(self.scorers) if scorers(scorer)]
            keep &= np.isin(self.long["scorer"], kept)
        if units is not None:
            kept = [number for number, unit in enumerate(self.units) if unit in units]
            keep &= np.isin(self.long["unit"], kept)
        return self.keep(keep, chosen)

    def keep(self, rows: NDArray[np.bool_], dimensions: Sequence[str] | None = None) -> RatingData:
        """Keep some rows of the long table, and of units and scorers those that still have points."""
        chosen = self.dimensions if dimensions is None else tuple(dimensions)
        long = self.long[rows].reset_index(drop=True)
        place = {name: number for number, name in enumerate(chosen)}
        long["dimension"] = long["dimension"].map(
            [place.get(name, -1) for name in self.dimensions].__getitem__
        )
        units, long["unit"] = _occurring(self.units, long["unit"].to_numpy())
        scorers, long["scorer"] = _occurring(self.scorers, long["scorer"].to_numpy())
        return replace(self, long=long, units=units, scorers=scorers, dimensions=chosen)

    def with_values(self, values: Floats) -> RatingData:
        """Put other values in the places of the matrix that have points; nan leaves a place empty."""
        import numpy as np

        _, places = np.unique(self._columns, return_inverse=True)
        changed = replace(self, long=self.long.assign(points=values[self.long["unit"].to_numpy(), places]))
        return changed.keep(changed.long["points"].notna().to_numpy())

    def rename(self, names: Callable[[Scorer], Scorer]) -> RatingData:
        """Give every scorer another identity; no two may become one."""
        return replace(self, scorers=tuple(map(names, self.scorers)))

    def table(self) -> pd.DataFrame:
        """Return the long table with names in place of numbers, and the carried columns behind.

        Returns
        -------
        pandas.DataFrame
            ``LONG_COLUMNS``: ``item`` is missing where points are of a whole response, ``scorer`` the label
            and ``person`` who filled a slot; then the columns that responses carry.
        """
        import pandas as pd

        units = [self.units[number] for number in self.long["unit"]]
        scorers = [self.scorers[number] for number in self.long["scorer"]]
        labels = [self.label(scorer) for scorer in self.scorers]
        named = [labels[number] for number in self.long["scorer"]]
        persons = named
        if "person" in self.long:
            filled = zip(named, self.long["person"], strict=True)
            persons = [self.people[number] if number >= 0 else name for name, number in filled]
        table = pd.DataFrame(
            {
                "response_id": [unit.response_id for unit in units],
                "item": pd.array([unit.item or None for unit in units], dtype="Int64"),
                "kind": [scorer.kind for scorer in scorers],
                "method": [scorer.method for scorer in scorers],
                "judge": [scorer.name if scorer.kind == "judge" else "" for scorer in scorers],
                "evidence_repeat": [scorer.evidence_repeat for scorer in scorers],
                "judge_repeat": [scorer.judge_repeat for scorer in scorers],
                "scorer": named,
                "person": persons,
                "dimension": [self.dimensions[number] for number in self.long["dimension"]],
                "points": self.long["points"].to_numpy(),
            },
            columns=list(LONG_COLUMNS),
        )
        for name, values in self.carried.items():
            if name not in table:
                table[name] = table["response_id"].map(values)
        return table


def _occurring(entries: Sequence[Entry], codes: Codes) -> tuple[tuple[Entry, ...], Codes]:
    """Keep the entries whose numbers occur, and number them anew."""
    import numpy as np

    known, renumbered = np.unique(codes, return_inverse=True)
    return tuple(entries[number] for number in known), renumbered.astype(np.intp)
