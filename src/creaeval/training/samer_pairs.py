"""From one rater's points to what SaMer is trained on: texts with labels, and pairs of them."""

from __future__ import annotations

import bisect
import math
import random
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from creaeval.data import find_scenario
from creaeval.errors import Problems
from creaeval.methods import Case
from creaeval.methods.samer import dimensions_of, parts_of
from creaeval.runs.batching import make_batch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from creaeval.data import Rating, Response
    from creaeval.methods.samer import Part
    from creaeval.tasks import Scenario, Task


@dataclass(frozen=True)
class Labelled:
    """One text with the points of the rater.

    Parameters
    ----------
    response_id : str
        Whose it is.
    part : Part
        The text: a step of a response.
    group : str
        What it answers; only texts of one group and step are compared.
    points : mapping of str to float
        By the identity of each dimension of its step.
    overall : float
        The rater's Overall of the step.
    """

    response_id: str
    part: Part
    group: str
    points: Mapping[str, float]
    overall: float


def cases_of(task: Task, responses: Sequence[Response], scenarios: Mapping[str, Scenario]) -> list[Case]:
    """Set responses beside their scenarios; steps that are missing or empty are left out.

    Raises
    ------
    DataError
        A response names a scenario that nobody gave.
    """
    cases: list[Case] = []
    problems = Problems()
    for response in responses:
        missing = set(response.missing_steps(task))
        steps = {name: step for name, step in response.steps.items() if name not in missing}
        with problems.collect():
            scenario = find_scenario(response, scenarios, task)
            cases.append(Case(task, response.model_copy(update={"steps": steps}), scenario))
    problems.stop()
    return cases


def label(cases: Sequence[Case], ratings: Sequence[Rating]) -> tuple[list[Labelled], dict[str, int]]:
    """Give every text the points of its rating.

    Parameters
    ----------
    cases : sequence of Case
        From :func:`cases_of`.
    ratings : sequence of Rating
        Of one rater and stage.

    Returns
    -------
    tuple of (list of Labelled, dict of str to int)
        The texts, and how many were left out for each reason: not rated, or rated without some dimension of
        their step. The rater's final values count, sums that the rater did not write included.
    """
    sheets = {rating.response_id: rating.sheet for rating in ratings}
    texts: list[Labelled] = []
    left_out: Counter[str] = Counter()
    for case in cases:
        group = case.scenario.id if case.scenario is not None else ""
        # As it is scored: a text that may share a call is an item of it.
        for part in parts_of(make_batch([case]).case):
            sheet = sheets.get(case.response.id)
            if sheet is None:
                left_out["not rated by this rater"] += 1
                continue
            values = {name: sheet.final(name) for name in dimensions_of(case.task, part.step)}
            points = {name: float(value) for name, value in values.items() if value is not None}
            if lacking := [name for name in values if name not in points]:
                left_out[f"rated without {', '.join(lacking)}"] += 1
                continue
            overall = sheet.final(f"{part.step}.overall")
            texts.append(
                Labelled(
                    case.response.id,
                    part,
                    group,
                    points,
                    sum(points.values()) if overall is None else overall,
                )
            )
    return texts, dict(left_out)


def make_pairs(texts: Sequence[Labelled], *, most: int, seed: int) -> list[tuple[int, int]]:
    """Pair texts of one scenario and step.

    Parameters
    ----------
    texts : sequence of Labelled
        The texts.
    most : int
        Pairs at most.
    seed : int
        Of the drawing, where there are more.

    Returns
    -------
    list of (int, int)
        Places in ``texts``, the first lower than the second, no pair twice, in rising order: all there are,
        or ``most`` of them, each as likely as any other.
    """
    groups: dict[tuple[str, str], list[int]] = {}
    for place, text in enumerate(texts):
        groups.setdefault((text.group, text.part.step), []).append(place)
    members = list(groups.values())
    ends: list[int] = []
    for group in members:
        ends.append((ends[-1] if ends else 0) + len(group) * (len(group) - 1) // 2)
    total = ends[-1] if ends else 0
    # Drawn by number, since all pairs of a large file would not fit into memory.
    numbers = range(total) if total <= most else random.Random(seed).sample(range(total), most)  # noqa: S311
    pairs = []
    for number in numbers:
        at = bisect.bisect_right(ends, number)
        left = number - (ends[at - 1] if at else 0)
        # Pairs (0,1), (0,2), (1,2), (0,3) … : the higher member is the triangle's row.
        second = (1 + math.isqrt(1 + 8 * left)) // 2
        first = left - second * (second - 1) // 2
        pairs.append((members[at][first], members[at][second]))
    return sorted(pairs)
