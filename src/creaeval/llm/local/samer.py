"""A trained SaMer as a ChatModel: it reads scenario and response in the prompt and replies with points."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import threading
import time
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from creaeval.errors import SettingError
from creaeval.llm.chat import AttemptError, ChatReply, ChatRequest, Limits, Settings, Usage
from creaeval.llm.local.hf import model_sha256, need_packages
from creaeval.llm.local.samer_net import TooLongError, load_backbone, make_heads, outputs_of
from creaeval.llm.local.trained import Trained, read_trained
from creaeval.llm.local.weights import file_sha256
from creaeval.llm.settings import sampling_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from creaeval.llm.local.samer_net import Backbone

#: What a trained SaMer's directory holds, beside its card.
ABOUT, HEADS, BACKBONE = "samer.json", "heads.safetensors", "backbone.path"
FORM = 1


class SamerModel:
    """A directory that ``creaeval train samer`` made.

    Parameters
    ----------
    path : str
        The directory. Its backbone is the folder ``backbone`` in it, else the one that its file
        ``backbone.path`` names.
    """

    free = True
    raises_limit = False

    def __init__(self, path: str) -> None:
        if not path:
            raise SettingError("model 'samer:': expected a directory after the colon, as in samer:DIR.")
        self.folder = Path(path).expanduser()
        # The name goes into tables that are published, so it has no folder.
        self.name = f"samer:{self.folder.resolve().name}"
        self.defaults = Settings(temperature=0.0, seed=None)
        self.limits = Limits(concurrency=1)
        self._loaded: tuple[Backbone, Any] | None = None
        # Of threads, not of asyncio: one model may be asked from several event loops, one after the other.
        self._lock = threading.Lock()

    @cached_property
    def about(self) -> Mapping[str, Any]:
        """What ``samer.json`` says: task, dimensions, scales, backbone; SettingError if it cannot be read."""
        path = self.folder / ABOUT
        try:
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise SettingError(
                f"{path}: there is no such file; expected a directory that `creaeval train samer` made."
            ) from None
        except (OSError, ValueError) as error:
            raise SettingError(f"{path}: cannot be read: {error}") from None
        if not isinstance(found, dict) or found.get("form") != FORM:
            raise SettingError(
                f"{path}: found another form than {FORM}, the one this version reads; train anew."
            )
        return found

    @cached_property
    def identity(self) -> Mapping[str, str]:
        """The directory's name and a hash of heads, scales and backbone; SettingError if there are none."""
        heads = self.folder / HEADS
        about = json.dumps(self.about, sort_keys=True)
        try:
            parts = f"{file_sha256(heads)} {hashlib.sha256(about.encode()).hexdigest()}"
        except OSError as error:
            raise SettingError(f"{heads}: the heads cannot be read: {error.strerror}.") from None
        sha256 = hashlib.sha256(parts.encode()).hexdigest()
        return {"provider": "samer", "base_url": "", "model": self.folder.resolve().name, "sha256": sha256}

    @cached_property
    def trained(self) -> Trained | None:
        """What its card says it was trained on; None without a card, SettingError for a torn one."""
        return read_trained(self.folder)

    async def check(self, settings: Settings) -> None:
        """Check that nothing is asked for that a network without sampling cannot do; SettingError if so."""
        if asked := sampling_settings(settings, greedy=True):
            raise SettingError(
                f"{self.name} computes its scores and samples no words, so it cannot honour "
                f"{', '.join(asked)}: leave that out."
            )

    async def start(self) -> None:
        """Load heads and backbone.

        Raises
        ------
        SettingError
            The extra or a file is missing, or the backbone is not the one the heads were trained on.
        """
        await asyncio.to_thread(self._load_once)

    def _load_once(self) -> tuple[Backbone, Any]:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> tuple[Backbone, Any]:
        need_packages(self.name, "torch", "transformers", "safetensors")
        from safetensors.torch import load_file

        about, folder = self.about, self._backbone()
        backbone = load_backbone(folder, about["dtype"])
        if (found := model_sha256(folder)) != about["backbone"]["sha256"]:
            raise SettingError(
                f"{folder}: this is not the backbone {about['backbone']['name']!r} that {self.name} was "
                f"trained on: found SHA-256 {found}, expected {about['backbone']['sha256']}."
            )
        heads = make_heads(about["hidden"], len(about["dimensions"]), about["width"])
        try:
            heads.load_state_dict(load_file(self.folder / HEADS))
        except (OSError, RuntimeError, ValueError) as error:
            raise SettingError(f"{self.folder / HEADS}: the heads cannot be loaded: {error}") from None
        return backbone, heads.to(backbone.model.device).eval()

    def _backbone(self) -> Path:
        inside, note = self.folder / "backbone", self.folder / BACKBONE
        if inside.is_dir():
            return inside
        name = self.about["backbone"]["name"]
        # Editors of Windows put a mark at the beginning of a text file.
        named = self.folder / note.read_text(encoding="utf-8-sig").strip() if note.is_file() else None
        if named is None or not named.exists():
            raise SettingError(
                f"{note}: names no model that is there; expected that of the backbone {name!r}. Write its "
                f"path into that file, or put the model into {inside}."
            )
        return named

    async def request(self, request: ChatRequest) -> ChatReply:
        """Score what the prompt of the method ``samer`` holds.

        Parameters
        ----------
        request : ChatRequest
            What to score.

        Returns
        -------
        ChatReply
            The sheet in the form of that method. Same text, same reply.

        Raises
        ------
        SettingError
            The prompt is of another method, or the model was trained for another task.
        AttemptError
            A text is too long for the backbone.
        """
        return await asyncio.to_thread(self._answer, request)

    def _answer(self, request: ChatRequest) -> ChatReply:
        backbone, heads = self._load_once()
        import torch

        started = time.monotonic()
        parts = self._parts(request)
        vectors, n_tokens = [], 0
        for part in parts:
            try:
                tokens = backbone.tokens(part["instruction"], part["response"])
            except TooLongError as error:
                message = f"{self.name}, {part['step']}: {error}. Use a backbone with a longer window."
                raise AttemptError(message, kind="too_long", retry=False) from None
            vectors.append(backbone.pool(tokens))
            n_tokens += len(tokens)
        dimensions = self.about["dimensions"]
        relevant = torch.tensor(
            [[one.startswith(f"{part['step']}.") for one in dimensions] for part in parts],
            device=backbone.model.device,
        )
        found = outputs_of(heads, torch.stack(vectors), relevant)
        return ChatReply(
            text=json.dumps(self._sheet(parts, *found)),
            finish="stop",
            usage=Usage(input=n_tokens),
            seconds=time.monotonic() - started,
            model=self.identity["model"],
        )

    def _parts(self, request: ChatRequest) -> list[dict[str, str]]:
        try:
            asked = json.loads(request.messages[0].text)
            task, parts = asked["task"], list(asked["parts"])
            wanted = sorted({name for part in parts for name in part["dimensions"]})
        except (ValueError, TypeError, KeyError):
            raise SettingError(
                f"{self.name} goes with --method samer, and this prompt is another's."
            ) from None
        known = self.about["dimensions"]
        lacking = [name for name in wanted if name not in known]
        if task != self.about["task"] or lacking:
            found = f"{task} with {', '.join(lacking)}" if lacking else task
            raise SettingError(
                f"{self.name}: found task {found}, expected {self.about['task']} with {', '.join(known)}, "
                "which it was trained for. Train one for this task."
            )
        return parts

    def _sheet(self, parts: Sequence[Mapping[str, str]], scores: Any, overalls: Any) -> dict[str, Any]:
        sheet: dict[str, Any] = {}
        scales: Mapping[str, Any] = self.about["scales"]
        for part, row, overall in zip(parts, scores, overalls, strict=True):
            points: dict[str, Any] = {
                identity.partition(".")[2]: to_points(float(value), scales[identity])
                for identity, value in zip(self.about["dimensions"], row, strict=True)
                if identity.startswith(f"{part['step']}.")
            }
            if part["item"]:
                sheet.setdefault(part["step"], {"items": {}})["items"][part["item"]] = points
            else:
                points["overall"] = to_points(float(overall), scales[f"{part['step']}.overall"])
                sheet[part["step"]] = points
        steps = {identity.partition(".")[0] for identity in self.about["dimensions"]}
        if steps == set(sheet) and not any("items" in values for values in sheet.values()):
            sheet["total"] = sum(values["overall"] for values in sheet.values())
        return sheet

    async def close(self) -> None:
        """Let go of heads and backbone."""
        self._loaded = None


def to_points(output: float, scale: Mapping[str, Sequence[float]]) -> int:
    """Map an output to whole points.

    Parameters
    ----------
    output : float
        From 0 to 1.
    scale : mapping
        ``outputs`` that rise and their ``points``, which do not fall.

    Returns
    -------
    int
        On the line between the two knots around it, or at the outermost knot; halves are rounded up. Never
        falls where the output rises, and never leaves the range of the points.
    """
    import numpy as np

    return math.floor(float(np.interp(output, scale["outputs"], scale["points"])) + 0.5)
