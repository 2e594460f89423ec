"""Stories and verdicts of the Torrance Test of Creative Writing, from what Salesforce published."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from creaeval.data.fetch.dataset import Check, DataSet, Original, csv_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

_REPOSITORY = "salesforce/creativity_eval"
_COMMIT = "fced0ab2d3068244152d1302a8bd8e9f538440f5"
_FOLDER = "Art_or_Artifice"
_JUDGES = ("cgpt", "claude3-opus", "claudev13", "claudev2", "claudev21", "gemini-pro", "gpt4")
_SOURCES = {
    "Claude": "claude_v1.3",
    "GPT3.5": "gpt-3.5-turbo",
    "GPT4": "gpt-4",
    "NewYorker": "human_new_yorker",
}
_VERDICT = re.compile(r"\s*(yes|no)\b", re.IGNORECASE)
_JUDGED = ("story_id", "ttcw_idx", "dimension", "judge", "verdict", "status")

_NOTICE = """\
# Torrance Test of Creative Writing (TTCW)

Chakrabarty, Laban, Agarwal, Muresan and Wu, "Art or Artifice? Large Language Models and the False
Promise of Creativity", CHI 2024, arXiv 2309.14556. BSD 3-Clause, Copyright (c) 2023, Salesforce: see
LICENSE, which stays with the data. The authors add: "This release is for research purposes only in
support of an academic paper."

The New Yorker's stories are not distributed, by the authors or here: their `text` is null and `url` says
where they can be read. What experts and models wrote about the stories is left out, as it may quote
them; its number of words is kept.

- stories.jsonl: 48 stories, of 12 plots by 4 writers
- tests.csv: the 14 tests
- expert_ratings.csv: three experts' verdicts for each story and test
- judge_verdicts.csv: seven models' verdicts. `verdict` is the Yes or No an answer begins with; `status`
  is ok, blocked, unparsed or missing
"""


def _convert(originals: Mapping[str, bytes]) -> dict[str, bytes]:
    tests: list[dict[str, Any]] = json.loads(originals["tests"])
    dimensions = {test["ttcw_idx"]: test["torrance_dimension"] for test in tests}
    stories: list[dict[str, Any]] = sorted(
        json.loads(originals["stories"]), key=lambda s: _place(s["story_id"])
    )
    ids = [story["story_id"] for story in stories]
    experts = [
        (
            verdict["story_id"],
            verdict["ttcw_idx"],
            dimensions[verdict["ttcw_idx"]],
            verdict["expert_idx"],
            verdict["binary_verdict"],
            len(verdict["explanation"].split()),
        )
        for verdict in json.loads(originals["experts"])
    ]
    experts.sort(key=lambda row: (_place(row[0]), row[1], row[3]))
    judged = []
    for judge in _JUDGES:
        lines = [json.loads(line) for line in originals[judge].decode().split("\n") if line.strip()]
        responses: dict[str, str] = {line["id"]: line["response"] for line in lines}
        judged += [
            (story, test, dimension, judge, *_verdict(responses.get(f"story_{story}_test{test}")))
            for story in ids
            for test, dimension in dimensions.items()
        ]
    return {
        "LICENSE": originals["licence"],
        "stories.jsonl": "".join(_story(story) for story in stories).encode(),
        "tests.csv": csv_bytes(
            ("ttcw_idx", "dimension", "category", "question"),
            [(t["ttcw_idx"], t["torrance_dimension"], t["category"], t["question"]) for t in tests],
        ),
        "expert_ratings.csv": csv_bytes(
            ("story_id", "ttcw_idx", "dimension", "rater", "verdict", "explanation_words"), experts
        ),
        "judge_verdicts.csv": csv_bytes((*_JUDGED, "explanation_words"), judged),
    }


def _place(story_id: str) -> tuple[int, str]:
    """Return a key that puts plot 10 after plot 9."""
    plot, _, writer = story_id.partition("_")
    return int(plot), writer


def _story(story: dict[str, Any]) -> str:
    content: str = story["content"]
    linked = content.startswith("http")
    row = {
        "story_id": story["story_id"],
        "plot_idx": story["story_idx"],
        "title": story["story_name"],
        "plot": story["plot"],
        "source": _SOURCES[_place(story["story_id"])[1]],
        "url": content if linked else None,
        "text": None if linked else content,
        "text_words": None if linked else len(content.split()),
    }
    return json.dumps(row, ensure_ascii=False) + "\n"


def _verdict(response: str | None) -> tuple[str, str, int]:
    """Return the verdict, the status and the number of words after the verdict."""
    if response is None:
        return "", "missing", 0
    if response.strip() == "Content Blocked":
        return "", "blocked", 0
    match = _VERDICT.match(response)
    if match is None:
        return "", "unparsed", len(response.split())
    return match[1].capitalize(), "ok", len(response[match.end() :].split())


def _original(path: str, sha256: str | None = None) -> Original:
    return Original(_REPOSITORY, _COMMIT, path, sha256)


TTCW = DataSet(
    folder="ttcw",
    originals={
        "licence": _original("LICENSE", "1a85e77efdcb7da31cd2bdc4a261ec58982dcdf21b7f907ad0f974fb3490d4a5"),
        "stories": _original(f"{_FOLDER}/stories/ttcw_short_stories.json"),
        "tests": _original(f"{_FOLDER}/tests/ttcw_all_tests.json"),
        "experts": _original(f"{_FOLDER}/annotations/ttcw_annotations.json"),
        **{judge: _original(f"{_FOLDER}/data/annotations_{judge}.jsonl") for judge in _JUDGES},
    },
    convert=_convert,
    checks=(
        Check("stories.jsonl", "c8f64d7d78e19cff40e9677c395df677a03069cf1f0d50f2f2b4b448ba51b36a"),
        Check("tests.csv", "e337774fe51f17b0a559acf5986e9851b3807c8b7847ba584cab6eb272da9bd6"),
        Check("expert_ratings.csv", "5c570107d456ce5d2855749a1d3ff6aa70c08318f83a882c5732e4cdad922aae"),
        Check(
            "judge_verdicts.csv",
            "f8cd8eb78d8587f76b24fd3f44ab1f6732058fa76ebee15415a33c7142cb5916",
            columns=_JUDGED,
        ),
    ),
    notice=_NOTICE,
)
