"""Scores of participants from those of their uses: fluency, originality, flexibility, elaboration."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from creaeval.sheets.score_sheet import NOT_CAPTURED
from creaeval.tasks import fold, identities

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pandas as pd

    from creaeval.methods import Outcome
    from creaeval.runs.run import Run
    from creaeval.sheets import ScoreSheet

_COUNTS = ("n_uses", "fluency", "n_failed", "flexibility")
_NUMBERS = ("mean", "max", "top2", "top3", "elaboration")
COLUMNS = (
    *("participant", "object", "method", "judge", "dimension", "n_uses", "fluency", "n_failed"),
    *("mean", "max", "top2", "top3", "flexibility", "elaboration"),
)
RELIABILITY_COLUMNS = ("judge", "dimension", "alpha", "participants", "objects", "reason")
#: Stands for all objects together in the column ``object``.
ALL_OBJECTS = "(all)"
#: A carried column of one of these names says which category a use is of.
CATEGORY_COLUMNS = ("category", "bucket")
# Scripts that put no spaces between words: Han, Hiragana and Katakana.
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")


class Use(NamedTuple):
    """One use in the eyes of one judge.

    ``valid`` is False for a blank or a non-answer; ``points`` is None where it has none, whether it is not
    valid or the judge failed on it. An empty ``category`` is not known.
    """

    object: str
    valid: bool
    points: float | None
    category: str = ""
    words: int = 0


def summarise_uses(uses: Sequence[Use]) -> dict[str, float | None]:
    """Sum up the uses of one participant in the eyes of one judge.

    Parameters
    ----------
    uses : sequence of Use
        For one object, or for all of them.

    Returns
    -------
    dict of str to float or None
        ``n_uses``, all of them; ``fluency``, those that are valid and scored, of which all else is;
        ``n_failed``, those that are valid, as far as is known, and have no score; ``mean`` and ``max`` of the
        points; ``top2`` and ``top3``, the mean of the two and three highest, None where fewer were scored
        (see :func:`creaeval.stats.top.top_mean`); ``flexibility``, the number of different categories, each
        object's counted apart, None where none is known; ``elaboration``, the mean number of words.

    References
    ----------
    Silvia et al. (2008), Psychology of Aesthetics, Creativity, and the Arts 2(2), 68-85, for mean and top
    scores. Words as elaboration: Dumas, Organisciak, Maio & Doherty (2021), Journal of Creative Behavior
    55(3), 645-663 (their unweighted word count; Guilford had details counted by hand).
    """
    from creaeval.stats.top import top_mean

    scored = [use for use in uses if use.valid and use.points is not None]
    points = [use.points for use in scored if use.points is not None]
    categories = {(use.object, use.category) for use in scored if use.category}
    return {
        "n_uses": len(uses),
        "fluency": len(scored),
        "n_failed": sum(use.valid for use in uses) - len(scored),
        "mean": fmean(points) if points else None,
        "max": max(points, default=None),
        "top2": _known(top_mean(points, 2)),
        "top3": _known(top_mean(points, 3)),
        "flexibility": len(categories) or None,
        "elaboration": fmean(use.words for use in scored) if scored else None,
    }


def count_words(text: str) -> int:
    """Count the words of a text: what stands between spaces and holds a letter or digit.

    Chinese and Japanese put no spaces between words: each of their characters counts.
    """
    return sum(any(map(str.isalnum, word)) for word in _UNSPACED.sub(r" \g<0> ", text).split())


class Participants:
    """The uses of each participant in each judge's eyes, gathered part by part.

    Parameters
    ----------
    run : Run
        Any run. Only of a task whose responses share calls (``batching``), as uses do, and for responses that
        carry ``participant``, is there anything to gather; uses of nobody known are left out.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._names = identities(run.task)
        carried = run.metadata if run.task.batching is not None else {}
        self._known = {key: columns for key, columns in carried.items() if columns.get("participant")}
        self._categories = _category_column(self._known.values())
        # Judges of the record first: one that failed everywhere has no sheet to be named on.
        self._judges = dict.fromkeys(judge.get("scorer", judge["name"]) for judge in run.manifest["judges"])
        self._uses: dict[tuple[str, str, str], Use] = {}

    def __bool__(self) -> bool:
        return bool(self._known)

    @property
    def number(self) -> int:
        """How many participants there are."""
        return len({columns["participant"] for columns in self._known.values()})

    def add(self, part: Run) -> None:
        """Gather the uses of a part of the run."""
        for outcome in part.outcomes:
            if outcome.response_id not in self._known:
                continue
            sheets: defaultdict[str, list[ScoreSheet]] = defaultdict(list)
            for sheet in outcome.sheets:
                sheets[sheet.scorer].append(sheet)
            self._judges |= dict.fromkeys(sheets)
            words = count_words(self._text(part, outcome))
            columns = self._known[outcome.response_id]
            category = columns.get(self._categories, "").strip()
            for judge, of_judge in sheets.items():
                for name in self._names:
                    valid, points = _verdict(of_judge, name)
                    use = Use(columns.get("object", ""), valid, points, category, words)
                    self._uses[judge, name, outcome.response_id] = use

    def table(self) -> pd.DataFrame:
        """Make the table of participants: :func:`summarise_uses` by object and over ``(all)`` of them.

        Returns
        -------
        pandas.DataFrame
            A row for each participant, object, method, judge and dimension. Of repeats, a use's points are
            their mean.
        """
        import pandas as pd

        rows = []
        for judge, name, participant, by_object in self._lists():
            every = [use for uses in by_object.values() for use in uses]
            for its_object, uses in (*by_object.items(), (ALL_OBJECTS, every)):
                head = (participant, its_object, self._run.manifest["method"], judge, name)
                rows.append({**dict(zip(COLUMNS, head, strict=False)), **summarise_uses(uses)})
        kinds = {**dict.fromkeys(_COUNTS, "Int64"), **dict.fromkeys(_NUMBERS, "Float64")}
        return pd.DataFrame(rows, columns=list(COLUMNS)).astype(kinds)

    def reliability(self) -> pd.DataFrame:
        """Estimate how reliable participants' means are, from how those for different objects go together.

        Returns
        -------
        pandas.DataFrame
            For each judge and dimension Cronbach's ``alpha`` over the objects, of the participants who have a
            mean for every object and no use that the judge failed on; the others are left out, and
            ``participants`` counts those that are not. An undefined value is missing, and ``reason`` says
            why.
        """
        import pandas as pd

        objects = list(dict.fromkeys(columns.get("object", "") for columns in self._known.values()))
        means: dict[tuple[str, str], list[list[float]]] = {}
        for judge, name, _, by_object in self._lists():
            row = [_whole_mean(by_object.get(its_object, ())) for its_object in objects]
            complete = [value for value in row if value is not None]
            means.setdefault((judge, name), []).extend([complete] if len(complete) == len(objects) else [])
        rows = []
        for scorer, complete_rows in means.items():
            alpha, reason = _alpha(complete_rows, len(objects))
            rows.append((*scorer, alpha, len(complete_rows), len(objects), reason))
        return pd.DataFrame(rows, columns=list(RELIABILITY_COLUMNS)).astype({"alpha": "Float64"})

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return both tables by name; none where there are no participants."""
        if not self._known:
            return {}
        return {"participants": self.table(), "participants_reliability": self.reliability()}

    def _lists(self) -> Iterator[tuple[str, str, str, dict[str, list[Use]]]]:
        """Yield judge, dimension and participant with the participant's uses of each object."""
        for judge in self._judges if self._known else ():
            for name in self._names:
                lists: defaultdict[str, defaultdict[str, list[Use]]] = defaultdict(lambda: defaultdict(list))
                for key, columns in self._known.items():
                    its_object = columns.get("object", "")
                    failed = Use(its_object, valid=True, points=None)
                    use = self._uses.get((judge, name, key), failed)
                    lists[columns["participant"]][its_object].append(use)
                for participant, by_object in lists.items():
                    yield judge, name, participant, by_object

    def _text(self, part: Run, outcome: Outcome) -> str:
        columns = part.metadata[outcome.response_id]
        # Files of uses carry the text; what was given in Python may not.
        if "response" in columns:
            return columns["response"]
        response = part.responses.get(outcome.response_id)
        return "" if response is None else " ".join(step.text for step in response.steps.values())


def participants_of(run: Run) -> Participants:
    """Gather the uses of a whole run's participants."""
    participants = Participants(run)
    if participants:
        for part in run.parts():
            participants.add(part)
    return participants


def _category_column(carried: Iterable[Mapping[str, str]]) -> str:
    names = dict.fromkeys(name for columns in carried for name in columns)
    return next((name for word in CATEGORY_COLUMNS for name in names if fold(name) == word), "")


def _verdict(sheets: Sequence[ScoreSheet], name: str) -> tuple[bool, float | None]:
    """Whether a use is valid, as far as its sheets by one judge say, and the mean of their points."""
    points = [value for sheet in sheets if (value := sheet.final(name)) is not None]
    refused = any(sheet.invalid not in ("", NOT_CAPTURED) for sheet in sheets)
    return bool(points) or not refused, fmean(points) if points else None


def _whole_mean(uses: Sequence[Use]) -> float | None:
    """Return the mean of uses of which none is missing that should have points."""
    values = summarise_uses(uses)
    return None if values["n_failed"] else values["mean"]


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _alpha(means: list[list[float]], objects: int) -> tuple[float | None, str]:
    from creaeval.stats import cronbach_alpha

    if objects < 2:
        return None, "there is a single object"
    if len(means) < 2:
        return None, "fewer than 2 participants have scores for every object"
    value = cronbach_alpha(means)
    return (None, "the participants are all equal") if math.isnan(value) else (value, "")
