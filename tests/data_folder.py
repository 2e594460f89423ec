"""Find the data we may not ship; a test that needs it skips where it is absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[1]


def shared_folder() -> Path:
    """The folder named by CREAEVAL_DATA, else ../shared/data beside the repository."""
    return Path(os.environ.get("CREAEVAL_DATA") or _ROOT.parent / "shared" / "data")


def shared_data(name: str) -> Path:
    """Return the path of a file or folder there, such as ``cgpst/data_A.json``, or skip the test."""
    return _existing(shared_folder() / name)


def shared_case(name: str) -> Path:
    """Return the path of a file in the folder ``cases`` next to it, or skip the test."""
    return _existing(shared_folder().parent / "cases" / name)


def _existing(path: Path) -> Path:
    if not path.exists():
        pytest.skip(f"needs {path}, which is not shipped; set CREAEVAL_DATA to the folder of data")
    return path
