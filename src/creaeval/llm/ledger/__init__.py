"""The durable record of calls: SQLite or PostgreSQL, migrations, accounts, transfer, upkeep."""

from creaeval.llm.ledger.ledger import Ledger

__all__ = ["Ledger"]
