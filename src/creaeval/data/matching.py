"""Match ratings with the responses they are of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.tasks import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from creaeval.data.model import Rating


def unmatched(ratings: Iterable[Rating], response_ids: Iterable[str]) -> list[str]:
    """Name every id that was rated and has no response.

    Parameters
    ----------
    ratings : iterable of Rating
        The ratings.
    response_ids : iterable of str
        Ids of the responses.

    Returns
    -------
    list of str
        A sentence for each such id, in the order of the ratings: ``rating id 11 has no response (by A, in
        ratings.xlsx).`` It names a response whose id is written nearly alike, which still is another one:
        ``007`` and ``7`` are two.
    """
    known = dict.fromkeys(response_ids)
    missing: dict[str, list[Rating]] = {}
    for rating in ratings:
        if rating.response_id not in known:
            missing.setdefault(rating.response_id, []).append(rating)
    if not missing:
        return []
    alike: dict[str, str] = {}
    for response_id in known:
        alike.setdefault(_bare(response_id), response_id)
    return [_sentence(name, own, alike.get(_bare(name))) for name, own in missing.items()]


def _sentence(response_id: str, ratings: Sequence[Rating], alike: str | None) -> str:
    raters = ", ".join(dict.fromkeys(rating.rater for rating in ratings))
    files = ", ".join(dict.fromkeys(rating.source for rating in ratings if rating.source))
    where = f" (by {raters}{f', in {files}' if files else ''})."
    hint = f" There is a response {alike!r}; make the ids the same if they are." if alike else ""
    return f"rating id {response_id} has no response{where}{hint}"


def _bare(identifier: str) -> str:
    return fold(identifier).lstrip("0")
