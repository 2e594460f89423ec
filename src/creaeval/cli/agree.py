"""``creaeval agree`` and ``creaeval raters``: how well scores match people, and people each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from creaeval.cli.options import (
    BlankIsNo,
    Columns,
    IncludeTraining,
    Keep,
    Ledger,
    Levels,
    Missing,
    Read,
    Resamples,
    ScaleOption,
    Seed,
    Stage,
    Strict,
    Tables,
    read_options,
)
from creaeval.cli.printing import print_paths, say_unmatched, table_console
from creaeval.stats.measures import PAPER, list_measures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from creaeval.agreement.agree import AgreementReport
    from creaeval.cli.inputs import Inputs
    from creaeval.data import Rating

HELP = "Measure the agreement of scores with raters, and of the raters with each other."
EXAMPLE = "Example: creaeval agree 3f9a12bc04 ratings.csv --out agreement"
RATERS_HELP = "Measure how well raters agree with each other, without any scores."
RATERS_EXAMPLE = "Example: creaeval raters ratings.xlsx --stage blind --out raters"

Ratings = Annotated[
    list[Path], typer.Argument(help="People's scores of the same responses.", metavar="RATINGS")
]
Measure = Annotated[
    list[str] | None,
    typer.Option(
        help=f"{', '.join(measure.key for measure in list_measures())}; give it again for more. "
        f"[{', '.join(PAPER)}]"
    ),
]
Items = Annotated[
    Literal["sum", "mean", "each"],
    typer.Option(
        help="Dimensions scored by items: their sum, their mean per valid item, or each item by itself."
    ),
]
By = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Also for each value of a column that responses or ratings carry."),
]
Within = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="Also Pearson's r within the groups that a carried column makes (object); several: together.",
    ),
]
Cluster = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="Resample whole groups of responses by a column they carry (scenario, plot); two of them: "
        "crossed, both resampled.",
    ),
]
Interval = Annotated[Literal["percentile", "bca"], typer.Option(help="Which bootstrap interval.")]
Confidence = Annotated[
    float, typer.Option(min=0.5, max=0.999, help="Level of all intervals, as in .90; of tests, one minus it.")
]
Margin = Annotated[
    float | None,
    typer.Option(
        min=0.0001,
        help="How far agreement may differ and still count as equal, as in .05: two one-sided tests against "
        "people, and between methods.",
    ),
]
OfRaters = Annotated[
    Literal["fixed", "random"] | None,
    typer.Option(
        "--raters",
        help="Whether results hold for these raters (fixed) or for raters like them (random). [fixed for "
        "judges beside raters, random for the reliability of raters]",
    ),
]
Persons = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Who wrote each response, for a variance study with --facet."),
]
Facet = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="What everybody answered, such as scenario, with --persons."),
]
Target = Annotated[
    float, typer.Option(min=0.01, max=0.999, help="Reliability to find the number of raters for.")
]
Writer = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Carried column that names who wrote each response: do judges favour models of their family?",
    ),
]
Family = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=FAMILY",
        help="With --writer: the family of a judge or writer, as in mine=qwen; give it again for more.",
    ),
]


def agree(
    scores: Annotated[
        str,
        typer.Argument(
            help="A run's id or its beginning, a folder of results, or a file of scores.", metavar="SCORES"
        ),
    ],
    ratings: Ratings,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SCORES", help="Other scores of the same responses to compare with; give it again."
        ),
    ] = None,
    task: Annotated[
        str | None, typer.Option(help="Task of a file of scores. [that of the run or its folder, else cgpst]")
    ] = None,
    measure: Measure = None,
    values: Annotated[
        Literal["model", "final"],
        typer.Option(help="The judge's own values, as methods are compared, or the final ones."),
    ] = "model",
    items: Items = "sum",
    by: By = None,
    within: Within = None,
    cluster: Cluster = None,
    stage: Stage = None,
    scale: ScaleOption = None,
    columns: Columns = None,
    missing: Missing = None,
    levels: Levels = None,
    read: Read = None,
    keep: Keep = None,
    strict: Strict = False,
    blank_is_no: BlankIsNo = False,
    interval: Interval = "percentile",
    confidence: Confidence = 0.95,
    of_raters: OfRaters = None,
    margin: Margin = None,
    correct: Annotated[
        bool,
        typer.Option(
            "--correct",
            help="Put all judges on the raters' scale first, by rising curves fitted on other responses.",
        ),
    ] = False,
    epsilon: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Allowance of the alternative annotator test: experts .2, skilled .15, crowd .1.",
        ),
    ] = 0.2,
    target: Target = 0.8,
    persons: Persons = None,
    facet: Facet = None,
    writer: Writer = None,
    family: Family = None,
    include_training: IncludeTraining = False,
    resamples: Resamples = 2000,
    seed: Seed = 0,
    out: Tables = None,
    ledger: Ledger = ".creaeval/ledger.db",
) -> None:
    """Compare scores with ratings."""
    from creaeval.agreement import AgreementOptions
    from creaeval.agreement import agree as measure_all
    from creaeval.agreement.scorers.self_preference import read_families
    from creaeval.cli.inputs import Inputs

    reading = read_options(columns, None, missing, levels, read, keep, strict)
    with Inputs(ledger, task) as inputs:
        named = (scores, *(against or []))
        reading = inputs.use_scale(scale, [*named, *map(str, ratings)], reading)
        # What is said of columns is said of the ratings; scores may come from files of another form.
        of_scores: dict[str, Any] = {name: reading[name] for name in ("missing", "levels") if name in reading}
        judged = [
            method
            for name in named
            for method in inputs.read_scores(name, {**of_scores, "blank_is_no": blank_is_no})
        ]
        loaded = inputs.task
        rated = inputs.read_ratings(ratings, {**reading, "blank_is_no": blank_is_no})
    scored = {sheet.response_id: None for method in judged for sheet in method.sheets}
    say_unmatched(rated, {**scored, **{key: None for method in judged for key in method.metadata}})
    report = measure_all(
        loaded,
        judged,
        rated,
        AgreementOptions(
            measures=tuple(measure or PAPER),
            values=values,
            items=items,
            stage=stage,
            groups=tuple(by or ()),
            within=tuple(within or ()),
            cluster=tuple(cluster or ()),
            interval=interval,
            confidence=confidence,
            raters=of_raters,
            resamples=resamples,
            seed=seed,
            margin=margin,
            correct=correct,
            epsilon=epsilon,
            target=target,
            persons=persons,
            facet=facet,
            writer=writer,
            families=read_families(family or []),
            include_training=include_training,
        ),
    )
    _show(report, out)


def raters(
    ratings: Annotated[
        list[str],
        typer.Argument(
            help="People's scores of the same responses; or a run (its id or folder), to compare its judges.",
            metavar="RATINGS|RUN",
        ),
    ],
    task: Annotated[
        str | None,
        typer.Option(help="A built-in task's name or a YAML file. [that of the run, else cgpst]"),
    ] = None,
    measure: Measure = None,
    items: Items = "sum",
    by: By = None,
    cluster: Cluster = None,
    stage: Stage = None,
    scale: ScaleOption = None,
    columns: Columns = None,
    missing: Missing = None,
    levels: Levels = None,
    read: Read = None,
    keep: Keep = None,
    strict: Strict = False,
    blank_is_no: BlankIsNo = False,
    interval: Interval = "percentile",
    confidence: Confidence = 0.95,
    of_raters: OfRaters = None,
    target: Target = 0.8,
    persons: Persons = None,
    facet: Facet = None,
    resamples: Resamples = 2000,
    seed: Seed = 0,
    out: Tables = None,
    ledger: Ledger = ".creaeval/ledger.db",
) -> None:
    """Compare raters with each other."""
    from creaeval.agreement import AgreementOptions
    from creaeval.agreement import agree as measure_all
    from creaeval.cli.inputs import Inputs

    reading = read_options(columns, None, missing, levels, read, keep, strict)
    with Inputs(ledger, task) as inputs:
        reading = inputs.use_scale(scale, ratings, reading)
        rated = _judges_of(ratings, inputs) or inputs.read_ratings(
            [Path(name) for name in ratings], {**reading, "blank_is_no": blank_is_no}
        )
        loaded = inputs.task
    report = measure_all(
        loaded,
        (),
        rated,
        AgreementOptions(
            measures=tuple(measure or PAPER),
            items=items,
            stage=stage,
            groups=tuple(by or ()),
            cluster=tuple(cluster or ()),
            interval=interval,
            confidence=confidence,
            raters=of_raters,
            resamples=resamples,
            seed=seed,
            target=target,
            persons=persons,
            facet=facet,
        ),
    )
    _show(report, out)


def _judges_of(words: Sequence[str], inputs: Inputs) -> list[Rating]:
    """Read the judges of runs as raters; none where the words name files of ratings."""
    from creaeval.agreement.training import leave_out
    from creaeval.cli.inputs import as_ratings, names_run
    from creaeval.errors import SettingError

    runs = [word for word in words if names_run(word)]
    if not runs:
        return []
    if len(runs) < len(words):
        raise SettingError(
            f"{runs[0]} is a run: to compare its scores with ratings, use `creaeval agree {runs[0]} RATINGS`."
        )
    typer.echo("The raters here are judges, not people: each scored the responses of the run.", err=True)
    judged = []
    for scores in (scores for word in runs for scores in inputs.read_scores(word)):
        kept, notes = leave_out(scores, inputs.task, hint=False)
        for note in notes:
            typer.echo(note, err=True)
        judged.append(kept)
    if ratings := as_ratings(judged):
        return ratings
    raise SettingError(f"{', '.join(runs)}: there is no score to compare.")


def _show(report: AgreementReport, out: Path | None) -> None:
    from creaeval.report.agreement_files import write_agreement
    from creaeval.report.agreement_text import print_agreement

    print_agreement(table_console(), report)
    if out is not None:
        print_paths(write_agreement(report, out))
