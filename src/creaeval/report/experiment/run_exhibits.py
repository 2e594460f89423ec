"""The tables and figures that only runs allow: cost, quotes, repeats, and lengths beside scores."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from creaeval.agreement.options import AgreementOptions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from creaeval.agreement.runs.stability import Measure
    from creaeval.experiments.file import Agreement, Length, Similarity
    from creaeval.report.experiment.exhibits import Exhibits
    from creaeval.runs import Run

_SIMILARITIES = {
    "self_bleu": "Self-BLEU",
    "self_bleu_pilot": "Self-BLEU as published",
    "bertscore": "BERTScore",
}


def add_run_exhibits(exhibits: Exhibits, settings: Agreement, similarity: Similarity | None) -> None:
    """Add what only runs know: cost, quotes, repeats, the length of what was written."""
    from creaeval.agreement.runs.cost import cost_per_response
    from creaeval.agreement.runs.quotes import quote_table
    from creaeval.report import figures

    runs = [run for _, run in exhibits.compared.runs]
    exhibits.table(
        "cost",
        "Cost per response, median / 95th percentile",
        lambda: _read_costs(cost_per_response(runs), exhibits.compared.labels),
    )
    quotes = exhibits.table("quotes", "Where quotes stand", lambda: quote_table(runs), shown=False)
    if quotes is not None:
        exhibits.figure("quotes", "Where quotes stand", quotes, lambda: figures.quotes_found(quotes))
    _stability(exhibits, similarity)
    _lengths(exhibits, settings)


def _read_costs(costs: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    """Name the runs, and leave out what is nowhere other than 0."""
    costs = costs.assign(method=costs["run"].map(labels))
    used = set(costs.loc[costs["total"].ne(0), "measure"])  # an undefined one is not 0, either
    return costs[costs["measure"].isin(used | {"failed_attempts"})].drop(columns="run")


def _stability(exhibits: Exhibits, similarity: Similarity | None) -> None:
    from creaeval.agreement.runs.stability import judge_stability

    repeated = {
        kind: [run for _, run in exhibits.compared.runs if run.manifest.get(f"{kind}_repeats", 1) > 1]
        for kind in ("evidence", "judge")
    }
    if repeated["evidence"]:
        alike = exhibits.table(
            "evidence_stability",
            "How alike repeated evidence is",
            lambda: _named(exhibits, _similarities(exhibits, repeated["evidence"], similarity)),
        )
        measures = [] if alike is None else list(alike.groupby("measure", sort=False))
        for measure, rows in measures:
            part = f"evidence_stability_{measure}" if len(measures) > 1 else "evidence_stability"
            _repeats_figure(exhibits, part, rows, "model", _SIMILARITIES[str(measure)])
    if repeated["judge"]:
        vary = exhibits.table(
            "judge_stability",
            "Variance of repeated scores",
            lambda: _named(exhibits, judge_stability(repeated["judge"])),
        )
        if vary is not None:
            _repeats_figure(exhibits, "judge_stability", vary, "judge", "variance")


def _named(exhibits: Exhibits, frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(method=frame["run"].map(exhibits.compared.labels))


def _similarities(exhibits: Exhibits, runs: Sequence[Run], similarity: Similarity | None) -> pd.DataFrame:
    """Measure repeated evidence in each way; one that lacks what it needs is a note and leaves the others."""
    import pandas as pd

    from creaeval.agreement.runs.encoder import load_encoder
    from creaeval.agreement.runs.stability import evidence_stability

    measures = ("self_bleu",) if similarity is None else similarity.measures
    own = None if similarity is None else similarity.encoder

    def compare(measure: Measure) -> pd.DataFrame:
        encoder = None
        if measure == "bertscore":
            encoder = load_encoder() if own is None else load_encoder(own.folder, language=own.language)
        return evidence_stability(runs, measures=[measure], encoder=encoder)

    frames = [
        exhibits.attempt(f"{_SIMILARITIES[measure]} of repeated evidence", partial(compare, measure))
        for measure in dict.fromkeys(measures)
    ]
    measured_frames = [frame for frame in frames if frame is not None]
    return pd.concat(measured_frames, ignore_index=True) if measured_frames else pd.DataFrame()


def _repeats_figure(exhibits: Exhibits, part: str, frame: pd.DataFrame, by: str, values: str) -> None:
    from creaeval.report import figures

    laid = frame.assign(row=frame["method"] + ", " + frame[by].astype(str), column=frame["dimension"])
    laid = laid[["row", "column", "value"]]
    exhibits.figure(
        part,
        f"Repeats: {values}",
        laid,
        lambda: figures.value_matrix(laid, rows="run", columns="dimension", values=values),
    )


def _lengths(exhibits: Exhibits, settings: Agreement) -> None:
    if not any(run.responses for _, run in exhibits.compared.runs):
        exhibits.notes.append(
            "Length and score are not set side by side: the texts were not kept when these runs were made."
        )
        return
    for length in exhibits.compared.lengths:
        _length(exhibits, settings, length)


def _length(exhibits: Exhibits, settings: Agreement, length: Length) -> None:
    """Add the length of a response, or of a step, beside a score."""
    from creaeval.agreement.runs.length_points import length_points
    from creaeval.agreement.runs.verbosity import response_lengths, verbosity
    from creaeval.report import figures
    from creaeval.tasks import display_name, find_step, resolve

    compared = exhibits.compared
    step = None if length.step is None else find_step(compared.task, length.step)
    owner, part = (None, "total") if length.dimension is None else resolve(compared.task, length.dimension)
    identity = None if owner is None else f"{owner.id}.{part}"
    words: dict[str, int] = {}
    for _, run in compared.runs:
        words |= response_lengths(run.responses.values(), None if step is None else step.id)
    whose = "a response" if step is None else step.name
    score = "its score" if identity is None else f"the score of {display_name(compared.task, identity)}"
    parts = ["length", "" if step is None else step.id, (identity or "").replace(".", "_")]
    name, caption = "_".join(filter(None, parts)), f"Length of {whose} and {score}"
    associations = exhibits.table(
        name,
        caption,
        lambda: verbosity(
            compared.task,
            compared.scores,
            compared.ratings,
            words,
            dimension=identity,
            options=AgreementOptions(resamples=settings.resamples, seed=settings.seed),
        ),
        form="length",
    )
    if associations is None:
        return
    points = length_points(compared.task, compared.scores, compared.ratings, words, dimension=identity)
    axes = {
        "words": "words" if step is None else f"words, {step.name}",
        "score": "score" if identity is None else display_name(compared.task, identity),
    }
    exhibits.figure(
        name,
        "Length and score" if name == "length" else caption,
        points,
        lambda: figures.length_scatter(points, associations, **axes),
    )
