"""The cells of an experiment's grid: each is one method with its models and settings over one data set."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

from creaeval.experiments.file import needs_training
from creaeval.methods import get_method

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from creaeval.experiments.file import Block, Experiment
    from creaeval.sheets import Depth

#: Said of cells whose method scores with a model of its own that has to be trained first.
UNTRAINED = (
    "needs a trained model (creaeval train) as its judge, such as hf:DIR or samer:DIR, and none is there"
)


@dataclass(frozen=True)
class Cell:
    """One run of a grid.

    Parameters
    ----------
    block : str
        The block's name.
    data : str
        The data set's name.
    method : str
        The method's name.
    analyst : str or None
        Who gathers evidence; None where the method asks no analyst.
    judges : tuple of str
        Who scores.
    settings : tuple of tuple of (str, object)
        What is set, by name.
    evidence_repeats, judge_repeats : int
        How often evidence is gathered, and how often each judge scores.
    examples : Path or None
        Scored work that judges are shown.
    evidence : {"full", "brief"} or None
        How much the analyst writes; None where the model suggests it or no analyst is asked.
    copied : {"report", "again"}
        What is done with observations that repeat the response.
    """

    block: str
    data: str
    method: str
    analyst: str | None
    judges: tuple[str, ...]
    settings: tuple[tuple[str, Any], ...] = ()
    evidence_repeats: int = 1
    judge_repeats: int = 1
    examples: Path | None = None
    evidence: Depth | None = None
    copied: Literal["report", "again"] = "report"

    @property
    def label(self) -> str:
        """The cell in words."""
        parts = [f"{self.block}: {self.data}", self.method]
        if self.analyst is not None:
            parts.append(f"analyst {self.analyst}")
        if self.evidence is not None:
            parts.append(f"{self.evidence} evidence")
        if self.copied == "again":
            parts.append("copied words again")
        parts.append(f"{'judge' if len(self.judges) == 1 else 'judges'} {', '.join(self.judges)}")
        parts += [f"{name}={'default' if value is None else value}" for name, value in self.settings]
        repeats = (("evidence", self.evidence_repeats), ("judging", self.judge_repeats))
        parts += [f"{what} {times} times" for what, times in repeats if times > 1]
        return ", ".join(parts)

    @property
    def untrained(self) -> bool:
        """Whether its method needs a trained model that is not there."""
        return needs_training(self.method, self.judges)


def cells(experiment: Experiment, only: Sequence[str] = ()) -> list[Cell]:
    """List the cells of an experiment.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    only : sequence of str
        Names of blocks; all if empty.

    Returns
    -------
    list of Cell
        In the order of the file. Of a method without an analyst there is one cell, whatever analysts, their
        settings and repeats of evidence the block names. Two blocks may have the same cell: it is one run.
    """
    grid: dict[Cell, None] = {}
    for block in experiment.grid:
        if not only or block.name in only:
            grid |= dict.fromkeys(_cells_of(block))
    return list(grid)


def _cells_of(block: Block) -> Iterator[Cell]:
    for data, method in product(block.data, block.method):
        uses_analyst = get_method(method).uses_analyst
        settings = {
            name: values
            for name, values in block.settings.items()
            if uses_analyst or not name.startswith("analyst.")
        }
        analysts: tuple[str | None, ...] = block.analyst if uses_analyst else (None,)
        depths: tuple[Depth | None, ...] = (block.evidence if uses_analyst else ()) or (None,)
        for analyst, depth, values in product(analysts, depths, product(*settings.values())):
            yield Cell(
                block.name,
                data,
                method,
                analyst,
                block.judges,
                tuple(zip(settings, values, strict=True)),
                block.evidence_repeats if uses_analyst else 1,
                block.judge_repeats,
                block.examples,
                depth,
                block.copied if uses_analyst else "report",
            )
