"""How much of a booklet's input is a prefix that an earlier call had too, in the local model's tokens.

    python benchmarks/shared_prefix.py LEDGER RESPONSE_ID

Reads the calls of RESPONSE_ID and of all calls committed before each of them from the ledger, lets the local
model's server apply its chat template and tokenizer, and adds up the longest common prefixes.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
import urllib.request

from creaeval.llm.local import weights
from creaeval.llm.local.child import Child


def main() -> None:
    ledger, response_id = sys.argv[1:]
    rows = sqlite3.connect(ledger).execute("select label, system, messages from calls order by id").fetchall()
    child = Child(weights.built_in_weights(), 16384)
    url = asyncio.run(child.start())

    def post(path: str, body: object) -> dict[str, object]:
        head = {"Authorization": f"Bearer {child.key}", "Content-Type": "application/json"}
        request = urllib.request.Request(url + path, json.dumps(body).encode(), head)
        return json.load(urllib.request.urlopen(request))

    def tokens(system: str, messages: list[dict[str, str]]) -> list[int]:
        turns = [{"role": "system", "content": system}]
        turns += [{"role": m["role"], "content": m["text"]} for m in messages]
        prompt = post("/apply-template", {"messages": turns})["prompt"]
        return post("/tokenize", {"content": prompt})["tokens"]

    earlier: list[list[int]] = []
    total = shared = 0
    print("| call | tokens in | shared with an earlier call |\n|---|---|---|")
    for label, system, messages in rows:
        current, labels = tokens(system, json.loads(messages)), json.loads(label)
        if labels["response_id"] == response_id:
            longest = max((common(current, other) for other in earlier), default=0)
            total, shared = total + len(current), shared + longest
            print(f"| {labels['step']} | {len(current)} | {longest} |")
        earlier.append(current)
    child.stop()
    print(f"| all | {total} | {shared} ({shared / total:.0%}) |")


def common(one: list[int], other: list[int]) -> int:
    return next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


if __name__ == "__main__":
    main()
