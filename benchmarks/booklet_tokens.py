"""Count the tokens of one booklet at both depths of evidence, with replies of the length that prompts advise.

    python benchmarks/booklet_tokens.py BOOKLET SCENARIO

Nothing is scored: the replies are scripted (observations of 45 or 20 words, two quotes or one of 8 words, a
memory line of 20 or 12 words for each item or for each of four main points). Prompts and replies are counted
by the local model's own tokenizer, with its chat template; needs the extra `local`.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import urllib.request
from collections import defaultdict
from pathlib import Path
from typing import Any

from creaeval.llm import ChatReply, ChatRequest, Ledger, Usage
from creaeval.llm.local import weights
from creaeval.llm.local.child import Child
from creaeval.methods import Options
from creaeval.runs import prepare, run_plan

SENTENCE = (
    "The text names a loss for people who live by the sea and says what follows for their daily work (met), "
    "while the reason why it would happen here is only hinted at (partly); nothing is said about those who "
    "decide, so the tie to the situation stays open (not met). "
)
WORDS = {
    "full": {"observation": 45, "quotes": 2, "line": 20},
    "brief": {"observation": 20, "quotes": 1, "line": 12},
}


def text(n_words: int) -> str:
    return " ".join((SENTENCE * 3).split()[:n_words])


class Scripted:
    """A model that answers every form at the advised length."""

    free = True

    def __init__(self, depth: str) -> None:
        self.name = f"scripted:{depth}"
        self.identity = {"provider": "scripted", "base_url": "", "model": depth}
        self.words = WORDS[depth]
        self.exchanges: list[tuple[ChatRequest, str]] = []

    async def start(self) -> None: ...

    async def close(self) -> None: ...

    async def request(self, request: ChatRequest) -> ChatReply:
        reply = json.dumps(self.fill(request.schema), ensure_ascii=False)
        self.exchanges.append((request, reply))
        return ChatReply(reply, "stop", Usage(), 0.0, self.name)

    def fill(self, node: Any, name: str = "") -> Any:
        if "enum" in node:
            return node["enum"][0]
        if "const" in node:
            return node["const"]
        if "anyOf" in node:
            return self.fill(node["anyOf"][0], name)
        if node["type"] == "object":
            parts = node["properties"]
            items = parts.get("items", {}).get("properties") or dict.fromkeys(range(4))
            filled = {key: self.fill(part, key) for key, part in parts.items()}
            if "memory" in parts:
                filled["memory"] = "\n".join(f"{key}: {text(self.words['line'])}" for key in items)
            return filled
        if node["type"] == "array":
            return [] if name == "same_as" else [text(8)] * self.words["quotes"]
        if node["type"] == "integer":
            return node.get("minimum", 0)
        return "" if name == "why_same" else text(self.words["observation"])


async def main() -> None:
    booklet, scenario = map(Path, sys.argv[1:3])
    child = Child(weights.built_in_weights().resolve(), 16384)
    url = await child.start()

    def count(words: str) -> int:
        data = json.dumps({"content": words}).encode()
        headers = {"Authorization": f"Bearer {child.key}", "Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(f"{url}/tokenize", data, headers)) as answer:
            return len(json.load(answer)["tokens"])

    print("| depth | call | tokens in | tokens out |\n|---|---|---|---|")
    for depth in WORDS:
        model = Scripted(depth)
        plan = prepare(
            [booklet],
            task="cgpst",
            scenarios=scenario,
            analyst=model,
            judges=[model],
            method="creaeval",
            options=Options(evidence=depth),  # type: ignore[arg-type]
        )
        with tempfile.TemporaryDirectory() as folder, Ledger.open(Path(folder) / "l.db") as ledger:
            await asyncio.to_thread(run_plan, plan, ledger)
        sums: defaultdict[str, int] = defaultdict(int)
        for request, reply in model.exchanges:
            turns = [("system", request.system), *((m.role, m.text) for m in request.messages)]
            chat = "".join(f"<|im_start|>{role}\n{words}<|im_end|>\n" for role, words in turns)
            spent = count(chat + "<|im_start|>assistant\n"), count(reply + "<|im_end|>")
            sums["in"] += spent[0]
            sums["out"] += spent[1]
            print(f"| {depth} | {request.schema_name} | {spent[0]} | {spent[1]} |")
        print(f"| {depth} | all {len(model.exchanges)} | {sums['in']} | {sums['out']} |")
        print(f"{depth}: {sums['in'] + sums['out']} tokens")
    child.stop()


if __name__ == "__main__":
    asyncio.run(main())
