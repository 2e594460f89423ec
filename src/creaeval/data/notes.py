"""What reading found out about files, for people to see."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from creaeval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable


class GuessRefusedError(DataError):
    """Something would have to be taken for granted, and nothing may be."""


@dataclass
class Notes:
    """What reading found out, in sentences; how many rows it left out, and which files and sheets.

    With ``strict`` a guess is refused instead.
    """

    strict: bool = False
    said: list[str] = field(default_factory=list)
    left_out: int = 0
    not_read: list[str] = field(default_factory=list)

    def say(self, note: str) -> None:
        """Say something that needed no guess; the same words are said once."""
        if note not in self.said:
            self.said.append(note)

    def guess(self, note: str) -> None:
        """Say what was taken for granted; GuessRefusedError if nothing may be."""
        if self.strict:
            raise GuessRefusedError(
                f"{note} --strict refuses what is not said: say it with --columns, --split or --read."
            )
        self.say(note)

    def add(self, other: Notes) -> None:
        """Take over what was found out elsewhere."""
        for note in other.said:
            self.say(note)
        self.left_out += other.left_out
        self.not_read += other.not_read

    def skip(self, note: str) -> None:
        """Say which file or sheet is not read, and why."""
        self.say(note)
        self.not_read.append(note)

    def leave_out(self, rows: int, note: str) -> None:
        """Say which rows are no data."""
        self.left_out += rows
        self.guess(note)


def without_folders(notes: Iterable[str], sources: object) -> list[str]:
    """Take folders out of notes: a record that goes elsewhere need not tell where somebody keeps files."""
    given = sources if isinstance(sources, list | tuple) else [sources]
    paths = [Path(source) for source in given if isinstance(source, str | Path)]
    folders = {f"{folder}{os.sep}" for path in paths for folder in (path, path.parent)}
    for folder in sorted(folders - {f".{os.sep}"}, key=len, reverse=True):
        notes = [note.replace(folder, "") for note in notes]
    return list(notes)
