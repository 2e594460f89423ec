"""Probabilities of a reply's tokens, in one form whichever protocol they came in."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# What is rarer changes no score that anybody would see, and twenty alternatives a token fill a ledger.
_RAREST = math.log(1e-5)


@dataclass(frozen=True)
class Token:
    """One token of a reply, with what else could have stood there.

    Parameters
    ----------
    text : str
        What it adds to the reply; bytes that are no whole character stand as lone surrogates, as
        ``errors="surrogateescape"`` writes them.
    chances : tuple of (str, float)
        Natural logarithms of the probabilities of all tokens that are known for this place, the token itself
        among them.
    """

    text: str
    chances: tuple[tuple[str, float], ...]


def read_tokens(entries: Sequence[Mapping[str, Any]]) -> tuple[Token, ...]:
    """Read the entries of a :class:`~creaeval.llm.chat.ChatReply`.

    Parameters
    ----------
    entries : sequence of mapping
        Each with ``token``, ``logprob`` and, where they came, ``bytes`` and ``top_logprobs`` of the same
        form.

    Returns
    -------
    tuple of Token
        What is rarer than one in 100,000 is left out, but for the token itself and, where nothing else is
        left, the likeliest other: it shows that others were named.
    """
    tokens: list[Token] = []
    for entry in entries:
        text = _text(entry)
        others = [(_text(one), _rounded(one)) for one in entry.get("top_logprobs") or ()]
        if text not in [other for other, _ in others]:
            others.insert(0, (text, _rounded(entry)))
        kept = [one for one in others if one[1] >= _RAREST or one[0] == text]
        rare = [one for one in others if one not in kept]
        if rare and all(other == text for other, _ in kept):
            kept.append(max(rare, key=lambda one: one[1]))
        tokens.append(Token(text, tuple(kept)))
    return tuple(tokens)


def _text(entry: Mapping[str, Any]) -> str:
    # The text of a token that ends within a character is an approximation; its bytes are not.
    raw = entry.get("bytes")
    return bytes(raw).decode(errors="surrogateescape") if raw else str(entry.get("token") or "")


def _rounded(entry: Mapping[str, Any]) -> float:
    # Servers write minus infinity as a very low number, or as null.
    value = entry.get("logprob")
    return round(max(float(value), -9999.0), 5) if value is not None else -9999.0


def tokens_to_json(tokens: Sequence[Token]) -> str | None:
    """Write tokens for the ledger, None for none.

    Parameters
    ----------
    tokens : sequence of Token
        The tokens.

    Returns
    -------
    str or None
        JSON in ASCII: for each token its text and its chances.
    """
    if not tokens:
        return None
    return json.dumps([[token.text, dict(token.chances)] for token in _merged(tokens)], separators=(",", ":"))


def _merged(tokens: Sequence[Token]) -> list[Token]:
    """Add up the chances of tokens that read the same, which differ only to the model."""
    merged: list[Token] = []
    for token in tokens:
        sums: dict[str, float] = {}
        for text, chance in token.chances:
            both = math.exp(sums[text]) + math.exp(chance) if text in sums else 0.0
            sums[text] = math.log(both) if both else max(chance, sums.get(text, chance))
        merged.append(Token(token.text, tuple(sums.items())))
    return merged


def tokens_from_json(text: str | None) -> tuple[Token, ...]:
    """Read what :func:`tokens_to_json` wrote."""
    if not text:
        return ()
    return tuple(Token(token, tuple(chances.items())) for token, chances in json.loads(text))
