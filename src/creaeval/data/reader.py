"""Read what people bring: files of any form we know, folders, tables in memory, and our own objects."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from creaeval.data.files import is_hidden, list_files, read_bytes, read_documents, unknown_ending
from creaeval.data.formats.booklet import DOCUMENTS, read_booklet
from creaeval.data.formats.cgpst_release import (
    is_released_form,
    read_released_ratings,
    read_released_responses,
)
from creaeval.data.formats.own_json import holds_ratings, read_json_ratings, read_json_responses
from creaeval.data.grids.csv_file import read_csv
from creaeval.data.grids.memory import is_frame, is_records, read_frame, read_records
from creaeval.data.grids.opening import TABLES, open_grids, split_sheet
from creaeval.data.matching import unmatched
from creaeval.data.model import Rating, Response
from creaeval.data.notes import Notes
from creaeval.data.rating_builder import RatingSource, finish_ratings
from creaeval.data.reading import Reading
from creaeval.data.response_builder import ResponseSource
from creaeval.data.tables.dimensions import ONLY, name_dimensions
from creaeval.data.tables.header import find_table
from creaeval.data.tables.reader import RATINGS, RESPONSES, Kept, TableReader
from creaeval.data.tables.text_layout import shows_objects
from creaeval.errors import DataError, InputError, SettingError
from creaeval.tasks import Task, load_task

if TYPE_CHECKING:
    from creaeval.data.grids.grid import Grid
    from creaeval.tasks import Scenario

#: Of the files that are read.
ENDINGS = {".json", ".jsonl", *DOCUMENTS, *TABLES}
_MOST_NAMED = 5


@dataclass(frozen=True)
class Found:
    """What was read: responses, ratings, booklets' scenarios, and what was found out about the files.

    ``not_read`` are those of the ``notes`` that say which files and sheets were passed over; ``left_out``
    counts rows of tables that are neither a response nor a rating.
    """

    responses: list[Response] = field(default_factory=list)
    ratings: list[Rating] = field(default_factory=list)
    scenarios: dict[str, Scenario] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    not_read: list[str] = field(default_factory=list)
    left_out: int = 0


def read_data(
    sources: Any, task: Task | str | Path, *, want: Sequence[str] = (RESPONSES, RATINGS), **reading: Any
) -> Found:
    """Read responses and ratings, wherever they stand.

    Parameters
    ----------
    sources : path, DataFrame, list of dict, Response, Rating, or sequence of them
        Files, or folders whose files are read: .csv, .tsv, .txt, .xlsx, .xlsm (``FILE.xlsx#SHEET`` names a
        sheet), .sav and .dta (extra ``spss``), .json, .jsonl, .docx.
    task : Task, str or Path
        What was answered: a task, or the name or the file of one.
    want : sequence of {"responses", "ratings"}
        What is looked for; a file that holds none of it is an error.
    **reading
        How files are read: fields of :class:`~creaeval.data.Reading`.

    Returns
    -------
    Found

    Raises
    ------
    DataError
        With every problem found in every file, among them two responses with one id.
    SettingError
        A setting that there is not, or that says nothing.
    """
    task = task if isinstance(task, Task) else load_task(task)
    chosen = Reading.of(**reading)
    if chosen.split is not None and task.batching is None:
        raise SettingError(
            f"--split {chosen.split!r}: task {task.id} has whole responses; only uses of objects are parted."
        )
    reader = _Reader(task, chosen, want)
    with _without_collector():
        for source in _as_list(sources):
            reader.read(source)
        return reader.finish()


@contextmanager
def _without_collector() -> Iterator[None]:
    """Pause the collector: it would look through all cells again and again, for cycles that there are not."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _as_list(sources: Any) -> list[Any]:
    if (
        isinstance(sources, str | Path | Response | Rating | Mapping)
        or is_frame(sources)
        or is_records(sources)
    ):
        return [sources]
    if not isinstance(sources, Iterable):
        raise DataError(f"Found {sources!r:.80}, expected files, a DataFrame, a list of dicts or responses.")
    found = list(sources)
    if not found:
        raise DataError("No file was given, expected at least one.")
    return found


class _Reader:
    """Reads one source after the other, and keeps what it finds."""

    def __init__(self, task: Task, reading: Reading, want: Sequence[str]) -> None:
        self.task, self.reading, self.want = task, reading, want
        self.notes = Notes(reading.strict)
        self.kept = Kept()
        self.tables = TableReader(task, reading, want, self.notes, self.kept)
        self.given: list[Rating] = []
        self._objects: list[Response] = []
        self._count = 0

    def read(self, source: Any) -> None:
        """Read a source of any kind; what is wrong with it is noted."""
        self._count += 1
        with self.kept.problems.collect():
            if isinstance(source, str | Path):
                if is_hidden(Path(source)) and not Path(source).is_dir():
                    return  # a lock file, say, that a shell named among others
                for path in list_files(source, ENDINGS, self.notes.skip):
                    with self.kept.problems.collect():
                        self._read_file(path)
            elif isinstance(source, Response):
                self._objects.append(source)
            elif isinstance(source, Rating):
                self.given.append(source)
            elif is_frame(source):
                self.tables.read([read_frame(source, f"DataFrame {self._count}")])
            elif is_records(source):
                self.tables.read([read_records(source, f"list {self._count}")])
            elif isinstance(source, Mapping):
                self.tables.read([read_records([source], f"entry {self._count}")])
            else:
                raise DataError(
                    f"Entry {self._count}: found {source!r:.80} ({type(source).__name__}), expected a path, "
                    "a DataFrame, a list of dicts, a Response or a Rating."
                )

    def grids(self, sources: Any) -> list[Grid]:
        """Open the tables among sources, as far as they can be opened."""
        found: list[Grid] = []
        for source in _as_list(sources):
            if is_frame(source):
                found.append(read_frame(source, "DataFrame"))
            elif is_records(source):
                found.append(read_records(source, "list"))
            elif isinstance(source, str | Path):
                for path in list_files(source, ENDINGS):
                    if split_sheet(path)[0].suffix.lower() in TABLES:
                        found += open_grids(path, self.reading.sheet)
        return [grid for grid in found if not grid.hidden or len(found) == 1]

    def finish(self) -> Found:
        """Return what was found; DataError with every problem."""
        places: dict[str, str] = {}
        for response, where in self.kept.located:
            if response.id in places:
                self.kept.problems.add(
                    f"{where}: the id {response.id!r} is already taken by {places[response.id]}. Every "
                    f"{self.task.noun} needs an id of its own. If it is who wrote several, say --columns "
                    "participant=COLUMN."
                )
            places.setdefault(response.id, where)
        ratings = [*finish_ratings(self.kept.builders, self.kept.problems), *self.given]
        responses = [self._with_scenario(response) for response, _ in self.kept.located] + self._objects
        if responses and ratings:
            for sentence in unmatched(ratings, [response.id for response in responses])[:_MOST_NAMED]:
                self.notes.say(sentence)
        scenarios = {scenario.id: scenario for scenario in self.kept.scenarios.values()}
        notes = self.notes
        return Found(responses, ratings, scenarios, notes.said, notes.not_read, notes.left_out)

    def _with_scenario(self, response: Response) -> Response:
        scenario = self.kept.scenarios.get(response.id)
        if scenario is None or response.scenario is not None:
            return response
        return response.model_copy(update={"scenario": scenario.id})

    def _read_file(self, path: Path) -> None:
        match split_sheet(path)[0].suffix.lower():
            case ".txt" if not self._is_table(path):
                self._read_document(path)
            case ending if ending in DOCUMENTS and ending != ".txt":
                self._read_document(path)
            case ".json" | ".jsonl":
                self._read_json(path)
            case ending if ending in TABLES:
                self.tables.read(open_grids(path, self.reading.sheet))
            case _:
                raise unknown_ending(path, ENDINGS)

    def _is_table(self, path: Path) -> bool:
        """Whether a text file is a table: rows of cells below titles that are known."""
        if shows_objects(self.task):
            return True
        with suppress(InputError):
            grid = read_csv(path)
            widths = Counter(len(grid.rows[number - 1]) for number in grid.filled())
            width, rows = widths.most_common(1)[0]
            return width > 1 and rows >= 0.8 * widths.total() and self.tables.knows(grid) > 1
        return False

    def _read_document(self, path: Path) -> None:
        source = ResponseSource(self.task, path, self.notes)
        if RESPONSES not in self.want:
            read_bytes(path)  # it may not be there
            raise DataError(f"{path}: a document holds responses, expected ratings in a table.")
        read_booklet(source)
        self.kept.add(source)
        if source.tables:
            self.tables.read(source.tables)

    def _read_json(self, path: Path) -> None:
        responses = ResponseSource(self.task, path, self.notes)
        ratings = RatingSource(self.task, path, self.reading)
        rows: list[Any] = []
        for where, document in read_documents(path):
            if is_released_form(document):
                if RESPONSES in self.want:
                    read_released_responses(document, where, responses)
                if RATINGS in self.want:
                    read_released_ratings(document, where, ratings)
            elif self._is_rating(document):
                read_json_ratings(document, where, ratings)
            elif self._is_row(document):
                rows.append(document)
            else:
                read_json_responses(document, where, responses)
        self.kept.add(responses)
        self.kept.add(ratings)
        if rows:
            self.tables.read([read_records(rows, str(path))])

    def _is_row(self, document: Any) -> bool:
        """Whether a document is a row of a table: a flat object of other keys than our own."""
        own = {"steps", "response_id", "id", "story_id", "responses", "ratings"}
        flat = isinstance(document, dict) and not any(isinstance(v, dict | list) for v in document.values())
        return flat and not own & set(document)

    def _is_rating(self, document: Any) -> bool:
        return self.want == (RATINGS,) or (RATINGS in self.want and holds_ratings(document))


def find_dimensions(sources: Any, task: Task, reading: Mapping[str, Any]) -> list[str]:
    """Name the dimensions that ratings without a task have, over all tables of ``sources``.

    ``task`` is one of nothing but a scale; see :func:`creaeval.data.scales.make_task`.
    """
    reader = _Reader(task, Reading.of(**reading), (RATINGS,))
    found: dict[str, None] = {}
    for grid in reader.grids(sources):
        with suppress(InputError):
            table = find_table(grid, reader.tables.is_known, reader.reading, Notes())
            found |= dict.fromkeys(name_dimensions(table, reader.reading))
    return list(found) or [ONLY]
