"""The card that lies beside a trained model: all it takes to train it again."""

from __future__ import annotations

import hashlib
import platform
from importlib import metadata
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, ValidationError

from creaeval.data.files import list_files
from creaeval.data.grids.opening import split_sheet
from creaeval.data.reader import ENDINGS
from creaeval.errors import DataError, SettingError
from creaeval.llm.local.trained import CARD
from creaeval.sheets.evidence import Depth, Record
from creaeval.training.split import Split

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_PACKAGES = ("creaeval", "torch", "transformers", "peft", "accelerate", "tokenizers", "numpy")


class Epoch(Record):
    """What one pass over the training side brought: mean losses by name, in training and on what is held out.

    ``held_out`` is empty where nothing could be held out.
    """

    number: int
    train: dict[str, float]
    held_out: dict[str, float] = Field(default_factory=dict)


class Card(Record):
    """What was trained on what.

    ``kind`` is the method that scores with the model. ``base`` names the model that was trained further, with
    the hash of its files. ``evidence`` is how much evidence it was trained on, empty for responses. ``files``
    has the SHA-256 of each file by name, ``run`` the run with the evidence. ``marks`` has those of the
    training side, by which a response is known again under another id. ``stopping`` lists the responses of
    that side that were held out to choose the epoch. ``left_out`` says how many were not used, by reason.
    ``ended`` says why training ended.
    """

    kind: str
    task: str
    rater: str
    stage: str = ""
    evidence: Depth | Literal[""] = ""
    base: dict[str, str]
    files: dict[str, str] = Field(default_factory=dict)
    run: str = ""
    split: Split
    marks: tuple[str, ...] = ()
    stopping: tuple[str, ...] = ()
    left_out: dict[str, int] = Field(default_factory=dict)
    settings: dict[str, Any]
    epochs: tuple[Epoch, ...] = ()
    best_epoch: int | None = None
    ended: str = ""
    seconds: float = 0.0
    hardware: str = ""
    versions: dict[str, str] = Field(default_factory=dict)


def write_card(folder: Path, card: Card) -> None:
    """Write the card into the model's folder, whole or not at all."""
    new = folder / f".{CARD}.new"
    new.write_text(card.model_dump_json(indent=1) + "\n", encoding="utf-8")
    new.replace(folder / CARD)


def read_card(folder: Path) -> Card | None:
    """Read the card of a trained model.

    Parameters
    ----------
    folder : Path
        The model's folder.

    Returns
    -------
    Card or None
        None where there is none, as beside models that were trained elsewhere.

    Raises
    ------
    SettingError
        There is one that cannot be read.
    """
    path = folder / CARD
    if not path.is_file():
        return None
    try:
        return Card.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(f"{path}: cannot be read: {error}.") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise SettingError(
            f"{path}: {where}: {first['msg']}; expected the card of a trained model."
        ) from None


def hash_files(paths: Iterable[Path]) -> dict[str, str]:
    """Return the SHA-256 of each file by its name, without its folder.

    Parameters
    ----------
    paths : iterable of Path
        Files, a workbook's perhaps with a sheet; of a folder, the files in it that are read.

    Returns
    -------
    dict of str to str
        Two files of one name are told apart by a number.

    Raises
    ------
    DataError
        A file cannot be read.
    """
    hashes: dict[str, str] = {}
    for path in list_files(list(paths), ENDINGS):
        file, _ = split_sheet(path)
        name, number = file.name, 1
        while name in hashes:
            number += 1
            name = f"{file.name} ({number})"
        try:
            with file.open("rb") as opened:
                hashes[name] = hashlib.file_digest(opened, "sha256").hexdigest()
        except OSError as error:
            raise DataError(f"{file}: cannot be read: {error}.") from None
    return hashes


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that have a part in training, as far as installed."""
    installed = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            installed[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return installed


def hardware() -> str:
    """Name what torch computes on: the GPU, or the processor and how many threads it may use."""
    import torch

    if torch.cuda.is_available():
        return f"{torch.cuda.device_count()} x {torch.cuda.get_device_name(0)}"
    return f"{platform.machine()} CPU, {torch.get_num_threads()} threads"
