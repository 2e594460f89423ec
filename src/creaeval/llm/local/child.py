"""Start the local model's process, wait until it serves, and end it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, Any

from creaeval.errors import SettingError
from creaeval.llm.local.weights import MISSING

_START_SECONDS = 180.0
_CACHE_MIB = 2048


class Child:
    """A process that serves one model on a port of its own.

    Parameters
    ----------
    path : pathlib.Path
        The GGUF file.
    n_ctx : int
        Tokens of context.
    """

    def __init__(self, path: Path, n_ctx: int) -> None:
        self.path = path
        self.n_ctx = n_ctx
        self.key = secrets.token_urlsafe(24)
        self._process: subprocess.Popen[str] | None = None
        self._log: IO[bytes] | None = None

    async def start(self, timeout: float = _START_SECONDS) -> str:
        """Start the process.

        Parameters
        ----------
        timeout : float
            Seconds to wait for it.

        Returns
        -------
        str
            The URL it serves.

        Raises
        ------
        SettingError
            It does not serve; the message holds the end of its log.
        """
        check_machine()
        self._log = tempfile.TemporaryFile(prefix="creaeval-local-")  # noqa: SIM115 - lives as long as the child
        self._process = subprocess.Popen(
            [sys.executable, "-m", "creaeval.llm.local.server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            # OpenMP threads that spin long starve the others when a core is busy.
            env={**os.environ, "GOMP_SPINCOUNT": "1000"},
            # Ctrl-C goes to the whole group; the parent decides when the child ends.
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        config = {"path": str(self.path), "key": self.key, "n_ctx": self.n_ctx}
        config |= {"threads": available_cores(), "cache_mib": _CACHE_MIB}
        try:
            answer = await asyncio.wait_for(asyncio.to_thread(self._exchange, config), timeout)
        except TimeoutError:
            raise self._failure(f"it did not start within {timeout:g} s") from None
        except BaseException:
            self.stop()
            raise
        if "url" not in answer:
            raise self._failure(answer.get("error", "its process ended while starting"))
        return str(answer["url"])

    @property
    def running(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """End the process at once, also in the middle of a reply."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
        if self._log is not None:
            self._log.close()
            self._log = None

    def _exchange(self, config: dict[str, Any]) -> dict[str, Any]:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return {}
        try:
            process.stdin.write(json.dumps(config) + "\n")
            process.stdin.flush()
            # llama.cpp may print to standard output too; only a line of ours is JSON.
            for line in process.stdout:
                with contextlib.suppress(ValueError):
                    answer = json.loads(line)
                    if isinstance(answer, dict):
                        return answer
        except (OSError, ValueError):
            pass  # the process ended; its log says why
        return {}

    def _failure(self, reason: str) -> SettingError:
        tail = ""
        if self._log is not None:
            self._log.seek(0)
            lines = self._log.read().decode(errors="replace").strip().splitlines()
            tail = "\n".join(lines[-8:])
        self.stop()
        message = f"{self.path}: the local model could not be started: {reason}."
        return SettingError(message + (f" The end of its log:\n{tail}" if tail else ""))


def check_machine() -> None:
    """Check that the local model can run here at all.

    Raises
    ------
    SettingError
        llama.cpp is not installed, or the processor lacks AVX2.
    """
    from importlib.util import find_spec

    if find_spec("xllamacpp") is None:
        raise SettingError(MISSING)
    with contextlib.suppress(OSError):
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        # Only x86 lists flags; ARM needs no AVX2.
        if "\nflags" in flags and " avx2" not in flags:
            raise SettingError(
                "The local model needs a processor with AVX2, which this machine does not report. "
                "Use openai:NAME with a server elsewhere."
            )


def available_cores() -> int:
    """Count the physical cores this process may use.

    Returns
    -------
    int
        At least 1.
    """
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    siblings = set()
    for file in Path("/sys/devices/system/cpu").glob("cpu[0-9]*/topology/thread_siblings_list"):
        with contextlib.suppress(OSError):
            siblings.add(file.read_text(encoding="ascii").strip())
    return max(1, min(allowed, len(siblings) or allowed))
