"""The tables and figures of one comparison: those that its data allow, and why others are not there."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from creaeval.errors import CreaEvalError
from creaeval.report.display.labels import AVG, SHARE
from creaeval.report.experiment.run_exhibits import add_run_exhibits
from creaeval.report.experiment.tables import readable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd
    from matplotlib.figure import Figure

    from creaeval.agreement import AgreementOptions
    from creaeval.agreement.agree import AgreementReport
    from creaeval.experiments.file import Agreement, Similarity
    from creaeval.report.display import DisplayTable
    from creaeval.report.experiment.compared import Compared

Made = TypeVar("Made")

ABLATIONS = ("no-memory", "no-evidence", "no-decoupling", "one-pass")
FULL = "creaeval"
#: Of the tables about agreement, those that stand in the report; the others are files.
_SHOWN = ("reliability", "self_preference", "within", "by_column")


@dataclass(frozen=True)
class PaperTable:
    """One table: its name for files, its caption, its data, and these as they are read.

    Those that are not ``shown`` are files only.
    """

    name: str
    caption: str
    frame: pd.DataFrame
    tables: Sequence[DisplayTable] = ()
    shown: bool = True


@dataclass(frozen=True)
class PaperFigure:
    """One figure: its name for files, its caption, and the data behind it."""

    name: str
    caption: str
    figure: Figure
    data: pd.DataFrame

    @cached_property
    def svg(self) -> str:
        """The figure as SVG, drawn once."""
        from creaeval.report.figures import to_svg

        return to_svg(self.figure)


@dataclass
class Exhibits:
    """All of one comparison; ``notes`` say what could not be made and why.

    Attributes
    ----------
    compared : Compared
        What is compared.
    tables, figures : list
        In the order of the report.
    notes : list of str
        What a reader has to know.
    """

    compared: Compared
    tables: list[PaperTable] = field(default_factory=list)
    figures: list[PaperFigure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def attempt(self, what: str, make: Callable[[], Made]) -> Made | None:
        """Make a part; what cannot be made is a note, and the rest of the report goes on."""
        try:
            return make()
        except CreaEvalError as error:
            self.notes.append(f"Not there: {what}. {error}")
            return None

    def table(
        self,
        part: str,
        caption: str,
        make: Callable[[], pd.DataFrame],
        *,
        shown: bool = True,
        form: str | None = None,
    ) -> pd.DataFrame | None:
        """Add a table, unless it cannot be made or has no row; pages show it in the form of another part."""
        frame = self.attempt(caption, make)
        if frame is None or frame.empty:
            return None
        tables = readable(form or part, frame, self.compared.task, caption)
        # Where all is undefined, its reasons are in the file.
        shown = shown and any(table.rows for table in tables)
        self.tables.append(PaperTable(f"{self.compared.name}_{part}", caption, frame, tables, shown))
        return frame

    def figure(self, part: str, caption: str, data: pd.DataFrame, draw: Callable[[], Figure]) -> None:
        """Add a figure of data that are not empty."""
        if data.empty:
            return
        made = self.attempt(caption, draw)
        if made is not None:
            self.figures.append(PaperFigure(f"{self.compared.name}_{part}", caption, made, data))


def make_exhibits(compared: Compared, settings: Agreement, similarity: Similarity | None = None) -> Exhibits:
    """Make the tables and figures that the data of a comparison allow.

    Parameters
    ----------
    compared : Compared
        What is compared.
    settings : Agreement
        How agreement is measured.
    similarity : Similarity, optional
        How repeated evidence is compared; default: by Self-BLEU.

    Returns
    -------
    Exhibits
    """
    exhibits = Exhibits(compared)
    if compared.is_whole:
        _methods(exhibits, settings)
        return exhibits
    if compared.ratings:
        _with_people(exhibits, settings)
    else:
        exhibits.notes.append("Nobody rated these responses, so there is no agreement with people.")
    _between_judges(exhibits, settings)
    if compared.runs:
        add_run_exhibits(exhibits, settings, similarity)
    return exhibits


def _options(settings: Agreement) -> AgreementOptions:
    """Take the settings of an experiment's file."""
    from creaeval.agreement import AgreementOptions

    return AgreementOptions(
        measures=settings.measures,
        items=settings.items,
        cluster=settings.clusters,
        groups=settings.by,
        within=settings.within,
        include_training=settings.include_training,
        resamples=settings.resamples,
        seed=settings.seed,
    )


def _methods(exhibits: Exhibits, settings: Agreement) -> None:
    """Add the agreement of all methods with people, on the responses that all of them scored."""
    from creaeval.agreement.methods.method_table import method_table

    compared = exhibits.compared
    exhibits.table(
        "methods",
        "Agreement with people by dimension",
        lambda: method_table(compared.task, compared.scores, compared.ratings, _options(settings)),
    )


def _with_people(exhibits: Exhibits, settings: Agreement) -> None:
    """Add what ratings allow: agreement of methods and judges, ablations, calibration, self-preference."""
    from creaeval.agreement.agree import agree
    from creaeval.agreement.methods.ablation_table import ablation_table
    from creaeval.agreement.methods.judge_grid import analyst_judge_grid, judge_agreement
    from creaeval.report import figures

    compared, options = exhibits.compared, _options(settings)
    task, scores, ratings = compared.task, compared.scores, compared.ratings
    _methods(exhibits, settings)
    methods = {scored.method for scored in scores}
    if FULL not in methods and any(run.manifest["method"] in ABLATIONS for _, run in compared.runs):
        exhibits.notes.append(
            f"Not there: agreement without parts of the method. It takes a block with {FULL} once, of one "
            "analyst and one value of each setting."
        )
    elif FULL in methods and methods & set(ABLATIONS):
        kept = [scored for scored in scores if scored.method in (FULL, *ABLATIONS)]
        exhibits.table(
            "ablations",
            "Agreement without parts of the method",
            lambda: ablation_table(task, kept, ratings, options, full=FULL),
        )
    if compared.several_judges or len(compared.analysts) > 1:
        judges = exhibits.table(
            "judges",
            "Agreement of each judge with people",
            lambda: judge_agreement(task, scores, ratings, options),
        )
        if judges is not None and len(compared.analysts) > 1:
            grid = exhibits.table("grid", "Analysts and judges", lambda: analyst_judge_grid(judges))
            if grid is not None:
                _grid_figures(exhibits, grid)
    report = exhibits.attempt(
        "agreement",
        lambda: agree(task, scores, ratings, options, writer=compared.writer),
    )
    if report is not None:
        _from_report(exhibits, report)
        exhibits.figure(
            "forest",
            "Agreement with people, and of people with each other",
            report.tables["means"],
            lambda: figures.agreement_forest(report.tables["means"], measures=options.measures),
        )


def _from_report(exhibits: Exhibits, report: AgreementReport) -> None:
    from creaeval.agreement.scorers.calibration_intervals import calibration_intervals
    from creaeval.agreement.scorers.heat import heat_counts
    from creaeval.report import figures

    captions = {
        "reliability": "Reliability of raters",
        "raters": "Coefficients of all raters together",
        "self_preference": "Bias toward the work of a judge's own family",
        "within": "Pearson r within groups",
        "by_column": "Agreement by group",
        "mean_rater": "Agreement with the raters' mean",
        "participants": "Agreement of participant means",
        "comparison": "Differences of agreement between methods",
        "severity": "Leniency and use of the scale",
        "fair_means": "Responses' means adjusted for who rated them",
        "design": "Who rated what",
        "halo_means": "Correlation between the dimensions of a scorer",
        "stand_in": "Alternative annotator test",
        "calibration": "Raters' mean at each level of a judge",
        "by_rater": "Agreement with each person",
        "slots": "Agreement with raters dealt anew to slots",
    }
    for name, caption in captions.items():
        if name in report.tables:
            frame = _averages(report.tables[name]) if name == "by_column" else report.tables[name]
            exhibits.table(name, caption, lambda frame=frame: frame, shown=name in _SHOWN)  # type: ignore[misc]
    exhibits.notes += report.notes
    counts = heat_counts(report.data)
    exhibits.figure("heat", "Points of people and of methods", counts, lambda: figures.heat_maps(counts))
    levels = calibration_intervals(report.data, report.options)
    exhibits.figure(
        "calibration_curves",
        "What people gave at each level",
        levels,
        lambda: figures.calibration_curves(levels),
    )


def _averages(by_column: pd.DataFrame) -> pd.DataFrame:
    """Keep of the table by groups what is read: the means over dimensions."""
    return by_column[by_column["dimension"].eq(AVG) & ~by_column["metric"].str.endswith(SHARE)]


def _grid_figures(exhibits: Exhibits, grid: pd.DataFrame) -> None:
    from creaeval.report import figures
    from creaeval.stats.measures import measure_label

    for measure, cells in grid.groupby("measure", sort=False):
        laid = cells.rename(columns={"analyst": "row", "judge": "column"})[["row", "column", "value", "n"]]
        title = measure_label(str(measure))
        exhibits.figure(
            f"grid_{measure}",
            f"Analysts and judges, {title}",
            laid,
            lambda laid=laid, title=title: figures.value_matrix(
                laid, rows="analyst", columns="judge", values=title
            ),  # type: ignore[misc]
        )


def _between_judges(exhibits: Exhibits, settings: Agreement) -> None:
    from creaeval.agreement.methods.judge_grid import judge_pairs, judge_variance
    from creaeval.report import figures

    compared = exhibits.compared
    if not compared.several_judges:
        return
    exhibits.table(
        "judge_pairs",
        "Agreement of judges with each other",
        lambda: judge_pairs(compared.task, compared.scores, _options(settings)),
    )
    spread = exhibits.table(
        "judge_variance",
        "Variance between judges",
        lambda: judge_variance(compared.task, compared.scores, _options(settings)),
        shown=False,
    )
    if spread is None:
        return
    for step in compared.task.steps:
        # A figure a step, with a panel for each dimension: variances of unequal scales do not mix.
        values = spread[spread["dimension"].str.startswith(f"{step.id}.")]
        exhibits.figure(
            f"variance_{step.id}",
            f"Variance between judges, {step.name}",
            values,
            lambda values=values: figures.variance_violins(values),  # type: ignore[misc]
        )
