"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

Task = Annotated[str, typer.Option(help="A built-in task's name or a YAML file.")]
Ledger = Annotated[
    str, typer.Option(metavar="FILE|URL", help="Where calls and runs are kept: a file or an SQLAlchemy URL.")
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="[ROLE.]NAME=VALUE",
        help="A setting for all roles, or for one as in judge.temperature=0; give it again for more. "
        "`creaeval models list` names them.",
    ),
]
Models = Annotated[
    Path | None, typer.Option(metavar="FILE", help="A YAML file with presets and prices of your own.")
]
Keys = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="A file with API keys as lines NAME=value. [environment]"),
]
Budget = Annotated[
    float | None,
    typer.Option(
        metavar="USD",
        help="US dollars that this command may spend: before it could cost more, it stops and keeps all.",
    ),
]
Evidence = Annotated[
    Literal["full", "brief"] | None,
    typer.Option(
        help="How much the analyst writes: full says of each requirement how far it is met and why, brief "
        "is one sentence. [brief for a local: analyst, full for all others]"
    ),
]
Copied = Annotated[
    Literal["report", "again"],
    typer.Option(
        help="What to do with observations that repeat six or more words in a row of the response: report "
        "them, or have the analyst word them again, once."
    ),
]
MissingStep = Annotated[
    Literal["refuse", "skip"],
    typer.Option(help="What to do with a response that lacks a step: refuse it, or score the steps it has."),
]


Columns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ROLE=COLUMN",
        help="Columns of other names in the ratings, as in rater=Judge,response_id=Subj.",
    ),
]
UseColumns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ROLE=COLUMN",
        help="Columns of other names in files of uses, as in object=prompt,response=use (task aut).",
    ),
]
UsesPerCall = Annotated[
    int | None,
    typer.Option(min=1, max=100, metavar="N", help="Uses that share a call, at most (task aut). [20]"),
]
MixParticipants = Annotated[
    bool,
    typer.Option("--mix-participants", help="Let uses of several participants share a call (task aut)."),
]
BlankIsNo = Annotated[
    bool,
    typer.Option("--blank-is-no", help="Count blank yes/no verdicts as No. [blank verdicts are missing]"),
]
Stage = Annotated[
    str | None, typer.Option(help="Which stage of the ratings, where they have several (blind, calibrated).")
]
#: Of the commands that measure agreement or show ratings.
RatingFiles = Annotated[
    list[Path] | None,
    typer.Option(help="People's scores of the same responses; give it again for more.", metavar="FILE"),
]
Resamples = Annotated[int, typer.Option(min=0, help="Bootstrap resamples; 0 for no intervals.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the resampling.")]
Tables = Annotated[
    Path | None, typer.Option(help="Folder for the tables.", file_okay=False, metavar="FOLDER")
]
Results = Annotated[Path | None, typer.Option(help="Folder for the results. [creaeval-results/RUN]")]
#: Of the commands that train.
TrainRatings = Annotated[
    list[Path], typer.Option(help="People's scores; give it again for more.", metavar="FILE")
]
TrainScenario = Annotated[
    Path | None, typer.Option(help="File with the scenario the responses answer.", metavar="FILE")
]
RaterStage = Annotated[
    str | None, typer.Option(help="Which stage of the ratings, where the rater has several.")
]
SplitBy = Annotated[
    str,
    typer.Option(
        metavar="response|COLUMN",
        help="What is never parted between training (7) and test (3): each response, or all of one value "
        "of a column, such as scenario or object.",
    ),
]
Patience = Annotated[
    int, typer.Option(min=1, help="End after so many epochs without a lower loss on what is held out.")
]


def read_set(texts: list[str] | None) -> dict[str, str]:
    """Read the values of ``--set`` by name; SettingError for one without an equals sign or given twice."""
    from creaeval.errors import SettingError

    values: dict[str, str] = {}
    for text in texts or []:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name or not value:
            raise SettingError(f"--set {text}: expected NAME=VALUE, as in --set judge.temperature=0.")
        if name in values:
            raise SettingError(f"--set {text}: {name} is set twice, to {values[name]} before.")
        values[name] = value
    return values
