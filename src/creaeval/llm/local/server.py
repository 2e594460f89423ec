"""The child process that owns the local model: `python -m creaeval.llm.local.server`.

One JSON line comes in by standard input (path, key, n_ctx, threads), one goes out ({"url": …} or
{"error": …}). The process ends when standard input closes, so it cannot outlive its parent.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def main() -> None:
    """Serve a model until standard input closes."""
    config = json.loads(sys.stdin.readline())
    try:
        server = _serve(config)
    except Exception as error:  # noqa: BLE001 - the parent turns it into words for the user
        _say({"error": f"{type(error).__name__}: {error}"})
        os._exit(1)
    _say({"url": server.listening_address})
    sys.stdin.read()
    # Deleting the server waits for a generation to end, 30 s and more; nothing here needs saving.
    os._exit(0)


def _serve(config: dict[str, Any]) -> Any:
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = config["path"]
    settings.n_ctx = config["n_ctx"]
    # One slot: several would share the cores and the context, and lose the common prefix.
    settings.n_parallel = 1
    # Prefixes of earlier calls, not only of the last one, wait in memory (MiB).
    settings.cache_ram_mib = config["cache_mib"]
    settings.verbosity = -1
    settings.warmup = False
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    settings.api_keys = [config["key"]]
    for cpu in (settings.cpuparams, settings.cpuparams_batch):
        cpu.n_threads = config["threads"]
    return xllamacpp.Server(settings)


def _say(message: dict[str, str]) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
