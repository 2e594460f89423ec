"""A model that only has what was recorded of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from creaeval.errors import PermanentCallError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from creaeval.llm import ChatModel, ChatReply, ChatRequest


class RecordedModel:
    """Stands for a model whose replies are all in the ledger already; it cannot be asked anything else.

    Parameters
    ----------
    model : ChatModel
        The model that was recorded. It is not started.
    """

    def __init__(self, model: ChatModel) -> None:
        self.name = f"{model.name} (recorded)"
        self.identity: Mapping[str, str] = model.identity
        self.defaults = getattr(model, "defaults", None)
        self.limits = getattr(model, "limits", None)
        self.free = True
        self.bounds_decoding = getattr(model, "bounds_decoding", False)
        self.warning = (
            "This is a recording: replies that the local model really gave to this booklet, with the tokens "
            "and seconds they took then. Everything else, from prompts to scores, is computed now."
        )

    async def start(self) -> None:
        """Start nothing."""

    async def request(self, request: ChatRequest) -> ChatReply:
        """Refuse: whatever gets here was not recorded.

        Raises
        ------
        PermanentCallError
            Always.
        """
        raise PermanentCallError(
            f"The recording has no reply to this prompt ({request.schema_name}): prompts, task or example "
            "have changed since it was made. `make record-demo` makes a new one with the local model."
        )

    async def close(self) -> None:
        """Close nothing."""
