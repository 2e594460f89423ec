"""Find the steps of a response in the blocks of a document, by headings and by tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from creaeval.data.formats.blocks import BOLD, HEADING, PLAIN, Grid, Line, fill_label, is_blank, lines_in
from creaeval.data.formats.headings import SCENE, UNKNOWN, Heading, titles_of
from creaeval.errors import DataError
from creaeval.wording import first_few

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from creaeval.data.formats.blocks import Block
    from creaeval.tasks import Task

#: The part of a document above the first heading.
ABOVE = "(above)"
#: How many points less a second heading of a step has where it is one by chance: "Action Plan:" in step 6.
_BY_CHANCE = 4
#: How many points less than the surest heading one may have that stands for its step alone.
_FAR = 24
_SURE = 30  # a step's number, or its name in a heading's style
_HEADING_WORDS = 8
_LIST_OF_CONTENTS = 3  # headings in a row without anything between them
_GRID = 3  # filled cells of a row that is no pair of a title and an answer


class _Place(NamedTuple):
    """A line in the order of reading; ``look`` counts a cell of its own, ``number`` is the cell before it."""

    line: Line
    look: int
    barred: bool = False
    number: Line | None = None


class _Candidate(NamedTuple):
    order: int
    place: _Place
    heading: Heading

    @property
    def quote(self) -> str:
        return repr(" ".join(self.place.line.text.split())[:60])


class CutDocument(NamedTuple):
    """A document in parts, by step, and what was left out of it."""

    parts: dict[str, list[Block]]
    notes: list[str]


def names_steps(blocks: Sequence[Block], task: Task) -> bool:
    """Whether there are headings of half of a task's steps; of its only one with number and title."""
    sure = [c.heading for c in _Finder(blocks, task, "").candidates if c.heading.points >= _SURE]
    if len(task.steps) == 1:
        return any(heading.titled for heading in sure)
    return 2 * len({heading.step for heading in sure if heading.numbered}) >= len(task.steps)


def cut_steps(blocks: Sequence[Block], task: Task, where: str) -> CutDocument:
    """Cut a document into the steps of a task.

    Parameters
    ----------
    blocks : sequence of Block
        The document.
    task : Task
        The task.
    where : str
        The document, as messages name it.

    Returns
    -------
    CutDocument
        Its parts by the steps' ids, ``ABOVE`` and ``SCENE``. A step without a heading is not among them.

    Raises
    ------
    DataError
        There is no heading, two of one step, or one that cannot be told; with what was found, what was
        expected and what to do.
    """
    finder = _Finder(blocks, task, where)
    cutter = _Cutter(*finder.choose())
    cutter.cut(blocks)
    return CutDocument(cutter.finish(), cutter.notes)


class _Finder:
    """The lines of a document that may be headings, and the choice among them."""

    def __init__(self, blocks: Sequence[Block], task: Task, where: str) -> None:
        self._task, self._where = task, where
        self._titles = titles_of(task)
        self._steps = [step.id for step in task.steps]
        self._places = [place for place in self._walk(blocks) if not place.line.blank]
        self.candidates = self._without_contents(
            [
                _Candidate(order, place, heading)
                for order, place in enumerate(self._places)
                if not place.barred and (heading := self._read(place))
            ]
        )
        self._best: dict[str, _Candidate] = {}

    def choose(self) -> tuple[dict[Line, Heading], set[Line]]:
        """Return the lines that are headings, and cells of numbers before them."""
        seconds: list[_Candidate] = []
        # The scenario last: it stands above the steps, which must be known for that.
        for candidate in sorted(
            self.candidates, key=lambda c: (c.heading.step == SCENE, -c.heading.points, c.order)
        ):
            step = candidate.heading.step
            if step in self._best:
                seconds += self._see_second(candidate, self._best[step])
            elif step != UNKNOWN and self._fits(candidate):
                self._best[step] = candidate
        self._check()
        chosen = [*self._best.values(), *seconds]
        numbers = {c.place.number for c in chosen if c.place.number is not None}
        return {c.place.line: c.heading for c in chosen}, numbers

    def _walk(self, blocks: Sequence[Block], look: int = PLAIN) -> Iterator[_Place]:
        for block in blocks:
            if isinstance(block, Line):
                yield _Place(block, max(block.look, look))
            else:
                for row in block.rows:
                    yield from self._walk_row(row)

    def _walk_row(self, row: list[list[Block]]) -> Iterator[_Place]:
        """Yield a row's lines. A title is its first cell, its second behind a number, or every one."""
        written = [cell for cell in row if not is_blank(cell)]
        is_header = len(written) > 1 and self._is_header(written)
        first = _only_line(written[0]) if written else None
        number = first if len(written) >= _GRID and first and first.text.strip(" .):").isdigit() else None
        barred = len(written) >= _GRID and number is None and not is_header
        for index, cell in enumerate(written):
            is_title = index == (0 if number is None else 1) or is_header
            look = BOLD if is_title and _only_line(cell) else PLAIN
            for place in self._walk(cell, look):
                yield place._replace(
                    barred=place.barred or barred, number=number if is_title else place.number
                )

    def _is_header(self, cells: Sequence[list[Block]]) -> bool:
        lines = [_only_line(cell) for cell in cells]
        headings = [self._titles.read(line.text, BOLD) for line in lines if line is not None]
        steps = {heading.step for heading in headings if heading and not heading.rest} - {SCENE, UNKNOWN}
        return len(steps) == len(cells)

    def _read(self, place: _Place) -> Heading | None:
        line = place.line
        if line.listed is not None and line.listed.label:
            labelled = f"{fill_label(line.listed, line.listed.number)} {line.text}"
            if heading := self._titles.read(labelled, place.look):
                return heading
        return self._titles.read(line.text, place.look, line.lead)

    def _without_contents(self, candidates: list[_Candidate]) -> list[_Candidate]:
        """Leave out a list of contents: headings in a row, each of which comes again."""
        runs: list[list[_Candidate]] = []
        for candidate in candidates:
            if runs and candidate.order == runs[-1][-1].order + 1:
                runs[-1].append(candidate)
            else:
                runs.append([candidate])
        for run in runs:
            steps = {candidate.heading.step for candidate in run}
            others = [candidate for candidate in candidates if candidate.order > run[-1].order]
            if len(steps) >= _LIST_OF_CONTENTS and steps <= {other.heading.step for other in others}:
                return others
        return candidates

    def _fits(self, candidate: _Candidate) -> bool:
        """Whether a line may be its step's heading where it stands among those that are sure."""
        heading, order = candidate.heading, candidate.order
        if heading.step == SCENE:
            first = min((known.order for known in self._best.values()), default=order)
            return candidate.place.look > PLAIN or order < first
        if heading.numbered and not heading.loose:
            return True
        number = self._steps.index(heading.step)
        return all(
            (known.order < order) == (self._steps.index(step) < number) for step, known in self._best.items()
        )

    def _see_second(self, candidate: _Candidate, known: _Candidate) -> list[_Candidate]:
        """Return a second heading of a step if it belongs to the first; refuse one that is as sure."""
        between = range(min(candidate.order, known.order) + 1, max(candidate.order, known.order))
        same = {c.order for c in self.candidates if c.heading.step == known.heading.step}
        first = min(candidate, known, key=lambda c: c.order)
        if candidate.heading.exact and not first.heading.rest and set(between) <= same:
            return [candidate]
        if candidate.heading.step != SCENE and candidate.heading.points >= known.heading.points - _BY_CHANCE:
            one, two = sorted((candidate, known), key=lambda c: c.order)
            raise DataError(
                f"{self._where}: {known.heading.step} is there twice, as {one.quote} and as {two.quote}. "
                "Expected one booklet in a file, each step once. Save each booklet as a file of its own; "
                "if one of these lines is part of an answer, change how it is set or worded."
            )
        return []

    def _check(self) -> None:
        steps = {step: c for step, c in self._best.items() if step != SCENE}
        most = max((c.heading.points for c in steps.values()), default=0)
        if not steps or (len(steps) == 1 and len(self._steps) > 2 and most < _SURE):
            raise self._nothing_found()
        least = min(c.place.look for c in steps.values())
        for step, candidate in steps.items():
            if candidate.heading.other:
                raise self._unclear(
                    candidate, f"its number says {step} and its title {candidate.heading.other}"
                )
            is_set_so = candidate.heading.numbered and candidate.place.look >= least
            if candidate.heading.points < most - _FAR and not is_set_so:
                raise self._unclear(
                    candidate, f"it may be the heading of {step}, but is not set as the other headings are"
                )
        self._check_unknown(list(steps.values()))
        self._check_gaps(sorted(steps.values(), key=lambda c: c.order))

    def _check_unknown(self, known: list[_Candidate]) -> None:
        least = min(c.place.look for c in known)
        first = min(c.order for c in known)
        for candidate in self.candidates:
            if (
                candidate.heading.step == UNKNOWN
                and candidate.order > first
                and candidate.place.look >= least
            ):
                raise self._unclear(candidate, f"task {self._task.id} has no such step")

    def _check_gaps(self, known: list[_Candidate]) -> None:
        """Refuse an unknown heading where a step is missing: its text would go to the step before."""
        found = {c.heading.step for c in known}
        for one, two in zip(known, [*known[1:], None], strict=True):
            start = self._steps.index(one.heading.step)
            end = self._steps.index(two.heading.step) if two else len(self._steps)
            missing = [step for step in self._steps[start + 1 : end] if step not in found]
            # Behind the last heading that is there, bold lines may be any.
            is_like = _set_as(one.place, two.place if two else None)
            for place in self._places[one.order + 1 : two.order if two else None] if missing else ():
                if is_like(place):
                    raise self._unclear(
                        _Candidate(0, place, Heading(UNKNOWN, 0)),
                        f"it is set as the headings are and may be that of {first_few(missing)}",
                    )

    def _unclear(self, candidate: _Candidate, why: str) -> DataError:
        return DataError(
            f"{self._where}: the line {candidate.quote} cannot be told: {why}. {self._expected()} Correct "
            "the heading, or set the line as the text around it."
        )

    def _nothing_found(self) -> DataError:
        seen = [
            repr(" ".join(place.line.text.split())[:40])
            for place in self._places
            if place.look > PLAIN and len(place.line.text.split()) <= _HEADING_WORDS
        ]
        lines = [repr(" ".join(place.line.text.split())[:40]) for place in self._places]
        what = (
            f"lines set as headings: {first_few(seen)}" if seen else f"lines: {first_few(lines, 3) or 'none'}"
        )
        return DataError(
            f"{self._where}: found no headings of steps ({what}). {self._expected()} Write each step's "
            "heading on a line of its own. No response was read from it."
        )

    def _expected(self) -> str:
        by_id = {step: number for number, step in self._titles.numbers.items()}
        names = [f"'Step {by_id[step.id]}: {step.name}'" for step in self._task.steps]
        return f"Expected headings such as {first_few(names, 6)}."


class _Cutter:
    """Takes blocks in the order of reading and puts them to the part that is open."""

    def __init__(self, headings: dict[Line, Heading], numbers: set[Line]) -> None:
        self._headings, self._numbers = headings, numbers
        self._parts: dict[str, list[Block]] = {}
        self._loose: dict[str, Line] = {}
        self._open = ABOVE
        self.notes: list[str] = []

    def cut(self, blocks: Sequence[Block]) -> None:
        for block in blocks:
            if isinstance(block, Grid):
                self._cut_table(block)
            elif block in self._headings:
                self._start(self._headings[block], block.look)
            elif block not in self._numbers:
                self._add(block)

    def finish(self) -> dict[str, list[Block]]:
        """Return the parts. What stands behind a number is a title if it is short and an answer follows."""
        for step, line in self._loose.items():
            others = [block for block in self._parts[step] if block is not line]
            is_short = len(line.text.split()) <= _HEADING_WORDS and line.text[-1] not in ".?!;,。？！"
            may_be_title = line.look == HEADING or not is_blank(others)
            if is_short and may_be_title and not line.text[0].isdigit():
                self._parts[step] = others
                self.notes.append(f"{line.text!r}, taken as the title of {step}")
        return self._parts

    def _start(self, heading: Heading, look: int = PLAIN) -> None:
        self._open = heading.step
        self._parts.setdefault(heading.step, [])
        if heading.rest:
            line = Line(heading.rest, look)
            self._add(line)
            if heading.loose:
                self._loose[heading.step] = line

    def _add(self, *blocks: Block) -> None:
        self._parts.setdefault(self._open, []).extend(blocks)

    def _cut_table(self, table: Grid) -> None:
        columns: list[Heading | None] = []
        for row in table.rows:
            titles = [self._heading_of(cell) for cell in row]
            if sum(title is not None for title in titles) > 1:
                columns = titles
                for title in filter(None, titles):
                    self._start(title)
            elif any(line in self._headings for line in lines_in([Grid([row])])):
                columns = []
                self._cut_row(row)
            elif columns:
                self._cut_columns(row, columns)
            else:
                self._add(Grid([row]))

    def _heading_of(self, cell: list[Block]) -> Heading | None:
        line = _only_line(cell)
        return None if line is None else self._headings.get(line)

    def _cut_columns(self, row: list[list[Block]], columns: list[Heading | None]) -> None:
        for cell, heading in zip(row, [*columns, *[None] * len(row)], strict=False):
            if heading is not None:
                self._open = heading.step
                self._add(*cell)
            else:
                self._leave_out(line for line in lines_in(cell))

    def _cut_row(self, row: list[list[Block]]) -> None:
        """Cut a row with a title. What else its cell says is a hint if the answer has a cell of its own."""
        *_, answer = row
        for cell in row:
            others = [
                line for line in lines_in(cell) if line not in self._headings | dict.fromkeys(self._numbers)
            ]
            is_title = cell is not answer and len(others) < len(list(lines_in(cell)))
            if is_title and _length(others) < _length(list(lines_in(answer))):
                for line in lines_in(cell):
                    if line in self._headings:
                        self._start(self._headings[line])
                self._leave_out(others)
            else:
                self.cut(cell)

    def _leave_out(self, lines: Iterator[Line] | list[Line]) -> None:
        self.notes += [repr(" ".join(line.text.split())[:60]) for line in lines if not line.blank]


def _set_as(one: _Place, two: _Place | None) -> Callable[[_Place], bool]:
    """Return what tells whether a short line is set as these headings are: by style, capitals or a colon."""
    least = HEADING if two is None else min(one.look, two.look)
    dresses = [_dress(place) for place in (one, two or one)]
    dress = tuple(all(pair) for pair in zip(*dresses, strict=True))

    def is_like(place: _Place) -> bool:
        if place.barred or len(place.line.text.split()) > _HEADING_WORDS:
            return False
        if least > PLAIN or two is None:
            return place.look >= least and one.look >= least
        return any(dress) and all(has or not due for has, due in zip(_dress(place), dress, strict=True))

    return is_like


def _dress(place: _Place) -> tuple[bool, bool]:
    text = place.line.text.strip()
    return text.isupper(), text.endswith((":", "："))


def _only_line(cell: Sequence[Block]) -> Line | None:
    written = [line for line in lines_in(cell) if not line.blank]
    return written[0] if len(written) == 1 else None


def _length(lines: Sequence[Line]) -> int:
    return sum(len(line.text.strip()) for line in lines)
