"""How much evidence and scores vary when a run asks for them again: Tables 9 to 11 of arXiv 2609.03432."""

from __future__ import annotations

import math
from collections import defaultdict
from statistics import fmean, pvariance
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from creaeval.agreement.long_table import compared_dimensions
from creaeval.errors import SettingError
from creaeval.sheets.score_sheet import NOT_CAPTURED
from creaeval.tasks.model import PROGRAM_CODES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pandas as pd

    from creaeval.agreement.runs.encoder import Encoder
    from creaeval.runs import Run
    from creaeval.sheets import Evidence, ItemScores, ScoreSheet
    from creaeval.tasks import Task

    T = TypeVar("T")

#: ``self_bleu``: tokens fit the language; ``self_bleu_pilot``: as published; ``bertscore``: by an encoder.
Measure = Literal["self_bleu", "self_bleu_pilot", "bertscore"]
#: Stands for all dimensions in the column ``dimension``.
AVG = "AVG"
EVIDENCE_COLUMNS = [
    "run",
    "model",
    "temperature",
    "measure",
    "step",
    "dimension",
    "value",
    "n_responses",
    "n_left_out",
    "n_repeats",
    "language",
    "encoder",
    "note",
]
JUDGE_COLUMNS = [
    "run",
    "judge",
    "temperature",
    "step",
    "dimension",
    "value",
    "n",
    "n_left_out",
    "n_repeats",
    "note",
]

# Evidence repeat, dimension, item; item 0 is the step as a whole.
_Place = tuple[int, str, int]
_Values = dict[str, list[float]]


def evidence_stability(
    runs: Sequence[Run],
    *,
    measures: Sequence[Measure] = ("self_bleu",),
    encoder: Encoder | None = None,
    language: str | None = None,
) -> pd.DataFrame:
    """Measure how alike an analyst's observations are when evidence is gathered again.

    Parameters
    ----------
    runs : sequence of Run
        Runs with two or more evidence repeats, one for each model and temperature, say.
    measures : sequence of {"self_bleu", "self_bleu_pilot", "bertscore"}
        What to measure; see :mod:`creaeval.stats.similarity`.
    encoder : Encoder, optional
        For ``bertscore``; see :func:`creaeval.agreement.runs.encoder.load_encoder`.
    language : str, optional
        Of the evidence; default: the task's.

    Returns
    -------
    pandas.DataFrame
        For each run and measure one row a dimension, then one of dimension ``AVG``, their unweighted mean.
        ``model`` is the analyst, ``temperature`` missing where the provider's default was used, ``value`` the
        mean over responses (higher is more alike). Items are averaged within a response first; where items
        are responses of their own, each counts. A group is the mean of its members. Where the number of
        categories is scored, the items' categories are compared. ``n_responses`` of ``n_responses`` +
        ``n_left_out`` have evidence of all ``n_repeats`` times; ``AVG`` has the smallest number. ``encoder``
        is empty where none was used. ``note`` says what is undefined or doubtful.

    Raises
    ------
    SettingError
        A run gathers no evidence or gathered it once, ``bertscore`` is asked for without an encoder, or a
        measure is unknown.

    References
    ----------
    arXiv 2609.03432, Tables 9 (BERTScore) and 10 (Self-BLEU).
    """
    import pandas as pd

    rows: list[dict[str, object]] = []
    for run in runs:
        times = _times(run, "evidence_repeats", "evidence was gathered", "--evidence-repeats")
        analyst = run.manifest["analyst"]
        spoken = language or run.task.language
        for measure in measures:
            used, compare = _comparison(measure, encoder, spoken)
            values: _Values = defaultdict(list)
            for texts in _observations(run):
                _add(values, run.task, texts, times, compare)
            doubt = (
                f"{used.name} was trained for {used.language}, the evidence is {spoken}"
                if used is not None and not used.fits(spoken)
                else ""
            )
            head = {
                "run": run.id,
                "model": analyst["name"],
                "temperature": _temperature(analyst),
                "measure": measure,
                "n_repeats": times,
                "language": spoken,
                "encoder": "" if used is None else used.name,
            }
            rows += [
                {
                    **head,
                    **row,
                    "n_responses": row["n"],
                    "note": "; ".join(filter(None, [str(row["note"]), doubt])),
                }
                for row in _summary(run, values, f"evidence of all {times} times")
            ]
    return pd.DataFrame(rows, columns=EVIDENCE_COLUMNS)


def judge_stability(runs: Sequence[Run]) -> pd.DataFrame:
    """Measure how much a judge's points vary when it scores the same evidence again.

    Parameters
    ----------
    runs : sequence of Run
        Runs with two or more judge repeats.

    Returns
    -------
    pandas.DataFrame
        For each run and judge one row a dimension, then one of dimension ``AVG``, their unweighted mean.
        ``value`` is the mean over ``n`` responses of the population variance (n in the denominator) of the
        points the judge itself wrote (where it wrote none, those computed of its sheet), in squared points.
        What is scored by items varies item by item and is averaged within the response; an invalid item has
        0 points, as in the sum. With several evidence repeats, variances of each are averaged. A group is the
        mean of its members. The other columns are those of :func:`evidence_stability`.

    Raises
    ------
    SettingError
        A run had its judges score once.

    References
    ----------
    arXiv 2609.03432, Table 11.
    """
    import pandas as pd

    rows: list[dict[str, object]] = []
    for run in runs:
        times = _times(run, "judge_repeats", "each judge scored", "--judge-repeats")
        judges = {judge.get("scorer", judge["name"]): judge for judge in run.manifest["judges"]}
        # A judge that scored nothing has its rows, too.
        values: dict[str, _Values] = {scorer: defaultdict(list) for scorer in judges}
        for part in run.parts():
            for scorer, points in _points(part):
                _add(values.setdefault(scorer, defaultdict(list)), run.task, points, times, pvariance)
        for scorer, own in values.items():
            head = {
                "run": run.id,
                "judge": scorer,
                "temperature": _temperature(judges.get(scorer, {})),
                "n_repeats": times,
            }
            rows += [head | row for row in _summary(run, own, f"scores of all {times} times")]
    return pd.DataFrame(rows, columns=JUDGE_COLUMNS)


def _times(run: Run, setting: str, what: str, option: str) -> int:
    """Return how often a run asked; raise where that is too seldom to compare."""
    if setting == "evidence_repeats" and run.manifest["analyst"] is None:
        raise SettingError(
            f"run {run.id}: method {run.manifest['method']} gathers no evidence, so there is none to compare."
        )
    times = int(run.manifest[setting])
    if times < 2:
        raise SettingError(
            f"run {run.id}: {what} once, expected two or more times. Run again with {option} 5, say."
        )
    return times


def _temperature(model: Mapping[str, Any]) -> float:
    given = model.get("settings", {}).get("temperature")
    return math.nan if given is None else float(given)


def _comparison(
    measure: Measure, encoder: Encoder | None, language: str
) -> tuple[Encoder | None, Callable[[Sequence[str]], float]]:
    """Return the encoder that a measure uses, and the measure as a function of texts."""
    from creaeval.stats.similarity import self_bert_score, self_bleu, self_bleu_pilot

    if measure == "self_bleu":
        return None, lambda texts: self_bleu(texts, language=language)
    if measure == "self_bleu_pilot":
        return None, self_bleu_pilot
    if measure != "bertscore":
        raise SettingError(f"measure {measure!r}: expected self_bleu, self_bleu_pilot or bertscore.")
    if encoder is None:
        raise SettingError(
            "bertscore needs an encoder: creaeval.agreement.runs.encoder.load_encoder() loads one."
        )

    def compare(texts: Sequence[str]) -> float:
        # What was said again word by word is embedded once.
        once = list(dict.fromkeys(texts))
        embedded = dict(zip(once, encoder.embed(once), strict=True))
        return self_bert_score([embedded[text] for text in texts])

    return encoder, compare


def _observations(run: Run) -> Iterator[Iterator[tuple[_Place, str]]]:
    """Yield what the analyst said of each response, of all times."""
    for outcome in run.outcomes:
        gathered = (outcome.evidence, *(again.evidence for again in outcome.further))
        yield (text for evidence in gathered if evidence is not None for text in _texts(run.task, evidence))


def _texts(task: Task, evidence: Evidence) -> Iterator[tuple[_Place, str]]:
    for found in evidence.steps:
        step = task.step(found.step)
        # The observation there is computed from the categories, which are what the analyst says.
        counted = [d.id for d in step.step_dimensions if d.derive == "distinct_categories"]
        for item in found.given_items:
            for dimension, seen in item.dimensions.items():
                yield (1, f"{step.id}.{dimension}", item.item), seen.observation
            if item.category is not None:
                yield from (((1, f"{step.id}.{name}", item.item), item.category) for name in counted)
        for dimension, seen in found.dimensions.items():
            if dimension not in counted:
                yield (1, f"{step.id}.{dimension}", 0), seen.observation


def _points(run: Run) -> Iterator[tuple[str, list[tuple[_Place, float]]]]:
    """Yield what each judge gave each response, of all times."""
    given: dict[tuple[str, str], list[tuple[_Place, float]]] = defaultdict(list)
    for sheet in run.sheets:
        given[sheet.response_id, sheet.scorer] += _written(run.task, sheet)
    for (_, scorer), points in given.items():
        yield scorer, points


def _written(task: Task, sheet: ScoreSheet) -> Iterator[tuple[_Place, float]]:
    for scores in sheet.steps:
        for dimension in task.step(scores.step).dimensions:
            name = f"{scores.step}.{dimension.id}"
            if dimension.scope == "item":
                for item in scores.items:
                    if (points := _item_points(item, dimension.id)) is not None:
                        yield (sheet.evidence_repeat, name, item.item), points
                continue
            own = scores.written.get(dimension.id, scores.final(dimension.id))
            if own is not None:
                yield (sheet.evidence_repeat, name, 0), own


def _item_points(item: ItemScores, dimension: str) -> float | None:
    """Return an item's points; none where no judge saw it or the judge's could not be read."""
    if item.invalid in PROGRAM_CODES:
        return None
    if item.invalid is None or item.invalid == NOT_CAPTURED:
        return item.scores.get(dimension)
    return item.scores.get(dimension, 0.0)


def _add(
    values: _Values,
    task: Task,
    given: Iterable[tuple[_Place, T]],
    times: int,
    compare: Callable[[Sequence[T]], float],
) -> None:
    """Compare what was given for one response, place by place, and add its value of each dimension."""
    places: dict[_Place, list[T]] = defaultdict(list)
    for place, one in given:
        places[place].append(one)
    own: _Values = defaultdict(list)
    for (_, dimension, _), several in places.items():
        # What lacks a time would be compared with fewer others, and such values are higher.
        value = compare(several) if len(several) == times else math.nan
        own[dimension].append(value)
    for identity, parts in _parts(task).items():
        if all(part in own for part in parts):
            value = fmean(fmean(own[part]) for part in parts)
            if not math.isnan(value):
                values[identity].append(value)


def _parts(task: Task) -> dict[str, list[str]]:
    """Return the compared dimensions with what each is the mean of: itself, or the members of a group."""
    groups = {
        f"{step.id}.{group.id}": (step.id, group.members) for step in task.steps for group in step.groups
    }
    return {
        identity: [f"{groups[identity][0]}.{member}" for member in groups[identity][1]]
        if identity in groups
        else [identity]
        for identity in compared_dimensions(task)
    }


def _summary(run: Run, values: _Values, wanted: str) -> list[dict[str, object]]:
    """Average each dimension over responses, then the dimensions."""
    total = len(run.outcomes)
    found = {identity: values.get(identity, []) for identity in compared_dimensions(run.task)}
    means = [fmean(own) for own in found.values() if own]
    fewest = min(map(len, found.values()))
    rows: list[dict[str, object]] = [
        {
            "step": identity.partition(".")[0],
            "dimension": identity,
            "value": fmean(own) if own else math.nan,
            "n": len(own),
            "n_left_out": total - len(own),
            "note": f"{total - len(own)} of {total} without {wanted}" if len(own) < total else "",
        }
        for identity, own in found.items()
    ]
    average = {
        "step": "",
        "dimension": AVG,
        "value": fmean(means) if means else math.nan,
        "n": fewest,
        "n_left_out": total - fewest,
        "note": f"over {len(means)} of {len(found)} dimensions" if len(means) < len(found) else "",
    }
    return [*rows, average]
