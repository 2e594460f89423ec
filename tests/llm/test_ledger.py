"""What the ledger keeps, in SQLite and in PostgreSQL."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from creaeval.errors import LedgerError
from creaeval.llm.chat import Usage
from creaeval.llm.ledger import Ledger
from creaeval.llm.records import FailedAttempts, Failure

from .calls import call

if TYPE_CHECKING:
    from pathlib import Path


def test_a_reply_is_found_by_its_key_and_survives_reopening(database: str) -> None:
    new = call('{"a": "ü \U0001f600"}', cost_usd=0.0123, attempts=3)
    with Ledger.open(database) as ledger:
        assert ledger.find(new.key) is None
        put = ledger.put(new)
    with Ledger.open(database) as ledger:
        stored = ledger.find(new.key)
    assert stored is not None
    assert stored == put
    assert (stored.text, stored.usage, stored.state) == (
        '{"a": "ü \U0001f600"}',
        Usage(100, 80, 20, 5),
        "replied",
    )
    assert (stored.finish, stored.model, stored.seconds) == ("stop", "m1-2026", 1.5)
    assert (stored.cost_usd, stored.attempts) == (0.0123, 3)


def test_a_folder_is_made_and_a_url_of_sqlite_is_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "ledger.db"
    with Ledger.open(path) as ledger:
        ledger.put(call())
    with Ledger.open(f"sqlite:///{path}") as ledger:
        assert ledger.find(call().key) is not None


def test_the_first_of_two_answers_is_used_and_both_are_accounted(database: str) -> None:
    with Ledger.open(database) as ledger:
        assert ledger.put(call("first")).text == "first"
        assert ledger.put(call("second")).text == "first"
        (total,) = ledger.totals()
    assert (total.calls, total.rejected, total.usage) == (2, 1, Usage(200, 160, 40, 10))


def test_what_became_of_a_reply_is_kept(database: str) -> None:
    with Ledger.open(database) as ledger:
        ledger.put(call())
        ledger.mark(call().key, "rejected", "too short\x00")
        stored = ledger.find(call().key)
        assert stored is not None
        assert (stored.state, stored.reason) == ("rejected", "too short�")
        ledger.mark(call().key, "accepted")
    with Ledger.open(database) as ledger:
        stored = ledger.find(call().key)
    assert stored is not None
    assert (stored.state, stored.reason) == ("accepted", "")


def test_an_abandoned_reply_is_not_found_but_stays_in_the_totals(database: str) -> None:
    new = call("bad")
    with Ledger.open(database) as ledger:
        ledger.put(new)
        ledger.mark(new.key, "rejected", "too short")
        ledger.abandon([new.key])
        assert ledger.find(new.key) is None
        assert ledger.put(call("good")).text == "good"
        (total,) = ledger.totals()
    assert (total.role, total.provider, total.model) == ("judge", "openai", "m1")
    assert (total.calls, total.rejected, total.seconds) == (2, 1, 3.0)


def test_totals_are_given_for_each_role(database: str) -> None:
    with Ledger.open(database) as ledger:
        assert ledger.totals() == []
        ledger.put(call(user="a", role="judge"))
        ledger.put(call(user="b", role="analyst"))
        assert [total.role for total in ledger.totals()] == ["analyst", "judge"]


def test_costs_are_summed_over_calls_with_a_price_and_the_others_are_counted(database: str) -> None:
    with Ledger.open(database) as ledger:
        for number, cost in enumerate((0.25, 0.5, None, 0.0)):
            ledger.put(call(user=f"{number}", cost_usd=cost))
        (total,) = ledger.totals()
    assert (total.cost_usd, total.unpriced, total.calls) == (0.75, 1, 4)


def test_the_hash_of_the_schema_as_sent_is_kept_where_the_caller_gives_it(database: str) -> None:
    with Ledger.open(database) as ledger:
        ledger.put(call(user="own"))
        ledger.put(call(user="as sent", schema_hash="f" * 64))
        with ledger.engine.connect() as connection:
            found = connection.execute(sa.text("select schema_hash from calls order by id")).scalars().all()
    # printf '{"type":"object"}' | sha256sum
    assert found == ["a2c799262a3ce3c19ef5cdd983bf3d12b43ab3c426227091b909dcb7054738c0", "f" * 64]


def test_text_that_no_database_stores_is_replaced_and_not_a_crash(database: str) -> None:
    new = call("a\ud800b\x00c", user="\ud800 \x00")
    with Ledger.open(database) as ledger:
        assert ledger.put(new).text == "a�b�c"
        stored = ledger.find(new.key)
        assert stored is not None
        assert stored.text == "a�b�c"
        ledger.check()


def test_failures_are_kept_and_counted(database: str) -> None:
    with Ledger.open(database) as ledger:
        for attempt, status in ((1, 503), (2, None)):
            ledger.put_failure(
                Failure("k", "openai:m1", "judge", {"id": "R1"}, attempt, "server", "slow", 9.5, status)
            )
        with ledger.engine.connect() as connection:
            statement = "select attempt, kind, message, seconds, status from failures order by id"
            rows = connection.execute(sa.text(statement)).all()
        assert ledger.failed_attempts() == [FailedAttempts("judge", "openai:m1", "server", 2, 19.0)]
    assert [tuple(row) for row in rows] == [(1, "server", "slow", 9.5, 503), (2, "server", "slow", 9.5, None)]


def test_an_overview_says_what_there_is(database: str) -> None:
    with Ledger.open(database) as ledger:
        empty = ledger.overview()
        assert (empty.states, empty.first, empty.last) == ({}, "", "")
        for name in "abc":
            ledger.put(call(user=name))
        ledger.mark(call(user="a").key, "accepted")
        ledger.abandon([call(user="b").key])
        seen = ledger.overview()
    assert seen.versions == {"ledger": 3}
    assert seen.states == {"abandoned": 1, "accepted": 1, "replied": 1}
    assert seen.imported == 0
    assert "2020" < seen.first <= seen.last
    assert seen.size > 4096


def test_threads_share_a_ledger(database: str) -> None:
    with Ledger.open(database) as ledger:

        def write(name: str) -> None:
            for number in range(25):
                ledger.put(call(name, user=f"{name} {number}"))
                ledger.mark(call(user=f"{name} {number}").key, "accepted")

        threads = [threading.Thread(target=write, args=(name,)) for name in "pqrs"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert ledger.overview().states == {"accepted": 100}


def test_a_server_that_dropped_the_connection_costs_no_reply(postgres_url: str) -> None:
    with Ledger.open(postgres_url) as ledger:
        ledger.put(call("first", user="1"))
        kept = ledger._kept.run(lambda connection: connection.execute(sa.func.pg_backend_pid()).scalar())
        with ledger.engine.connect() as connection:
            connection.execute(sa.func.pg_terminate_backend(kept))
        ledger.put(call("second", user="2"))
        assert ledger.overview().states == {"replied": 2}


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


def test_a_wrong_password_and_a_server_that_is_not_there_are_said_in_a_few_words(
    postgres_server: sa.URL,
) -> None:
    wrong = postgres_server.set(password="not-the-password")
    nobody = postgres_server.set(port=1)
    for url, words in ((wrong, "password authentication failed"), (nobody, "onnection refused")):
        with pytest.raises(LedgerError, match=words) as caught:
            Ledger.open(url.render_as_string(hide_password=False))
        message = str(caught.value)
        assert str(url.password) not in message
        assert len(message) < 500
        assert "\n" not in message
        assert message.startswith(url.render_as_string())
