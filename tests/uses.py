"""Uses of objects, each a response of its own, and the case of those that share a call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.data import Response, StepText
from creaeval.methods import Case, Options
from creaeval.runs.batching import make_batch
from creaeval.tasks import Scenario, load_task

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.tasks import Task


def use(
    use_id: str, text: str, the_object: str = "brick", participant: str | None = None, **others: str
) -> Response:
    """One use, with the columns that a file of uses gives it."""
    who = {} if participant is None else {"participant": participant}
    carried = {"object": the_object, **who, **others}
    return Response(id=use_id, scenario=the_object, steps={"uses": StepText(text=text)}, metadata=carried)


def use_cases(uses: Sequence[Response], task: Task | None = None, options: Options = Options()) -> list[Case]:  # noqa: B008
    """Cases of uses, each by itself."""
    return [
        Case(task or load_task("aut"), response, brick(response.scenario or ""), options) for response in uses
    ]


def shared_case(uses: Sequence[Response], task: Task | None = None) -> Case:
    """The case of uses that share a call."""
    return make_batch(use_cases(uses, task)).case


def brick(name: str = "brick") -> Scenario:
    """What uses of an object answer."""
    return Scenario(id=name, title=name, text=f"Object: {name}")


def three_uses() -> list[Response]:
    """The uses that many tests share, the second of them blank."""
    return [use("u1", "a doorstop"), use("u2", ""), use("u3", "a drum")]
