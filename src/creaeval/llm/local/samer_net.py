"""SaMer's network: a frozen language model whose last token's vector goes into three small heads.

After Feng et al. (ICLR 2025) and their code, Irving-Feng/SaMer: a scoring head, a head that predicts which
dimensions matter and one that weighs them, of the sizes there (`width` 1024), with one output a dimension of
the task in place of their 42. torch is imported where it is used, since only the extra ``train`` brings it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from creaeval.llm.local.hf import _harmless, load_model, need_packages, window

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class TooLongError(Exception):
    """A text has more tokens than the backbone can read; nothing is ever cut.

    Parameters
    ----------
    n_tokens, most : int
        Found and allowed.
    """

    def __init__(self, n_tokens: int, most: int) -> None:
        super().__init__(f"the text has {n_tokens} tokens and the model reads at most {most}")
        self.n_tokens, self.most = n_tokens, most


class Backbone:
    """A frozen language model that turns a text into one vector; loaded by :func:`load_backbone`.

    Parameters
    ----------
    model, tokenizer : object
        Of transformers.
    most_tokens : int or None
        Longest text it can read; None where its configuration does not say.
    """

    def __init__(self, model: Any, tokenizer: Any, most_tokens: int | None) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.most_tokens = most_tokens

    def tokens(self, instruction: str, response: str | None = None) -> list[int]:
        """Write an instruction, with the response to it or alone, as the model's tokens.

        Parameters
        ----------
        instruction : str
            What the respondent was asked.
        response : str, optional
            What the respondent wrote.

        Returns
        -------
        list of int
            In the model's own chat form where it has one; signs that would steer it are taken apart first.

        Raises
        ------
        TooLongError
            The model cannot read so long a text.
        """
        turns = [("user", instruction), *([("assistant", response)] if response is not None else [])]
        # A respondent who writes the model's own marks must not be able to end a turn with them.
        safe = [(role, _harmless(self.tokenizer, text)) for role, text in turns]
        if self.tokenizer.chat_template:
            messages = [{"role": role, "content": text} for role, text in safe]
            text = self.tokenizer.apply_chat_template(messages, tokenize=False)
            found = list(self.tokenizer(text, add_special_tokens=False)["input_ids"])
        else:
            found = list(self.tokenizer("\n\n".join(text for _, text in safe))["input_ids"])
            if found[-1:] != [self.tokenizer.eos_token_id]:
                found.append(self.tokenizer.eos_token_id)
        if self.most_tokens is not None and len(found) > self.most_tokens:
            raise TooLongError(len(found), self.most_tokens)
        return found

    def pool(self, tokens: Sequence[int]) -> Any:
        """Compute the vector of the last token.

        Parameters
        ----------
        tokens : sequence of int
            From :meth:`tokens`.

        Returns
        -------
        torch.Tensor, shape (hidden,)
            In float32 on the model's device. Texts go through one by one: in a batch, the padding of
            others would change the last bits.
        """
        import torch

        with torch.no_grad():
            ids = torch.tensor([list(tokens)], device=self.model.device)
            found = self.model(input_ids=ids, attention_mask=torch.ones_like(ids), return_dict=True)
        return found.last_hidden_state[0, -1].float()


def best_dtype() -> str:
    """Name the type of number a backbone is run in here: ``bfloat16`` on a GPU, else ``float32``."""
    import torch

    return "bfloat16" if torch.cuda.is_available() else "float32"


def load_backbone(folder: Path, dtype: str) -> Backbone:
    """Load a language model without the layer that writes words, frozen.

    Parameters
    ----------
    folder : pathlib.Path
        As for :func:`creaeval.llm.local.hf.load_model`.
    dtype : str
        Such as ``float32``.

    Returns
    -------
    Backbone
        On the GPU where there is one.

    Raises
    ------
    SettingError
        The extra, the directory or a file in it is missing or unreadable.
    """
    need_packages("SaMer", "torch", "transformers")
    tokenizer, model = load_model(folder, dtype=dtype)
    # peft puts its layers into the model and a shell around it.
    inner = model.get_base_model() if hasattr(model, "peft_config") else model
    body = inner.base_model
    body.requires_grad_(requires_grad=False)
    return Backbone(body.eval(), tokenizer, window(body.config.get_text_config()))


def make_heads(hidden: int, n_outputs: int, width: int) -> Any:
    """Make the three heads, with weights as torch draws them.

    Parameters
    ----------
    hidden : int
        Length of the backbone's vectors.
    n_outputs : int
        Dimensions.
    width : int
        Of the inner layers; 1024 in the original. The scoring head's first is twice as wide.

    Returns
    -------
    torch.nn.ModuleDict
        ``scoring`` (five layers), ``dimension`` and ``weighting`` (four each), without bias, SiLU between
        layers, dropout of .1 after the first and after the last inner one.
    """
    from torch import nn

    def head(*inner: int) -> Any:
        layers: list[Any] = []
        for number, (before, after) in enumerate(zip((hidden, *inner), inner, strict=False)):
            layers += [nn.Linear(before, after, bias=False), nn.SiLU()]
            if number in (0, len(inner) - 1):
                layers.append(nn.Dropout(0.1))
        return nn.Sequential(*layers, nn.Linear(inner[-1], n_outputs, bias=False))

    return nn.ModuleDict(
        {
            "scoring": head(2 * width, width, width, width),
            "dimension": head(width, width, width),
            "weighting": head(width, width, width),
        }
    )


def overall_of(scores: Any, weights: Any, relevant: Any) -> Any:
    """Sum the squashed scores of the relevant dimensions by their weights.

    Parameters
    ----------
    scores, weights : torch.Tensor, shape (n, n_outputs)
        As the heads give them.
    relevant : torch.Tensor of bool, shape (n, n_outputs)
        Which dimensions count, at least one a row. The softmax is over these, so that weights add up to 1.

    Returns
    -------
    torch.Tensor, shape (n,)
        From 0 to 1.
    """
    import torch

    shares = torch.softmax(weights.masked_fill(~relevant, float("-inf")), dim=-1)
    return (shares * torch.sigmoid(scores)).sum(dim=-1)


def outputs_of(heads: Any, vectors: Any, relevant: Any) -> tuple[Any, Any]:
    """Compute what SaMer says of texts.

    Parameters
    ----------
    heads : torch.nn.ModuleDict
        From :func:`make_heads`.
    vectors : torch.Tensor, shape (n, hidden)
        Of texts with their instruction.
    relevant : torch.Tensor of bool, shape (n, n_outputs)
        Dimensions of each text's step.

    Returns
    -------
    tuple of (numpy.ndarray, numpy.ndarray)
        Scores, shape (n, n_outputs), and overalls, shape (n,), from 0 to 1, in float64. Each text goes
        through alone, so that what it gets does not hang on the others.
    """
    import numpy as np
    import torch

    heads.eval()
    scores, overalls = [], []
    with torch.no_grad():
        for vector, mask in zip(vectors.split(1), relevant.split(1), strict=True):
            raw = heads["scoring"](vector)
            scores.append(torch.sigmoid(raw.double()).cpu().numpy()[0])
            overalls.append(float(overall_of(raw.double(), heads["weighting"](vector).double(), mask)))
    return np.array(scores), np.array(overalls)
