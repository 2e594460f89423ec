"""Tables as people read them: one kind of table, how it is made of data, and one writer a medium."""

from creaeval.report.display.build import cross_table, list_table, plain_table, table_of
from creaeval.report.display.table import Cell, DisplayTable, Line

__all__ = ["Cell", "DisplayTable", "Line", "cross_table", "list_table", "plain_table", "table_of"]
