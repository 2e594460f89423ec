"""How many uses of a file are held not to be English: each judged by itself, and all by the file they are in.

python benchmarks/aut_languages.py ../shared/data/aut_multilingual/aut_multilingual.csv
"""

from __future__ import annotations

import argparse
import csv
import random
from collections import defaultdict
from pathlib import Path

from creaeval.offline.card import read_card
from creaeval.offline.doubts import foreign_uses, is_foreign

SIZES, FILES = (20, 50, 200), 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path, help="columns language, participant, response")
    with parser.parse_args().table.open(encoding="utf-8", newline="") as file:
        languages = defaultdict(list)
        for row in csv.DictReader(file):
            languages[row["language"]].append((row["response"], row["participant"]))
    known, rng = read_card().words, random.Random(1)
    print("| language | uses | " + " | ".join(f"of {size}" for size in SIZES) + " | fewest, most of 200 |")
    print("|---" * (len(SIZES) + 3) + "|")
    for language, uses in sorted(languages.items()):
        cells = []
        for size in SIZES:
            samples = [rng.sample(uses, size) for _ in range(FILES)]
            before = [sum(is_foreign(text, known) for text, _ in sample) for sample in samples]
            now = [sum(foreign_uses(*map(list, zip(*sample, strict=True)), known)) for sample in samples]
            cells.append(f"{sum(before) / FILES:.1f} → {sum(now) / FILES:.1f}")
        print(f"| {language} | {len(uses):,} | {' | '.join(cells)} | {min(now)}, {max(now)} |")


if __name__ == "__main__":
    main()
