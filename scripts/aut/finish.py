"""What comes after training: score rows, look at the test rows, pack the files to ship."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pandas as pd
import torch

from aut.measures import measure
from aut.memory import open_points, score_rows
from aut.rows import MOST_TOKENS, choose, ids_hash, read_rows
from aut.trust import fit_trust
from creaeval.offline.doubts import mark_of, plain, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PUBLISHED = ["pred_ocsai_chatgpt_w", "pred_ocsai_davinci2_w"]


def average(folders: Sequence[Path], encoder: Path, data: Path, out: Path) -> None:
    """Average the weights of models that began from the same weights: one model at the cost of one."""
    from safetensors.torch import load_file, save_file

    states = [load_file(folder / "model.safetensors") for folder in folders]
    cards = read_cards(folders)
    out.mkdir(parents=True, exist_ok=True)
    mean = {
        name: torch.stack([state[name].float() for state in states]).mean(0).to(first.dtype)
        for name, first in states[0].items()
    }
    save_file(mean, out / "model.safetensors")
    card = {**cards[0], "averaged": cards}
    (out / "card.json").write_text(json.dumps(card, indent=1) + "\n")
    scored = score_rows(out, encoder, choose(read_rows(data), card["choices"]["by"], "val"))
    found = measure(scored["score"].to_numpy(), scored)
    card["best_val_r"] = found["r"]
    (out / "card.json").write_text(json.dumps(card, indent=1) + "\n")
    print(json.dumps(found))


def look_at_test(scored: pd.DataFrame, out: Path, name: str, purpose: str) -> dict[str, Any]:
    """Measure on the test rows and write down that it was done; each look is counted."""
    found: dict[str, Any] = measure(scored["score"].to_numpy(), scored)
    if set(PUBLISHED) <= set(scored):
        ensemble = scored[PUBLISHED].mean(axis=1).to_numpy()
        found["published_ensemble"] = measure(ensemble, scored)
    log = out / "looks.jsonl"
    with log.open("a", encoding="utf-8") as file:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        file.write(json.dumps({"at": now, "model": name, "purpose": purpose, **found}) + "\n")
    return found


def read_cards(folders: Sequence[Path]) -> list[dict[str, Any]]:
    """Read the cards of models without what happened in each epoch."""
    cards = [json.loads((folder / "card.json").read_text()) for folder in folders]
    return [{name: value for name, value in card.items() if name != "history"} for card in cards]


def pack(
    folder: Path, encoder: Path, data: Path, unseen: Path | None, out: Path, about: dict[str, Any]
) -> None:
    """Write model.onnx, tokenizer.json, words.txt, trained.txt and card.json."""
    from aut.export import export

    points, card = open_points(folder, encoder)
    rows = read_rows(data)
    fit = choose(rows, "split", "train")
    out.mkdir(parents=True, exist_ok=True)
    val = score_rows(folder, encoder, choose(rows, "split", "val"))
    export(points, out / "model.onnx")
    shutil.copy(encoder / "tokenizer.json", out / "tokenizer.json")
    words = Counter(word for text in [*fit["response"], *fit["prompt"]] for word in words_of(text))
    (out / "words.txt").write_text("\n".join(sorted(words)) + "\n", encoding="utf-8")
    write_marks(rows, out)
    seen_trust = fit_trust(val["score"].to_numpy(), val["human_mean"].to_numpy())
    unseen_trust = None
    if unseen is not None:
        held = pd.read_csv(unseen)
        unseen_trust = fit_trust(held["score"].to_numpy(), held["human_mean"].to_numpy())
    shipped = {
        **about,
        "training": card,
        "data": {
            "train": {"n": len(fit), "sha256_of_ids": ids_hash(fit)},
            "val": card["val"],
            "target": "human_mean, the mean of 3-4 trained raters a study, rescaled to 1-5",
        },
        "results": {},
        "runtime": {
            "objects": sorted({plain(one) for one in fit["prompt"]}),
            "trust_seen": seen_trust,
            "trust_unseen": unseen_trust,
            "most_tokens": MOST_TOKENS,
        },
    }
    (out / "card.json").write_text(json.dumps(shipped, indent=1) + "\n", encoding="utf-8")


def write_marks(rows: pd.DataFrame, out: Path) -> None:
    """Write trained.txt: the marks of the uses that a model learnt from (train) or was chosen by (val)."""
    seen = rows[rows["split"].isin(("train", "val"))]
    marks = {mark_of(*use) for use in zip(seen["prompt"], seen["response"], strict=True)}
    (out / "trained.txt").write_text("\n".join(sorted(marks)) + "\n", encoding="utf-8")


def check_packed(out: Path, folder: Path, encoder: Path, data: Path, looks: Path, purpose: str) -> None:
    """Measure the packed model beside the one before quantisation: on val, and on test for a purpose."""
    from creaeval.offline import OfflineScorer

    rows = read_rows(data)
    scorer = OfflineScorer(out)
    results = {}
    for part in ("val", "test") if purpose else ("val",):
        chosen = choose(rows, "split", part)
        before = score_rows(folder, encoder, chosen)
        packed = scorer.score(list(zip(chosen["prompt"], chosen["response"], strict=True)))
        after = chosen.assign(score=[one.originality for one in packed])
        if part == "test":
            results[part] = look_at_test(after, looks, str(folder.name), purpose)
        else:
            results[part] = measure(after["score"].to_numpy(), after)
        results[part]["r_before_quantising"] = measure(before["score"].to_numpy(), before)["r"]
    card = json.loads((out / "card.json").read_text())
    looked = looks / "looks.jsonl"
    results["looks_at_test"] = len(looked.read_text().splitlines()) if looked.exists() else 0
    card["results"] = {**card["results"], **results}
    (out / "card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(results, indent=1))
