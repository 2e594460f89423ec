"""Words of messages that many places need: what may be meant, the first few of many, a number of things."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_MOST = 5


def _as_it_is(name: str) -> str:
    return name


def nearest(
    name: str,
    known: Iterable[str],
    *,
    most: int = 1,
    cutoff: float = 0.6,
    key: Callable[[str], str] = _as_it_is,
) -> list[str]:
    """Find the known names that are most like a wrong one.

    Parameters
    ----------
    name : str
        What somebody wrote.
    known : iterable of str
        What is known, as it is to be shown.
    most : int
        How many at most.
    cutoff : float
        How alike they must be, 0 to 1, as :func:`difflib.get_close_matches` measures it.
    key : callable, optional
        Reduces both sides before they are compared, such as :func:`creaeval.tasks.fold`.

    Returns
    -------
    list of str
        The most alike first; empty if nothing is like it.
    """
    spellings: dict[str, str] = {}
    for spelling in known:
        spellings.setdefault(key(spelling), spelling)
    return [spellings[match] for match in get_close_matches(key(name), spellings, n=most, cutoff=cutoff)]


def did_you_mean(
    name: str,
    known: Iterable[str],
    *,
    most: int = 1,
    cutoff: float = 0.6,
    key: Callable[[str], str] = _as_it_is,
) -> str:
    """Suggest what may be meant: ``Did you mean 'fluency'?``, or nothing; see :func:`nearest`."""
    names = nearest(name, known, most=most, cutoff=cutoff, key=key)
    return f"Did you mean {' or '.join(map(repr, names))}?" if names else ""


def first_few(names: Sequence[str], most: int = _MOST) -> str:
    """Name the first of many: ``a, b, c and 7 more``.

    Parameters
    ----------
    names : sequence of str
        All of them.
    most : int
        How many are named.

    Returns
    -------
    str
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def plural(number: int, noun: str, several: str = "") -> str:
    """Say a number of things: ``1 use``, ``2 uses``, ``3 entries`` (where ``several`` is given)."""
    return f"{number:,} {noun if number == 1 else several or f'{noun}s'}"
