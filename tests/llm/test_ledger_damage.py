"""Damaged ledgers: what cannot be read is said, what can be read is right, and nothing is written over."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from creaeval.errors import LedgerError
from creaeval.llm.ledger import Ledger
from creaeval.llm.records import StoredCall

from .calls import call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Replies that fit in a page of 4,096 bytes, and some that go on over several.
CALLS = [call(f"{number} " * (50 + 700 * (number % 4)), user=f"call {number}") for number in range(24)]


@cache
def whole() -> tuple[bytes, tuple[StoredCall, ...]]:
    """A ledger's file, and what is in it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "l.db"
        with Ledger.open(path) as ledger:
            for new in CALLS:
                ledger.put(new)
                ledger.mark(new.key, "accepted")
            found = tuple(stored for new in CALLS if (stored := ledger.find(new.key)) is not None)
        assert len(found) == len(CALLS)
        return path.read_bytes(), found


@contextmanager
def ledger_file(content: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "l.db"
        path.write_bytes(content)
        yield path


def examine(content: bytes) -> None:
    """See that a damaged ledger is either found to be damaged or gives back all that was written."""
    _, written = whole()
    with ledger_file(content) as path:
        with suppress(LedgerError), Ledger.open(path) as ledger:
            lost = wrong = False
            for expected in written:
                found = unless_damaged(ledger.find, expected.key)
                wrong |= found is DAMAGED
                lost |= found is None
                # What a reason says decides nothing, so it has no checksum.
                assert not isinstance(found, StoredCall) or replace(found, reason="") == expected
            unless_damaged(ledger.totals)
            unless_damaged(ledger.failed_attempts)
            unless_damaged(ledger.overview)
            unless_damaged(ledger.export_calls, path.with_name("out"))
            checked = ledger.check()
            assert not wrong, "a reply is damaged, and the check has not found it"
            assert not lost or checked.missing, "a reply is gone, and the check has not found it"
        assert path.read_bytes() == content, "the damaged file was changed"


DAMAGED = object()


def unless_damaged(use: Callable[..., object], *arguments: object) -> object:
    try:
        return use(*arguments)
    except LedgerError:
        return DAMAGED


@settings(max_examples=120)
@given(st.data())
def test_overwritten_bytes_are_noticed_or_do_no_harm(data: st.DataObject) -> None:
    content, _ = whole()
    start = data.draw(st.integers(0, len(content) - 1), label="offset")
    damage = data.draw(
        st.one_of(
            st.binary(min_size=1, max_size=64),
            st.sampled_from([b"\x00", b"\xff", b"A"]).flatmap(
                lambda byte: st.integers(1, 5000).map(lambda length: byte * length)
            ),
        ),
        label="bytes",
    )
    examine((content[:start] + damage + content[start + len(damage) :])[: len(content)])


@settings(max_examples=60)
@given(st.data())
def test_pages_that_changed_places_are_noticed(data: st.DataObject) -> None:
    content, _ = whole()
    pages = [content[at : at + 4096] for at in range(0, len(content), 4096)]
    first, second = (data.draw(st.integers(0, len(pages) - 1)) for _ in range(2))
    pages[first], pages[second] = pages[second], pages[first]
    examine(b"".join(pages))


@settings(max_examples=60)
@given(st.integers(1, 10**6))
@example(1)
@example(100)
@example(4096)
def test_a_file_that_was_cut_off_is_noticed(length: int) -> None:
    content, _ = whole()
    length %= len(content)
    if length == 0:
        return
    with ledger_file(content[:length]) as path:
        with pytest.raises(LedgerError, match=r"l\.db: this (ledger file is damaged|file is not a SQLite)"):
            _use(path)
        assert path.read_bytes() == content[:length]


def _use(path: Path) -> None:
    with Ledger.open(path) as ledger:
        ledger.check()


def test_the_message_says_that_the_file_was_left_and_what_to_do() -> None:
    content, _ = whole()
    with ledger_file(content[: len(content) // 2]) as path, pytest.raises(LedgerError) as caught:
        Ledger.open(path)
    for part in (
        "l.db",
        "damaged",
        "left as it is",
        "copy it",
        "-wal",
        ".recover",
        "--ledger",
        "ledger import",
    ):
        assert part in str(caught.value)


def test_an_empty_file_is_a_new_ledger() -> None:
    with ledger_file(b"") as path, Ledger.open(path) as ledger:
        assert ledger.put(CALLS[0]).text == CALLS[0].reply.text


def test_calls_that_are_gone_without_a_trace_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    path.write_bytes(whole()[0])
    with sqlite3.connect(path) as connection:
        connection.execute("delete from calls where id in (3, 5, 8)")
    connection.close()
    with Ledger.open(path) as ledger:
        assert ledger.check().missing == 3


def left_behind(folder: Path, name: str, *users: str) -> Path:
    """A ledger as a killed process leaves it: with calls that are in the -wal file only."""
    folder.mkdir(exist_ok=True)
    path = folder / "made.db"
    with Ledger.open(path) as ledger:
        for user in users:
            ledger.put(call(f"{name} {user}", user=user))
        for file in folder.glob("made.db*"):
            shutil.copy(file, folder / file.name.replace("made", name))
    for file in folder.glob("made.db*"):
        file.unlink()
    (folder / f"{name}.db-shm").unlink()
    assert (folder / f"{name}.db-wal").stat().st_size > 0
    return folder / f"{name}.db"


def closed(path: Path) -> Path:
    """The same ledger after all of it went into its one file."""
    with Ledger.open(path):
        pass
    assert not path.with_name(f"{path.name}-wal").exists()
    return path


def test_a_ledger_is_whole_with_the_wal_file_that_a_killed_process_left(tmp_path: Path) -> None:
    path = left_behind(tmp_path, "killed", "a", "b")
    with Ledger.open(path) as ledger:
        assert ledger.overview().states == {"replied": 2}
        ledger.check()


def test_the_wal_file_of_another_ledger_is_not_mixed_in(tmp_path: Path) -> None:
    mine = closed(left_behind(tmp_path, "mine", "a", "b", "c"))
    other = left_behind(tmp_path, "other", "d")
    wal = mine.with_name("mine.db-wal")
    shutil.copy(other.with_name("other.db-wal"), wal)
    before = mine.read_bytes(), wal.read_bytes()
    with pytest.raises(
        LedgerError, match=r"mine\.db-wal beside it belongs to another database.*left as they"
    ):
        Ledger.open(mine)
    assert (mine.read_bytes(), wal.read_bytes()) == before
    wal.unlink()
    with Ledger.open(mine) as ledger:
        assert ledger.overview().states == {"replied": 3}


def test_a_wal_file_that_is_none_does_no_harm(tmp_path: Path) -> None:
    mine = closed(left_behind(tmp_path, "mine", "a", "b"))
    for garbage in (b"", b"x" * 10, b"garbage " * 1000):
        mine.with_name("mine.db-wal").write_bytes(garbage)
        with Ledger.open(mine) as ledger:
            assert ledger.overview().states == {"replied": 2}
            ledger.check()


@pytest.mark.parametrize("emptied", [True, False])
def test_calls_in_a_wal_file_are_not_thrown_away_with_a_new_ledger(tmp_path: Path, emptied: bool) -> None:
    path = left_behind(tmp_path, "mine", "a")
    whole_file = path.read_bytes()
    wal = path.with_name("mine.db-wal")
    in_wal = wal.read_bytes()
    if emptied:
        path.write_bytes(b"")
    else:
        path.unlink()
    with pytest.raises(LedgerError, match=r"there is no database, but mine\.db-wal beside it holds calls"):
        Ledger.open(path)
    assert wal.read_bytes() == in_wal
    path.write_bytes(whole_file)
    with Ledger.open(path) as ledger:
        assert ledger.find(call(user="a").key) is not None


def test_a_wal_file_with_pages_of_before_the_upgrade_is_the_ledgers_own(tmp_path: Path) -> None:
    path, copy = tmp_path / "l.db", tmp_path / "copy.db"
    keeper = sqlite3.connect(path)  # while it is open, the -wal file stays
    keeper.execute("PRAGMA journal_mode=WAL")
    keeper.execute("CREATE TABLE before_it_was_a_ledger (id INTEGER)")
    keeper.commit()
    with Ledger.open(path) as ledger:
        ledger.put(call())
    keeper.execute("PRAGMA wal_checkpoint(PASSIVE)")
    for end in ("", "-wal"):
        shutil.copy(f"{path}{end}", f"{copy}{end}")
    keeper.close()
    assert any(copy.read_bytes()[60:64]), "the mark is not in the file yet"
    with Ledger.open(copy) as ledger:
        assert ledger.find(call().key) is not None
