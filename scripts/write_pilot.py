"""Write the tables of docs/results/temperature_pilot.md anew from the raw files of the paper's authors.

python scripts/write_pilot.py --data FOLDER, which holds Raw_Results and Raw_Results_Scoring.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pilot_tables import (
    AVG,
    DIMENSIONS,
    best_temperatures,
    count_best,
    pilot_tables,
    read_pilot,
    shares_of_exact_repeats,
    variances_of_whole_scores,
)

if TYPE_CHECKING:
    import pandas as pd

PAGE = Path(__file__).parents[1] / "docs/results/temperature_pilot.md"
BEGIN, END = "<!-- begin: written by scripts/write_pilot.py -->\n", "<!-- end -->\n"
NAMES = {
    "bertscore": "BERTScore (Table 9)",
    "self_bleu_pilot": "Self-BLEU (Table 10)",
    "variance": "Variance (Table 11)",
}


def row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |\n"


def head(*names: object) -> str:
    return row(*names) + row(*["---"] * len(names))


def averages(table: pd.DataFrame) -> str:
    """The AVG columns of the three tables."""
    temperatures = sorted(set(table["temperature"]))
    text = ""
    for measure, name in NAMES.items():
        text += f"**{name}, AVG**\n\n" + head("model", *(f"T = {t:g}" for t in temperatures))
        chosen = table[table["measure"].eq(measure) & table["dimension"].eq(AVG)]
        for model, values in chosen.groupby("model"):
            by_temperature = values.set_index("temperature")["value"]
            text += row(f"`{model}`", *(f"{by_temperature[t]:.4f}" for t in temperatures))
        text += "\n"
    return text


def counts(table: pd.DataFrame) -> str:
    """How often .2 is best."""
    found = count_best(table, 0.2).set_index(["measure", "cells"])
    text = head("0.2 is", "best or tied", "best alone", "best for AVG")
    for measure, name in NAMES.items():
        cells, average = found.loc[(measure, "dimensions")], found.loc[(measure, AVG)]
        text += row(
            name,
            f"{cells['best_or_tied']} of {cells['n']}",
            f"{cells['strictly_best']} of {cells['n']}",
            f"{average['strictly_best']} of {average['n']}",
        )
    return text + "\n"


def elsewhere(table: pd.DataFrame) -> str:
    """Which temperature is best in each cell."""
    best = best_temperatures(table)
    text = ""
    for measure, name in NAMES.items():
        text += f"Best temperature by {name}:\n\n" + head("model", *DIMENSIONS)
        for model, own in best[best["measure"].eq(measure)].groupby("model"):
            cells = own.set_index("dimension")["best"]
            text += row(f"`{model}`", *("/".join(f"{t:g}" for t in cells[d]) for d in DIMENSIONS))
        text += "\n"
    return text


def variances(raw: pd.DataFrame, table: pd.DataFrame) -> str:
    """Which variances occur, and the highest of the table."""
    found = variances_of_whole_scores(raw)
    text = f"Variances of single scores ({found['n'].sum()} values):\n\n" + head("variance", "times")
    text += "".join(row(f"{one.value:g}", one.n) for one in found.itertuples()) + "\n"
    cells = table[table["measure"].eq("variance") & table["dimension"].ne(AVG)]
    high = cells[cells["value"].ge(0.2 - 1e-9)].sort_values("value", ascending=False)
    text += "Cells of Table 11 that are not below .2:\n\n" + head("model", "T", "dimension", "variance")
    for one in high.itertuples():
        text += row(f"`{one.model}`", f"{one.temperature:g}", one.dimension, f"{one.value:.4f}")
    return text + "\n"


def repeats(raw: pd.DataFrame) -> str:
    """Shares of Self-BLEU values that are 0 or that of five equal words."""
    text = "Values of Self-BLEU that are 0 or .631, over all models and temperatures:\n\n"
    text += head("dimension", "values", "0", ".631")
    for one in shares_of_exact_repeats(raw).itertuples():
        text += row(one.dimension, one.n, f"{one.share_0:.1%}", f"{one.share_631:.1%}")
    return text + "\n"


def written(folder: Path) -> str:
    """All that stands between the marks."""
    raw = read_pilot(folder)
    table = pilot_tables(raw)
    return "\n" + averages(table) + counts(table) + elsewhere(table) + variances(raw, table) + repeats(raw)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="holds Raw_Results and Raw_Results_Scoring")
    folder = parser.parse_args().data
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}{written(folder)}{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
