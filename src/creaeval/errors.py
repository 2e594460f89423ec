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

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


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
    """

    def __init__(self, message: str, others: Sequence[str] = ()) -> None:
        self.problems: tuple[str, ...] = (message, *others)
        super().__init__("\n".join(self.problems))


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
