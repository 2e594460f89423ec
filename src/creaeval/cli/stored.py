"""Open what is there already: a ledger, its runs."""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from creaeval.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from creaeval.llm import Ledger
    from creaeval.runs import RunStore


@contextmanager
def open_ledger(ledger: str) -> Iterator[Ledger]:
    """Open a ledger; a file that is not there is an error, since looking must not create it."""
    from creaeval.llm import Ledger

    if not is_there(ledger):
        raise SettingError(
            f"{ledger}: there is no ledger here. Name it with --ledger, or change to the folder you ran in."
        )
    with Ledger.open(ledger) as opened:
        yield opened


def is_there(ledger: str) -> bool:
    """Whether there is a ledger; of one on a server nobody can tell but by opening it."""
    file = re.sub(r"^sqlite(\+\w+)?:///", "", ledger)
    return "://" in file or Path(file).expanduser().exists()


@contextmanager
def open_store(ledger: str) -> Iterator[RunStore]:
    """Open a ledger's runs, as open_ledger does."""
    from creaeval.runs import RunStore

    with open_ledger(ledger) as opened:
        yield RunStore(opened)
