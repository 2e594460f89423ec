"""`creaeval data fetch`."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING

import pytest
import typer
from typer.testing import CliRunner

from creaeval.cli import data
from creaeval.data import fetch as module
from data.fetch.test_fetch import SET, Server, serving
from data_folder import shared_data

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from typer.testing import Result

    from creaeval.data.fetch.download import Progress


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server that has the originals of one small set, in the place of ttcw."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "CREAEVAL_DATA"):
        monkeypatch.delenv(name, raising=False)
    with serving() as running:
        small = functools.partial(module.fetch, base_url=running.url, datasets={"ttcw": SET})
        monkeypatch.setattr(module, "fetch", small)
        yield running


def run(*arguments: str) -> Result:
    app = typer.Typer()
    app.add_typer(data.app, name="data")
    return CliRunner().invoke(app, ["data", *arguments])


def test_data_are_fetched_into_creaeval_data_beside(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = run("fetch", "ttcw")
    assert ended.exit_code == 0, ended.output
    assert ended.stdout == "ttcw: downloaded and verified, in creaeval-data/mine\n"
    assert ended.stderr.splitlines() == [
        "LICENSE: 18 bytes",
        "plain.txt: 4 bytes",
        "t.csv: 12 bytes",
        "Verified: plain.txt, t.csv.",
        "Read creaeval-data/mine/SOURCE.md for source and terms.",
    ]
    assert (tmp_path / "creaeval-data" / "mine" / "plain.txt").is_file()


def test_data_that_creaeval_data_names_are_verified_and_not_downloaded(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("fetch", "ttcw", "--out", str(tmp_path)).exit_code == 0
    server.asked.clear()
    monkeypatch.setenv("CREAEVAL_DATA", str(tmp_path))
    ended = run("fetch", "ttcw")
    assert ended.stdout == f"ttcw: already there and in order, in {tmp_path / 'mine'}\n"
    assert not server.asked


def test_a_terminal_shows_bytes_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    from creaeval.data.fetch.download import Progress

    steps = (Progress("a.json", 1000, 2000), Progress("a.json", 2000, None, done=True))
    show(steps, terminal=True)
    said = capsys.readouterr().err
    assert said == f"\r{'a.json: 1,000 of 2,000 bytes':<79}\r{'a.json: 2,000 bytes':<79}\n"
    show(steps, terminal=False)
    assert capsys.readouterr().err == "a.json: 2,000 bytes\n"


def show(steps: tuple[Progress, ...], *, terminal: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.stderr, "isatty", lambda: terminal)
        for step in steps:
            data._show(step)


def test_the_command_offers_every_set() -> None:
    ended = run("fetch", "nothing")
    assert ended.exit_code == 2
    for name in module.DATASETS:
        assert repr(name) in ended.stderr


@pytest.mark.parametrize("name", module.DATASETS)
def test_the_known_data_are_in_order(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shared_data(module.DATASETS[name].folder)
    monkeypatch.setenv("CREAEVAL_DATA", str(folder.parent))
    ended = run("fetch", name)
    assert ended.stdout == f"{name}: already there and in order, in {folder}\n"
