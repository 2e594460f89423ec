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
PARTICIPANTS, SHARES = 40, (0.1, 0.3, 0.5, 0.7)

Uses = list[tuple[str, str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path, help="columns language, participant, response")
    languages: defaultdict[str, Uses] = defaultdict(list)
    with parser.parse_args().table.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            languages[row["language"]].append((row["response"], row["participant"]))
    known, rng = read_card().words, random.Random(1)
    one_language(languages, known, rng)
    mixed(languages, known, rng)


def judge(uses: Uses, known: frozenset[str]) -> list[bool]:
    return foreign_uses([text for text, _ in uses], [who for _, who in uses], known)


def one_language(languages: dict[str, Uses], known: frozenset[str], rng: random.Random) -> None:
    print("| language | uses | " + " | ".join(f"of {size}" for size in SIZES) + " | fewest, most of 200 |")
    print("|---" * (len(SIZES) + 3) + "|")
    for language, uses in sorted(languages.items()):
        cells = []
        for size in SIZES:
            samples = [rng.sample(uses, size) for _ in range(FILES)]
            before = [sum(is_foreign(text, known) for text, _ in sample) for sample in samples]
            now = [sum(judge(sample, known)) for sample in samples]
            cells.append(f"{sum(before) / FILES:.1f} → {sum(now) / FILES:.1f}")
        print(f"| {language} | {len(uses):,} | {' | '.join(cells)} | {min(now)}, {max(now)} |")


def mixed(languages: dict[str, Uses], known: frozenset[str], rng: random.Random) -> None:
    """Files of English participants and others, by the others' share: how many uses of both are warned of."""
    people: dict[str, list[Uses]] = {}
    for language, uses in languages.items():
        lists: defaultdict[str, Uses] = defaultdict(list)
        for use in uses:
            lists[use[1]].append(use)
        people[language] = list(lists.values())
    print("\n| beside English | " + " | ".join(f"{share:.0%} of participants" for share in SHARES) + " |")
    print("|---" * (len(SHARES) + 1) + "|")
    for language in sorted({*languages} - {"en"}):
        cells = []
        for share in SHARES:
            others, english = [0, 0], [0, 0]
            for _ in range(FILES // 10):
                n_others = round(PARTICIPANTS * share)
                theirs = [use for one in rng.sample(people[language], n_others) for use in one]
                ours = [use for one in rng.sample(people["en"], PARTICIPANTS - n_others) for use in one]
                found = judge([*theirs, *ours], known)
                others = [others[0] + sum(found[: len(theirs)]), others[1] + len(theirs)]
                english = [english[0] + sum(found[len(theirs) :]), english[1] + len(ours)]
            cells.append(f"{others[0] / others[1]:.1%}, English {english[0] / english[1]:.1%}")
        print(f"| {language} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
