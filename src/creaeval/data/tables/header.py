"""Find the table in a sheet: its header, the rows that are data, and what stands above, between and below."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from creaeval.data.grids.grid import Place, column_letters
from creaeval.data.ids import clean_name, find_visible
from creaeval.data.notes import Notes
from creaeval.data.tables.table import Row, Table
from creaeval.data.words import MISSING, words
from creaeval.errors import DataError, Problems
from creaeval.tasks import fold
from creaeval.wording import first_few, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from creaeval.data.grids.grid import CellIssue, Grid
    from creaeval.data.reading import Reading

_LOOKED_AT = 30  # how far down a header is looked for
_SUMS = "sums of others"
_LABEL = 15  # characters from which on one word tells what a column is
_NUMBER = re.compile(r"\s*[-+]?\d[\d.,\s]*%?\s*|[\d\s:./-]+(?:[T ][\d:.+Z]+)?\s*(?:[AP]M)?", re.IGNORECASE)
#: How the row of an online survey begins that names its questions by machine.
_IMPORT_ROW = re.compile(r'\s*\{\s*"ImportId"')


@dataclass
class _Header:
    """Titles by column, what further rows say of them, and the last row that is no data."""

    row: int
    titles: list[str]
    questions: list[str]
    last: int


def is_number(text: str) -> bool:
    """Whether a cell holds a number, also with a decimal comma, or a date."""
    return bool(_NUMBER.fullmatch(text))


def find_table(grid: Grid, known: Callable[[str], bool], reading: Reading, notes: Notes) -> Table:
    """Find the table in a sheet.

    Parameters
    ----------
    grid : Grid
        The sheet.
    known : callable
        Whether a title is one that means something, such as ``participant`` or a dimension's name.
    reading : Reading
        ``header`` names the row of the header, 0 for none: columns are then called A, B, C.
    notes : Notes
        Takes what was found out and left out.

    Returns
    -------
    Table

    Raises
    ------
    DataError
        There is no header, no row below it, a column without a name, a name twice, or a row of another
        length.
    """
    filled = grid.filled()
    if not filled:
        raise DataError(f"{grid.where}: is empty, expected a header and rows.")
    header = _read_header(grid, filled, known, reading)
    above = [number for number in filled if number < header.row]
    if above:
        notes.guess(
            f"{grid.where}: the header is row {header.row}; above it stands {_text_of(grid, above[0])!r:.60}."
        )
    between = [number for number in filled if header.row < number <= header.last]
    if between:
        numbers = first_few(list(map(str, between)))
        notes.guess(
            f"{grid.where}: {'rows' if between[1:] else 'row'} {numbers} below the header "
            f"{'belong' if between[1:] else 'belongs'} to it and {'are' if between[1:] else 'is'} no data: "
            f"{_text_of(grid, between[0])!r:.60}."
        )
    data = _without_summaries(grid, [number for number in filled if number > header.last], notes)
    titles = _name_columns(grid, header, data, known)
    data = _without_headers(grid, titles, data, notes)
    rows = _rows(grid, titles, data)
    if not rows:
        raise DataError(f"{grid.where}: has a header (row {header.row}) but no rows below it.")
    questions = {t: q for t, q in zip(titles, header.questions, strict=True) if t and q}
    return Table(
        grid.path,
        tuple(filter(None, titles)),
        rows,
        grid.sheet,
        {**grid.questions, **questions},
        grid.labels,
        " ".join(_text_of(grid, number) for number in above),
        header.row,
    )


def find_only_table(
    grids: Sequence[Grid],
    fits: Callable[[Sequence[str]], bool],
    known: Callable[[str], bool],
    reading: Reading,
) -> Table:
    """Find the table of the only visible sheet whose header fits; DataError if there is none, or several."""
    tables: list[Table] = []
    problems = Problems()
    for grid in grids:
        if grid.hidden and len(grids) > 1:
            continue
        with problems.collect():
            tables.append(find_table(grid, known, reading, Notes()))
    fitting = [table for table in tables if fits(table.header)]
    if len(fitting) == 1 or len(tables) == 1:
        return (fitting or tables)[0]
    path, listed = grids[0].path, ", ".join(map(str, grids))
    if not tables:
        problems.stop()
    raise DataError(
        f"{path}: {'several' if fitting else 'none'} of the sheets {listed} could be meant. Choose one as "
        f"{path.name}#{(fitting or tables)[0].sheet}, say."
    )


def _text_of(grid: Grid, number: int) -> str:
    return " ".join(dict.fromkeys(filter(None, map(clean_name, grid.rows[number - 1]))))


def _read_header(grid: Grid, filled: list[int], known: Callable[[str], bool], reading: Reading) -> _Header:
    width = max(len(grid.rows[number - 1]) for number in filled)
    if reading.header == 0:
        titles = [column_letters(column + 1) for column in range(width)]
        return _Header(0, titles, [""] * width, 0)
    row = reading.header or _find_header(grid, filled, known)
    if row > len(grid.rows) or grid.blank(row):
        raise DataError(f"{grid.where}: row {row}, which --read header={row} names, is empty.")
    titles = [clean_name(text) for text in grid.rows[row - 1]]
    titles += [""] * (width - len(titles))
    header = _Header(row, titles, [""] * width, row)
    _join_above(grid, filled, header)
    below = [number for number in filled if number > row]
    for number in _label_rows(grid, header, below, known):
        _join_below(header, [clean_name(grid.text(number, column)) for column in range(width)])
        header.last = number
    return header


def _find_header(grid: Grid, filled: list[int], known: Callable[[str], bool]) -> int:
    """Return the row that names the columns: texts that differ, preferably names that are known."""
    first = filled[:_LOOKED_AT]
    texts = {number: [text for text in map(clean_name, grid.rows[number - 1]) if text] for number in first}
    width = max(map(len, texts.values()))
    meant = {number: sum(map(known, cells)) for number, cells in texts.items()}

    def may_be(number: int) -> bool:
        cells = texts[number]
        if len(cells) < (2 if width > 1 else 1) or len(cells) < width / 2 or _IMPORT_ROW.match(cells[0]):
            return False
        distinct = len(set(cells)) >= 0.7 * len(cells) or meant[number] >= 2
        numbers = sum(map(is_number, cells))
        return distinct and (numbers <= 0.3 * len(cells) or (meant[number] > 0 and number == first[0]))

    def recurs(number: int) -> bool:
        """Whether cells of a row stand in other rows, too, as names of columns do not; a whole header may."""
        row = [clean_name(text) for text in grid.rows[number - 1]]
        others = [[clean_name(text) for text in grid.rows[n - 1]] for n in filled[: 2 * _LOOKED_AT]]
        return any(
            text and text == other
            for cells in others
            if cells != row
            for text, other in zip(row, cells, strict=False)
        )

    candidates = [number for number in first if may_be(number)]
    strong = [n for n in candidates if meant[n] >= 2 or meant[n] >= len(texts[n]) / 2]
    # Of a row of data some words, such as a dimension's name, may be known, too.
    fresh = [n for n in strong if n == candidates[0] or not recurs(n)]
    if strong := fresh or ([] if candidates and not recurs(candidates[0]) else strong):
        best = max(meant[number] for number in strong)
        row = next(number for number in strong if meant[number] >= best / 2)
        # A row of codes stands above one of questions.
        above = row - 1
        as_wide = above in candidates and len(texts[above]) >= 0.9 * len(texts[row])
        return above if as_wide and not any(map(is_number, texts[above])) else row
    if candidates and not recurs(candidates[0]):
        return candidates[0]
    raise DataError(
        f"{grid.where}: no row names the columns; row {first[0]} reads {_text_of(grid, first[0])!r:.80}. "
        "Write the names of the columns above the data, or say --read header=ROW; with --read header=none "
        "the columns are called A, B, C … and --columns says which is which."
    )


def _join_above(grid: Grid, filled: list[int], header: _Header) -> None:
    """Put the name of a group of columns, in the row above, before names that are there several times."""
    above = [number for number in filled if number < header.row]
    counts = Counter(map(str.casefold, header.titles))
    repeated = [bool(title) and counts[title.casefold()] > 1 for title in header.titles]
    if not above or above[-1] != header.row - 1 or not any(repeated):
        return
    groups = _fill_right([clean_name(grid.text(above[-1], c)) for c in range(len(header.titles))])
    header.titles = [
        f"{group} {title}" if group and again else title
        for group, title, again in zip(groups, header.titles, repeated, strict=True)
    ]


def _fill_right(texts: Sequence[str]) -> list[str]:
    filled: list[str] = []
    for text in texts:
        filled.append(text or (filled[-1] if filled else ""))
    return filled


def _label_rows(grid: Grid, header: _Header, below: list[int], known: Callable[[str], bool]) -> Iterator[int]:
    """Yield the rows right below the header that belong to it: subtitles, questions, names by machine.

    Each is to be joined to the header before the next is asked for.
    """
    machine = next((i for i, n in enumerate(below[:4]) if _is_import_row(grid, n)), None)
    if machine is not None:
        yield from below[: machine + 1]
        return
    for position, candidate in enumerate(below[:-1][:2]):
        adjacent = candidate == header.row + position + 1
        if not adjacent or not _is_label_row(grid, header, candidate, below[position + 1 :], known):
            return
        yield candidate


def _is_import_row(grid: Grid, number: int) -> bool:
    return any(_IMPORT_ROW.match(text) for text in grid.rows[number - 1])


def _is_label_row(
    grid: Grid, header: _Header, number: int, rest: list[int], known: Callable[[str], bool]
) -> bool:
    """Whether a row tells of the columns: it fills gaps, repeats the header, or names numbers."""
    cells = [clean_name(grid.text(number, column)) for column in range(len(header.titles))]
    written = [cell for cell in cells if cell]
    counts = Counter(filter(None, header.titles))
    grouped = [(t, c) for c, t in zip(cells, header.titles, strict=True) if c and counts[t] > 1]
    named = sum(known(cell) or is_number(cell) for _, cell in grouped)
    apart = len(grouped) > 1 and len(set(grouped)) == len(grouped) and named * 2 >= len(grouped)
    # A row of data says whose it is beside them.
    apart = apart and all(
        fold(c) == fold(t) for c, t in zip(cells, header.titles, strict=True) if c and counts[t] == 1
    )
    if apart and len(grouped) >= 0.6 * len(written):
        return True  # it tells the columns of a group apart
    if not written or any(map(is_number, written)):
        return False
    repeated = sum(bool(c) and fold(c) == fold(t) for c, t in zip(cells, header.titles, strict=True))
    if repeated >= 2 and repeated >= len(written) / 3:
        return True
    gaps = [c for c, t in zip(cells, header.titles, strict=True) if c and not t]
    if gaps and len(gaps) >= len(written) / 2 and len(set(written)) >= len(written) / 3:
        return True
    in_groups = [c for c, t in zip(cells, header.titles, strict=True) if c and counts[t] > 1]
    if (
        in_groups
        and len(set(in_groups)) > 1
        and (
            sum(map(known, in_groups)) * 2 >= len(in_groups)
            or all(map(is_number, _column_texts(grid, header, rest)))
        )
    ):
        return True
    return _labels_numbers(grid, header, cells, rest, known)


def _labels_numbers(
    grid: Grid, header: _Header, cells: list[str], rest: list[int], known: Callable[[str], bool]
) -> bool:
    """Whether a row has words where all others have numbers, and is no row of data with a wrong value."""
    names = words().roles["id"].keys() | words().roles["participant"].keys() | words().roles["text"].keys()
    below = [[_shape(grid.text(number, column)) for number in rest[:20]] for column in range(len(cells))]
    if any(cell and _shape(cell) in column for cell, column in zip(cells, below, strict=True)):
        return False
    numeric = [c for c, title in enumerate(header.titles) if fold(title) not in names]
    numeric = [c for c in numeric if _is_numeric(grid, c, rest)]
    if not numeric or any(not cells[c] or fold(cells[c]) in _MISSING_FOLDED for c in numeric):
        return False
    telling = [c for c in numeric if known(cells[c]) or " " in cells[c] or len(cells[c]) > _LABEL]
    return not cells[0] or len(telling) * 2 >= len(numeric)


def _shape(text: str) -> str:
    """Reduce a text to what names of one kind share: ``R0`` for ``R17``."""
    return re.sub(r"\d+", "0", clean_name(text))


_MISSING_FOLDED = frozenset(map(fold, MISSING))


def _column_texts(grid: Grid, header: _Header, rest: list[int]) -> list[str]:
    counts = Counter(filter(None, header.titles))
    columns = [column for column, title in enumerate(header.titles) if counts[title] > 1]
    texts = (grid.text(number, column) for number in rest[:20] for column in columns)
    return [text for text in texts if clean_name(text) not in MISSING]


def _is_numeric(grid: Grid, column: int, rows: list[int]) -> bool:
    texts = [clean_name(grid.text(number, column)) for number in rows[:50]]
    given = [text for text in texts if text not in MISSING]
    return len(given) >= 2 and len(given) >= len(texts) / 2 and all(map(is_number, given))


def _join_below(header: _Header, cells: list[str]) -> None:
    """Take a further row of the header: part of the title where that has none of its own, else a question."""
    counts = Counter(map(str.casefold, filter(None, header.titles)))
    groups = _fill_right(header.titles)
    for column, cell in enumerate(cells):
        title = header.titles[column]
        if not cell or _IMPORT_ROW.match(cell):
            continue
        if not title or counts[title.casefold()] > 1:
            # Of a survey with several answers the first names the question, the others follow it.
            header.titles[column] = f"{groups[column]} {cell}".strip()
        elif not header.questions[column]:
            header.questions[column] = cell
    for column, title in enumerate(header.titles[:-1]):
        nameless = header.titles[column + 1]
        if title and header.questions[column] and nameless.startswith(f"{title} "):
            header.titles[column] = f"{title} {header.questions[column]}"


def _without_summaries(grid: Grid, data: list[int], notes: Notes) -> list[int]:
    """Leave out rows that sum the others up, and remarks below the table."""
    kept = list(data)
    left: dict[str, list[int]] = {}
    while kept:
        if kind := _foot(grid, kept):
            left.setdefault(kind, []).insert(0, kept.pop())
        else:
            break
    middle = [number for number in kept if (word := _summary_word(grid, number)) and len(word) > 2]
    if middle:
        left.setdefault(_SUMS, [])[:0] = middle
        kept = [number for number in kept if number not in set(middle)]
    for reason, numbers in left.items():
        rows = first_few([f"{number} ({_text_of(grid, number)[:30]})" for number in numbers], 3)
        notes.leave_out(
            len(numbers), f"{grid.where}: left out {plural(len(numbers), 'row')} as {reason}: row {rows}."
        )
    return kept


def _without_headers(grid: Grid, titles: list[str], data: list[int], notes: Notes) -> list[int]:
    """Leave out rows that repeat the header, as where tables were put below each other."""
    wanted = [fold(title) for title in titles]
    first = titles[0].casefold()
    alike = [number for number in data if grid.text(number, 0).strip().casefold() == first]
    again = [n for n in alike if [fold(grid.text(n, c)) for c in range(len(titles))] == wanted]
    if again:
        rows = first_few(list(map(str, again)))
        notes.leave_out(len(again), f"{grid.where}: left out rows that repeat the header: {rows}.")
    repeated = set(again)
    return [number for number in data if number not in repeated]


def _foot(grid: Grid, kept: list[int]) -> str:
    """Say why the last row is no data; nothing if it is."""
    number = kept[-1]
    if _summary_word(grid, number):
        return _SUMS
    written = [text for text in grid.rows[number - 1] if find_visible(text)]
    apart = number > 1 and (grid.blank(number - 1) or bool(_summary_word(grid, number - 1)))
    widest = max(len([t for t in grid.rows[n - 1] if find_visible(t)]) for n in kept[:20])
    return "remarks below the table" if apart and len(written) == 1 and widest > 2 else ""


def _summary_word(grid: Grid, number: int) -> str:
    """Return the word by which a row says that it sums others up, where all else in it are numbers."""
    written = [text for text in map(str.strip, grid.rows[number - 1]) if text]
    first, others = "".join(written[:1]), written[1:]
    if not all(is_number(text) or text in MISSING for text in others) or is_number(first):
        return ""
    word = fold(first)
    # Formulas whose values the file does not hold sum up, too.
    computed = any((number, column) in grid.issues for column in range(len(grid.rows[number - 1])))
    return word if (others or computed) and word in words().summary else ""


def _name_columns(grid: Grid, header: _Header, data: list[int], known: Callable[[str], bool]) -> list[str]:
    """Return the title of each column, nothing for one that is empty and has none."""
    problems = Problems()
    titles = list(header.titles)
    seen: dict[str, int] = {}
    for column, title in enumerate(titles):
        place = Place(grid.path, grid.sheet, header.row, column + 1)
        issue = grid.issues.get((header.row, column))
        if issue is not None and not issue.only_ids and title:
            problems.add(f"{grid.path}: {place.name} is {issue.what} where a column's name is due.")
        elif not title:
            used = any(find_visible(grid.text(number, column)) for number in data)
            titles[column] = f"column {column_letters(column + 1)}" if used and column == 0 else ""
            if used and column:
                row = next(number for number in data if find_visible(grid.text(number, column)))
                problems.add(_nameless(grid, header, row, column))
        elif title.casefold() in seen:
            again = f"{title} ({sum(t.casefold() == title.casefold() for t in titles[: column + 1])})"
            if known(title) or again.casefold() in seen:
                where = f"{grid.where}, row {header.row}"
                problems.add(
                    f"{where}: the column {title!r} is there twice. Rename one of the two, or delete it."
                )
            titles[column] = again
        seen[titles[column].casefold()] = column
    problems.stop()
    return titles


def _nameless(grid: Grid, header: _Header, row: int, column: int) -> str:
    if grid.sheet is None and column >= len(grid.rows[header.row - 1] if header.row else []):
        expected = len([title for title in header.titles if title])
        rule = "A text that holds the delimiter must stand in quotation marks."
        return (
            f"{grid.path}, row {row}: found {len(grid.rows[row - 1])} cells, expected {expected} as in the "
            f"header (row {header.row}). {rule}"
        )
    place = Place(grid.path, grid.sheet, row, column + 1)
    name = f"{place.name}, column {column + 1}," if grid.sheet is None else place.name
    return (
        f"{grid.path}: {name} holds something, but its column has no name in the header (row "
        f"{header.row}). Name the column or empty it, or say --read header=ROW."
    )


def _rows(grid: Grid, titles: list[str], data: list[int]) -> tuple[Row, ...]:
    named = [title for title in titles if title]
    columns = {column: title for column, title in enumerate(titles) if title}
    issues: dict[int, dict[str, CellIssue]] = {}
    for (number, column), issue in grid.issues.items():
        if column in columns:
            issues.setdefault(number, {})[columns[column]] = issue
    width = max(columns) + 1
    problems = Problems()
    rows: list[Row] = []
    full = len(named) == width
    for number in data:
        cells = grid.rows[number - 1]
        if len(cells) < width:
            if grid.sheet is None and len(cells) == 1 and width > 2:
                problems.add(
                    f"{grid.path}, row {number}: found 1 cell, expected {width} as in the header. A text "
                    "with line breaks must stand in quotation marks."
                )
                continue
            cells = cells + [""] * (width - len(cells))
        chosen = cells if full else [cells[column] for column in columns]
        rows.append(Row(number, dict(zip(named, chosen, strict=False)), issues.get(number, {})))
    problems.stop()
    return tuple(rows)
