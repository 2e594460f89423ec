"""The errors a user can meet, as one small tree.

CreaEvalError
├── InputError            something the user gave is wrong; the message says where and what to do
│   ├── TaskError         a task definition
│   ├── DataError         a file of responses, ratings or scenarios
│   └── SettingError      a model name, a setting or an option
├── CallError             a request to a model failed
│   └── PermanentCallError   no retry can help (bad key, unknown model): the run stops
├── BudgetReachedError    what may be spent is spent: the run is stopped, all that was paid for is kept
├── ReplyError            the model answered, but no answer was usable after the last try
└── LedgerError           the ledger cannot be read or written
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_MOST_GROUPS = 20
_FEW = 3
_TEXT = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
#: ``a.csv, row 3, column 'score': what is wrong``
_IN_ROW = re.compile(
    rf"(?P<head>.*?), (?P<word>row|line|entry) (?P<number>\d+)(?P<tail>(?:, [^:'\"]*{_TEXT})?): (?P<rest>.*)",
    re.DOTALL,
)
#: ``a.xlsx, ratings!D3: what is wrong`` and ``a.xlsx: ratings!D3 is a date, where …``
_IN_CELL = re.compile(
    r"(?P<head>.*?[,:] )(?P<number>(?:\w+|'[^']+')![A-Z]{1,3}\d+)(?P<verb>: | is )(?P<rest>.*)", re.DOTALL
)
_FOUND = re.compile(rf"\bfound (?P<value>{_TEXT}|[^\s,'\"]+)(?=[,.])")


class CreaEvalError(Exception):
    """Base of every error this package raises for a user to read."""


class InputError(CreaEvalError):
    """Something the user gave is wrong.

    Parameters
    ----------
    message : str
        The first problem: where it is, what was found, what was expected, what to do.
    others : sequence of str, optional
        Further problems of the same input, listed below the first.

    Attributes
    ----------
    problems : tuple of str
        Every problem; the text of the error is :func:`group_problems` of them.
    """

    def __init__(self, message: str, others: Sequence[str] = ()) -> None:
        self.problems: tuple[str, ...] = (message, *others)
        super().__init__("\n".join(group_problems(self.problems)))


class TaskError(InputError):
    """A task definition is wrong."""


class DataError(InputError):
    """A file of responses, ratings or scenarios is wrong."""


class SettingError(InputError):
    """A model name, a setting or an option is wrong."""


class Problems:
    """All that is wrong with an input, collected before it is refused.

    Parameters
    ----------
    error : type of InputError
        What :meth:`stop` raises.

    Examples
    --------
    >>> problems = Problems()
    >>> problems.add("a.csv, row 3: found 17, expected a whole number from 0 to 16.")
    >>> problems.stop()
    Traceback (most recent call last):
    creaeval.errors.DataError: a.csv, row 3: found 17, expected a whole number from 0 to 16.
    """

    def __init__(self, error: type[InputError] = DataError) -> None:
        self._error = error
        self._found: list[str] = []

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def add(self, problem: str) -> None:
        """Note one problem: where it is, what was found, what was expected, what to do."""
        self._found.append(problem)

    def extend(self, problems: Iterable[str]) -> None:
        """Note several."""
        self._found.extend(problems)

    @contextmanager
    def collect(self) -> Iterator[None]:
        """Note the problems of an :class:`InputError` that is raised inside, and go on behind the block."""
        try:
            yield
        except InputError as error:
            self.extend(error.problems)

    def stop(self) -> None:
        """Raise an error with all problems, if there is one."""
        if self._found:
            raise self._error(self._found[0], self._found[1:])


def group_problems(problems: Sequence[str], most: int = _MOST_GROUPS) -> list[str]:
    """Say once what is wrong in many places: those that differ in their row, cell or value alone are one.

    Parameters
    ----------
    problems : sequence of str
        Each as ``PLACE: MESSAGE``, such as ``a.csv, row 3: found '17', expected points from 0 to 16.``; one
        of another form is only put together with its equals.
    most : int
        How many different ones are listed.

    Returns
    -------
    list of str
        ``a.csv: 12 rows (3, 4, 7, …): found '17' (10 times), '18' (2 times), expected …``, in the order of
        the first of each; the last line says how many problems are not listed.
    """
    groups: defaultdict[_Problem, list[tuple[str, str, str]]] = defaultdict(list)
    for text in dict.fromkeys(problems):
        problem, number, value = _take_apart(text)
        groups[problem].append((text, number, value))
    lines = [
        group[0][0] if len(group) == 1 else _say_together(problem, group)
        for problem, group in list(groups.items())[:most]
    ]
    if rest := sum(map(len, list(groups.values())[most:])):
        lines.append(f"… and {rest:,} more {'problem' if rest == 1 else 'problems'}.")
    return lines


class _Problem(NamedTuple):
    """What equal problems share: the text around the place, and with a gap where a value was found."""

    head: str
    word: str
    tail: str
    message: str


def _take_apart(text: str) -> tuple[_Problem, str, str]:
    """Take a problem's place and the value that was found out of it; both are empty where there is none."""
    if place := _IN_ROW.fullmatch(text):
        shared = _Problem(place["head"], place["word"], place["tail"], place["rest"])
    elif place := _IN_CELL.fullmatch(text):
        shared = _Problem(place["head"], "cell", place["verb"], place["rest"])
    else:
        return _Problem(text, "", "", ""), "", ""
    found = _FOUND.search(shared.message)
    if found is None:
        return shared, place["number"], ""
    start, end = found.span("value")
    gap = f"{shared.message[:start]}\0{shared.message[end:]}"
    return shared._replace(message=gap), place["number"], found["value"]


def _say_together(problem: _Problem, group: Sequence[tuple[str, str, str]]) -> str:
    numbers = list(dict.fromkeys(number for _, number, _ in group))
    more = ", …" if len(numbers) > _FEW else ""
    several = "entries" if problem.word == "entry" else f"{problem.word}s"
    where = f"{len(numbers):,} {several} ({', '.join(numbers[:_FEW])}{more})"
    message = problem.message.replace("\0", _say_values([value for _, _, value in group]))
    if problem.word != "cell":
        return f"{problem.head}{problem.tail}: {where}: {message}"
    if problem.tail == ": ":
        return f"{problem.head}{where}: {message}"
    return f"{problem.head}each of {where} is {message}"


def _say_values(values: Sequence[str]) -> str:
    counts = Counter(values).most_common()
    if len(counts) == 1:
        return values[0]
    said = [f"{value} ({'once' if times == 1 else f'{times:,} times'})" for value, times in counts[:_FEW]]
    more = len(counts) - _FEW
    return ", ".join(said) + (f" and {more:,} other{'s' if more > 1 else ''}" if more > 0 else "")


class CallError(CreaEvalError):
    """A request to a model failed."""


class PermanentCallError(CallError):
    """A request failed in a way that no retry can mend, so the run stops."""


class BudgetReachedError(CreaEvalError):
    """What the user allowed to be spent is spent, so no further request is sent."""


class ReplyError(CreaEvalError):
    """No reply of the model was usable after the last try."""


class LedgerError(CreaEvalError):
    """The ledger cannot be read or written."""
