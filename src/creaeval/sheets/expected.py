"""Expected scores from the probabilities of a reply's tokens: what a scorer would give on average."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from json import JSONDecodeError, JSONDecoder
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from creaeval.sheets.replies import item_key
from creaeval.sheets.score_sheet import NOT_CAPTURED, ItemScores, ScoreSheet, StepScores

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from creaeval.sheets.score_sheet import StepLayout
    from creaeval.tasks import Dimension, Step, Task

#: Below this share of the probability an expected score says too little of the whole.
LEAST_CAPTURED = 0.95
#: Stands behind a judge's name on a sheet of expected scores.
EXPECTED = " (expected)"
#: The scorer's own sums, which are no scores of their own.
_SUMS = ("overall", "total")

#: A token's text and the logarithms of the probabilities of the texts known for its place.
TokenChances: TypeAlias = "tuple[str, tuple[tuple[str, float], ...]]"
Path: TypeAlias = "tuple[str, ...]"

_JSON = JSONDecoder()
_SPACE = " \t\r\n"
_NUMBER = re.compile(rf"[{_SPACE}]*(0|[1-9][0-9]*)", re.ASCII)
_WHOLE = re.compile(r"(0|[1-9][0-9]{0,8})", re.ASCII)
_SCALAR = re.compile(r'[^,\]}\s"{\[:]+')
# After digits these would make another number, or none.
_GOES_ON = "0123456789.eE+-"


class Place(NamedTuple):
    """Where the digits of a whole number begin in a JSON text."""

    start: int
    value: int


@dataclass(frozen=True)
class Expected:
    """What the probabilities say of a score: what was written and what is expected.

    ``captured`` is the share of the probability that falls on known levels of the scale. ``value`` is None,
    and ``reason`` says why, where it is less than ``LEAST_CAPTURED``.
    """

    sampled: int | None
    captured: float
    value: float | None
    reason: str = ""


def number_places(text: str) -> dict[Path, Place]:
    """Find the whole numbers of the first JSON object in a text, by the keys that lead to each.

    Words around the object, commas before a bracket that closes and quotation marks around numbers are
    overlooked, as they are when replies are read. ValueError where there is no object.
    """
    for match in re.finditer(r"\{", text):
        places: dict[Path, Place] = {}
        try:
            _walk(text, match.start(), (), places)
        except (JSONDecodeError, IndexError, RecursionError):
            continue
        return places
    raise ValueError("its reply is no JSON in which numbers can be found")


def _walk(text: str, at: int, path: Path, places: dict[Path, Place]) -> int:
    """Walk through the value that begins at a place, and return where it ends."""
    at = _skip(text, at)
    if text[at] in "{[":
        return _walk_parts(text, at, path, places)
    if text[at] == '"':
        start = at + 1
        written, end = _JSON.raw_decode(text, at)
    else:
        match = _SCALAR.match(text, at)
        if match is None:
            raise JSONDecodeError("expected a value", text, at)
        written, start, end = match[0], at, match.end()
    if _WHOLE.fullmatch(written):
        places[path] = Place(start, int(written))
    return end


def _walk_parts(text: str, at: int, path: Path, places: dict[Path, Place]) -> int:
    named, close = text[at] == "{", "}" if text[at] == "{" else "]"
    at, number = _skip(text, at + 1), 0
    while text[at] != close:
        key = str(number)
        if named:
            _expect(text, at, '"')
            key, at = _JSON.raw_decode(text, at)
            at = _skip(text, at)
            _expect(text, at, ":")
            at += 1
        at = _skip(text, _walk(text, at, (*path, key), places))
        number += 1
        if text[at] == close:
            break
        _expect(text, at, ",")
        at = _skip(text, at + 1)
    return at + 1


def _skip(text: str, at: int) -> int:
    while text[at] in _SPACE:
        at += 1
    return at


def _expect(text: str, at: int, mark: str) -> None:
    if text[at] != mark:
        raise JSONDecodeError(f"expected {mark}", text, at)


def level_chances(tokens: Sequence[TokenChances], start: int, levels: Iterable[int]) -> dict[int, float]:
    """Add up the probabilities of all known ways to write each level and then something that is no digit.

    ``start`` is where the digits that were written begin, in bytes from the first token's beginning. All
    before them is taken for granted: the probabilities are those of the value, not of the words around it.
    The alternatives of a token are known only along the path that was taken: one that leaves it with digits
    that could go on to another level, or with no digit yet, counts for no level.
    """
    scale = set(levels)
    totals = dict.fromkeys(sorted(scale), 0.0)
    index, before = _token_at(tokens, start)
    # What the first token holds before the digits: alternatives begin alike, whatever their white space.
    lead, path, written = before.rstrip(_SPACE), 1.0, ""
    for text, chances in tokens[index:]:
        shares = {token: math.exp(chance) for token, chance in chances}
        for token, share in shares.items():
            if token != text and token.startswith(lead):
                level = _level(written + token[len(lead) :], scale)
                if level is not None:
                    totals[level] += path * share
        written += text[len(lead) :]
        path *= shares.get(text, 0.0)
        lead = ""
        level = _level(written, scale)
        if level is not None:
            totals[level] += path
            break
        if _could_not_be(written, scale):
            break
    return totals


def _token_at(tokens: Sequence[TokenChances], start: int) -> tuple[int, str]:
    """Return which token holds the byte at a place, and its text up to there."""
    passed = 0
    for number, (text, _) in enumerate(tokens):
        raw = _bytes(text)
        if passed + len(raw) > start:
            return number, raw[: start - passed].decode(errors="surrogateescape")
        passed += len(raw)
    return len(tokens), ""


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


def _level(text: str, levels: set[int]) -> int | None:
    """Return the level that a text spells to its end, None if it may still become another one or is none."""
    match = _NUMBER.match(text)
    if match is None:
        return None
    level, rest = int(match[1]), text[match.end() :]
    if level not in levels or rest[:1] in (*_GOES_ON,):
        return None
    if not rest and any(str(other) != match[1] and str(other).startswith(match[1]) for other in levels):
        return None
    return level


def _could_not_be(text: str, levels: set[int]) -> bool:
    """Whether no level can begin so."""
    start = text.lstrip(_SPACE)
    return bool(start) and not any(str(level).startswith(start) for level in levels)


def expected_scores(
    text: str, tokens: Sequence[TokenChances], scales: Mapping[Path, range]
) -> dict[Path, Expected]:
    """Work out the expected value of every score of a reply, by the keys that lead to it.

    ``scales`` has the levels of each. ValueError where numbers cannot be found, or tokens spell another text.
    """
    places = number_places(text)
    # In bytes, since a character may be split among tokens.
    spelled = b"".join(_bytes(token) for token, _ in tokens)
    offset = spelled.rfind(text.encode(errors="replace"))
    if offset < 0:
        raise ValueError("the tokens do not spell the reply")
    return {path: _expected(text, tokens, offset, places.get(path), scales[path]) for path in scales}


def _expected(
    text: str, tokens: Sequence[TokenChances], offset: int, place: Place | None, levels: range
) -> Expected:
    if place is None:
        return Expected(None, 0.0, None, "the reply holds no such number")
    start = offset + len(text[: place.start].encode(errors="replace"))
    chances = level_chances(tokens, start, levels)
    captured = min(sum(chances.values()), 1.0)
    if captured < LEAST_CAPTURED:
        reason = f"only {captured:.1%} of the probability is on known levels"
        return Expected(place.value, captured, None, reason)
    mean = sum(level * chance for level, chance in chances.items()) / sum(chances.values())
    return Expected(place.value, captured, mean)


def score_scales(task: Task, sheet: ScoreSheet) -> dict[Path, range]:
    """List the levels of every score that a scorer wrote, by where it stands in the reply."""
    scales: dict[Path, range] = {}
    for scores in sheet.steps:
        step = task.step(scores.step)
        for item in scores.items:
            for dimension in _written_by_item(step, item):
                path = (step.id, "items", item_key(item.item), dimension.id)
                scales[path] = range(dimension.scale.min, dimension.scale.max + 1)
        for dimension in step.dimensions:
            if dimension.id in scores.written:
                low = 0 if dimension.scope == "item" else dimension.scale.min
                scales[step.id, dimension.id] = range(low, step.max_of(dimension) + 1)
        if "overall" in scores.written:
            scales[step.id, "overall"] = range(step.max + 1)
    if sheet.written_total is not None:
        scales["total",] = range(sum(step.max for step in task.steps) + 1)
    return scales


def _written_by_item(step: Step, item: ItemScores) -> list[Dimension]:
    return [
        d for d in step.item_dimensions if item.valid and d.derive != "valid_items" and d.id in item.scores
    ]


def expected_sheet(
    task: Task,
    layout: Sequence[StepLayout],
    sheet: ScoreSheet,
    values: Mapping[Path, float | None],
    *,
    shared: bool = False,
) -> ScoreSheet:
    """Build the sheet ``NAME (expected)`` with expected scores in place of those that were written.

    ``values`` are by the paths of :func:`score_scales`. Which items are valid, and their categories, stay as
    they are. A score without an expected value is missing, and so are sums that it is part of, the scorer's
    own ones too; where responses share the call (``shared``), such an item has the code ``not_captured``.
    """
    grids = {part.step.id: part.grid_score for part in layout}
    steps: list[StepScores] = []
    for scores in sheet.steps:
        step = task.step(scores.step)
        items = [_expected_item(step, item, values, shared=shared) for item in scores.items]
        written, grid_score = _expected_written(step, values), grids.get(step.id)
        steps.append(StepScores.build(task, step, items=items, written=written, grid_score=grid_score))
    lost = any(values[path] is None for path in real_scores(values))
    total = None if lost else values.get(("total",))
    scorer = f"{sheet.scorer}{EXPECTED}"
    return ScoreSheet.build(task, sheet.response_id, scorer, steps, sheet.repeats, written_total=total)


def real_scores(paths: Iterable[Path]) -> list[Path]:
    """List the paths of :func:`score_scales` that lead to scores, not to the scorer's own sums of them."""
    return [path for path in paths if path[-1] not in _SUMS]


def _expected_item(
    step: Step, item: ItemScores, values: Mapping[Path, float | None], *, shared: bool
) -> ItemScores:
    expected = {
        d.id: values[step.id, "items", item_key(item.item), d.id] for d in _written_by_item(step, item)
    }
    scores = {name: value for name, value in expected.items() if value is not None}
    invalid = NOT_CAPTURED if shared and len(scores) < len(expected) else item.invalid
    return ItemScores.build(step, item.item, scores, category=item.category, invalid=invalid)


def _expected_written(step: Step, values: Mapping[Path, float | None]) -> dict[str, float]:
    lost = {path[-1] for path, value in values.items() if path[0] == step.id and value is None}
    written = {
        path[1]: value
        for path, value in values.items()
        if path[0] == step.id and len(path) == 2 and value is not None and path[1] not in lost
    }
    if lost - {"overall"}:
        written.pop("overall", None)
    return written
