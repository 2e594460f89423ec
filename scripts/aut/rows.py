"""The rows of aut.csv, and how they are shown to an encoder."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray
    from tokenizers import Tokenizer

MOST_TOKENS = 96
SPLITS = ("split", "split_byprompt")


def read_rows(path: Path) -> pd.DataFrame:
    """Read the table; a response may be the word "null", so only an empty cell is missing."""
    rows = pd.read_csv(path, keep_default_na=False, na_values=[""], dtype={"row_id": str})
    # Rater means are compared within the uses of one object in one study.
    rows["group"] = rows["src"] + "/" + rows["prompt"]
    return rows


def choose(rows: pd.DataFrame, by: str, part: str, split: str = "split") -> pd.DataFrame:
    """Rows of one part: train, val or test.

    By ``split_byprompt`` five objects are for the test alone; train and val are then the rows of the other
    objects that are not test rows of the random split either, so that no test row is ever trained on.
    """
    if by == "split":
        return rows[rows[split] == part].reset_index(drop=True)
    if part == "test":
        return rows[rows["split_byprompt"] == "test"].reset_index(drop=True)
    return rows[(rows["split_byprompt"] == "train") & (rows[split] == part)].reset_index(drop=True)


def ids_hash(rows: pd.DataFrame) -> str:
    """SHA-256 over the sorted ids: what a card names instead of thousands of ids."""
    return hashlib.sha256("\n".join(sorted(rows["row_id"])).encode()).hexdigest()


def encode(tokenizer: Tokenizer, rows: pd.DataFrame, form: str) -> list[list[int]]:
    """Turn rows into ids of tokens.

    ``pair`` sets object and use side by side, as the two texts the encoder was made to compare;
    ``question`` is "What is a surprising use for a OBJECT? USE" of the published fine-tunes.
    """
    tokenizer.enable_truncation(MOST_TOKENS)
    tokenizer.no_padding()
    pairs = list(zip(rows["prompt"].str.strip(), rows["response"].str.strip(), strict=True))
    texts = (
        pairs if form == "pair" else [f"What is a surprising use for a {one}? {use}" for one, use in pairs]
    )
    return [encoding.ids for encoding in tokenizer.encode_batch(texts)]


def in_batches(
    tokens: list[list[int]], size: int, rng: np.random.Generator | None = None
) -> list[NDArray[np.intp]]:
    """Put rows of like length together; shuffled where there is a generator."""
    lengths = np.array([len(one) for one in tokens], dtype=float)
    if rng is None:
        order = np.argsort(lengths, kind="stable")
        return [order[start : start + size] for start in range(0, len(order), size)]
    # Within pools of many batches, so that a batch still is a random draw but for its length.
    shuffled = rng.permutation(len(tokens))
    batches = []
    for start in range(0, len(shuffled), size * 16):
        pool = shuffled[start : start + size * 16]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        batches += [pool[at : at + size] for at in range(0, len(pool), size)]
    return [batches[at] for at in rng.permutation(len(batches))]
