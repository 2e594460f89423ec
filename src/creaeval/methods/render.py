"""Render prompt templates: undefined names fail, and what a respondent wrote is fenced."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from creaeval.errors import TaskError
from creaeval.llm import Prompt
from creaeval.sheets.replies import item_key

if TYPE_CHECKING:
    from jinja2 import Environment


def fence(text: str, name: str) -> str:
    """Enclose untrusted text in marks that it cannot contain.

    Parameters
    ----------
    text : str
        What a respondent or a model wrote.
    name : str
        What the marks are called.

    Returns
    -------
    str
        The text between ``<name-TAG>`` and ``</name-TAG>``; TAG depends on the text, so no text can close its
        own fence, and the same text always gives the same prompt.
    """
    tag = hashlib.sha256(text.encode()).hexdigest()[:8]
    while tag in text:
        tag = hashlib.sha256(f"{tag}{text}".encode()).hexdigest()[:8]
    return f"<{name}-{tag}>\n{text}\n</{name}-{tag}>"


def oneline(text: str) -> str:
    """Put text on one line, so that it cannot pass for the lines around it."""
    return re.sub(r"\s+", " ", text).strip()


def prompt_languages() -> list[str]:
    """List the languages prompts exist in, sorted."""
    folder = files("creaeval.methods.prompts")
    return sorted(f.name for f in folder.iterdir() if f.is_dir() and (f / "analyst.jinja").is_file())


def prompt_hashes(language: str) -> dict[str, str]:
    """Hash every template of a language, for the record of a run.

    Parameters
    ----------
    language : str
        Two letters.

    Returns
    -------
    dict of str to str
        SHA-256 by file name.
    """
    folder = files("creaeval.methods.prompts") / language
    templates = sorted((f for f in folder.iterdir() if f.name.endswith(".jinja")), key=lambda f: f.name)
    return {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in templates}


@cache
def _environment(language: str) -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    if language not in prompt_languages():
        raise TaskError(
            f"There are no prompts in language {language!r}, only in {', '.join(prompt_languages())}."
        )
    environment = Environment(
        loader=PackageLoader("creaeval.methods", f"prompts/{language}"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,  # a look at the file for every prompt
        autoescape=False,  # noqa: S701 - prompts are plain text; fence() guards what is untrusted
    )
    environment.filters |= {"fence": fence, "oneline": oneline, "item_key": item_key}
    return environment


def render(language: str, name: str, **values: Any) -> str:
    """Render a whole template.

    Parameters
    ----------
    language : str
        Two letters, as in the task.
    name : str
        File name without ``.jinja``.
    **values : object
        What the template names; a missing one is an error.

    Returns
    -------
    str
        The text, without outer white space.
    """
    return _environment(language).get_template(f"{name}.jinja").render(**values).strip()


def render_prompt(language: str, name: str, **values: Any) -> Prompt:
    """Render the two blocks ``system`` and ``user`` of a template; parameters as for :func:`render`.

    Returns
    -------
    Prompt
        Runs of blank lines are one blank line.
    """
    template = _environment(language).get_template(f"{name}.jinja")
    system, user = (
        re.sub(r"\n{3,}", "\n\n", "".join(template.blocks[block](template.new_context(values)))).strip()
        for block in ("system", "user")
    )
    return Prompt(system=system, user=user)
