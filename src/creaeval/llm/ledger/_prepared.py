"""The few statements that are carried out with every call, written out once and given to the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy import ClauseElement, Connection


class Done(Protocol):
    """What is left of a statement: a cursor."""

    @property
    def rowcount(self) -> int:
        """Rows that were written."""
        ...

    def fetchone(self) -> Any:
        """Return the next row that was found, or None."""
        ...


class Prepared:
    """A statement as the driver takes it: SQLAlchemy's work on each would cost as much as SQLite's own.

    Values go in and come out as the driver has them, so JSON goes in as text.

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

    def run(self, connection: Connection, values: Mapping[str, Any]) -> Done:
        """Carry the statement out.

        Parameters
        ----------
        connection : sqlalchemy.Connection
            The database.
        values : mapping
            A value for each parameter.

        Returns
        -------
        Done
            What was written or found.

        Raises
        ------
        sqlalchemy.exc.DBAPIError
            From the database.
        """
        sql, order = self._write_out(connection)
        given = dict(values) if order is None else tuple([values[name] for name in order])
        cursor = connection.connection.cursor()
        try:
            cursor.execute(sql, given)
        except connection.dialect.loaded_dbapi.Error:
            # Once more through SQLAlchemy, which finds out what is wrong and whether the connection is gone.
            return connection.exec_driver_sql(sql, given)
        return cursor

    def _write_out(self, connection: Connection) -> tuple[str, Sequence[str] | None]:
        name = connection.dialect.name
        if name not in self._written:
            compiled: Any = self._statement(name).compile(
                dialect=connection.dialect, column_keys=self._columns
            )
            self._written[name] = (str(compiled), compiled.positiontup if compiled.positional else None)
        return self._written[name]
