"""What the scorers of one kind make of each dimension as a study: its factors, design and components."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from creaeval.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from creaeval.agreement.options import AgreementOptions
    from creaeval.agreement.rating_data import RatingData, Scorer
    from creaeval.stats.variance.component_draws import ComponentDraws
    from creaeval.stats.variance.components import Components
    from creaeval.stats.variance.design import Ratings

    Floats = NDArray[np.float64]

Kind = Literal["rater", "judge"]
_FACTORS = re.compile(r"\b(response|rater|facet|cluster)(s?)\b")


@dataclass(frozen=True)
class Study:
    """The points on one dimension of raters, or of the judges of one method.

    Attributes
    ----------
    kind : {"rater", "judge"}
        Whose points.
    dimension : str
        Identity.
    names : mapping of str to str
        What the factors response, rater, facet and cluster of the statistics are here.
    labels : tuple of str
        What the raters are called, by code.
    ratings : Ratings
        The points in long form.
    options : AgreementOptions
        Settings.
    reason : str
        Why the points make no study; the components say why theirs are undefined.
    notes : tuple of str
        What was decided.
    """

    kind: Kind
    dimension: str
    names: Mapping[str, str]
    labels: tuple[str, ...]
    ratings: Ratings
    options: AgreementOptions
    reason: str = ""
    notes: tuple[str, ...] = ()

    @cached_property
    def components(self) -> Components:
        """The variance components."""
        from creaeval.stats.variance.components import estimate_components

        return estimate_components(self.ratings)

    @cached_property
    def draws(self) -> ComponentDraws:
        """Draws of the components, for raters like these unless options say for these raters."""
        import numpy as np

        from creaeval.stats.variance.component_draws import draw_components

        rng = np.random.default_rng(self.options.seed)
        return draw_components(self.ratings, self.components, rng, raters=self.options.raters or "random")

    @property
    def objects(self) -> str:
        """What is measured."""
        return self.names["response"]

    @property
    def shape(self) -> str:
        """The design as a product of its factors."""
        objects, raters, facet, cluster = (
            self.names.get(factor, "") for factor in ("response", "rater", "facet", "cluster")
        )
        nested = self.components.design.kind == "nested"
        scored = f"{raters} within {objects}" if nested else f"{objects} x {raters}"
        if facet:
            return f"{scored} x {facet}"
        return f"{scored}, {objects} within {cluster}" if cluster else scored

    def effect(self, effect: Sequence[str]) -> str:
        """Name an effect."""
        if self.components.design.kind == "nested" and "rater" in effect:
            return f"{self.names['rater']} within {self.objects}"
        return " x ".join(self.names[factor] for factor in effect)

    @property
    def why_undefined(self) -> str:
        """Why there are no components or shares, in the words of this study."""
        return self.reason or self.words(self.components.reason)

    def words(self, text: str) -> str:
        """Put what factors are called here in place of the words of the statistics."""
        return _FACTORS.sub(lambda match: self.names.get(match[1], match[1]) + match[2], text)


def find_studies(data: RatingData, options: AgreementOptions) -> list[Study]:
    """Make a study of each dimension.

    Parameters
    ----------
    data : RatingData
        Of raters alone, or of the judges of one method.
    options : AgreementOptions
        Its ``persons`` and ``facet`` name carried columns: what is measured are then persons, who cross the
        levels of the facet. One column of ``cluster`` makes responses belong to clusters, unless each has
        one of its own; items belong to their response.

    Returns
    -------
    list of Study
        Judges with repeats make ``response x judge x repeat`` if all have the same repeats, and ``response x
        repeat`` if there is one judge. If they have not, the first repeat that all have stands for each.
    """
    kind: Kind = "judge" if data.judges else "rater"
    facet = options.persons is not None and options.facet is not None
    if facet and (len({options.persons, kind, options.facet}) < 3 or options.facet == "response"):
        names = f"{options.persons}, {kind} and {options.facet}"
        raise SettingError(f"{names}: expected three names, none response.")
    make = _of_persons if facet else _of_responses
    return [make(data, dimension, kind, options) for dimension in data.dimensions]


def _of_responses(data: RatingData, dimension: str, kind: Kind, options: AgreementOptions) -> Study:
    """Study responses, by scorers and where all judges have the same ones by repeats."""
    import numpy as np

    from creaeval.stats.variance.design import make_ratings

    names = {"response": "item" if options.items == "each" else "response", "rater": kind}
    repeats, notes = _repeats(data)
    reason = "" if repeats or not data.scorers else "the judges have no repeat in common"
    n_repeats = len(repeats[0]) if repeats else 1
    labels = tuple(data.label(of_judge[0]) for of_judge in repeats)
    if len(repeats) == 1 and n_repeats > 1:
        names["rater"] = "repeat"
        labels = tuple(map(str, range(1, n_repeats + 1)))
        repeats, n_repeats = [[scorer] for scorer in repeats[0]], 1
    points = data.take(dimension, [scorer for of_judge in repeats for scorer in of_judge])
    rows, columns = np.nonzero(~np.isnan(points))
    who, which = divmod(columns, n_repeats)
    cluster = None
    if n_repeats > 1:
        names["facet"] = "repeat"
    else:
        cluster, name, more = _clusters(data, rows, options)
        notes += more
        if cluster is not None:
            names["cluster"] = name
    facet = which if n_repeats > 1 else None
    ratings = make_ratings(rows, who, points[rows, columns], facet=facet, cluster=cluster)
    return Study(kind, dimension, names, labels, ratings, options, reason, tuple(notes))


def _repeats(data: RatingData) -> tuple[list[list[Scorer]], list[str]]:
    """Choose the repeats of each judge, as many of all, and say what was chosen; none if none is of all."""
    repeats = [{scorer.repeat: scorer for scorer in own} for own in _by_judge(data).values()]
    if not repeats:
        return [], []
    common = sorted(set.intersection(*map(set, repeats)))
    if all(len(own) == len(common) for own in repeats):
        return [[own[repeat] for repeat in common] for own in repeats], []
    if not common:
        return [], []
    evidence, repeat = common[0]
    instead = f"its repeat {repeat} of evidence {evidence}"
    note = f"Not all judges have the same repeats, so each stands with {instead}."
    return [[own[common[0]]] for own in repeats], [note]


def _by_judge(data: RatingData) -> dict[Scorer, list[Scorer]]:
    """Scorers with their repeats; raters have one."""
    return data.repeats() if data.judges else {rater: [rater] for rater in data.raters}


def _clusters(
    data: RatingData, rows: NDArray[np.intp], options: AgreementOptions
) -> tuple[NDArray[np.intp] | None, str, list[str]]:
    """Find the cluster of each row's unit, what clusters are called, and what to say of them."""
    import numpy as np

    labels = options.cluster_labels(data.units, data.carried)
    name = options.cluster[0] if options.cluster else "response"
    if len(labels) != 1 or not len(rows):
        two = ["Components are without clusters, as there are two columns of these."] if labels[1:] else []
        return None, "", two
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels[0]))}
    cluster = np.array([numbers[label] for label in labels[0]])[rows]
    n_clusters = len(np.unique(cluster))
    if 1 < n_clusters < len(np.unique(rows)):
        return cluster, name, []
    alone = "there is one" if n_clusters == 1 else "each response has one of its own"
    return None, "", [f"Components are without {name}: {alone}."]


def _of_persons(data: RatingData, dimension: str, kind: Kind, options: AgreementOptions) -> Study:
    """Study persons, who crossed the levels of a facet with a response each."""
    import numpy as np

    from creaeval.stats.variance.design import make_ratings

    persons, facet = str(options.persons), str(options.facet)
    names = {"response": persons, "rater": kind, "facet": facet}

    nothing = make_ratings([], [], [], facet=[])
    labels = tuple(map(data.label, data.scorers))
    if any(len(own) > 1 for own in _by_judge(data).values()):
        reason = "the judges' repeats would be a fourth factor, which is not estimated"
        return Study(kind, dimension, names, labels, nothing, options, reason)
    points = data.take(dimension, data.scorers)
    who, which = data.column(persons), data.column(facet)
    scored = np.flatnonzero(~np.isnan(points).all(axis=1)).tolist() if points.size else []
    placed = [row for row in scored if who[row] is not None and which[row] is not None]
    places = [(who[row], which[row]) for row in placed]
    if len(set(places)) < len(places):
        name, level = next(place for place in places if places.count(place) > 1)
        reason = f"{persons} {name} has more than one response for {facet} {level}"
        return Study(kind, dimension, names, labels, nothing, options, reason)
    outside = len(scored) - len(placed)
    notes = (f"{outside} responses without {persons} or {facet} are left out.",) if outside else ()
    rows, columns = np.nonzero(~np.isnan(points[placed]))
    codes = [np.unique([str(of[row]) for row in placed], return_inverse=True)[1] for of in (who, which)]
    if not placed:
        return Study(kind, dimension, names, labels, nothing, options, notes=notes)
    ratings = make_ratings(codes[0][rows], columns, points[placed][rows, columns], facet=codes[1][rows])
    return Study(kind, dimension, names, labels, ratings, options, notes=notes)
