"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

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


#: How files are read; commands that read files take all of these.
Columns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ROLE=COLUMN",
        help="What columns are, where their titles do not tell, as in rater=Judge,id=Subj. Roles: id, "
        "participant, object, text, scenario, step, rater, score, dimension, item, stage, carry.",
    ),
]
ScaleOption = Annotated[
    str | None,
    typer.Option(
        "--scale",
        metavar="SCALE",
        help="Without a task: the points of the ratings, such as 1-10, '0 to 4' or low/medium/high.",
    ),
]
Split = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="What parts several uses in one cell: ';' say, newline, or none."),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        metavar="VALUE", help="What else means that a value is missing, such as -99; several: -99,-98."
    ),
]
Levels = Annotated[
    str | None,
    typer.Option(
        metavar="WORDS", help="Words that stand for points: low,medium,high from 1 on, or low=0,high=4."
    ),
]
Read = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="Where a table stands (sheet=2, header=3; header=none where no row names the columns), and what "
        "all of it is of (object=brick, rater=Anna, dimension=focus).",
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Personal data to keep, such as email; it is left out otherwise."),
]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse files of which anything had to be guessed.")]
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
IncludeTraining = Annotated[
    bool,
    typer.Option(
        "--include-training",
        help="Show apart, and marked, the agreement of judges on all they scored, responses that they were "
        "trained on among them; all else is without these.",
    ),
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


def read_options(
    columns: list[str] | None,
    split: str | None = None,
    missing: list[str] | None = None,
    levels: str | None = None,
    read: list[str] | None = None,
    keep: list[str] | None = None,
    strict: bool = False,
) -> dict[str, Any]:
    """Make of the options how files are read; SettingError with what is wrong with them."""
    from creaeval.data import read_columns
    from creaeval.errors import SettingError

    options: dict[str, Any] = {
        "columns": read_columns(columns or []),
        "split": split,
        "missing": [part.strip() for text in missing or [] for part in text.split(",") if part.strip()],
        "levels": levels,
        "keep": [part.strip() for text in keep or [] for part in text.split(",") if part.strip()],
        "strict": strict,
    }
    for part in (part for text in read or [] for part in text.split(",")):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if name not in ("sheet", "header", "object", "rater", "dimension") or not equals or not value:
            raise SettingError(
                f"--read {part}: expected sheet=, header=, object=, rater= or dimension= with a value, as in "
                "--read sheet=2,header=3."
            )
        if name == "header" and value != "none" and not value.isdigit():
            raise SettingError(f"--read {part}: expected the number of a row, or none.")
        options[name] = (0 if value == "none" else int(value)) if name == "header" else value
    return {name: value for name, value in options.items() if value or (name == "header" and value == 0)}
