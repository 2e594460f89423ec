"""Write docs/cli.md from the help of all commands, and docs/agreement.md's table of measures from records.

``make docs`` runs it; tests check that both are fresh.
"""

from __future__ import annotations

from pathlib import Path

from typer.main import get_command
from typer.testing import CliRunner

from creaeval.cli import app
from creaeval.stats.measures import list_measures

DOCS = Path(__file__).parents[1] / "docs"
PAGE, AGREEMENT = DOCS / "cli.md", DOCS / "agreement.md"
_BEGIN, _END = "<!-- measures: written by make docs -->\n", "<!-- end of measures -->\n"


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


def with_measures(text: str) -> str:
    """Put the table of measures between its marks in a page."""
    before, rest = text.split(_BEGIN)
    after = rest.split(_END)[1]
    rows = [
        f"| `{measure.key}` | {measure.label} | {measure.definition} | {measure.better} "
        f"| {'yes' if measure.comparable else 'no'} "
        f"| {'–' if measure.on_grid is None else 'Wilson, bootstrap' if measure.share else 'bootstrap'} |\n"
        for measure in list_measures()
    ]
    head = f"| `--measure` | in tables | what | better | methods compared | interval |\n{'|---' * 6}|\n"
    return f"{before}{_BEGIN}{head}{''.join(rows)}{_END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    AGREEMENT.write_text(with_measures(AGREEMENT.read_text(encoding="utf-8")), encoding="utf-8")
