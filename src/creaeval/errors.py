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

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


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
