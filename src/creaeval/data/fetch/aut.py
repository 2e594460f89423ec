"""Rated uses of objects (alternate uses task), from what the Ocsai project published."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from typing import TYPE_CHECKING

from creaeval.data.fetch.dataset import Check, DataSet, Original, csv_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_REPOSITORY = "massivetexts/ocsai"
_COMMIT = "db5a3ee43c7e19bbcabdc0b0ac0ee8d6e51f9276"
_SPLITS = ("train", "val", "test")
_COLUMNS = ("row_id", "split", "prompt", "response", "human_mean")
_LINE = re.compile(r"AUT Prompt:(.*?)\nResponse:(.*)\nScore:\n", re.DOTALL)
#: Objects that only adults were asked about.
_ADULT = frozenset(
    ("book", "box", "brick", "fork", "knife", "pants", "paperclip", "rope", "shoe", "shovel", "table", "tire")
)
#: The one object that adults (in the study dod20) and the children of MOTES were asked about.
_SHARED, _ADULT_STUDY = "bottle", "dod20"

_NOTICE = """\
# Alternate uses: the split "gt_main2" of Ocsai, adults only

Organisciak, Acar, Dumas and Berthiaume, "Beyond semantic distance: Automated scoring of divergent
thinking greatly improves with large language models", Thinking Skills and Creativity 49, 2023. MIT,
Copyright (c) 2023 DU Massive Texts Lab: see LICENSE. The repository compiles older studies, whose own
terms may differ.

- aut.csv: `row_id` is the start of sha1(prompt TAB response); `human_mean` is the mean of the raters,
  from 1 to 5. Read it so that a response that says "null" or "NA" stays a text.

Responses by children (the study MOTES, which its authors give on request) are left out. They are told
from adults' by their objects and, for the bottle, which both were asked about, by looking the response
up among those of the study dod20 in data/organisciak_2023/all_data.csv of theGreen-Coder/MCTB; nothing
else is taken from there. Responses are as they were written; some are violent or sexual.
"""


def _convert(originals: Mapping[str, bytes]) -> dict[str, bytes]:
    adults = _adults(originals["studies"])
    rows = []
    for place, split in enumerate(_SPLITS):
        for prompt, response, mean in _lines(originals[split]):
            if prompt in _ADULT or (prompt == _SHARED and response.lower() in adults):
                digest = hashlib.sha1(f"{prompt}\t{response}".encode(), usedforsecurity=False).hexdigest()
                rows.append((place, prompt, digest[:10], split, response, mean))
    rows.sort()
    table = [(row_id, split, prompt, response, mean) for _, prompt, row_id, split, response, mean in rows]
    return {"LICENSE": originals["licence"], "aut.csv": csv_bytes(_COLUMNS, table)}


def _lines(data: bytes) -> Iterator[tuple[str, str, str]]:
    """Read object, response and mean rating from prompts and completions for a fine-tuning."""
    for line in data.decode().split("\n"):
        if line.strip():
            record = json.loads(line)
            match = _LINE.fullmatch(record["prompt"])
            if match is None:
                raise ValueError(f"no object and response in {record['prompt'][:80]!r}")
            yield match[1], match[2], f"{int(record['completion']) / 10:.1f}"


def _adults(data: bytes) -> set[str]:
    """Return what adults said of the object that children were asked about, too, in small letters."""
    return {
        row["response"].lower()
        for row in csv.DictReader(io.StringIO(data.decode(), newline=""))
        if row["type"] == "uses" and row["prompt"] == _SHARED and row["src"] == _ADULT_STUDY
    }


AUT = DataSet(
    folder="aut",
    originals={
        "licence": Original(
            _REPOSITORY,
            _COMMIT,
            "LICENSE",
            "73e1c078412d0b02fcabc0306afea119a32f14973fef9ca858cdf85f6fb5d175",
        ),
        **{
            split: Original(_REPOSITORY, _COMMIT, f"data/ocsai1/finetune-gt_main2_prepared_{split}.jsonl")
            for split in _SPLITS
        },
        "studies": Original(
            "theGreen-Coder/MCTB",
            "2652cf343d5be9d95596e7b17df7518fc30e3ca6",
            "data/organisciak_2023/all_data.csv",
        ),
    },
    convert=_convert,
    # The test rows cannot be checked so: of those, only a sample was ever compared with the originals.
    checks=(
        Check(
            "aut.csv",
            "59ef463775e88668aa6415e62ca497e239b8c5b7ec8a1cef950c1979fad2abd1",
            columns=_COLUMNS,
            splits=("train", "val"),
        ),
    ),
    notice=_NOTICE,
)
