"""What a request to a model and its reply look like, whoever serves the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from creaeval.errors import CallError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Finish = Literal["stop", "length", "refusal", "other"]
Reasoning = Literal["none", "minimal", "low", "medium", "high", "xhigh"]


@dataclass(frozen=True)
class Settings:
    """How a model is asked.

    Parameters
    ----------
    temperature : float or None
        Sampling temperature; None is not sent, for reasoning models that take none.
    max_tokens : int
        Most tokens of one reply, reasoning included.
    seed : int or None
        Seed of the sampler; None is not sent.
    timeout : float
        Seconds one attempt may take, the wait in the server's queue included.
    reasoning : {"none", "minimal", "low", "medium", "high", "xhigh"} or None
        How much the model reasons before it answers; None is not sent.
    extra_body : str
        A JSON object of further fields of the request, for servers that speak OpenAI's protocol and have
        settings of their own; empty for none.
    logprobs : bool
        Whether the probabilities of the reply's tokens are asked for.
    """

    temperature: float | None = 0.2
    max_tokens: int = 4096
    seed: int | None = 1
    timeout: float = 600.0
    reasoning: Reasoning | None = None
    extra_body: str = ""
    logprobs: bool = False


@dataclass(frozen=True)
class Limits:
    """How fast a model is asked.

    Parameters
    ----------
    concurrency : int
        Requests open at once.
    requests_per_minute, tokens_per_minute : int or None
        Rates of the account, to be kept from the first request on; None where the provider's refusals are
        enough. Tokens of prompt and reply count together.
    """

    concurrency: int = 8
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


@dataclass(frozen=True)
class Message:
    """One turn of a conversation.

    Parameters
    ----------
    role : {"user", "assistant"}
        Who speaks.
    text : str
        What is said.
    """

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True)
class ChatRequest:
    """One request: instructions, the conversation so far, and the form of the answer.

    Parameters
    ----------
    system : str
        The instructions.
    messages : tuple of Message
        The conversation; the last turn is the user's.
    schema : mapping
        JSON schema of the answer.
    schema_name : str
        Name of the schema, letters, digits, ``_`` and ``-``.
    settings : Settings
        How to ask.
    """

    system: str
    messages: tuple[Message, ...]
    schema: Mapping[str, Any]
    schema_name: str
    settings: Settings


@dataclass(frozen=True)
class Usage:
    """Tokens of one or more calls.

    Parameters
    ----------
    input : int
        Prompt tokens, the cached ones included.
    cached : int
        Prompt tokens that the server had in its cache.
    output : int
        Reply tokens, the reasoning ones included.
    reasoning : int
        Reply tokens spent on reasoning.
    """

    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.cached + other.cached,
            self.output + other.output,
            self.reasoning + other.reasoning,
        )


@dataclass(frozen=True)
class ChatReply:
    """What a model answered.

    Parameters
    ----------
    text : str
        The raw answer without separate reasoning parts; the words of a refusal if it refused.
    finish : {"stop", "length", "refusal", "other"}
        Why it ended.
    usage : Usage
        Tokens as the server counted them.
    seconds : float
        Wall time of the request.
    model : str
        The model's name as the server reported it.
    logprobs : sequence of mapping
        Token by token, where they were asked for and came: ``token``, ``logprob`` and, where the provider
        names them, ``bytes`` and ``top_logprobs``, the likeliest tokens at this place in the same form.
    """

    text: str
    finish: Finish
    usage: Usage
    seconds: float
    model: str
    logprobs: Sequence[Mapping[str, Any]] = ()


class AttemptError(CallError):
    """One attempt at a request failed.

    Parameters
    ----------
    message : str
        What happened, in the provider's words, without secrets.
    kind : str
        One word for the record: ``rate_limit``, ``timeout``, ``server``, ``connection``, ``rejected`` …
    retry : bool
        Whether the same request may succeed later. False fails this call but does not stop the run.
    retry_after : float or None
        Seconds the provider asked to wait, if it said.
    status : int or None
        HTTP status, if there was an answer.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str = "error",
        retry: bool = True,
        retry_after: float | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry = retry
        self.retry_after = retry_after
        self.status = status


class ChatModel(Protocol):
    """A model that can be asked.

    Attributes
    ----------
    name : str
        What the user types to get it, such as ``openai:NAME`` or ``local``.
    identity : mapping of str to str
        What decides its answers (provider, base_url without credentials, model; for a file its name and
        sha256); part of every call's key, so never a path, a port or a secret.
    free : bool
        True if a call costs nothing.

    Further attributes are optional. ``warning`` (str) is shown before a run. ``defaults`` (Settings) and
    ``limits`` (Limits) hold where the user says nothing. ``price`` (Price or None) is what tokens cost.
    ``trained`` (Trained or None) says which texts it was trained on, where it knows.
    ``raises_limit`` (bool) is False where a reply that was cut off is not worth a higher limit of tokens.
    ``form(schema)`` returns the schema in the form in which it is sent. ``check(settings)`` is awaited
    before the first call of a run and raises a SettingError for what would not be sent.
    """

    # Properties, so that a plain attribute, a frozen one and a computed one all fit.
    @property
    def name(self) -> str: ...  # noqa: D102 - described above
    @property
    def identity(self) -> Mapping[str, str]: ...  # noqa: D102
    @property
    def free(self) -> bool: ...  # noqa: D102

    async def start(self) -> None:
        """Bring the model up; a second call, also a concurrent one, does nothing more.

        Raises
        ------
        SettingError
            It cannot start: a missing key, extra or file.
        """
        ...

    async def request(self, request: ChatRequest) -> ChatReply:
        """Make one attempt at a request.

        Parameters
        ----------
        request : ChatRequest
            What to ask.

        Returns
        -------
        ChatReply
            The answer, not yet validated.

        Raises
        ------
        CallError
            The attempt failed; an AttemptError says whether and when to try again.
        PermanentCallError
            No request to this model can succeed.
        SettingError
            The model cannot honour a setting.
        """
        ...

    async def close(self) -> None:
        """Free what start took."""
        ...
