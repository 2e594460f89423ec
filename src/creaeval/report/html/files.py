"""Write a report to a file, whole or not at all, and over nothing but a report."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from creaeval.errors import SettingError
from creaeval.report.html.page import write_report

if TYPE_CHECKING:
    from pathlib import Path

    from creaeval.report.html.data import ReportData

_OURS = b'<meta name="generator" content="creaeval">'
_HEAD = 4096


def check_target(path: Path) -> None:
    """See that a report can be written to a file."""
    if path.is_dir():
        raise SettingError(f"{path}: this is a folder; --out expects a file such as {path / 'report.html'}.")
    if not path.exists():
        return
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise SettingError(
            f"{path}: cannot be read ({error.strerror}); name another file with --out."
        ) from None
    if head and _OURS not in head:
        raise SettingError(f"{path}: this file is no report of creaeval; name another one with --out.")


def write_page(data: ReportData, path: Path) -> None:
    """Write a report to a file; an earlier report there stays until the new one is whole."""
    check_target(path)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            write_report(data, file)
        beside.replace(path)
    except OSError as error:
        raise SettingError(f"{path}: cannot be written ({error.strerror}).") from error
    finally:
        with suppress(OSError):
            beside.unlink()
