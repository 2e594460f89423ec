"""The local model as a ChatModel: cheap to name, started when it is first needed."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from creaeval.errors import SettingError
from creaeval.llm.chat import AttemptError, ChatReply, ChatRequest, Limits, Settings
from creaeval.llm.local import weights
from creaeval.llm.local.child import Child, check_machine
from creaeval.llm.providers.hosted import HostedModel
from creaeval.llm.providers.table import PROVIDERS

if TYPE_CHECKING:
    from collections.abc import Mapping

# Without it models spend much of their reply on line breaks and indents between JSON's words. The separators
# are those models are used to: without their spaces the small one breaks off lists with stray brackets.
_COMPACT = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
_TOO_LONG = re.compile(r"\((\d+) tokens\) exceeds .*?\((\d+) tokens\)")


class LocalModel:
    """A GGUF file served by llama.cpp in a child process, or the built-in weights.

    Parameters
    ----------
    path : str, optional
        A GGUF file; the built-in model if not given.
    n_ctx : int
        Tokens of context, prompt and reply together.
    """

    free = True
    # Without a longest length of each text a small model can repeat itself up to its token limit.
    bounds_decoding = True
    # A small model that runs into the limit mostly repeats itself; room for more would only take minutes.
    raises_limit = False

    def __init__(self, path: str | None = None, n_ctx: int = 16384) -> None:
        self.n_ctx = n_ctx
        self._path = Path(path).expanduser() if path else None
        # The name goes into tables that are published, so it has no folder.
        self.name = f"local:{self._path.name}" if self._path else "local"
        self.warning = "" if path else weights.WORDS
        self.defaults = Settings()
        self.limits = Limits(concurrency=1)
        self._child: Child | None = None
        self._served: HostedModel | None = None
        self._starting: tuple[asyncio.AbstractEventLoop, asyncio.Lock] | None = None

    @cached_property
    def identity(self) -> Mapping[str, str]:
        """Provider, file name and hash; the built-in model's are known without its file.

        Raises
        ------
        SettingError
            The user's file cannot be read.
        """
        if self._path is None:
            return _identity(weights.FILE, weights.SHA256)
        check_gguf(self._path)
        return _identity(self._path.name, weights.file_sha256(self._path))

    async def start(self) -> None:
        """Make the built-in file if need be, and start the process.

        Raises
        ------
        SettingError
            The extra, the file or the processor's AVX2 is missing, or llama.cpp cannot load the file.
        """
        async with self._lock():
            if self._child is not None and self._child.running and self._served is not None:
                await self._served.start()
                return
            await self._stop()
            if self._path is not None:
                check_gguf(self._path)
            check_machine()
            path = self._path
            if path is None:
                path = await asyncio.to_thread(weights.built_in_weights)
            child = Child(path.resolve(), self.n_ctx)
            url = await child.start()
            self._child = child
            self._served = HostedModel(
                self.name,
                "local",
                PROVIDERS["llamacpp"],
                base_url=f"{url}/v1",
                api_key=child.key,
                identity=self.identity,
                grammar=compact_grammar,
            )
            await self._served.start()

    async def check(self, settings: Settings) -> None:
        """Check that the settings are of use here.

        Parameters
        ----------
        settings : Settings
            What is to be sent.

        Raises
        ------
        SettingError
            Reasoning is asked for: the grammar that gives a reply its form leaves no room for it.
        """
        if settings.reasoning not in (None, "none"):
            raise SettingError(
                f"{self.name} does not reason: found reasoning={settings.reasoning}. "
                "Allow that with --set reasoning=default, or choose another model."
            )

    async def request(self, request: ChatRequest) -> ChatReply:
        """Make one attempt at a request.

        Parameters
        ----------
        request : ChatRequest
            What to ask.

        Returns
        -------
        ChatReply
            The answer.

        Raises
        ------
        CallError
            The attempt failed; a prompt longer than the context is named with both lengths.
        """
        await self.start()
        served = self._served
        if served is None:
            raise AttemptError(f"{self.name}: it was closed during a request", kind="closed", retry=False)
        try:
            reply = await served.request(request)
        except AttemptError as error:
            if found := _TOO_LONG.search(str(error)):
                message = (
                    f"{self.name}: the prompt has {found[1]} tokens and the context {found[2]}. "
                    "Shorten the response or use a model with a longer context."
                )
                raise AttemptError(message, kind="too_long", retry=False) from None
            raise
        # The server reports the file's path, which is nobody else's business.
        return replace(reply, model=self.identity["model"])

    async def close(self) -> None:
        """End the process."""
        async with self._lock():
            await self._stop()

    async def _stop(self) -> None:
        served, self._served = self._served, None
        child, self._child = self._child, None
        if served is not None:
            await served.close()
        if child is not None:
            child.stop()

    def _lock(self) -> asyncio.Lock:
        loop = asyncio.get_running_loop()
        if self._starting is None or self._starting[0] is not loop:
            self._starting = (loop, asyncio.Lock())
        return self._starting[1]


def _identity(file: str, sha256: str) -> Mapping[str, str]:
    # How the schema is sent changes the reply, so it is part of what identifies a call.
    return {"provider": "local", "base_url": "", "model": file, "sha256": sha256, "form": "llguidance"}


def compact_grammar(schema: Mapping[str, Any]) -> str:
    """Write a JSON schema as a grammar that leaves no room for white space between words of JSON.

    Parameters
    ----------
    schema : mapping
        A JSON schema.

    Returns
    -------
    str
        A grammar for llama.cpp's llguidance.
    """
    return f"%llguidance {{}}\nstart: %json {json.dumps({'x-guidance': _COMPACT, **schema})}"


def check_gguf(path: Path) -> None:
    """Check that a file is a GGUF model.

    Parameters
    ----------
    path : pathlib.Path
        The file.

    Raises
    ------
    SettingError
        It is missing, unreadable or something else.
    """
    try:
        with path.open("rb") as file:
            head = file.read(4)
    except FileNotFoundError:
        raise SettingError(f"{path}: there is no such file; expected a GGUF model.") from None
    except OSError as error:
        raise SettingError(f"{path}: the model cannot be read: {error.strerror}.") from None
    if head != b"GGUF":
        raise SettingError(f"{path}: this is not a GGUF model (it begins with {head!r}).")
