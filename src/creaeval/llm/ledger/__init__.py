"""The durable record of calls: SQLite or PostgreSQL, migrations, accounts, transfer, upkeep."""

from creaeval.llm.ledger.ledger import Ledger
from creaeval.llm.records import (
    Checked,
    FailedAttempts,
    Failure,
    Imported,
    NewCall,
    Overview,
    Prunable,
    State,
    StoredCall,
    Totals,
)

__all__ = [
    "Checked",
    "FailedAttempts",
    "Failure",
    "Imported",
    "Ledger",
    "NewCall",
    "Overview",
    "Prunable",
    "State",
    "StoredCall",
    "Totals",
]
