"""A model that is asked nothing: it answers by form, so that calls and tokens are known before they are paid.

Tokens are counted from characters, since every model has a tokenizer of its own: 4.7 letters or spaces of the
Latin script make a token, and so do 1.7 of the other signs (digits, brackets, quotation marks); a letter of
any other script counts as one. The two ratios are those that fit the recorded prompts and replies of the
example (:func:`creaeval.experiments.estimate.estimate_cell` says how well).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

from creaeval.llm import ChatReply, Usage
from creaeval.llm.key import answer_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from creaeval.llm import ChatModel, ChatRequest
    from creaeval.sheets import Depth

_LATIN_LETTERS_A_TOKEN = 4.7
_OTHER_SIGNS_A_TOKEN = 1.7
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\s]+")
#: Providers that hold a reply to its schema by a grammar; others may show it to the model, as prompt.
_GRAMMAR = frozenset({"local", "ollama"})

# Words of a text by the field that holds it; a memory has so many for each item.
_WORDS: dict[Depth, dict[str, int]] = {
    "full": {"observation": 45, "quotes": 10, "memory": 20, "why_same": 0, "reasoning": 200},
    "brief": {"observation": 22, "quotes": 8, "memory": 12, "why_same": 0, "reasoning": 200},
}
_OTHER_WORDS, _MAIN_POINTS = 25, 4
_SENTENCE = (
    "the response names a clear problem and says why it would matter to people in this place while its "
    "solution stays close to what was asked and gives some detail of who does what by when though little of "
    "it is new or would surprise a reader who knows other answers of this kind"
)


class PretendedModel:
    """Stands for a model: the same name, identity, form and price, and replies that are made up by form.

    Its replies are valid and of the length that prompts advise, with points in the middle of their scale.
    They are the same for the same question, model and time of asking and differ else, so that calls which
    build on them have keys as different as they have.

    Parameters
    ----------
    model : ChatModel
        The model. It is neither started nor asked.
    depth : {"full", "brief"}
        How much it writes as an analyst.
    """

    def __init__(self, model: ChatModel, depth: Depth = "full") -> None:
        self.name = model.name
        self.identity: Mapping[str, str] = model.identity
        self.free = model.free
        self.price = getattr(model, "price", None)
        self.form = getattr(model, "form", None)
        self.bounds_decoding = getattr(model, "bounds_decoding", False)
        self._words = _WORDS[depth]
        self._asked: Counter[str] = Counter()

    async def start(self) -> None:
        """Start nothing."""

    async def request(self, request: ChatRequest) -> ChatReply:
        """Answer by form.

        Parameters
        ----------
        request : ChatRequest
            What a method asks.

        Returns
        -------
        ChatReply
            With estimated tokens: none of them cached, none of them reasoning.
        """
        words = [request.system, *(message.text for message in request.messages)]
        settings = answer_settings(request.settings)
        question = json.dumps([dict(self.identity), settings, request.schema_name, words])
        self._asked[question] += 1
        random = Random(f"{self._asked[question]} {question}")  # noqa: S311 - no secret
        text = json.dumps(fill_form(request.schema, random, words=self._words), separators=(",", ":"))
        shown = [] if self.identity.get("provider") in _GRAMMAR else [json.dumps(request.schema)]
        usage = Usage(input=sum(map(estimate_tokens, [*words, *shown])), output=estimate_tokens(text))
        chances = _chances(text) if request.settings.logprobs else ()
        return ChatReply(text, "stop", usage, 0.0, self.name, chances)

    async def close(self) -> None:
        """Close nothing."""


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a text has, by the ratios that the module names.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    int
        Rounded; 0 for no text.
    """
    rest = _LATIN.sub("", text)
    letters = len(text) - len(rest)
    foreign = sum(map(str.isalpha, rest))
    others = len(rest) - foreign
    return round(letters / _LATIN_LETTERS_A_TOKEN + foreign + others / _OTHER_SIGNS_A_TOKEN)


def fill_form(
    schema: Mapping[str, Any], random: Random, name: str = "", words: Mapping[str, int] | None = None
) -> Any:
    """Make a reply of ordinary length to a JSON schema.

    Parameters
    ----------
    schema : mapping
        The schema, without references.
    random : random.Random
        Chooses words and choices, and numbers next to the middle of their range.
    name : str
        The field it stands in.
    words : mapping of str to int, optional
        How many words a text has, by the field it stands in.

    Returns
    -------
    object
        Of two forms the first, no items that say the same, None where the schema says nothing that is known.
    """
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return random.choice(list(schema["enum"]))
    if variants := schema.get("anyOf") or schema.get("oneOf"):
        return fill_form(variants[0], random, name, words)
    match schema.get("type"):
        case "object":
            parts = schema.get("properties", {})
            own = dict(words or {})
            if "memory" in parts and "memory" in own:
                items = parts.get("items", {}).get("properties", range(_MAIN_POINTS))
                own["memory"] *= len(items)
            return {key: fill_form(part, random, key, own) for key, part in parts.items()}
        case "array":
            if name == "same_as":
                return []
            number = min(max(1, schema.get("minItems", 1)), schema.get("maxItems", 1))
            return [fill_form(schema["items"], random, name, words) for _ in range(number)]
        case "integer" | "number":
            return _middle(schema, random)
        case "string":
            text = random.choices(_SENTENCE.split(), k=(words or {}).get(name, _OTHER_WORDS))
            return " ".join(text)[: schema.get("maxLength")].rstrip()
        case "boolean":
            return True
    return None


def _middle(schema: Mapping[str, Any], random: Random) -> int:
    low = int(schema.get("minimum", 0))
    high = int(schema.get("maximum", low + 1))
    middle = (low + high) // 2
    return random.choice([middle, min(middle + 1, high)])


def _chances(text: str) -> list[dict[str, Any]]:
    """Spell a reply sign by sign, each all but certain, with another token that might have stood there."""
    rare = {"token": "~", "logprob": -9.0}
    return [
        {"token": sign, "logprob": -1e-4, "top_logprobs": [{"token": sign, "logprob": -1e-4}, rare]}
        for sign in text
    ]
