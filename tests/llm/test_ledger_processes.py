"""Several processes, killed processes and full disks."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
import sqlalchemy as sa

from creaeval.errors import LedgerError
from creaeval.llm.ledger import Ledger

from .calls import call
from .writers import at_once, open_only, put_and_abandon, put_many, put_shared

# Case R07: writers at once tore a file of records; right are 8 x 200 = 1,600 whole ones of 6,000 characters.
PROCESSES, RECORDS, SIZE = 8, 200, 6000


def test_eight_processes_write_1600_whole_records(database: str) -> None:
    at_once(put_many, [(database, f"p{number}", RECORDS, SIZE) for number in range(PROCESSES)])
    with Ledger.open(database) as ledger:
        ledger.check()
        for process in range(PROCESSES):
            for number in range(RECORDS):
                head = f"p{process} {number} "
                stored = ledger.find(call(user=head).key)
                assert stored is not None
                assert stored.text == head + "x" * (SIZE - len(head))
        assert ledger.overview().states == {"replied": PROCESSES * RECORDS}


def test_processes_that_answer_the_same_calls_use_one_reply_and_account_for_all(database: str) -> None:
    at_once(put_shared, [(database, name, 30) for name in "pqr"])
    with Ledger.open(database) as ledger:
        assert ledger.overview().states == {"abandoned": 60, "accepted": 30}
        (total,) = ledger.totals()
        assert (total.calls, total.usage.input) == (90, 9000)
        with ledger.engine.connect() as connection:
            statement = "select key, reply from calls order by key"
            rows = connection.execute(sa.text(statement)).all()
    by_key: defaultdict[str, list[str]] = defaultdict(list)
    for key, reply in rows:
        by_key[key].append(reply)
    assert [sorted(replies) for replies in by_key.values()] == [["p", "q", "r"]] * 30


def test_a_reply_that_another_process_abandons_meanwhile_is_no_error(database: str) -> None:
    at_once(put_and_abandon, [(database, name, 40) for name in "pq"])
    with Ledger.open(database) as ledger:
        assert ledger.find(call().key) is None
        assert ledger.totals()[0].calls == 80


def test_processes_that_make_a_ledger_at_once_make_it_once(database: str) -> None:
    at_once(open_only, [(database,)] * 4)
    with Ledger.open(database) as ledger, ledger.engine.connect() as connection:
        statement = sa.text("select part, number from schema_version order by number")
        assert [tuple(row) for row in connection.execute(statement)] == [
            ("ledger", 1),
            ("ledger", 2),
            ("ledger", 3),
        ]


KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[2])
from creaeval.llm.ledger import Ledger
from llm.calls import call
ledger = Ledger.open(sys.argv[1])
ledger.put(call("paid for"))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_reply_is_on_disk_when_put_returns_even_if_the_process_is_killed_then(database: str) -> None:
    tests = str(Path(__file__).parents[1])
    done = subprocess.run([sys.executable, "-c", KILLED, database, tests], check=False)
    assert done.returncode == -9
    with Ledger.open(database) as ledger:
        stored = ledger.find(call().key)
        ledger.check()
    assert stored is not None
    assert stored.text == "paid for"


def test_a_sqlite_ledger_is_in_wal_mode_and_syncs_every_reply(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "l.db") as ledger:
        ledger.put(call())
        ledger.mark(call().key, "accepted")
        pragmas = ledger._kept.run(
            lambda kept: [
                kept.exec_driver_sql(f"PRAGMA {name}").scalar()
                for name in ("journal_mode", "synchronous", "busy_timeout")
            ]
        )
    assert pragmas == ["wal", 2, 30000]  # 2 is FULL


def test_a_full_disk_is_said_and_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    acknowledged = []
    with Ledger.open(tmp_path / "l.db") as ledger:
        # SQLite's own limit fails as a full disk does.
        ledger._kept.run(lambda kept: kept.exec_driver_sql("PRAGMA max_page_count=40"))

        def fill() -> None:
            for number in range(100):
                acknowledged.append(ledger.put(call("x" * 5000, user=f"{number}")))

        with pytest.raises(LedgerError, match=r"l\.db: the disk is full.*acknowledged is kept"):
            fill()
        assert 5 < len(acknowledged) < 40
        assert [ledger.find(stored.key) for stored in acknowledged] == acknowledged
        ledger.check()
        assert ledger.put(call("room again", user="101")).text == "room again"
