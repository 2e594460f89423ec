"""Read scenarios, and find the one a response answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from creaeval.data.files import read_documents, read_text, refuse_unknown, unknown_ending
from creaeval.data.formats.booklet import DOCUMENTS, read_document_text
from creaeval.data.ids import attempt, check_text, clean_id
from creaeval.errors import DataError, Problems
from creaeval.tasks import Scenario, fold, read_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from creaeval.data.model import Response
    from creaeval.tasks import Task


class OneScenario(dict[str, Scenario]):
    """The scenario of a plain text, which all responses answer, whatever scenario they name."""


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
        the plot each follows. .txt, .md, .docx or .pdf: one scenario, its id the file's name without the
        ending, which all responses answer, whatever scenario they name.

    Returns
    -------
    dict of str to Scenario
        Of a text or document an :class:`OneScenario`.

    Raises
    ------
    DataError
        With every problem found.
    """
    path = Path(path)
    problems = Problems()
    match path.suffix.lower():
        case ".json":
            ((_, document),) = read_documents(path)
        case ".yaml" | ".yml":
            with problems.collect():
                document = read_yaml(read_text(path, "YAML"), str(path))
            problems.stop()
        case ".jsonl":
            document = _read_lines(path)
        case ending if ending in DOCUMENTS:
            document = {path.stem: read_document_text(path).strip()}
        case _:
            raise unknown_ending(path, {".json", ".jsonl", ".yaml", ".yml", *DOCUMENTS})
    if not isinstance(document, dict) or not document:
        raise DataError(f"{path}: found {document!r:.80}, expected scenarios by id, each with 'text'.")
    if isinstance(document.get("text"), str) and "id" in document:
        document = {_check_key(document["id"], str(path)): document}
    scenarios: dict[str, Scenario] = {}
    for key, value in document.items():
        scenario = _read_scenario(key, value, f"{path}, scenario {str(key)!r:.60}", problems)
        if scenario is not None:
            scenarios[scenario.id] = scenario
    problems.stop()
    return OneScenario(scenarios) if path.suffix.lower() in DOCUMENTS else scenarios


def _read_lines(path: Path) -> dict[Any, Any]:
    """Read one scenario a line, or of stories (TTCW) the plots, which several share."""
    scenarios: dict[Any, Any] = {}
    for where, line in read_documents(path):
        if not isinstance(line, dict) or not {"id", "plot_idx"} & set(line):
            raise DataError(f"{where}: found {line!r:.80}, expected a scenario with 'id' and 'text'.")
        is_plot = "plot_idx" in line
        key = _check_key(line["plot_idx" if is_plot else "id"], where)
        value = {"text": line.get("plot")} if is_plot else line
        if scenarios.setdefault(key, value) != value:
            raise DataError(
                f"{where}: the scenario {key!r:.60} is there twice with different texts. Keep one."
            )
    return scenarios


def _check_key(key: Any, where: str) -> str | int:
    if not isinstance(key, str | int):
        raise DataError(f"{where}: found the id {key!r:.80}, expected text or a whole number.")
    return key


def _read_scenario(key: object, value: Any, where: str, problems: Problems) -> Scenario | None:
    before = len(problems)
    fields = {"text": value} if isinstance(value, str) else value
    if not isinstance(fields, dict):
        problems.add(f"{where}: found {value!r:.80}, expected an object with 'title' and 'text'.")
        return None
    refuse_unknown(fields, _KEYS, where, problems)
    title = next((fields[name] for name in _TITLE_KEYS if fields.get(name) is not None), "")
    reference, answer = fields.get("reference"), fields.get("reference_id")
    texts = {"text": fields.get("text"), "title": title, "reference": "" if reference is None else reference}
    for (name, text), expected in zip(texts.items(), ("the scenario's text", "text", "a text"), strict=True):
        if not isinstance(text, str) or (name == "text" and not text.strip()):
            problems.add(f"{where}, {name}: found {text!r:.80}, expected {expected}.")
        else:
            attempt(problems, f"{where}, {name}", check_text, text)
    scenario_id = attempt(problems, where, clean_id, key)
    reference_id = "" if answer is None else attempt(problems, f"{where}, reference_id", clean_id, answer)
    if len(problems) > before:
        return None
    return Scenario.model_validate({"id": scenario_id, "reference_id": reference_id, **texts})


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
        The one the response names (by id, whatever its case), or the only one there is; of an
        :class:`OneScenario` that one, but for uses of another object. None only if the task needs none and
        there is none, or none that the response names.

    Raises
    ------
    DataError
        The response names one that is not known, or names none where there are several or the task needs one.
    """
    names_object = response.scenario is not None and response.metadata.get("object") == response.scenario
    if isinstance(scenarios, OneScenario) and not names_object:
        return next(iter(scenarios.values()))
    known = {**task.scenarios, **scenarios}
    where = f"response {response.id!r} ({response.source or 'no file'})"
    advice = "Give it with --scenario FILE."
    listed = f"known are {', '.join(sorted(known)[:20])}" if known else "no scenario is known"
    if response.scenario is not None:
        if response.scenario in known:
            return known[response.scenario]
        alike = [scenario for name, scenario in known.items() if fold(name) == fold(response.scenario)]
        if len(alike) == 1:
            return alike[0]
        if names_object:
            name = response.scenario  # what a use is a use of says all there is to say
            return Scenario(id=name, title=name, text=f"Object: {name}")
        if not known and not task.needs_scenario:
            return None
        raise DataError(f"{where}: there is no scenario {response.scenario!r}; {listed}. {advice}")
    if len(known) == 1:
        return next(iter(known.values()))
    if not task.needs_scenario:
        return None
    if not known:
        raise DataError(f"{where}: task {task.id} needs a scenario and {listed}. {advice}")
    raise DataError(f"{where}: names no scenario; {listed}. Name one of them in the response's 'scenario'.")
