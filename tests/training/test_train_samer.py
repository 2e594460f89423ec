"""The commands that train SaMer and score with it, from files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from creaeval.cli import app

from .samer_data import SCENARIOS, TASK, N, backbone, level

pytest.importorskip("torch", reason='needs the extra "train"')
pytest.importorskip("transformers", reason='needs the extra "train"')


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("walk.yaml").write_text(TASK)
    Path("scenarios.json").write_text(json.dumps({one.id: {"text": one.text} for one in SCENARIOS.values()}))
    words = ("dull", "plain", "bright", "dazzling")
    with Path("walks.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["response_id", "scenario", "plan", "tale"])
        for n in range(N):
            text = f"A {words[level(n)]} thing."
            rows.writerow([f"R{n:02d}", list(SCENARIOS)[n % len(SCENARIOS)], text, text])
    with Path("points.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["response_id", "rater", "dimension", "score"])
        for n in range(N):
            for name, points in (
                ("plan.depth", level(n)),
                ("plan.order", 4 - level(n)),
                ("tale.wit", level(n)),
            ):
                rows.writerow([f"R{n:02d}", "A", name, points])
    backbone(Path("tiny"))
    return tmp_path


def test_a_model_is_trained_and_scores_by_command(folder: Path) -> None:
    command = (
        "train samer walks.csv --task walk.yaml --scenario scenarios.json --ratings points.csv --rater A "
        "--model tiny --out models/samer --width 16 --epochs 1 --split-by scenario"
    )
    done = CliRunner().invoke(app, command.split(), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "samer in models/samer: epoch 1 of 1 kept" in done.output
    assert "--method samer --model models/samer" in done.output
    score = (
        "score walks.csv --task walk.yaml --scenario scenarios.json --method samer --model models/samer "
        "--out results"
    )
    done = CliRunner().invoke(app, score.split(), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    # 48 responses to four scenarios: three sides of 12 to train on.
    assert "samer:samer was trained on or chosen by 36 of these 48 responses" in done.output
    with (folder / "results" / "scores.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["dimension"] == "tale.wit"]
    assert len(rows) == N
    assert {row["method"] for row in rows} == {"samer"}
    assert {float(row["score"]) for row in rows} <= {0, 1, 2, 3}
