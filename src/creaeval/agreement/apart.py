"""Agreement of trained judges on all they scored, their training data among it: apart, and marked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from creaeval.agreement.long_table import long_table, method_labels, rated, scores_of
from creaeval.agreement.slots import needs_slots, put_into_slots
from creaeval.agreement.training import only_trained

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from creaeval.agreement.options import AgreementOptions
    from creaeval.agreement.rating_data import RatingData
    from creaeval.data import Rating, Scores
    from creaeval.runs import Run
    from creaeval.tasks import Task

#: The variant of judges whose points are those of all responses, and what their methods are called.
WITH_TRAINING = "with training data"


def trained_judges(
    task: Task, scores: Sequence[Scores | Run], ratings: Sequence[Rating], options: AgreementOptions
) -> RatingData | None:
    """Put in one table what the judges that were trained on some responses gave to all they scored.

    Parameters
    ----------
    task : Task
        The task.
    scores : sequence of Scores or Run
        One for each method.
    ratings : sequence of Rating
        People's.
    options : AgreementOptions
        How agreement is measured.

    Returns
    -------
    RatingData or None
        Judges have the variant ``with training data`` and the methods they have among all scores; None where
        no judge was trained on anything it scored, or they are not to be shown.
    """
    if not options.include_training:
        return None
    judged = list(map(scores_of, scores))
    named = [replace(part, method=name) for part, name in zip(judged, method_labels(judged), strict=True)]
    trained = [part for whole in named if (part := only_trained(whole)) is not None]
    if not trained:
        return None
    data, _ = rated(long_table(task, trained, ratings, options)[0])
    if options.correct:
        from creaeval.agreement.scorers.calibration import correct

        data, _ = correct(data, options)
    data = put_into_slots(data) if needs_slots(data) else data
    return data.rename(
        lambda scorer: (
            replace(scorer, variant=", ".join(filter(None, (scorer.variant, WITH_TRAINING))))
            if scorer.kind == "judge"
            else scorer
        )
    )


def mark(frame: pd.DataFrame, trained: RatingData) -> pd.DataFrame:
    """Keep the rows of single judges of a table of agreement, and say with their methods what they are."""
    rows = frame[frame["judge"].isin([trained.label(judge) for judge in trained.judges])]
    return rows.assign(method=rows["method"] + f" ({WITH_TRAINING})")
