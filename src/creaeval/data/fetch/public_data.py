"""Fetch public data, turn them into the form used elsewhere, and verify them."""

from __future__ import annotations

import csv
import os
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from creaeval.data.fetch.aut import AUT
from creaeval.data.fetch.cgpst import CGPST
from creaeval.data.fetch.download import Progress, download
from creaeval.data.fetch.ttcw import TTCW
from creaeval.errors import DataError, Problems, SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from creaeval.data.fetch.dataset import Check, DataSet

BASE_URL = "https://raw.githubusercontent.com/"
DATASETS: dict[str, DataSet] = {"ttcw": TTCW, "aut": AUT, "cgpst-sample": CGPST}


@dataclass(frozen=True)
class Fetched:
    """Data that are there.

    Parameters
    ----------
    folder : Path
        Where.
    downloaded : bool
        Whether they came just now; if not, what was there was verified.
    files : tuple of str
        Names of the files that were verified.
    """

    folder: Path
    downloaded: bool
    files: tuple[str, ...]


def data_folder(out: str | Path | None = None) -> Path:
    """Return the folder of all public data: the one given, else CREAEVAL_DATA, else ``creaeval-data``."""
    return Path(out or os.environ.get("CREAEVAL_DATA", "").strip() or "creaeval-data")


def fetch(
    name: str,
    out: str | Path | None = None,
    *,
    progress: Callable[[Progress], None] = lambda _: None,
    timeout: float = 30.0,
    base_url: str = BASE_URL,
    datasets: Mapping[str, DataSet] = DATASETS,
) -> Fetched:
    """Fetch a set of public data, unless they are there.

    Parameters
    ----------
    name : str
        ``ttcw``, ``aut`` or ``cgpst-sample``.
    out : path, optional
        The folder of all public data, in which the set gets its own; without it the one that CREAEVAL_DATA
        names, else ``creaeval-data``.
    progress : callable, optional
        Told of every piece that arrives.
    timeout : float, optional
        Seconds without a byte after which a download is given up.
    base_url : str, optional
        What the addresses of originals begin with.
    datasets : mapping of str to DataSet, optional
        The sets that there are.

    Returns
    -------
    Fetched

    Raises
    ------
    SettingError
        There is no set of that name.
    DataError
        A download failed, what came is not what it should be, or a file that is there differs. What is
        there is never written over.
    """
    if name not in datasets:
        raise SettingError(f"{name!r} is no set of public data. There are {', '.join(datasets)}.")
    dataset = datasets[name]
    folder = data_folder(out) / dataset.folder
    files = tuple(check.file for check in dataset.checks)
    if _verify_present(dataset, folder):
        return Fetched(folder, downloaded=False, files=files)
    with _workplace(folder) as work:
        originals, lines = {}, []
        for key, original in dataset.originals.items():
            path = work / original.name
            url = base_url + original.address
            digest = download(url, path, sha256=original.sha256, timeout=timeout, progress=progress)
            originals[key] = path.read_bytes()
            lines.append(f"- {BASE_URL}{original.address}\n  SHA-256 {digest}\n")
        made = _converted(name, dataset, originals)
        made["SOURCE.md"] = f"{dataset.notice}\n## Originals\n{''.join(lines)}".encode()
        _put(made, dataset, work, folder)
    return Fetched(folder, downloaded=True, files=files)


def _verify_present(dataset: DataSet, folder: Path) -> bool:
    """Say whether every file is there, and refuse those that are not what they should be."""
    problems, complete = Problems(), True
    for check in dataset.checks:
        path = folder / check.file
        try:
            digest = check.digest(path.read_bytes())
        except FileNotFoundError:
            complete = False
        except OSError as error:
            raise DataError(f"{path}: cannot be read ({error.strerror or error}).") from error
        else:
            if digest != check.sha256:
                problems.add(f"{path}: is there and stays as it is, but {_differs(check, digest)}")
    if problems:
        problems.add("Move it away, or name another folder with --out.")
    problems.stop()
    return complete


def _differs(check: Check, digest: str) -> str:
    part = f" of {', '.join(check.columns)}" if check.columns else ""
    rows = f" in the rows of {' and '.join(check.splits)}" if check.splits else ""
    return f"has SHA-256 {digest}{part}{rows}, expected {check.sha256}."


def _converted(name: str, dataset: DataSet, originals: Mapping[str, bytes]) -> dict[str, bytes]:
    try:
        made = dataset.convert(originals)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, csv.Error) as error:
        raise DataError(
            f"{name}: what came is not in the form that was published ({type(error).__name__}: "
            f"{str(error)[:200]}). Nothing was kept. A network that answers with pages of its own does this; "
            "otherwise please report it."
        ) from error
    problems = Problems()
    for check in dataset.checks:
        digest = check.digest(made[check.file])
        if digest != check.sha256:
            problems.add(f"{name}: {check.file} as made from what came {_differs(check, digest)}")
    if problems:
        problems.add("Nothing was kept. Please report it.")
    problems.stop()
    return made


@contextmanager
def _workplace(folder: Path) -> Iterator[Path]:
    """Give a folder beside the final names, on the same disk; leave nothing of it, nor an empty folder."""
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".partial-", dir=folder) as work:
            yield Path(work)
    except OSError as error:
        raise DataError(f"{folder}: cannot be written ({error.strerror or error}).") from error
    finally:
        for path in new:
            with suppress(OSError):  # which says that it is not empty
                path.rmdir()


def _put(made: Mapping[str, bytes], dataset: DataSet, work: Path, folder: Path) -> None:
    """Move files to their final names, each at once, after it is known that none is in the way."""
    verified = {check.file for check in dataset.checks}
    new, problems = [], Problems()
    for file, data in made.items():
        path = folder / file
        if not path.exists():
            new.append(file)
        elif file not in verified and path.read_bytes() != data:
            problems.add(f"{path}: is there, stays as it is, and differs from what came. Move it away.")
    problems.stop()
    for file in new:
        part = work / f"{file}.new"
        part.write_bytes(made[file])
        part.replace(folder / file)
