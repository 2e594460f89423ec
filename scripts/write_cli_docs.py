"""Write docs/cli.md from the help of every command (``make docs``); a test sees that it is fresh."""

from __future__ import annotations

from pathlib import Path

from typer.main import get_command
from typer.testing import CliRunner

from creaeval.cli import app

PAGE = Path(__file__).parents[1] / "docs" / "cli.md"


def command_paths() -> list[list[str]]:
    """List every command as the words a user types, groups before their commands."""
    root = get_command(app)
    paths: list[list[str]] = []
    for name, command in root.commands.items():  # type: ignore[attr-defined]
        paths += [[name], *([name, inner] for inner in getattr(command, "commands", {}))]
    return paths


def page() -> str:
    """Write out the page."""
    runner = CliRunner()
    parts = ["# Command line", "", "Written by `make docs` from the commands' own help."]
    for path in [[], *command_paths()]:
        words = " ".join(["creaeval", *path])
        shown = runner.invoke(app, [*path, "--help"], prog_name="creaeval", env={"COLUMNS": "100"})
        lines = [line.rstrip() for line in shown.output.strip().splitlines()]
        parts += ["", f"## {words}", "", "```text", *lines, "```"]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
