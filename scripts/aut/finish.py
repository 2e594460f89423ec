"""What comes after training: score rows, look at the test rows, pack the files to ship."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from aut.measures import measure
from aut.rows import MOST_TOKENS, choose, encode, ids_hash, read_rows
from aut.train import load, open_tokenizer, predict
from aut.trust import fit_trust
from creaeval.offline.doubts import mark_of, plain, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PUBLISHED = ["pred_ocsai_chatgpt_w", "pred_ocsai_davinci2_w"]


def score_rows(folder: Path, encoder: Path, rows: pd.DataFrame) -> pd.DataFrame:
    """Add a model's ``score`` and its second head's ``inner`` to rows."""
    model, card = load(folder, encoder)
    tokenizer, pad_id = open_tokenizer(encoder)
    found = predict(model, encode(tokenizer, rows, card["choices"]["form"]), pad_id)
    found = found * np.array(card["target_spread"]) + np.array(card["target_mean"])
    return rows.assign(score=found[:, 0], inner=found[:, 1])


def teach(
    folders: Sequence[Path], encoders: Sequence[Path], data: Path, out: Path, moved: int, seed: int
) -> None:
    """Score the train rows, and uses moved to another object, by the mean of teachers: rows to learn from.

    No test row is scored, also not one that comes about by moving a use.
    """
    rows = read_rows(data)
    fit = choose(rows, "split", "train")[["row_id", "prompt", "response", "src", "group"]]
    rng = np.random.default_rng(seed)
    drawn = fit.iloc[rng.integers(0, len(fit), moved)].reset_index(drop=True)
    drawn = drawn.assign(
        prompt=rng.choice(sorted(set(fit["prompt"])), moved),
        row_id=[f"moved{number}" for number in range(moved)],
        src="moved",
    )
    taken = set(zip(rows["prompt"].map(plain), rows["response"].map(plain), strict=True))
    keys = zip(drawn["prompt"].map(plain), drawn["response"].map(plain), strict=True)
    drawn = drawn[[key not in taken for key in keys]].drop_duplicates(["prompt", "response"])
    both = pd.concat([fit, drawn], ignore_index=True).assign(human_mean=0.0, n_pooled=1)
    found = [score_rows(*pair, both) for pair in zip(folders, encoders, strict=True)]
    both["score"] = np.mean([one["score"] for one in found], axis=0)
    both["inner"] = np.mean([one["inner"] for one in found], axis=0)
    both.to_csv(out, index=False)
    print(f"{len(fit)} train rows, {len(drawn)} moved")


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

    model, card = load(folder, encoder)
    if card["choices"]["with_val"]:
        raise SystemExit("the model was trained on the val rows, to which its confidence would be fitted")
    rows = read_rows(data)
    fit = choose(rows, "split", "train")
    out.mkdir(parents=True, exist_ok=True)
    val = pd.read_csv(folder / "val.csv")
    # What the model is too low or too high by in all, which says nothing of one use beside another.
    shift = float((val["human_mean"] - val["score"]).mean())
    export(model, card["target_mean"][0] + shift, card["target_spread"][0], out / "model.onnx")
    shutil.copy(encoder / "tokenizer.json", out / "tokenizer.json")
    words = Counter(word for text in [*fit["response"], *fit["prompt"]] for word in words_of(text))
    (out / "words.txt").write_text("\n".join(sorted(words)) + "\n", encoding="utf-8")
    marks = {mark_of(*use) for use in zip(fit["prompt"], fit["response"], strict=True)}
    (out / "trained.txt").write_text("\n".join(sorted(marks)) + "\n", encoding="utf-8")
    seen_trust = fit_trust(val["score"].to_numpy() + shift, val["human_mean"].to_numpy())
    unseen_trust = None
    if unseen is not None:
        held = pd.read_csv(unseen)
        unseen_trust = fit_trust(held["score"].to_numpy(), held["human_mean"].to_numpy())
    shipped = {
        **about,
        "training": {**card, "shift_on_val": round(shift, 4)},
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
