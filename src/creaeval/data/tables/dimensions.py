"""Which dimensions ratings without a task have: those a column names, or the titles of columns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from creaeval.data.ids import clean_name
from creaeval.data.tables.columns import Columns
from creaeval.data.tables.rating_titles import names_rater
from creaeval.data.words import words
from creaeval.tasks import fold

if TYPE_CHECKING:
    from creaeval.data.reading import Reading
    from creaeval.data.tables.table import Table

#: What a rating is called that is of nothing in particular.
ONLY = "score"


def name_dimensions(table: Table, reading: Reading) -> list[str]:
    """Name the dimensions of a table of ratings; ``["score"]`` where it has but one without a name.

    A column of dimensions tells them; beside a column of raters every column of numbers is one; of titles
    such as ``Plot_R1`` and ``Style_R1`` it is the part that is no rater.
    """
    columns = Columns(table, reading)
    rater, dimension = columns.take("rater"), columns.take("dimension")
    if dimension is not None:
        return list(dict.fromkeys(filter(None, (clean_name(row.cells[dimension]) for row in table.rows))))
    for role in ("id", "participant", "stage", "item"):
        columns.take(role)
    known = words()
    numbers = [
        title
        for title in columns.free
        if columns.profile(title).numeric >= 0.8
        and fold(title) not in known.carried | known.summary
        and title not in columns.personal
    ]
    if numbers and numbers[0] == table.header[0]:
        del numbers[0]
    if rater is not None:
        return numbers if len(numbers) > 1 else [ONLY]
    return _dimensions_of(numbers) or [ONLY]


def _dimensions_of(titles: list[str]) -> list[str]:
    """Take the dimensions out of titles that name a rater, too; none if they do not make a whole table."""
    known = words().dimensions
    for pattern in (r"(.+?)[\s_.:/(\[-]+([^\s_.:/(\[-]+)[)\]]?", r"([^\s_.:/(\[-]+)[\s_.:/(\[-]+(.+?)[)\]]?"):
        pairs = [match.groups() for title in titles if (match := re.fullmatch(pattern, title))]
        heads = list(dict.fromkeys(head for head, _ in pairs))
        tails = list(dict.fromkeys(tail for _, tail in pairs))
        whole = len(pairs) == len(titles) == len(heads) * len(tails) and len(titles) > 1
        if not whole or all(map(names_rater, titles)):
            continue
        capital = all(map(str.istitle, heads)) and not any(map(str.istitle, tails))
        if all(map(names_rater, heads)) or (capital and not known & set(map(fold, heads))):
            return tails  # people's names have a capital
        if all(map(names_rater, tails)) or (len(heads) > 1 and len(tails) > 1) or fold(heads[0]) in known:
            return heads
    return []
