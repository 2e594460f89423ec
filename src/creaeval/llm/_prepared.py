"""Statements that are carried out with every call, written out once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy import ClauseElement, Connection, CursorResult


class Prepared:
    """A statement that writes, as the driver takes it: SQLAlchemy's work on each would cost half of SQLite's.

    Values go in as the driver takes them, so JSON goes in as text.

    Parameters
    ----------
    statement : callable
        Given the dialect's name, returns the statement, with named parameters.
    columns : sequence of str, optional
        The columns that an insert fills.
    """

    def __init__(
        self, statement: Callable[[str], ClauseElement], columns: Sequence[str] | None = None
    ) -> None:
        self._statement = statement
        self._columns = columns
        self._written: dict[str, tuple[str, Sequence[str] | None]] = {}

    def run(self, connection: Connection, values: Mapping[str, Any]) -> CursorResult[Any]:
        """Carry the statement out.

        Parameters
        ----------
        connection : sqlalchemy.Connection
            The database.
        values : mapping
            A value for each parameter.

        Returns
        -------
        sqlalchemy.CursorResult
            What the database answered.
        """
        name = connection.dialect.name
        if name not in self._written:
            compiled: Any = self._statement(name).compile(
                dialect=connection.dialect, column_keys=self._columns
            )
            self._written[name] = (str(compiled), compiled.positiontup if compiled.positional else None)
        sql, order = self._written[name]
        if order is None:
            return connection.exec_driver_sql(sql, dict(values))
        return connection.exec_driver_sql(sql, tuple([values[one] for one in order]))
