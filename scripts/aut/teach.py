"""Uses that no person rated, for teachers to score and a student to learn from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from aut.memory import score_rows
from aut.rows import choose, read_rows
from creaeval.offline.doubts import plain, words_of

if TYPE_CHECKING:
    from pathlib import Path

_COLUMNS = ["row_id", "prompt", "response", "src", "group"]


def draw(data: Path, out: Path, moved: int, varied: int, seed: int) -> None:
    """Write the train rows, uses moved to another object, and uses with words changed: rows to be scored.

    None equals a row of the table, so that no test row is scored, also not one that comes about by chance.
    """
    rows = read_rows(data)
    fit = choose(rows, "split", "train")[_COLUMNS]
    rng = np.random.default_rng(seed)
    others = pd.concat([move(fit, moved, rng), vary(fit, varied, rng)])
    taken = set(zip(rows["prompt"].map(plain), rows["response"].map(plain), strict=True))
    keys = pd.Series(
        list(zip(others["prompt"].map(plain), others["response"].map(plain), strict=True)), others.index
    )
    others = others[~(keys.isin(taken) | keys.duplicated())]
    others = others.assign(row_id=[f"made{number}" for number in range(len(others))], group="made")
    pd.concat([fit, others]).to_csv(out, index=False)
    print(f"{len(fit)} train rows, {others['src'].value_counts().to_dict()}")


def move(fit: pd.DataFrame, n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Draw uses and give each an object drawn at random."""
    drawn = fit.iloc[rng.integers(0, len(fit), n)].reset_index(drop=True)
    return drawn.assign(prompt=rng.choice(sorted(set(fit["prompt"])), n), src="moved")


def vary(fit: pd.DataFrame, n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Draw uses of at least two words and leave one out, or put in one from another use of the object.

    Words are drawn from the words of all uses of the object, so that frequent ones come more often.
    """
    words = {
        name: [w for text in part for w in words_of(text)] for name, part in fit.groupby("prompt")["response"]
    }
    long = fit[fit["response"].str.split().str.len() > 1]
    drawn = long.iloc[rng.integers(0, len(long), n)].reset_index(drop=True)
    changed = []
    for its_object, text in zip(drawn["prompt"], drawn["response"], strict=True):
        parts = text.split()
        place = rng.integers(len(parts))
        if rng.random() < 0.5:
            del parts[place]
        else:
            parts[place] = words[its_object][rng.integers(len(words[its_object]))]
        changed.append(" ".join(parts))
    return drawn.assign(response=changed, src="varied")


def teach(folder: Path, encoder: Path, uses: Path, out: Path) -> None:
    """Score drawn uses with one model."""
    drawn = pd.read_csv(uses, keep_default_na=False, na_values=[""], dtype={"row_id": str})
    scored = score_rows(folder, encoder, drawn)
    out.parent.mkdir(parents=True, exist_ok=True)
    scored[["row_id", "prompt", "response", "score", "inner"]].to_csv(out, index=False)
