"""Models in a local folder as transformers saves them: a causal language model, or a LoRA adapter of one."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
import time
from contextlib import contextmanager
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from creaeval.errors import SettingError
from creaeval.llm.chat import AttemptError, ChatReply, ChatRequest, Limits, Message, Settings, Usage
from creaeval.llm.local.trained import Trained, read_trained
from creaeval.llm.local.weights import file_sha256
from creaeval.llm.settings import sampling_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from creaeval.llm.chat import Finish

INSTALL = 'pip install "creaeval[train]"'
ADAPTER = "adapter_config.json"
_BASE = "base_model_name_or_path"
# What decides answers; cards, read-me files and the states of trainers do not.
_DECISIVE = ("*.safetensors", "*.jinja", "*.model", "vocab*", "merges.txt", "tokenizer*", "special_tokens*")
_CONFIGS = ("config.json", "generation_config.json")


class HfModel:
    """A causal language model that lies in a folder, answering with its likeliest words.

    Parameters
    ----------
    path : str
        A folder as transformers or peft saves it, with tokeniser, or a GGUF file.
    """

    free = True
    # A reply that ran into the limit mostly repeats itself, as with other small models.
    raises_limit = False

    def __init__(self, path: str) -> None:
        if not path:
            raise SettingError("model 'hf:': expected a folder after the colon, as in hf:models/sft.")
        self.folder = Path(path).expanduser()
        # The name goes into tables that are published, so it has no folder.
        self.name = f"hf:{self.folder.resolve().name}"
        self.defaults = Settings(temperature=0.0, seed=None)
        self.limits = Limits(concurrency=1)
        self._loaded: tuple[Any, Any] | None = None
        # Of threads, not of asyncio: one model may be asked from several event loops, one after the other.
        self._lock = threading.Lock()

    @cached_property
    def identity(self) -> Mapping[str, str]:
        """Provider, folder name and the hash of all files that decide answers.

        Raises
        ------
        SettingError
            The folder holds no such model.
        """
        name = self.folder.resolve().name
        return {"provider": "hf", "base_url": "", "model": name, "sha256": model_sha256(self.folder)}

    @cached_property
    def evidence(self) -> str:
        """How much evidence it was trained on, as its card says; empty where no card says so."""
        try:
            card = json.loads((self.folder / "card.json").read_text(encoding="utf-8"))
            # Before cards named it there was brief evidence alone.
            return str(card.get("evidence") or ("brief" if card["kind"] == "sft-evidence" else ""))
        except (OSError, ValueError, KeyError, AttributeError, TypeError):
            return ""

    @cached_property
    def trained(self) -> Trained | None:
        """What its card says it was trained on; None without a card, SettingError for a torn one."""
        return read_trained(self.folder)

    async def check(self, settings: Settings) -> None:
        """Check that nothing is set that would not be done.

        Parameters
        ----------
        settings : Settings
            What is to be used.

        Raises
        ------
        SettingError
            Sampling, reasoning, further fields or token probabilities are asked for.
        """
        if asked := sampling_settings(settings, greedy=True):
            shown = ", ".join(f"{name}={getattr(settings, name)}" for name in asked)
            raise SettingError(
                f"{self.name} always answers with its likeliest words: found {shown}, expected "
                "temperature=0 and seed, reasoning, extra_body and token probabilities not set "
                "(--set judge.temperature=0)."
            )

    async def start(self) -> None:
        """Load the model.

        Raises
        ------
        SettingError
            A package is missing, or the folder holds no model that can be loaded.
        """
        await asyncio.to_thread(self._load)

    def _load(self) -> None:
        with self._lock:
            if self._loaded is None:
                need_packages(self.name, "torch", "transformers")
                self._loaded = load_model(self.folder)

    async def request(self, request: ChatRequest) -> ChatReply:
        """Make one attempt at a request.

        Parameters
        ----------
        request : ChatRequest
            What to ask. Its schema is not enforced: the reply is checked by whoever asked.

        Returns
        -------
        ChatReply
            The answer.

        Raises
        ------
        AttemptError
            The prompt leaves no room in the model's window, or time ran out.
        """
        await self.start()
        if self._loaded is None:
            raise AttemptError(f"{self.name}: it was closed during a request", kind="closed", retry=False)
        stop = threading.Event()
        work = asyncio.to_thread(self._answer, *self._loaded, request, stop)
        try:
            return await work
        except asyncio.CancelledError:
            stop.set()
            raise

    async def close(self) -> None:
        """Let go of the model's memory."""
        self._loaded = None

    def _answer(self, tokenizer: Any, model: Any, request: ChatRequest, stop: threading.Event) -> ChatReply:
        import torch
        from transformers import StoppingCriteriaList

        started, settings = time.monotonic(), request.settings
        prompt = prompt_ids(tokenizer, request.system, request.messages)
        most, limit = settings.max_tokens, window(model.config)
        if limit is not None and len(prompt) >= limit:
            raise AttemptError(
                f"{self.name}: the prompt has {len(prompt)} tokens and the model's window {limit}. "
                "Shorten the response or use a model with a longer window.",
                kind="too_long",
                retry=False,
            )
        most = most if limit is None else min(most, limit - len(prompt))

        def ends(ids: Any, *_: Any, **__: Any) -> Any:
            late = stop.is_set() or time.monotonic() - started > settings.timeout
            return torch.full((ids.shape[0],), late, dtype=torch.bool, device=ids.device)

        given = torch.tensor([prompt], device=model.device)
        with torch.inference_mode():
            written = model.generate(
                input_ids=given,
                attention_mask=torch.ones_like(given),
                max_new_tokens=most,
                stopping_criteria=StoppingCriteriaList([ends]),
            )
        ids = written[0, len(prompt) :].tolist()
        finish: Finish = "stop" if ids and ids[-1] in model.generation_config.eos_token_id else "length"
        if finish == "length" and len(ids) < most:
            message = f"{self.name}: no whole reply within {settings.timeout:g} s"
            raise AttemptError(message, kind="timeout", retry=False)
        text = tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        usage = Usage(input=len(prompt), output=len(ids))
        return ChatReply(text, finish, usage, time.monotonic() - started, self.identity["model"])


def need_packages(who: str, *names: str) -> None:
    """Raise SettingError with the line that installs them if one of these packages is missing."""
    for name in names:
        if find_spec(name) is None:
            raise SettingError(f"{who} needs {name}, which is not installed. Run: {INSTALL}")


@contextmanager
def no_bars() -> Iterator[None]:
    """Keep transformers from drawing bars of its own while it reads or writes a model."""
    from transformers.utils import logging

    drawn = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if drawn:
            logging.enable_progress_bar()


def load_model(folder: Path, *, dtype: str = "auto") -> tuple[Any, Any]:
    """Load a model and its tokeniser from this machine; nothing is downloaded.

    Parameters
    ----------
    folder : Path
        A folder as transformers or peft saves it, or a GGUF file.
    dtype : str
        ``auto`` for the numbers as they are saved, or a type of torch, such as ``float32``.

    Returns
    -------
    tuple of (tokenizer, model)
        The model on the GPU where there is one, ready to answer.

    Raises
    ------
    SettingError
        It is not there or cannot be loaded.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

    base = base_of(folder)
    if base != folder:
        need_packages(f"the adapter in {str(folder)!r}", "peft")
    # Code that lies with a model is never run, and pickled weights, which can hold code, are not read.
    options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    place, gguf = (base.parent, {"gguf_file": base.name}) if base.is_file() else (base, {})
    try:
        named = (str(place), gguf) if base.is_file() else (str(folder), {})
        with no_bars():
            tokenizer = AutoTokenizer.from_pretrained(named[0], **named[1], **options)
            model = AutoModelForCausalLM.from_pretrained(
                str(place), dtype=dtype, use_safetensors=None if gguf else True, **gguf, **options
            )
            # By now a GGUF's weights are ordinary numbers, which can be trained and saved as such.
            if (quantizer := getattr(model, "hf_quantizer", None)) is not None and gguf:
                quantizer.remove_quantization_config(model)
            if base != folder:
                from peft import PeftModel

                model = PeftModel.from_pretrained(model, str(folder), is_trainable=False)
    except Exception as error:  # the libraries under transformers raise classes of their own, or none
        raise SettingError(f"model {str(folder)!r} cannot be loaded: {error}") from error
    if tokenizer.eos_token_id is None:
        raise SettingError(
            f"model {str(folder)!r}: its tokeniser has no end-of-text token, so no reply would end."
        )
    own = model.generation_config.eos_token_id
    ends = sorted({tokenizer.eos_token_id, *([] if own is None else [own] if isinstance(own, int) else own)})
    # In place of the model's own habits of sampling and penalties: the likeliest word, always.
    model.generation_config = GenerationConfig(do_sample=False, eos_token_id=ends, pad_token_id=ends[0])
    if torch.cuda.is_available():
        model = model.to("cuda")
    return tokenizer, model.eval()


def base_of(folder: Path) -> Path:
    """Find the model under an adapter; a model without one is its own.

    Parameters
    ----------
    folder : Path
        Of a model or an adapter.

    Returns
    -------
    Path

    Raises
    ------
    SettingError
        There is no model, or the adapter's is not where it says.
    """
    if folder.is_file() and folder.suffix.lower() == ".gguf":
        return folder
    if not folder.is_dir():
        raise SettingError(
            f"model {str(folder)!r}: there is no such folder; expected one with a model in it."
        )
    adapter = folder / ADAPTER
    if not adapter.is_file():
        if not (folder / "config.json").is_file() or not any(folder.glob("*.safetensors")):
            raise SettingError(
                f"model {str(folder)!r}: found no config.json with *.safetensors, expected a folder as "
                "transformers saves models, with tokeniser and weights."
            )
        return folder
    named = _adapter(adapter).get(_BASE)
    base = folder / Path(str(named)) if named else None  # an absolute path stays as it is
    if base is None or not base.exists():
        raise SettingError(
            f"{adapter}: its base model {str(named)!r} is not there. Write the model's folder as {_BASE}."
        )
    if not (folder / "adapter_model.safetensors").is_file():
        raise SettingError(f"model {str(folder)!r}: expected adapter_model.safetensors beside {ADAPTER}.")
    return base_of(base)


def _adapter(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingError(f"{path}: cannot be read: {error}.") from None
    if not isinstance(found, dict):
        raise SettingError(f"{path}: expected an object, as peft saves it.")
    return found


def model_sha256(folder: Path) -> str:
    """Hash all files that decide a model's answers: weights, configuration, tokeniser, and the base's.

    Parameters
    ----------
    folder : Path
        Of a model or an adapter, or a GGUF file.

    Returns
    -------
    str
        SHA-256 in hexadecimal digits; the same wherever the folders lie.

    Raises
    ------
    SettingError
        There is no such model.
    """
    base = base_of(folder)
    try:
        if folder.is_file():
            return file_sha256(folder)
        files = {path for pattern in (*_DECISIVE, *_CONFIGS) for path in folder.glob(pattern)}
        parts = {path.name: _sha256(path) for path in sorted(files) if path.is_file()}
        if base != folder:
            # Where the base lies changes no answer.
            own = {name: value for name, value in _adapter(folder / ADAPTER).items() if name != _BASE}
            parts[ADAPTER] = hashlib.sha256(json.dumps(own, sort_keys=True).encode()).hexdigest()
            parts["base"] = model_sha256(base)
    except OSError as error:
        raise SettingError(f"model {str(folder)!r} cannot be read: {error}.") from None
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _sha256(path: Path) -> str:
    # The weights are large, so their hash is remembered.
    if path.suffix == ".safetensors":
        return file_sha256(path)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def window(config: Any) -> int | None:
    """Return how many tokens a model reads and writes in all, None where it does not say."""
    limit = getattr(config, "max_position_embeddings", None) or getattr(config, "n_positions", None)
    return int(limit) if limit else None


def prompt_ids(tokenizer: Any, system: str, messages: Sequence[Message]) -> list[int]:
    """Write a conversation as the model reads it, up to where its reply begins.

    Parameters
    ----------
    tokenizer : object
        Of transformers. Its chat template is used; a model without one reads the plain texts.
    system : str
        The instructions.
    messages : sequence of Message
        The turns.

    Returns
    -------
    list of int
        Tokens. The same words give the same tokens in training and in scoring.
    """
    # A respondent who writes the model's own marks must not be able to end a turn with them.
    turns = [(message.role, _harmless(tokenizer, message.text)) for message in messages]
    system = _harmless(tokenizer, system)
    if not tokenizer.chat_template:
        text = "".join(f"{part}\n\n" for part in (system, *(text for _, text in turns)) if part)
        ids = list(tokenizer(text)["input_ids"])
        return ids[:-1] if ids and ids[-1] == tokenizer.eos_token_id else ids
    try:
        text = _templated(tokenizer, [("system", system), *turns])
    except Exception:  # noqa: BLE001 - a template raises what it likes where it knows no system turn
        (role, first), *others = turns
        text = _templated(tokenizer, [(role, f"{system}\n\n{first}"), *others])
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])


def _templated(tokenizer: Any, turns: Sequence[tuple[str, str]]) -> str:
    return str(
        tokenizer.apply_chat_template(
            [{"role": role, "content": text} for role, text in turns],
            tokenize=False,
            add_generation_prompt=True,
            enable_thinking=False,  # known to the templates of models that reason, and ignored by others
        )
    )


def _harmless(tokenizer: Any, text: str) -> str:
    marks = {str(token) for token in tokenizer.added_tokens_decoder.values() if token.special}
    for mark in sorted({*marks, *tokenizer.all_special_tokens}, key=len, reverse=True):
        if len(mark) > 1:
            text = text.replace(mark, f"{mark[0]} {mark[1:]}")
    return text
