"""Every command's help, what starting costs, and `creaeval tasks`."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest
import typer

from creaeval.cli import app

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import CommandLine


def commands(program: typer.Typer, *before: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every command with its path and the end of its help."""
    for info in program.registered_commands:
        assert info.name is not None
        yield (*before, info.name), info.epilog or ""
    for group in program.registered_groups:
        assert group.typer_instance is not None
        assert group.name is not None
        yield from commands(group.typer_instance, *before, group.name)


COMMANDS = dict(commands(app))


def test_these_are_the_commands() -> None:
    assert sorted(" ".join(path) for path in COMMANDS) == [
        "agree", "compare", "data fetch", "data show", "demo",
        "experiment report", "experiment run", "experiment status",
        "ledger export", "ledger import", "ledger info", "ledger prune",
        "methods list", "models check", "models list", "raters", "report",
        "runs export", "runs list", "runs show",
        "score", "tasks check", "tasks list", "tasks new", "tasks show", "tasks template",
        "train samer", "train sft",
    ]  # fmt: skip


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_says_what_a_command_does_and_ends_with_an_example_of_it(
    command: CommandLine, path: tuple[str, ...]
) -> None:
    ended = command(*path, "--help")
    assert ended.code == 0
    assert f"creaeval {' '.join(path)}" in ended.out.splitlines()[0]
    assert COMMANDS[path].startswith(f"Example: creaeval {' '.join(path)}")
    assert COMMANDS[path][:40] in " ".join(ended.out.split())


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_option_is_explained(command: CommandLine, path: tuple[str, ...]) -> None:
    group = typer.main.get_command(app)
    for name in path:
        group = group.commands[name]  # type: ignore[attr-defined]
    for parameter in group.params:
        # A function's arguments have no help of their own where their name says all.
        assert getattr(parameter, "help", None), f"{' '.join(path)}: {parameter.name}"


HEAVY = (
    "pandas",
    "numpy",
    "pydantic",
    "openai",
    "pydantic_ai",
    "sqlalchemy",
    "jinja2",
    "docx",
    "scipy",
    "rich.table",
)


def test_help_is_shown_without_loading_anything_heavy() -> None:
    code = (
        "import sys\n"
        "from creaeval.cli import main\n"
        "sys.argv = ['creaeval', '--help']\n"
        "try:\n    main()\n"
        "except SystemExit as end:\n    assert not end.code, end.code\n"
        f"loaded = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Commands:" in done.stdout


def test_the_package_is_imported_without_loading_anything_heavy() -> None:
    code = f"import sys, creaeval\nassert not [name for name in {HEAVY!r} if name in sys.modules]\n"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_every_public_name_can_be_imported_and_no_other() -> None:
    import creaeval

    assert all(getattr(creaeval, name) is not None for name in creaeval.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'scores'"):
        creaeval.__getattr__("scores")


def test_the_version_is_that_of_the_installed_package(command: CommandLine) -> None:
    ended = command("--version")
    assert (ended.code, ended.out.strip()) == (0, f"creaeval {version('creaeval')}")


def test_tasks_are_listed(command: CommandLine) -> None:
    ended = command("tasks", "list")
    assert ended.code == 0
    assert (
        "cgpst\tCGPST, the six-step future problem solving booklet\t6 steps, at most 186 points" in ended.out
    )


def test_a_task_is_shown_with_its_rubric(command: CommandLine) -> None:
    ended = command("tasks", "show", "cgpst")
    assert ended.code == 0
    assert "9-10: a major issue, central to the scenario" in ended.out


OWN = """\
id: mine
name: Mine
source: made for the tests
description: Say something.
steps:
  - id: one
    name: One
    instruction: Say it.
    dimensions:
      - {id: depth, name: Depth, description: How deep?, scale: 1-5}
"""


def test_a_task_of_ones_own_is_checked(command: CommandLine) -> None:
    (command.folder / "mine.yaml").write_text(OWN)
    ended = command("tasks", "check", "mine.yaml")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.strip() == "mine.yaml: in order. Task mine (en): 1 step, 1 dimension, at most 5 points."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (OWN.replace("scale", "scael"), "mine.yaml, line 10, at steps › one › dimensions › depth"),
        (OWN.replace("1-5", "5-1"), "expected the lower end first"),
        (OWN.replace("name: Mine", "name: [", 1), "mine.yaml, line"),
        ("- just\n- a list\n", "expected a mapping that starts with 'id:', found a list"),
    ],
)
def test_a_task_that_is_wrong_is_code_1_with_file_and_place(
    command: CommandLine, text: str, message: str
) -> None:
    (command.folder / "mine.yaml").write_text(text)
    ended = command("tasks", "check", "mine.yaml")
    assert ended.code == 1
    assert ended.err.startswith("Error: mine.yaml")
    assert message in ended.err
    assert "Traceback" not in ended.err


def test_a_task_that_is_not_there_is_code_1(command: CommandLine) -> None:
    ended = command("tasks", "show", "cgspt")
    assert ended.code == 1
    assert "Did you mean 'cgpst'?" in ended.err
