"""Score uses of objects for originality with the encoder that the package carries."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from creaeval.errors import SettingError
from creaeval.offline.card import FILES, MODEL, TOKENIZER, Card, files_sha256, read_card
from creaeval.offline.doubts import FOREIGN, LONG, UNSEEN, foreign_uses, mark_of, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# Uses with the same number of tokens that the model reads at once.
_ROWS = 32


@dataclass(frozen=True)
class UseScore:
    """What the offline scorer says of one use.

    Parameters
    ----------
    originality : float
        In points as raters give them, 1 to 5. It is an estimate of their mean and not cut off at the ends, so
        that it may lie a little outside.
    confidence : float or None
        Probability, 0 to 1, that the mean of the raters is at most half a point away, estimated from rows the
        model was not trained on; None for unseen objects where it was not measured for these.
    warnings : tuple of str
        ``object never seen in training``, ``perhaps not English`` and ``longer than the scorer reads``. For
        each, people's ratings may be far from the score; the confidence allows for the first only.
    in_training : bool
        Whether the same use of the same object, but for case and punctuation, is among those the model was
        trained on or chosen by (train and val): then its agreement with people says little of new uses.
    """

    originality: float
    confidence: float | None
    warnings: tuple[str, ...] = ()
    in_training: bool = False


class OfflineScorer:
    """The model in memory.

    Parameters
    ----------
    folder : Path
        Where its files are; those of the package if not given.
    threads : int, optional
        Threads that score side by side; as many as there are processors if not given.

    Raises
    ------
    SettingError
        A file is missing or damaged.
    """

    def __init__(self, folder: Path = FILES, threads: int | None = None) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        self.card: Card = read_card(folder)
        files_sha256(folder)
        options = onnxruntime.SessionOptions()
        # Groups are scored side by side instead: rows this short gain nothing from threads of their own.
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        # Weights are kept as bytes and computed with in single precision: made whole once, here, and not anew
        # for every group.
        options.add_session_config_entry("session.disable_quant_qdq", "1")
        options.enable_cpu_mem_arena = False
        try:
            self._session: Any = onnxruntime.InferenceSession(
                str(folder / MODEL), options, providers=["CPUExecutionProvider"]
            )
            self._tokenizer: Any = Tokenizer.from_file(str(folder / TOKENIZER))
        except Exception as error:  # noqa: BLE001 - both raise classes of their own
            raise SettingError(
                f"{folder}: the offline scorer cannot be loaded ({str(error)[:200]}). Install creaeval again."
            ) from None
        self._tokenizer.enable_truncation(self.card.most_tokens)
        self._tokenizer.no_padding()
        self._threads = threads or os.cpu_count() or 1

    def score(self, uses: Sequence[tuple[str, str]]) -> list[UseScore]:
        """Score uses, in their order.

        Parameters
        ----------
        uses : sequence of tuple of (str, str)
            Each an object and what somebody would use it for.

        Returns
        -------
        list of UseScore
            A use's score does not depend on the others, but for its last digit once in thousands; whether it
            is perhaps not English is judged by all of them, see :func:`creaeval.offline.doubts.foreign_uses`.
        """
        # Spaces at the ends of a cell say nothing.
        pairs = [(its_object.strip(), text.strip()) for its_object, text in uses]
        encodings = self._tokenizer.encode_batch(pairs)
        points = self._points([encoding.ids for encoding in encodings])
        objects, texts = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        foreign = foreign_uses(texts, objects, self.card.words)
        return [
            self._score(*pair, point, foreign=other, cut=bool(encoding.overflowing))
            for pair, point, other, encoding in zip(pairs, points, foreign, encodings, strict=True)
        ]

    def _score(self, its_object: str, text: str, point: float, *, foreign: bool, cut: bool) -> UseScore:
        card = self.card
        seen = plain(its_object) in card.objects
        doubts = ((UNSEEN, not seen), (FOREIGN, foreign), (LONG, cut))
        warnings = [doubt for doubt, holds in doubts if holds]
        trust = card.seen if seen else card.unseen
        confidence = None if trust is None else round(trust.of(point), 3)
        return UseScore(
            round(point, 3), confidence, tuple(warnings), mark_of(its_object, text) in card.trained
        )

    def _points(self, tokens: Sequence[Sequence[int]]) -> list[float]:
        by_length: dict[int, list[int]] = {}
        for place, ids in enumerate(tokens):
            by_length.setdefault(len(ids), []).append(place)
        groups = [
            places[start : start + _ROWS]
            for places in by_length.values()
            for start in range(0, len(places), _ROWS)
        ]
        scores = [0.0] * len(tokens)
        with ThreadPoolExecutor(self._threads) as pool:
            answers = pool.map(partial(self._run, tokens), groups)
            for places, points in zip(groups, answers, strict=True):
                for place, point in zip(places, points, strict=True):
                    scores[place] = point
        return scores

    def _run(self, tokens: Sequence[Sequence[int]], places: Sequence[int]) -> list[float]:
        import numpy as np

        # Rows of one length need no filling up, which would change scores a little.
        ids = np.array([tokens[place] for place in places], dtype=np.int64)
        (points,) = self._session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        return [float(point) for point in points]


def scorer_identity(folder: Path = FILES) -> Mapping[str, str]:
    """Return what decides the scores: the model's name and the hash of its files, never a path.

    Parameters
    ----------
    folder : Path
        Where its files are.

    Returns
    -------
    mapping of str to str

    Raises
    ------
    SettingError
        A file is missing.
    """
    return {
        "provider": "offline",
        "base_url": "",
        "model": read_card(folder).name,
        "sha256": files_sha256(folder),
    }
