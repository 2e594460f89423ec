"""Booklets for benchmarks: the package's example with a mark of its own in every text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from loopback_server import QUOTE

from creaeval.demo import demo_file

if TYPE_CHECKING:
    from pathlib import Path


def write_booklets(folder: Path, n: int) -> dict[str, Path]:
    """Write n booklets and the scenario; return them as options of `creaeval.score`."""
    with demo_file("booklet.json") as path:
        example = json.loads(path.read_text(encoding="utf-8"))
    with demo_file("scenario.yaml") as path:
        (folder / "scenario.yaml").write_bytes(path.read_bytes())

    def marked(text: str, mark: str) -> str:
        return text and f"{text} {mark}: {QUOTE}."

    booklets: list[dict[str, Any]] = []
    for number in range(1, n + 1):
        mark = f"R{number:04d}"
        steps = {
            name: [marked(item, mark) for item in text] if isinstance(text, list) else marked(text, mark)
            for name, text in example["steps"].items()
        }
        booklets.append({"id": mark, "scenario": example["scenario"], "steps": steps})
    (folder / "booklets.json").write_text(json.dumps(booklets), encoding="utf-8")
    return {"responses": folder / "booklets.json", "scenarios": folder / "scenario.yaml"}
