"""Say in our words, and the provider's, why a request brought no reply."""

from __future__ import annotations

import json
import re
from contextlib import suppress

from creaeval.errors import CallError, PermanentCallError
from creaeval.llm._scrub import scrub
from creaeval.llm.chat import AttemptError

# Said with status 400 or 429 like much else; only the words tell. "You exceeded your current quota" does not:
# Google says it of a limit by the minute too.
_NO_CREDIT = re.compile(r"credit balance|insufficient[ _](?:quota|balance|funds)", re.I)
_NO_MODEL = re.compile(r"^status 400: .*\binvalid model\b", re.I)
_TOO_LONG = re.compile(
    r"context[ _](?:length|window|size)|prompt is too long|maximum context|too many (?:input )?tokens", re.I
)


def call_error(error: Exception, where: str, secret: str) -> CallError:
    """Turn an exception of pydantic-ai into one of ours.

    Parameters
    ----------
    error : Exception
        What was raised.
    where : str
        The model and server, for the message.
    secret : str
        The key, which must not appear in it.

    Returns
    -------
    CallError
        An AttemptError, or a PermanentCallError if no request to this model can succeed.
    """
    from pydantic_ai import exceptions as ai

    words = scrub(_words(error), secret)
    message = f"{where}: {words.rstrip('.')}"
    status = error.status_code if isinstance(error, ai.ModelHTTPError) else None
    if isinstance(error, ai.ModelAuthenticationError):
        return PermanentCallError(f"{message}. Check the API key and what it may use.")
    if isinstance(error, ai.ModelQuotaExceededError) or status == 402 or _NO_CREDIT.search(words):
        return PermanentCallError(f"{message}. The account's quota or credit is used up.")
    if isinstance(error, ai.ModelNotFoundError) or status == 404 or _NO_MODEL.search(words):
        return PermanentCallError(f"{message}. Check the model's name and the base URL.")
    if status in (401, 403):
        return PermanentCallError(message)
    wait = _wait(error)
    if isinstance(error, (ai.ModelRateLimitError, ai.ModelOverloadedError)) or status == 429:
        return AttemptError(message, kind="rate_limit", retry_after=wait, status=status)
    if isinstance(error, ai.ModelContextWindowExceededError) or _TOO_LONG.search(words):
        return AttemptError(message, kind="too_long", retry=False, status=status)
    if "json_validate_failed" in words or "Failed to generate JSON" in words:
        # Groq's word for a reply that its own check refused; the next one may pass.
        return AttemptError(message, kind="malformed", status=status)
    if isinstance(error, ai.ContentFilterError):
        return AttemptError(message, kind="refusal", retry=False)
    # 408 and 409 ask for another attempt; the other 4xx would be refused again.
    if isinstance(error, ai.ModelRequestRejectedError) or (
        status is not None and 400 <= status < 500 and status not in (408, 409, 425)
    ):
        return AttemptError(message, kind="rejected", retry=False, status=status)
    return AttemptError(message, kind=_kind(error), retry_after=wait, status=status)


def _wait(error: Exception) -> float | None:
    """Seconds the provider asked to wait; the layer below reads no parts of a second."""
    from pydantic_ai import exceptions as ai

    if isinstance(error, ai.ModelAPIError) and error.retry_after is not None:
        return error.retry_after
    headers = error.headers if isinstance(error, ai.ModelHTTPError) else None
    try:
        return max(0.0, float((headers or {}).get("retry-after", "")))
    except ValueError:
        return None


def _kind(error: Exception) -> str:
    from pydantic_ai import exceptions as ai

    if isinstance(error, ai.ModelHTTPError):
        return "server"
    if cause := _transport(error):
        return "timeout" if cause == "timeout" else "connection"
    return "malformed"


def _words(error: Exception) -> str:
    from pydantic_ai import exceptions as ai

    if isinstance(error, ai.ModelHTTPError):
        return f"status {error.status_code}: {_body_words(error.body) or 'without words'}"
    if cause := _transport(error):
        return _TRANSPORT[cause]
    if isinstance(error, IndexError):
        return "the reply has no choices"
    if not isinstance(error, ai.AgentRunError):
        return f"the reply is not in the provider's form ({type(error).__name__})"
    return str(error).splitlines()[0][:500] if str(error) else type(error).__name__


_TRANSPORT = {
    "timeout": "no answer in time",
    "disconnected": "the server closed the connection without a whole answer",
    "refused": "the server cannot be reached",
}


def _transport(error: BaseException) -> str:
    """Tell failures of the connection apart; empty for others.

    The transports report them under each other's names: only the causes tell, and of those only the names,
    since there are three libraries.
    """
    from pydantic_ai import exceptions as ai

    seen: list[str] = []
    cause: BaseException | None = error
    while cause is not None:
        seen += [kind.__name__ for kind in type(cause).__mro__]
        cause = cause.__cause__ or cause.__context__
    for words, names in _CAUSES.items():
        if names & set(seen):
            return words
    return "timeout" if isinstance(error, ai.ModelTimeoutError) else ""


# By what they mean, the first match counts: a refused connection is also reported as a timeout.
_CAUSES = {
    "refused": {"ClientConnectorError", "ConnectError", "ConnectionRefusedError"},
    "disconnected": {
        "ServerDisconnectedError",
        "ClientPayloadError",
        "RemoteProtocolError",
        "ReadError",
        "WriteError",
        "ConnectionResetError",
        "BrokenPipeError",
    },
    "timeout": {"TimeoutException", "TimeoutError"},
}


def _body_words(body: object) -> str:
    if isinstance(body, str) and body.lstrip().startswith("{"):
        # Mistral's body comes as text.
        with suppress(ValueError):
            body = json.loads(body)
    if isinstance(body, dict):
        inner = body.get("error", body)
        if isinstance(inner, dict):
            inner = inner.get("message") or inner.get("detail") or inner
        body = inner
    text = "" if body is None else str(body)
    return " ".join(text.split())[:500]
