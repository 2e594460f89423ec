"""Tell whether a line of a document is the heading of a step, in any usual wording."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rapidfuzz.distance import OSA

from creaeval.data.formats.blocks import PLAIN
from creaeval.data.formats.step_words import fold_words, step_words

if TYPE_CHECKING:
    from creaeval.tasks import Task

#: The heading of the scenario, where a booklet brings it; and of a step that the task does not have.
SCENE, UNKNOWN = "(scenario)", "(no step)"
#: How sure a line is a heading by its words; how it is set adds to it. Only the order and the gaps matter.
_NUMBER_AND_TITLE, _NUMBER_ONLY, _OWN_TITLE, _ANSWER_BEHIND_NUMBER = 40, 30, 25, 12
_BY_TITLE = {3: 25, 2: 20, 1: 15}  # the step's own name; another usual title; nearly one of these
_LOOKS = (0, 8, 12)
_NAME, _USUAL, _NEARLY = 3, 2, 1
_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9, "x": 10}
_MOST_WORDS = 12
_LONGEST = 300  # characters of a line that are looked through for a heading
_LONG = 8  # letters of a title in which a word may be parted or joined


class Heading(NamedTuple):
    """A line read as a heading.

    ``points`` say how sure; ``numbered`` whether a word such as "step" and a number are there; ``rest`` is
    what the line says behind the heading; ``loose`` that this may be a title in other words; ``other`` the
    step that the title names where the number names another one; ``exact`` that no word differs;
    ``titled`` that both number and title are there.
    """

    step: str
    points: int
    numbered: bool = False
    rest: str = ""
    loose: bool = False
    other: str = ""
    exact: bool = True
    titled: bool = False


class _Number(NamedTuple):
    number: int
    kind: str  # "step", "part", "typo", or "bare" where there is no word
    rest: str
    parted: bool = True  # whether the rest begins anew, rather than going on as in "Step 2 of the plan"


class _Title(NamedTuple):
    """A title of a step: its words, those that carry its meaning, these without what one does in a step.

    ``joined`` are all words without spaces between, ``digits`` the numbers among them.
    """

    step: str
    sure: int
    text: str
    meaning: tuple[str, ...]
    nouns: tuple[str, ...]
    joined: str
    digits: tuple[str, ...]

    @classmethod
    def of(cls, step: str, text: str, sure: int) -> _Title:
        meaning = _meaning(text)
        nouns = tuple(word for word in meaning if word not in step_words().verbs)
        digits = tuple(re.findall(r"\d+", text))
        return cls(step, sure, text, meaning, nouns, text.replace(" ", ""), digits)


@lru_cache(maxsize=8)
def titles_of(task: Task) -> Titles:
    """Return the titles that the steps of a task may have."""
    return Titles(task)


class Titles:
    """The titles that the steps of a task may have in a document, and their numbers."""

    def __init__(self, task: Task) -> None:
        names = {step.id: fold_words(step.name) for step in task.steps}
        titles = [(step, words, _NAME) for step, words in names.items()]
        titles += [(step, fold_words(step), _NAME) for step in names if not re.search(r"\d$", step)]
        for usual in step_words().titles.values():
            steps = [step for step, words in names.items() if words in usual]
            if len(steps) == 1:
                titles += [(steps[0], words, _USUAL) for words in usual]
        titles += [(SCENE, words, _USUAL) for words in step_words().scene]
        self._known: dict[str, tuple[str, int]] = {}
        self._titles = [_Title.of(*title) for title in titles]
        numbers = [re.search(r"(\d+)$", step) for step in names]
        given = [int(number[1]) for number in numbers if number]
        in_order = list(range(1, len(names) + 1))
        self.numbers = dict(zip(given if len(set(given)) == len(names) else in_order, names, strict=True))

    def read(self, text: str, look: int, lead: int = 0) -> Heading | None:
        """Read a line as a heading; None if it is none. ``lead`` characters at its start are read alone."""
        if lead and (heading := self.read(text[:lead], 1)) and not heading.rest:
            return heading._replace(rest=text[lead:].lstrip(" \t:：.–—-"), loose=False)
        clean = text.strip().strip("#*_=~>►▶■").strip()
        start = clean[:_LONGEST]
        number = _read_number(start)
        heading = self._titled(start, look) if number is None else self._numbered(number, look)
        if heading is None:
            return None
        rest = heading.rest and clean[clean.index(heading.rest) :]
        if not rest and len(clean) > _LONGEST:
            return None
        return heading._replace(points=heading.points + _LOOKS[look], rest=rest)

    def _numbered(self, number: _Number, look: int) -> Heading | None:
        step = self.numbers.get(number.number, UNKNOWN)
        found, sure, rest = self._split_title(number.rest)
        if number.kind == "bare":
            # The number may be one of a list: where it is not the step's, the line has to be set as one.
            if not found or rest or (step != found and look == PLAIN):
                return None
            return Heading(found, _BY_TITLE[sure] + 5 * (step == found), exact=sure > _NEARLY)
        if step == UNKNOWN:
            return Heading(UNKNOWN, _NUMBER_ONLY, True) if look != PLAIN and number.kind == "step" else None
        less = 10 * (number.kind != "step")
        other = found if sure >= _USUAL and found not in {step, SCENE} else ""
        if found and (found == step or other):
            return Heading(
                step, _NUMBER_AND_TITLE - 4 * bool(rest) - less, True, rest, False, other, True, True
            )
        if number.kind == "typo":
            return None if number.rest else Heading(step, _NUMBER_ONLY - less)
        if not number.rest:
            return Heading(step, _NUMBER_ONLY - less, True)
        if look != PLAIN:
            return Heading(step, _OWN_TITLE - less, True, number.rest, loose=True)
        if number.kind == "part" or not number.parted:
            return None
        return Heading(step, _ANSWER_BEHIND_NUMBER, True, number.rest, loose=True)

    def _titled(self, text: str, look: int) -> Heading | None:
        found, sure, rest = self._split_title(text)
        if not found or (rest and sure < _USUAL):
            return None
        points = _ANSWER_BEHIND_NUMBER + (sure - _USUAL) if rest else _BY_TITLE[sure]
        if sure == _NEARLY and look == PLAIN and len(_meaning(fold_words(text))) == 1:
            points -= 5  # "Solution" or "Challenge A" above what is one
        return Heading(found, points, False, rest, exact=sure > _NEARLY)

    def _split_title(self, text: str) -> tuple[str, int, str]:
        """Return the step that a text is the title of, how sure that is, and what follows behind a colon."""
        title = re.sub(r"\s*[(\[（][^)\]）]*[)\]）]\s*[:：.]?$", "", text).strip()
        if (found := self._find(title))[0]:
            return (*found, "")
        parts = re.split(r"\s*[/|]\s*", title)  # in two languages
        if len(parts) == 2 and len({self._find(part)[0] for part in parts}) == 1:
            return (*self._find(parts[0]), "")
        head, _, tail = _parted(text)
        found = self._find(head) if tail else ("", 0)
        return (*found, tail) if found[1] >= _USUAL else ("", 0, "")

    def _find(self, text: str) -> tuple[str, int]:
        """Return the step that a text is the title of, and how sure that is."""
        words = fold_words(text)
        if not 0 < len(words.split()) <= _MOST_WORDS:
            return "", 0
        if words not in self._known:
            self._known[words] = self._search(words)
        return self._known[words]

    def _search(self, words: str) -> tuple[str, int]:
        line = _Title.of("", words, 0)
        best: dict[str, int] = {}
        for title in self._titles:
            best[title.step] = max(best.get(title.step, 0), _likeness(line, title))
        most = max(best.values(), default=0)
        steps = [step for step, likeness in best.items() if likeness == most]
        return (steps[0], most) if most and len(steps) == 1 else ("", 0)


def _parted(text: str) -> tuple[str, str, str]:
    match = re.search(r"\s*[:：]\s*|\s+[–—-]\s+", text)
    return (text[: match.start()], match[0], text[match.end() :]) if match else (text, "", "")


def _likeness(line: _Title, title: _Title) -> int:
    """Say how well a line fits a title: ``sure`` if its words are the same, _NEARLY if they are alike."""
    if line.text == title.text:
        return title.sure
    if not line.meaning or line.digits != title.digits:
        return 0
    if line.meaning == title.meaning:
        return title.sure
    return _NEARLY if _is_nearly(line, title) else 0


def _is_nearly(line: _Title, title: _Title) -> bool:
    words, expected = line.meaning, title.meaning
    if len(words) == len(expected) and all(map(_alike, words, expected)):
        return True
    if min(len(line.joined), len(title.joined)) >= _LONG and _similar(line.joined, title.joined, 0.9):
        return True
    if line.nouns and line.nouns == title.nouns:
        return True
    covers = title.sure == _NAME and bool(line.nouns) and len(words) * 2 >= len(expected)
    return covers and all(any(_alike(word, other) for other in expected) for word in words)


def _meaning(text: str) -> tuple[str, ...]:
    return tuple(word for word in text.split() if word not in step_words().small)


def _alike(word: str, other: str) -> bool:
    if word == other:
        return True
    shortest = 4 if max(word, default="") > "\u2e80" else 5
    return min(len(word), len(other)) >= shortest and _similar(word, other, 0.75)


def _similar(text: str, other: str, least: float) -> bool:
    if min(len(text), len(other)) < least * max(len(text), len(other)):
        return False
    return OSA.normalized_similarity(text, other, score_cutoff=least) > 0


def _read_number(text: str) -> _Number | None:
    """Read ``Step 1: …``, ``1st step``, ``步骤一`` or ``1. …``."""
    for pattern in _patterns():
        if (match := pattern.match(text)) and (number := _from_match(match)):
            return number
    return None


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    # Words that are written without spaces around them have to be known to be found.
    joined = sorted(
        (word for word in step_words().steps | step_words().parts if word > "\u2e80"), key=len, reverse=True
    )
    digits = "".join(sorted(word for word in step_words().numbers if word > "\u2e80"))
    number, word = rf"(?P<number>\d{{1,2}}|[{digits}])", rf"(?P<word>{'|'.join(joined)})"
    patterns = (
        r"(?P<word>[^\W\d_]{3,12})[\s.\-–:#_]*(?:(?:no|nr|n°|nº|num)\b\.?\s*)?"
        r"(?P<number>\d{1,2}|[^\W\d_]{1,9})(?!\w)(?!\.\d)(?P<rest>.*)",
        r"(?P<number>\d{1,2}(?:st|nd|rd|th|er|ère|re|ème|e|º|ª|o|a|de|ste)?\.?|[^\W\d_]{3,12})[\s\-]+"
        r"(?P<word>[^\W\d_]{3,12})(?!\w)(?P<rest>.*)",
        rf"第?\s*{number}\s*{word}(?P<rest>.*)",
        rf"{word}\s*第?\s*{number}(?!\w*\d)(?P<rest>.*)",
        rf"[(（]?(?P<number>\d{{1,2}}|[ivx]{{1,4}}|[{digits}])\s*[.):）、．\-–](?!\d)(?P<rest>.*)",
    )
    return tuple(re.compile(pattern, re.IGNORECASE | re.DOTALL) for pattern in patterns)


def _from_match(match: re.Match[str]) -> _Number | None:
    groups = match.groupdict()
    number = _to_number(groups["number"])
    if number is None:
        return None
    rest = re.sub(r"^\s*[(（][^)）]*[)）]", "", groups["rest"])
    rest = re.sub(r"^\s*(?:/|\bof|\bvon|\bde|\bdi|\bvan|\bz)\s*\d{1,2}\b", "", rest)
    rest = rest.lstrip(" \t:：.–—-_|)）•·、*").rstrip(" \t:：.–—-_|*")
    if "word" not in groups:
        return _Number(number, "bare", rest) if rest else None
    kind = _kind(fold_words(groups["word"]))
    goes_on = re.match(r"[ \t]+[a-zß-ÿ]|[^\W\d_]", groups["rest"]) is not None
    return _Number(number, kind, rest, not goes_on) if kind else None


def _kind(word: str) -> str:
    known = step_words()
    if word in known.steps:
        return "step"
    if word in known.parts:
        return "part"
    near = len(word) >= 4 and any(len(other) >= 4 and OSA.distance(word, other) == 1 for other in known.steps)
    return "typo" if near else ""


def _to_number(text: str) -> int | None:
    word = fold_words(text)
    digits = re.match(r"\d+", word)
    if digits:
        return int(digits[0])
    return step_words().numbers.get(word) or _ROMAN.get(word)
