"""How agreement is measured: the settings that all of its tables share."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal

from creaeval.errors import SettingError
from creaeval.stats.measures import PAPER, get_measures
from creaeval.wording import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from creaeval.agreement.rating_data import RatingData, Unit
    from creaeval.stats.draws import Draws

#: ``model``: what the judge itself wrote, as the paper compared methods; ``final``: computed where it can be.
Values = Literal["model", "final"]
#: Of dimensions scored by items: their ``sum``, their ``mean`` per valid item, or ``each`` item by itself.
Items = Literal["sum", "mean", "each"]


@dataclass(frozen=True, kw_only=True)
class AgreementOptions:
    """Settings of :func:`creaeval.agree` and :func:`creaeval.raters`.

    Attributes
    ----------
    measures : tuple of str
        Keys of the measures.
    values : {"model", "final"}
        Which of a judge's values: those it wrote, or the computed ones where there are any.
    items : {"sum", "mean", "each"}
        What to take of dimensions that are scored by items. Sums grow with the number of valid items, which
        means per valid item do not. With ``each``, every item stands for itself.
    stage : str, optional
        Which stage of the ratings; needed where there are several.
    resamples : int
        Bootstrap resamples; 0 for no intervals.
    interval : {"percentile", "bca"}
        Kind of bootstrap interval.
    confidence : float
        Its level.
    seed : int
        Same seed, same numbers.
    cluster : tuple of str
        Up to two carried columns whose values are resampled whole; two of them as crossed factors.
    groups : tuple of str
        Carried columns: the means for each of their values, and whether judges favour one of them.
    within : tuple of str
        Carried columns that part the responses into groups, several together: Pearson's r within these.
    raters : {"fixed", "random"}, optional
        Whether results hold for these raters or for raters like them. Default: fixed where judges are held
        against raters, random for the reliability of raters.
    margin : float, optional
        How far agreement may differ and still count as equal: two one-sided tests.
    target : float
        Reliability that the number of raters is found for.
    epsilon : float
        Allowance of the alternative annotator test.
    correct : bool
        Put all judges' points on the raters' scale first, by curves fitted on other responses (or clusters).
    include_training : bool
        Show apart the agreement of a judge on all it scored, the responses that it was trained on among them;
        everything else is without these.
    persons, facet : str, optional
        Carried columns that name who wrote a response and what it answers, where everybody answered each.
    writer : str, optional
        Carried column that names who wrote a response: whether judges favour their own family's work.
    families : mapping of str to str, optional
        By name of a judge or writer, its family.
    """

    measures: tuple[str, ...] = PAPER
    values: Values = "model"
    items: Items = "sum"
    stage: str | None = None
    resamples: int = 2000
    interval: Literal["percentile", "bca"] = "percentile"
    confidence: float = 0.95
    seed: int = 0
    cluster: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    raters: Literal["fixed", "random"] | None = None
    margin: float | None = None
    target: float = 0.8
    epsilon: float = 0.2
    correct: bool = False
    include_training: bool = False
    persons: str | None = None
    facet: str | None = None
    writer: str | None = None
    families: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        for name in ("measures", "cluster", "groups", "within"):
            listed = getattr(self, name) or ()
            unique = dict.fromkeys([listed] if isinstance(listed, str) else listed)
            object.__setattr__(self, name, tuple(unique))
        get_measures(self.measures)
        if self.resamples < 0 or self.resamples == 1:
            raise SettingError(f"{self.resamples} resamples: expected 0 for no intervals, or 2 and more.")
        if self.seed < 0:
            raise SettingError(f"seed {self.seed}: expected 0 or more.")
        if not 0 < self.confidence < 1:
            raise SettingError(f"confidence {self.confidence}: expected a share between 0 and 1, as in .95.")
        if not 0 < self.target < 1:
            raise SettingError(f"target {self.target}: expected a reliability between 0 and 1.")
        if not 0 <= self.epsilon <= 1:
            raise SettingError(f"epsilon: expected 0 to 1, not {self.epsilon}.")
        if self.margin is not None and not self.margin > 0:
            raise SettingError(f"margin {self.margin}: expected more than 0, as in .05.")
        if len(self.cluster) > 2:
            raise SettingError(
                f"{len(self.cluster)} columns of clusters: expected one, or two that are crossed."
            )
        if self.interval == "bca" and len(self.cluster) > 1:
            raise SettingError(
                "BCa intervals are not defined for two crossed factors: resample one of them, or take "
                "percentile intervals."
            )
        if (self.persons is None) != (self.facet is None):
            raise SettingError("Persons and a facet go together: name both columns.")

    def change(self, **settings: Any) -> AgreementOptions:
        """Return these options with other values; a name that is no setting raises SettingError."""
        known = [setting.name for setting in fields(self)]
        for name in settings:
            if name not in known:
                raise SettingError(f"{name}: there is no such setting. {did_you_mean(name, known)}".rstrip())
        return replace(self, **settings)

    @property
    def jackknife(self) -> bool:
        """Whether BCa needs the values without each unit."""
        return self.interval == "bca"

    def cluster_labels(
        self, units: Sequence[Unit], carried: Mapping[str, Mapping[str, str]]
    ) -> list[list[Hashable]]:
        """Return, for each factor that is resampled whole, what every unit belongs to; none for plain units.

        A unit whose response does not say what it belongs to is on its own.
        """
        labels: list[list[Hashable]] = []
        for name in self.cluster:
            if name not in carried:
                known = ", ".join(carried) or "none"
                raise SettingError(f"{name}: the responses carry no such column; they carry {known}.")
            values = carried[name]
            labels.append([values.get(unit.response_id) or unit for unit in units])
        if not labels and self.items == "each":
            labels.append([unit.response_id for unit in units])  # the items of a response belong together
        return labels

    def drawn(self, units: Sequence[Unit], carried: Mapping[str, Mapping[str, str]]) -> list[Hashable]:
        """Return what is drawn as a whole: what each unit belongs to by the first factor, or itself."""
        labels = self.cluster_labels(units, carried)
        return labels[0] if labels else list(units)

    def draws(self, data: RatingData) -> Draws | None:
        """Prepare the resamples of the data's units; None if there are to be none."""
        return self.draws_of(data.units, data.carried)

    def draws_of(self, units: Sequence[Unit], carried: Mapping[str, Mapping[str, str]]) -> Draws | None:
        """Prepare the resamples of some units; None if there are to be none."""
        from creaeval.stats.draws import make_draws

        if not self.resamples:
            return None
        first, second, *_ = [*self.cluster_labels(units, carried), None, None]
        return make_draws(
            len(units), n_resamples=self.resamples, groups=first, second_groups=second, seed=self.seed
        )

    @property
    def intervals(self) -> str:
        """What the intervals are, as a paper has to say."""
        drawn = "responses with all their items" if self.items == "each" else "responses"
        if self.cluster:
            drawn = " and ".join(f"whole groups by {name}" for name in self.cluster)
        from creaeval.stats.draws import FEWEST

        kind = "BCa" if self.interval == "bca" else "percentile"
        of_raters = "these raters"
        if self.raters == "random":
            of_raters = "raters like these (with the jackknife over raters; single pairs: for that rater)"
        return (
            f"Intervals: {self.confidence:.0%} {kind} bootstrap of {drawn}, {self.resamples:,} "
            f"resamples, seed {self.seed}, for {of_raters}; none for fewer than {FEWEST} of them."
        )


def make_options(options: AgreementOptions | None, settings: Mapping[str, Any]) -> AgreementOptions:
    """Take options, or the usual ones, with some settings changed."""
    return (options or AgreementOptions()).change(**settings)
