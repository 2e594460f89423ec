from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from creaeval.errors import LedgerError
from creaeval.llm.chat import Usage
from creaeval.llm.ledger import Failure, Ledger

from .calls import call


def test_a_reply_is_found_by_its_key_and_survives_reopening(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "ledger.db"
    new = call('{"a": 1}')
    with Ledger.open(path) as ledger:
        assert ledger.find(new.key) is None
        ledger.put(new)
    with Ledger.open(f"sqlite:///{path}") as ledger:
        stored = ledger.find(new.key)
    assert stored is not None
    assert (stored.text, stored.usage, stored.state) == ('{"a": 1}', Usage(100, 80, 20, 5), "replied")
    assert (stored.finish, stored.model, stored.seconds) == ("stop", "m1-2026", 1.5)


def test_the_first_of_two_answers_is_used_and_both_are_accounted(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "l.db") as ledger:
        assert ledger.put(call("first")).text == "first"
        assert ledger.put(call("second")).text == "first"
        (total,) = ledger.totals()
    assert (total.calls, total.rejected, total.usage) == (2, 1, Usage(200, 160, 40, 10))


def test_an_abandoned_reply_is_not_found_but_stays_in_the_totals(tmp_path: Path) -> None:
    new = call("bad")
    with Ledger.open(tmp_path / "l.db") as ledger:
        ledger.put(new)
        ledger.mark(new.key, "rejected", "too short")
        ledger.abandon([new.key])
        assert ledger.find(new.key) is None
        assert ledger.put(call("good")).text == "good"
        (total,) = ledger.totals()
    assert (total.role, total.provider, total.model, total.calls, total.rejected) == (
        "judge",
        "openai",
        "m1",
        2,
        1,
    )
    assert total.seconds == 3.0


def test_totals_are_given_for_each_role(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "l.db") as ledger:
        assert ledger.totals() == []
        ledger.put(call(user="a", role="judge"))
        ledger.put(call(user="b", role="analyst"))
        assert [total.role for total in ledger.totals()] == ["analyst", "judge"]


def test_text_that_no_database_stores_is_replaced_and_not_a_crash(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "l.db") as ledger:
        assert ledger.put(call("a\ud800b\x00c")).text == "a?b�c"


@pytest.mark.parametrize("content", [b"response_id,rater\nR1,A\n", b"SQLite format 2\x00" + b"x" * 100, b"x"])
def test_a_file_that_is_no_sqlite_database_is_refused_and_left_as_it_is(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "ratings.csv"
    path.write_bytes(content)
    with pytest.raises(LedgerError, match=r"ratings\.csv: this file is not a SQLite database"):
        Ledger.open(path)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_damaged_database_is_a_ledger_error_that_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    content = b"SQLite format 3\x00" + b"\xff" * 5000
    path.write_bytes(content)
    with pytest.raises(LedgerError, match=r"l\.db: the ledger cannot be read"):
        Ledger.open(path)
    assert path.read_bytes() == content


def test_a_folder_another_programs_table_and_a_bad_url_are_explained(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="this is a folder"):
        Ledger.open(tmp_path)
    other = tmp_path / "other.db"
    engine = sa.create_engine(f"sqlite:///{other}")
    with engine.begin() as connection:
        connection.execute(sa.text("create table calls (key text, state text)"))
    engine.dispose()
    with pytest.raises(LedgerError, match=r"other\.db: its table 'calls' has no column"):
        Ledger.open(other)
    with pytest.raises(LedgerError, match="'mysql'; expected one of sqlite, postgresql"):
        Ledger.open("mysql://me:secret@host/x")
    with pytest.raises(LedgerError, match="URL cannot be read") as caught:
        Ledger.open("nonsense://me:secret@host/x")
    assert "secret" not in str(caught.value)


WRITER = """
import sys
from creaeval.llm.ledger import Ledger
sys.path.insert(0, sys.argv[2])
from llm.calls import call
with Ledger.open(sys.argv[1]) as ledger:
    for number in range(40):
        ledger.put(call(sys.argv[3], user=f"own {sys.argv[3]} {number}"))
        ledger.put(call(sys.argv[3], user=f"shared {number}"))
"""


def test_two_processes_write_one_ledger_without_loss(tmp_path: Path) -> None:
    tests = str(Path(__file__).parents[1])
    command = [sys.executable, "-W", "error", "-c", WRITER, str(tmp_path / "l.db"), tests]
    running = [subprocess.Popen([*command, name], stderr=subprocess.PIPE) for name in ("p", "q")]
    for process in running:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors.decode()
    with Ledger.open(tmp_path / "l.db") as ledger, ledger.engine.connect() as connection:
        count = sa.text("select count(*), sum(state != 'abandoned') from calls")
        # 2 x 40 of their own, 40 shared ones live and 40 shared ones that came second
        assert tuple(connection.execute(count).one()) == (160, 120)
        assert connection.execute(sa.text("pragma integrity_check")).scalar() == "ok"
        assert connection.execute(sa.text("pragma journal_mode")).scalar() == "wal"


KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[2])
from creaeval.llm.ledger import Ledger
from llm.calls import call
ledger = Ledger.open(sys.argv[1])
ledger.put(call("paid for"))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_reply_is_on_disk_when_put_returns_even_if_the_process_is_killed_then(tmp_path: Path) -> None:
    tests = str(Path(__file__).parents[1])
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "l.db"), tests], check=False)
    assert done.returncode == -9
    with Ledger.open(tmp_path / "l.db") as ledger:
        stored = ledger.find(call().key)
    assert stored is not None
    assert stored.text == "paid for"


def test_failures_are_kept(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "l.db") as ledger:
        ledger.put_failure(
            Failure("k", "openai:m1", "judge", {"response_id": "R1"}, 2, "timeout", "slow", 9.5)
        )
        with ledger.engine.connect() as connection:
            row = connection.execute(sa.text("select attempt, kind, message, label from failures")).one()
    assert tuple(row) == (2, "timeout", "slow", '{"response_id": "R1"}')


def test_exported_calls_can_be_imported_once_and_cost_nothing_there(tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    first, second, third = (call(name, user=name) for name in "abc")
    with Ledger.open(tmp_path / "from.db") as ledger:
        for new in (first, second, third):
            ledger.put(new)
        ledger.abandon([third.key])
        assert ledger.export_calls(file) == 2
        assert ledger.export_calls(tmp_path / "one.jsonl", [first.key]) == 1
        with pytest.raises(LedgerError, match="1 of the calls to export are not in it"):
            ledger.export_calls(file, [first.key, third.key])
    with Ledger.open(tmp_path / "to.db") as ledger:
        assert ledger.import_calls(tmp_path / "one.jsonl") == 1
        assert ledger.import_calls(file) == 1
        assert ledger.import_calls(file) == 0
        stored = ledger.find(second.key)
        assert stored is not None
        assert stored.text == "b"
        assert ledger.totals() == []


def test_torn_and_changed_lines_are_named_by_number_and_nothing_is_imported(tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    with Ledger.open(tmp_path / "from.db") as ledger:
        for name in "abcde":
            ledger.put(call(name, user=name))
        ledger.export_calls(file)
    lines = file.read_text().splitlines()
    lines[1] = lines[1][:90] + lines[2]  # two writers at once
    lines[2] = lines[2].replace("You judge.", "You are kind.")
    whole = json.loads(lines[3])
    lines[3] = json.dumps({**whole, "input_tokens": "many"})
    lines[4] = json.dumps({name: value for name, value in whole.items() if name != "reply"})
    file.write_text("\n".join(lines) + "\n\n")
    with Ledger.open(tmp_path / "to.db") as ledger:
        with pytest.raises(LedgerError) as caught:
            ledger.import_calls(file)
        assert ledger.find(call(user="a").key) is None
    message = str(caught.value)
    assert "line 1:" not in message
    for part in (
        "line 2: found a torn or malformed line",
        "line 3: the key does not match",
        "line 4: input_tokens: found 'many'",
        "line 5: found no field reply",
        "line 6: found a torn or malformed line",
        "Nothing was imported.",
    ):
        assert part in message
