"""The command line in this process, with scripted models in place of real ones."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from creaeval.cli import main
from creaeval.llm.providers import registry

if TYPE_CHECKING:
    from pathlib import Path

    from scripted import ScriptedModel

pytest_plugins = ["postgres"]

# No example has a time to keep: a busy machine is no mistake of the code.
settings.register_profile("suite", deadline=None)
settings.load_profile("suite")


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


@dataclass
class CommandLine:
    """Runs ``creaeval`` in a folder of its own; models named ``scripted:NAME`` are those in ``models``."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]
    models: dict[str, ScriptedModel] = field(default_factory=dict)

    def add(self, *models: ScriptedModel) -> None:
        """Offer models under their names."""
        self.models |= {model.name.partition(":")[2]: model for model in models}

    def __call__(self, *arguments: object) -> Ended:
        """Run one command."""
        self.monkeypatch.setattr(sys, "argv", ["creaeval", *map(str, arguments)])
        self.capsys.readouterr()
        code: str | int | None = 0
        try:
            main()
        except SystemExit as end:
            code = end.code
        out, err = self.capsys.readouterr()
        assert isinstance(code, int | None)
        return Ended(code or 0, out, err)


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> CommandLine:
    """The command line in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "250")
    line = CommandLine(tmp_path, monkeypatch, capsys)
    monkeypatch.setitem(registry._FACTORIES, "scripted", lambda rest: line.models[rest])
    return line
