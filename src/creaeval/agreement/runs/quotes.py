"""How many of the analysts' quotes stand where they belong."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING, get_args

from creaeval.sheets.evidence import QuoteOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from creaeval.runs import Run

OUTCOMES: tuple[QuoteOutcome, ...] = get_args(QuoteOutcome)
QUOTE_COLUMNS = ["analyst", "step", "dimension", "quotes", "exact", "nearly", "elsewhere", "not_found"]


def quote_table(runs: Iterable[Run]) -> pd.DataFrame:
    """Count quotes by where they stand, by analyst, step and dimension.

    Parameters
    ----------
    runs : iterable of Run
        Runs without an analyst have no quotes and add nothing. Of runs that share evidence, because only
        their judges or their way of judging differ, each piece of evidence counts once.

    Returns
    -------
    pandas.DataFrame
        ``dimension`` is an identity such as ``step1.fluency``. ``quotes`` counts what the analyst gave as
        taken from a response; ``exact``, ``nearly``, ``elsewhere`` and ``not_found`` are the outcomes of
        :func:`creaeval.sheets.find_quote`; every time that evidence was gathered counts.
        A dimension that has evidence but no quote, such as one that
        is made of categories, has zeros, and its share is undefined. Analysts, and of each the dimensions,
        in the order in which they first occur.
    """
    import pandas as pd

    counts: dict[str, dict[tuple[str, str], Counter[QuoteOutcome]]] = {}
    seen: set[tuple[str, bytes]] = set()
    for run in runs:
        analyst = run.manifest.get("analyst")
        if analyst is None:
            continue
        name = str(analyst["name"])
        of_analyst = counts.setdefault(name, {})
        for outcome in run.outcomes:
            first = [] if outcome.evidence is None else [(1, outcome.evidence)]
            for repeat, evidence in [*first, *((one.repeat, one.evidence) for one in outcome.further)]:
                # Runs of one analyst with other settings gather other evidence, so its content is the key.
                text = f"{repeat} {evidence.model_dump_json()}"
                key = name, hashlib.sha256(text.encode(errors="surrogatepass")).digest()
                if key in seen:
                    continue
                seen.add(key)
                for step in evidence.steps:
                    for dimension, finding in step.findings:
                        cell = of_analyst.setdefault((step.step, f"{step.step}.{dimension}"), Counter())
                        cell.update(quote.outcome for quote in finding.quotes)
    rows = [
        (name, step, dimension, cell.total(), *(cell[outcome] for outcome in OUTCOMES))
        for name, of_analyst in counts.items()
        for (step, dimension), cell in of_analyst.items()
    ]
    return pd.DataFrame(rows, columns=QUOTE_COLUMNS).astype(dict.fromkeys(QUOTE_COLUMNS[3:], int))
