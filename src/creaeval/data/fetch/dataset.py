"""What is known of a set of public data: its originals, its files, their checksums."""

from __future__ import annotations

import csv
import hashlib
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    #: Takes the originals by key, returns the files to write by name.
    Convert = Callable[[Mapping[str, bytes]], dict[str, bytes]]


@dataclass(frozen=True)
class Original:
    """A file on GitHub at a commit; ``sha256`` is None where the file made from it is checked instead."""

    repository: str
    commit: str
    path: str
    sha256: str | None = None

    @property
    def address(self) -> str:
        """The end of its URL, after the host."""
        return f"{self.repository}/{self.commit}/{quote(self.path)}"

    @property
    def name(self) -> str:
        """Its file name."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True)
class Check:
    """What a file must hold: the SHA-256 of the whole, or of its ``columns`` as a CSV file of their own.

    ``splits``: only rows with one of these in the column ``split``.
    """

    file: str
    sha256: str
    columns: tuple[str, ...] = ()
    splits: tuple[str, ...] = ()

    def digest(self, data: bytes) -> str:
        """Return the SHA-256 to be compared, of the whole file where it lacks the columns."""
        return hashlib.sha256(self._part(data) or data).hexdigest()

    def _part(self, data: bytes) -> bytes | None:
        if not self.columns:
            return None
        try:
            rows = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
            chosen = [
                [row[column] for column in self.columns]
                for row in rows
                if not self.splits or row["split"] in self.splits
            ]
        except (ValueError, KeyError, csv.Error):
            return None
        return csv_bytes(self.columns, chosen)


@dataclass(frozen=True)
class DataSet:
    """A set of public data in a folder of its own: its originals by key, and what is made of them."""

    folder: str
    originals: Mapping[str, Original]
    convert: Convert
    checks: tuple[Check, ...]
    notice: str


def csv_bytes(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    r"""Write a CSV file in UTF-8 with ``\n`` at the end of each row."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()
