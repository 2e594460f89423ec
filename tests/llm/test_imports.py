from __future__ import annotations

import subprocess
import sys

LIGHT = (
    "chat key ask records settings limiter prices local local.model local.weights "
    "providers.registry providers.book providers.hosted replies.reply replies.reading replies.schema"
)
HEAVY = ("pydantic_ai", "openai", "sqlalchemy", "xllamacpp", "pydantic", "aiohttp")


def test_nothing_heavy_is_imported_until_a_model_or_a_ledger_is_opened() -> None:
    names = ", ".join(f"creaeval.llm.{name}" for name in LIGHT.split())
    code = f"import sys, {names}; print(*[name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
