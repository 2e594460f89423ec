"""Write the files that docs/results/aut.md is made from, out of the released table of uses.

python scripts/aut_samples.py AUT.csv FOLDER writes ``test.csv`` (the 1,000 test rows), ``sample.csv`` (60 of
them, 12 from each fifth of the scale), of the train split ``examples.csv`` (ten to show a judge) and
``taught.csv`` (300 to fine-tune a language model on), and ``ensemble.csv`` (the mean of the two best
published predictions of the test rows, as scores).
"""

from __future__ import annotations

import argparse
import csv
import random
from pathlib import Path

USE = ("id", "object", "response", "participant", "src", "human_mean")
ENSEMBLE = ("pred_ocsai_chatgpt_w", "pred_ocsai_davinci2_w")
FIFTHS, OF_EACH, EXAMPLES, SHORT, TAUGHT = 5, 12, 2, 60, 300

Row = dict[str, str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--taught", type=int, default=TAUGHT, help="rows of taught.csv")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with given.table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    test, train = ([use_of(row) for row in rows if row["split"] == part] for part in ("test", "train"))
    write(given.folder / "test.csv", USE, test)
    draw = random.Random(1)
    sample = draw_fifths(test, OF_EACH, draw)
    draw.shuffle(sample)
    write(given.folder / "sample.csv", USE, sample)
    examples = [
        {**use, "score": str(round(float(use["human_mean"])))}
        for use in draw_fifths([use for use in train if len(use["response"]) < SHORT], EXAMPLES, draw)
    ]
    write(given.folder / "examples.csv", ("object", "response", "score"), examples)
    random.Random(1).shuffle(train)
    # Uses of one object share a prompt, so they stand together.
    taught = sorted(train[: given.taught], key=lambda use: (use["object"], use["id"]))
    write(given.folder / "taught.csv", USE, taught)
    ensemble = [
        {
            "response_id": row["row_id"],
            "method": "published",
            "judge": "ensemble",
            "dimension": "uses.originality",
            "score": str(sum(float(row[name]) for name in ENSEMBLE) / len(ENSEMBLE)),
            "participant": row["participant"],
        }
        for row in rows
        if row["split"] == "test"
    ]
    write(given.folder / "ensemble.csv", tuple(ensemble[0]), ensemble)


def use_of(row: Row) -> Row:
    named = {"id": row["row_id"], "object": row["prompt"]}
    return {name: named.get(name) or row[name] for name in USE}


def draw_fifths(uses: list[Row], of_each: int, draw: random.Random) -> list[Row]:
    fifths = [list[Row]() for _ in range(FIFTHS)]
    for use in uses:
        fifths[min(FIFTHS - 1, int((float(use["human_mean"]) - 1) / (4 / FIFTHS)))].append(use)
    return [use for fifth in fifths for use in draw.sample(fifth, of_each)]


def write(path: Path, columns: tuple[str, ...], rows: list[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{path}: {len(rows)} rows")


if __name__ == "__main__":
    main()
