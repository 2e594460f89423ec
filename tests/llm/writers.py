"""What other processes do in tests of the ledger; its imports are few, since each of them imports it."""

from __future__ import annotations

import multiprocessing
from typing import TYPE_CHECKING, Any

from creaeval.llm.ledger import Ledger

from .calls import call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# New processes, none of which inherits a connection; where it can be had, from a server that has imported
# already what all of them need.
CONTEXT: Any = multiprocessing.get_context("spawn")
if "forkserver" in multiprocessing.get_all_start_methods():
    CONTEXT = multiprocessing.get_context("forkserver")
    CONTEXT.set_forkserver_preload(
        [
            "pytest",
            "creaeval.llm.ledger",
            "sqlalchemy.dialects.sqlite",
            "sqlalchemy.dialects.postgresql.psycopg",
        ]
    )


def at_once(work: Callable[..., None], arguments: Iterable[tuple[Any, ...]]) -> None:
    """Do something in several new processes that begin together, and see that none fails."""
    every = list(arguments)
    barrier = CONTEXT.Barrier(len(every))
    processes = [CONTEXT.Process(target=_begin, args=(barrier, work, given)) for given in every]
    for process in processes:
        process.start()
    for process in processes:
        process.join(timeout=120)
    assert [process.exitcode for process in processes] == [0] * len(processes)


def _begin(barrier: Any, work: Callable[..., None], given: tuple[Any, ...]) -> None:
    barrier.wait(timeout=60)
    work(*given)


def open_only(database: str) -> None:
    Ledger.open(database).close()


def put_many(database: str, name: str, records: int, size: int) -> None:
    """Put records of a process's own."""
    with Ledger.open(database) as ledger:
        for number in range(records):
            head = f"{name} {number} "
            ledger.put(call(head + "x" * (size - len(head)), user=head))


def put_shared(database: str, name: str, records: int) -> None:
    """Put records that every process puts, and find each at once."""
    with Ledger.open(database) as ledger:
        for number in range(records):
            stored = ledger.put(call(name, user=f"shared {number}"))
            found = ledger.find(stored.key)
            assert found is not None
            assert found.text == stored.text
            ledger.mark(stored.key, "accepted")


def put_and_abandon(database: str, name: str, rounds: int) -> None:
    """Put one and the same record again and again, and abandon it each time."""
    with Ledger.open(database) as ledger:
        for _ in range(rounds):
            ledger.put(call(name))
            ledger.abandon([call().key])
