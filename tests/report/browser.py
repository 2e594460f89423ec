"""A headless Chromium, driven by its DevTools protocol."""

from __future__ import annotations

import asyncio
import base64
import itertools
import shutil
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-port=0",
)
_SECONDS = 60


def chromium() -> str:
    """The program, or a skip with the reason."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if (path := shutil.which(name)) is not None:
            return path
    pytest.skip("no Chromium is installed, so reports are not opened in a browser")


@dataclass
class Tab:
    """One page; ``said`` collects what the console got: messages, errors, refusals of the policy."""

    socket: aiohttp.ClientWebSocketResponse
    said: list[str] = field(default_factory=list)
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    _events: list[dict[str, Any]] = field(default_factory=list)

    async def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        number = next(self._numbers)
        await self.socket.send_json({"id": number, "method": method, "params": parameters})
        while True:
            message = await self.socket.receive_json(timeout=_SECONDS)
            if message.get("id") == number:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result
            self._keep(message)

    def _keep(self, message: dict[str, Any]) -> None:
        self._events.append(message)
        parameters = message.get("params", {})
        match message.get("method"):
            case "Runtime.exceptionThrown":
                self.said.append(str(parameters["exceptionDetails"]))
            case "Runtime.consoleAPICalled":
                self.said.append(str(parameters["args"]))
            case "Log.entryAdded":
                self.said.append(str(parameters["entry"]["text"]))

    async def open(self, path: Path, fragment: str = "") -> None:
        """Load a file and wait until it is whole."""
        for domain in ("Page", "Runtime", "Log"):
            await self.ask(f"{domain}.enable")
        self._events.clear()
        await self.ask("Page.navigate", url=path.as_uri() + fragment)
        while not any(one.get("method") == "Page.loadEventFired" for one in self._events):
            self._keep(await self.socket.receive_json(timeout=_SECONDS))

    async def run(self, script: str) -> Any:
        """Evaluate an expression and return its value."""
        answer = await self.ask(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    async def press(self, key: str) -> None:
        """Press a key."""
        text = {"text": key} if len(key) == 1 else {}
        await self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        await self.ask("Input.dispatchKeyEvent", type="keyUp", key=key)
        # A change of the hash is told on the next turn.
        await self.run("new Promise((done) => setTimeout(done, 30))")

    async def click(self, selector: str) -> None:
        """Click the first element that a selector finds."""
        await self.run(f"document.querySelector({selector!r}).click()")
        await self.run("new Promise((done) => setTimeout(done, 30))")

    async def size(self, width: int, height: int = 900) -> None:
        """Give the page another size."""
        await self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    async def print(self) -> bytes:
        """Print to PDF."""
        answer = await self.ask("Page.printToPDF", preferCSSPageSize=True)
        return base64.b64decode(answer["data"])


@asynccontextmanager
async def open_tab(folder: Path) -> AsyncIterator[Tab]:
    """Start a browser with a new profile in a folder, and end it."""
    program = await asyncio.create_subprocess_exec(
        chromium(),
        *_FLAGS,
        f"--user-data-dir={folder}",
        "about:blank",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        port_file = folder / "DevToolsActivePort"
        for _ in range(_SECONDS * 10):
            if port_file.exists() and port_file.read_text().count("\n"):
                break
            await asyncio.sleep(0.1)
        port = port_file.read_text().splitlines()[0]
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json/list") as answer:
                targets = await answer.json()
            address = next(one["webSocketDebuggerUrl"] for one in targets if one["type"] == "page")
            async with session.ws_connect(address, max_msg_size=0) as socket:
                tab = Tab(socket)
                yield tab
                with suppress(Exception):
                    await tab.ask("Browser.close")
    finally:
        with suppress(ProcessLookupError):
            program.terminate()
        await program.wait()
