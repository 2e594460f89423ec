"""Read scenarios, and find the one a response answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from creaeval.data.files import parse_json, parse_json_lines, read_text
from creaeval.data.ids import clean_id, text_problem
from creaeval.errors import DataError, Problems
from creaeval.tasks import Scenario, fold, read_yaml
from creaeval.wording import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from creaeval.data.model import Response
    from creaeval.tasks import Task

_TITLE_KEYS = ("title", "theme")
_KEYS = ("id", *_TITLE_KEYS, "text", "reference", "reference_id")


def read_scenarios(path: str | Path) -> dict[str, Scenario]:
    """Read scenarios from a file.

    Parameters
    ----------
    path : str or Path
        .json, .yaml or .yml: a mapping from id to the text or to ``title`` (or ``theme``) and ``text``, or
        one scenario with ``id``, ``title`` and ``text``; ``reference`` is a text that responses are compared
        with, ``reference_id`` the response it is. .jsonl: one such scenario a line, or stories (TTCW) with
        the plot each follows. .txt or .md: one scenario, its id the file's name without the ending.

    Returns
    -------
    dict of str to Scenario

    Raises
    ------
    DataError
        With every problem found.
    """
    path = Path(path)
    problems = Problems()
    match path.suffix.lower():
        case ".json":
            document = parse_json(read_text(path, "JSON"), str(path))
        case ".yaml" | ".yml":
            with problems.collect():
                document = read_yaml(read_text(path, "YAML"), str(path))
            problems.stop()
        case ".jsonl":
            document = _read_plots(path)
        case ".txt" | ".md":
            document = {path.stem: read_text(path, "text")}
        case _:
            raise DataError(
                f"{path}: ends in {path.suffix!r}, expected a scenario in .json, .jsonl, .yaml, .yml, .txt "
                "or .md."
            )
    if not isinstance(document, dict) or not document:
        raise DataError(f"{path}: found {document!r:.80}, expected scenarios by id, each with 'text'.")
    if isinstance(document.get("text"), str) and "id" in document:
        if not isinstance(document["id"], str | int):
            raise DataError(f"{path}: found the id {document['id']!r:.80}, expected text or a whole number.")
        document = {document["id"]: document}
    scenarios: dict[str, Scenario] = {}
    for key, value in document.items():
        scenario = _read_one(key, value, f"{path}, scenario {str(key)!r:.60}", problems)
        if scenario is not None:
            scenarios[scenario.id] = scenario
    problems.stop()
    return scenarios


def _read_plots(path: Path) -> dict[Any, Any]:
    """Read one scenario a line, or of stories (TTCW) the plots, which several share."""
    found: dict[Any, Any] = {}
    for number, line in parse_json_lines(read_text(path, "JSON Lines"), str(path)):
        where = f"{path}, line {number}"
        if not isinstance(line, dict) or not {"id", "plot_idx"} & set(line):
            raise DataError(f"{where}: found {line!r:.80}, expected a scenario with 'id' and 'text'.")
        is_plot = "plot_idx" in line
        key = line["plot_idx" if is_plot else "id"]
        if not isinstance(key, str | int):
            raise DataError(f"{where}: found the id {key!r:.80}, expected text or a whole number.")
        value = {"text": line.get("plot")} if is_plot else line
        if found.setdefault(key, value) != value:
            raise DataError(
                f"{where}: the scenario {key!r:.60} is there twice with different texts. Keep one."
            )
    return found


def _read_one(key: object, value: Any, where: str, problems: Problems) -> Scenario | None:
    before = len(problems)
    fields = {"text": value} if isinstance(value, str) else value
    if not isinstance(fields, dict):
        problems.add(f"{where}: found {value!r:.80}, expected an object with 'title' and 'text'.")
        return None
    for name in fields:
        if name not in _KEYS:
            hint = did_you_mean(str(name), _KEYS) or f"Expected {', '.join(_KEYS)}."
            problems.add(f"{where}: unknown key {str(name)!r}. {hint}")
    text = fields.get("text")
    title = next((fields[name] for name in _TITLE_KEYS if fields.get(name) is not None), "")
    if not isinstance(text, str) or not text.strip():
        problems.add(f"{where}, text: found {text!r:.80}, expected the scenario's text.")
    elif problem := text_problem(text):
        problems.add(f"{where}, text: {problem}.")
    if not isinstance(title, str):
        problems.add(f"{where}, title: found {title!r:.80}, expected text.")
    reference, answer = fields.get("reference"), fields.get("reference_id")
    if not isinstance(reference, str | None):
        problems.add(f"{where}, reference: found {reference!r:.80}, expected a text.")
    elif reference and (problem := text_problem(reference)):
        problems.add(f"{where}, reference: {problem}.")
    try:
        scenario_id = clean_id(key)
    except ValueError as error:
        problems.add(f"{where}: {error}.")
    try:
        reference_id = "" if answer is None else clean_id(answer)
    except ValueError as error:
        problems.add(f"{where}, reference_id: {error}.")
    if len(problems) > before:
        return None
    return Scenario(
        id=scenario_id,
        title=str(title),
        text=str(text),
        reference=reference or "",
        reference_id=reference_id,
    )


def find_scenario(response: Response, scenarios: Mapping[str, Scenario], task: Task) -> Scenario | None:
    """Find the scenario a response answers.

    Parameters
    ----------
    response : Response
        The response.
    scenarios : mapping of str to Scenario
        Scenarios from files, by id; they stand before those the task itself brings.
    task : Task
        The task.

    Returns
    -------
    Scenario or None
        The one the response names (by id, whatever its case), or the only one there is. None only if the
        task needs none and there is none, or none that the response names.

    Raises
    ------
    DataError
        The response names one that is not known, or names none where there are several or the task needs one.
    """
    known = {**task.scenarios, **scenarios}
    where = f"response {response.id!r} ({response.source or 'no file'})"
    give = "Give it with --scenario FILE."
    listed = f"known are {', '.join(sorted(known)[:20])}" if known else "no scenario is known"
    if response.scenario is not None:
        if response.scenario in known:
            return known[response.scenario]
        alike = [s for name, s in known.items() if fold(name) == fold(response.scenario)]
        if len(alike) == 1:
            return alike[0]
        if response.metadata.get("object") == (name := response.scenario):
            # What a use is a use of says all there is to say.
            return Scenario(id=name, title=name, text=f"Object: {name}")
        if not known and not task.needs_scenario:
            return None
        raise DataError(f"{where}: there is no scenario {response.scenario!r}; {listed}. {give}")
    if len(known) == 1:
        return next(iter(known.values()))
    if not task.needs_scenario:
        return None
    if not known:
        raise DataError(f"{where}: task {task.id} needs a scenario and {listed}. {give}")
    raise DataError(f"{where}: names no scenario; {listed}. Name one of them in the response's 'scenario'.")
