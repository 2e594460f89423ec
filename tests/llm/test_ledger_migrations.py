"""Ledgers of earlier and of newer versions, and ledgers that may only be read."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from creaeval.errors import LedgerError
from creaeval.llm.ledger import Ledger, _schema
from creaeval.runs import RunStore
from creaeval.runs import store as runs_store

from .calls import call
from .writers import at_once, open_only

if TYPE_CHECKING:
    from collections.abc import Iterator

# The tables as creaeval 0.1.0 made them, before there were migrations.
FIRST = """
CREATE TABLE calls (
    id {serial}, "key" VARCHAR(64) NOT NULL, created VARCHAR(32) NOT NULL, provider VARCHAR(64) NOT NULL,
    base_url TEXT NOT NULL, model TEXT NOT NULL, identity JSON NOT NULL, role VARCHAR(64) NOT NULL,
    label JSON NOT NULL, settings JSON NOT NULL, system TEXT NOT NULL, messages JSON NOT NULL,
    schema_hash VARCHAR(64) NOT NULL, schema_name TEXT NOT NULL, repeat INTEGER NOT NULL, reply TEXT NOT NULL,
    finish VARCHAR(16) NOT NULL, model_reported TEXT NOT NULL, input_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, reasoning_tokens INTEGER NOT NULL,
    seconds FLOAT NOT NULL, state VARCHAR(16) NOT NULL, reason TEXT NOT NULL, imported BOOLEAN NOT NULL
);
CREATE TABLE failures (
    id {serial}, "key" VARCHAR(64) NOT NULL, created VARCHAR(32) NOT NULL, model TEXT NOT NULL,
    role VARCHAR(64) NOT NULL, label JSON NOT NULL, attempt INTEGER NOT NULL, kind VARCHAR(32) NOT NULL,
    message TEXT NOT NULL, seconds FLOAT NOT NULL
);
CREATE UNIQUE INDEX calls_one_live_reply ON calls ("key") WHERE state != 'abandoned';
CREATE TABLE runs (
    id VARCHAR(10) NOT NULL, created VARCHAR(32) NOT NULL, updated VARCHAR(32) NOT NULL,
    state VARCHAR(16) NOT NULL, task JSON NOT NULL, manifest JSON NOT NULL, PRIMARY KEY (id)
);
CREATE TABLE outcomes (
    run_id VARCHAR(10) NOT NULL, response_id VARCHAR NOT NULL, position INTEGER NOT NULL,
    carried JSON NOT NULL, outcome JSON NOT NULL, PRIMARY KEY (run_id, response_id),
    FOREIGN KEY(run_id) REFERENCES runs (id)
);
INSERT INTO calls (
    "key", created, provider, base_url, model, identity, role, label, settings, system, messages, schema_hash,
    schema_name, repeat, reply, finish, model_reported, input_tokens, cached_tokens, output_tokens,
    reasoning_tokens, seconds, state, reason, imported
) VALUES ('{key}', '2026-11-30T01:07:47.965+00:00', 'openai', 'https://a.example/v1', 'm1', '{identity}',
    'judge', '{label}', '{settings}', 'You judge.', '{messages}', '{schema_hash}', 'Sheet', 0, 'an old reply',
    'stop', 'm1-2026', 100, 80, 20, 5, 1.5, 'accepted', '', {false});
INSERT INTO failures ("key", created, model, role, label, attempt, kind, message, seconds)
    VALUES ('{key}', '2026-11-30T01:07:46.965+00:00', 'openai:m1', 'judge', '{label}', 1, 'server', 'slow', 2)
"""
OLD = call()


@pytest.fixture
def first_version(database: str) -> str:
    """A ledger that creaeval 0.1.0 made, with a call, a failed attempt and the tables of runs."""
    engine = sa.create_engine(database if "://" in database else f"sqlite:///{database}")
    sqlite = engine.dialect.name == "sqlite"
    values = {
        "serial": "INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT" if sqlite else "SERIAL NOT NULL PRIMARY KEY",
        "key": OLD.key,
        "identity": json.dumps(dict(OLD.identity)),
        "label": '{"response_id": "R1"}',
        "settings": '{"temperature": 0.2, "max_tokens": 4096, "seed": 1}',
        "messages": '[{"role": "user", "text": "Rate it."}]',
        "schema_hash": hashlib.sha256(b'{"type":"object"}').hexdigest(),
        "false": "0" if sqlite else "false",
    }
    text = FIRST
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    with engine.begin() as connection:
        for statement in text.split(";"):
            connection.exec_driver_sql(statement)
    engine.dispose()
    return database


def columns(ledger: Ledger) -> dict[str, set[str]]:
    there = sa.inspect(ledger.engine)
    return {
        table: {column["name"] for column in there.get_columns(table)} for table in there.get_table_names()
    } | {"indexes": {str(index["name"]) for index in there.get_indexes("calls")}}


def test_a_ledger_of_before_migrations_keeps_all_it_holds_and_can_be_written_to(first_version: str) -> None:
    with Ledger.open(first_version) as ledger:
        RunStore(ledger)
        assert ledger.overview().versions == {"ledger": 3, "runs": 3}
        stored = ledger.find(OLD.key)
        assert stored is not None
        assert (stored.text, stored.state, stored.seconds) == ("an old reply", "accepted", 1.5)
        assert (stored.cost_usd, stored.attempts) == (None, None)
        assert ledger.put(call("a new reply")).text == "an old reply"
        assert ledger.put(call("a new reply", user="new", cost_usd=0.5)).text == "a new reply"
        (total,) = ledger.totals()
        assert (total.calls, total.cost_usd, total.unpriced) == (3, 0.5, 2)
        assert [failed.attempts for failed in ledger.failed_attempts()] == [1]
        assert ledger.check().unchecked == 1


def test_an_upgraded_ledger_a_new_one_and_the_code_have_the_same_tables(
    first_version: str, tmp_path: Path
) -> None:
    with Ledger.open(first_version) as old, Ledger.open(tmp_path / "new.db") as new:
        RunStore(old)
        RunStore(new)
        found = columns(old)
        assert columns(new) == found
        for table in (_schema.calls, _schema.failures, runs_store._runs, runs_store._outcomes):
            assert found[table.name] == set(table.columns.keys())
        assert found["indexes"] == {"calls_one_live_reply"}


def test_processes_that_open_an_old_ledger_at_once_upgrade_it_once(first_version: str) -> None:
    at_once(open_only, [(first_version,)] * 4)
    with Ledger.open(first_version) as ledger, ledger.engine.connect() as connection:
        statement = sa.text("select number from schema_version order by number")
        assert connection.execute(statement).scalars().all() == [1, 2, 3]


@pytest.fixture
def statements() -> Iterator[list[str]]:
    """What is sent to any database while the test runs, pragmas of new connections apart."""
    seen: list[str] = []

    def listen(*arguments: object) -> None:
        seen.append(str(arguments[2]))

    event.listen(sa.Engine, "before_cursor_execute", listen)
    yield seen
    event.remove(sa.Engine, "before_cursor_execute", listen)


def test_opening_a_ledger_that_is_up_to_date_asks_once_and_writes_nothing(
    database: str, statements: list[str]
) -> None:
    with Ledger.open(database) as ledger:
        RunStore(ledger)
    file = Path(database) if "://" not in database else None
    before = file.read_bytes() if file else b""
    statements.clear()
    with Ledger.open(database) as ledger:
        assert [text.split()[0] for text in statements if "schema_version" in text] == ["SELECT"]
        assert not [text for text in statements if text.split()[0] in ("INSERT", "CREATE", "BEGIN")]
        RunStore(ledger)
        assert len([text for text in statements if "schema_version" in text]) == 2
    assert file is None or file.read_bytes() == before


def test_a_ledger_of_a_newer_creaeval_is_refused_and_left_as_it_is(database: str) -> None:
    with Ledger.open(database) as ledger, ledger.engine.begin() as connection:
        connection.execute(sa.text("insert into schema_version values ('ledger', 7, 'then')"))
    with pytest.raises(LedgerError, match=r"newer creaeval.*version 7.*knows up to 3.*Upgrade creaeval"):
        Ledger.open(database)


def test_a_migration_that_fails_leaves_nothing_of_itself_or_of_those_before_it(database: str) -> None:
    def first(connection: sa.Connection) -> None:
        connection.exec_driver_sql("CREATE TABLE half (id INTEGER)")

    def second(connection: sa.Connection) -> None:
        connection.exec_driver_sql("CREATE TABLE whole (")

    with Ledger.open(database) as ledger:
        with pytest.raises(LedgerError, match="cannot be read or written"):
            ledger.migrate("part", (first, second), ())
        assert "half" not in sa.inspect(ledger.engine).get_table_names()
        assert "part" not in ledger.overview().versions
        ledger.migrate("part", (first,), ())
        ledger.migrate("part", (first,), ())
        assert ledger.overview().versions == {"ledger": 3, "part": 1}


def test_another_programs_table_of_versions_is_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    engine = sa.create_engine(f"sqlite:///{other}")
    with engine.begin() as connection:
        connection.execute(sa.text("create table schema_version (version text)"))
    engine.dispose()
    with pytest.raises(LedgerError, match=r"other\.db: its table 'schema_version' has no column"):
        Ledger.open(other)


# Without this capability root is bound by permission bits as everyone is.
AS_ANYONE = """
import ctypes, os, sys
if os.geteuid() == 0 and os.environ.get("CAPABLE") is None:
    CAP_DAC_OVERRIDE, PR_CAPBSET_DROP = 1, 24
    assert ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0) == 0
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**os.environ, "CAPABLE": "no"})
sys.path.insert(0, sys.argv[2])
from creaeval.errors import LedgerError
from creaeval.llm.ledger import Ledger
from creaeval.runs import RunStore
from llm.calls import call
from pathlib import Path
"""
READ = """
assert not os.access(sys.argv[1], os.W_OK)
with Ledger.open(sys.argv[1]) as ledger:
    stored = ledger.find(call().key)
    assert (stored.text, stored.state) == ("a reply", "accepted"), stored
    assert RunStore(ledger).list() == []
    ledger.check()
    assert ledger.totals()[0].calls == 1
    assert ledger.export_calls(sys.argv[3]) == 1
    try:
        ledger.put(call(user="another"))
    except LedgerError as error:
        print(error)
"""


def as_anyone(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    tests = str(Path(__file__).parents[1])
    first, *rest = map(str, arguments)
    command = [sys.executable, "-W", "error", "-c", AS_ANYONE + script, first, tests, *rest]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[Path]:
    """A folder that its owner will not be allowed to write to."""
    folder = tmp_path / "locked"
    folder.mkdir()
    yield folder
    folder.chmod(0o755)


@pytest.mark.skipif(sys.platform != "linux", reason="drops a capability of Linux")
def test_a_finished_ledger_that_may_only_be_read_is_replayed(locked: Path) -> None:
    path = locked / "ledger.db"
    with Ledger.open(path) as ledger:
        RunStore(ledger)
        ledger.put(call("a reply"))
        ledger.mark(call().key, "accepted")
    assert [file.name for file in locked.iterdir()] == ["ledger.db"]
    path.chmod(0o444)
    locked.chmod(0o555)
    content = path.read_bytes()
    done = as_anyone(READ, path, locked.parent / "out.jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    assert "this ledger may only be read here. Copy it" in done.stdout
    assert path.read_bytes() == content


@pytest.mark.skipif(sys.platform != "linux", reason="drops a capability of Linux")
def test_a_folder_that_may_not_be_written_to_is_named(locked: Path) -> None:
    locked.chmod(0o555)
    for name in ("l.db", "deep/l.db"):
        done = as_anyone(f"Ledger.open(Path(sys.argv[1]) / {name!r})", locked)
        assert done.returncode == 1
        last = done.stderr.splitlines()[-1]
        assert last.startswith(f"creaeval.errors.LedgerError: {locked / name}: the ledger cannot be opened")


def test_a_uri_of_sqlite_that_only_reads_is_taken_as_it_is(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "l.db") as ledger:
        ledger.put(call())
    with Ledger.open(f"sqlite:///file:{tmp_path / 'l.db'}?mode=ro&uri=true") as ledger:
        assert ledger.find(call().key) is not None
        with pytest.raises(LedgerError, match="may only be read here"):
            ledger.put(call(user="another"))
