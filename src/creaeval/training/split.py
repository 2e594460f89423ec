"""Split responses into those a model is trained on and those it is tested on."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from creaeval.errors import SettingError
from creaeval.sheets.evidence import Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: The paper parts 7:3.
TEST_SHARE = 0.3
#: Of the training side, what says when to stop.
STOPPING_SHARE = 0.1
RESPONSE = "response"


class Split(Record):
    """Which responses are on which side.

    ``by`` says what is never parted: ``response`` where each stands for itself, else the name of the column
    whose values are groups. Ids are in the order they were given in.
    """

    by: str
    seed: int
    share: float
    train: tuple[str, ...]
    test: tuple[str, ...]


def split_ids(
    ids: Sequence[str],
    *,
    seed: int = 0,
    share: float = TEST_SHARE,
    by: str = RESPONSE,
    groups: Mapping[str, str] | None = None,
) -> Split:
    """Split ids into two sides; a pure function of ids, groups and seed.

    Parameters
    ----------
    ids : sequence of str
        Each once.
    seed : int
        Another one gives another split.
    share : float
        Of the ids, how many are to be on the test side, above 0 and below 1.
    by : str
        What is never parted, for the record.
    groups : mapping of str to str, optional
        The group of each id; each id is its own if not given.

    Returns
    -------
    Split
        Groups are taken to the test side in the order of a hash of seed and group, as long as that brings the
        side nearer to its share, so that responses that come later move few of the others. Each side has one
        group at least.

    Raises
    ------
    SettingError
        There are fewer than two ids or groups, or an id is there twice.
    """
    if len(set(ids)) < len(ids):
        twice = next(name for name in ids if ids.count(name) > 1)
        raise SettingError(f"split: the id {twice!r} is there twice; expected each once.")
    members: dict[str, list[str]] = {}
    for name in ids:
        members.setdefault(name if groups is None else groups[name], []).append(name)
    if len(members) < 2:
        held = f"all in one {by}" if ids and groups is not None else f"{len(ids)} in all"
        raise SettingError(
            f"split by {by}: found {held}, expected at least two: one to train on, one to test on."
        )
    wanted, test = share * len(ids), set[str]()
    for group in sorted(members, key=lambda group: _hash(seed, group)):
        if abs(len(test) + len(members[group]) - wanted) < abs(len(test) - wanted):
            test.update(members[group])
    if not test:  # every group is more than twice as large as the side
        smallest: list[str] = min(members.values(), key=len)
        test.update(smallest)
    return Split(
        by=by,
        seed=seed,
        share=share,
        train=tuple(name for name in ids if name not in test),
        test=tuple(name for name in ids if name in test),
    )


def hold_out(ids: Sequence[str], groups: Mapping[str, str] | None, seed: int) -> tuple[str, ...]:
    """Choose what of the training side says when to stop; nothing where there is no second group."""
    own = None if groups is None else {name: groups[name] for name in ids}
    if len(set(ids if own is None else own.values())) < 2:
        return ()
    return split_ids(ids, seed=seed, share=STOPPING_SHARE, groups=own).test


def group_by(by: str, carried: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Find the group of each response in a column.

    Parameters
    ----------
    by : str
        The column.
    carried : mapping of str to mapping
        By id, the columns that a response carries.

    Returns
    -------
    dict of str to str
        Without spaces around the values, which part nothing.

    Raises
    ------
    SettingError
        A response has no value there.
    """
    groups = {name: columns.get(by, "").strip() for name, columns in carried.items()}
    if lacking := next((name for name, value in groups.items() if not value), None):
        known = sorted({name for columns in carried.values() for name in columns})
        raise SettingError(
            f"--split-by {by}: response {lacking!r} has no value there. Columns that responses carry: "
            f"{', '.join(known) or 'none'}; or {RESPONSE}."
        )
    return groups


def _hash(seed: int, group: str) -> str:
    return hashlib.sha256(f"{seed}\0{group}".encode()).hexdigest()
