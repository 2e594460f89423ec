"""Say in our words, and the provider's, why a request brought no reply."""

from __future__ import annotations

from creaeval.errors import CallError, PermanentCallError
from creaeval.llm._scrub import scrub
from creaeval.llm.chat import AttemptError


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
    message = f"{where}: {words}"
    if isinstance(error, ai.ModelAuthenticationError):
        return PermanentCallError(f"{message}. Check the API key and what it may use.")
    if isinstance(error, ai.ModelQuotaExceededError):
        return PermanentCallError(f"{message}. The account's quota or credit is used up.")
    status = error.status_code if isinstance(error, ai.ModelHTTPError) else None
    if isinstance(error, ai.ModelNotFoundError) or status == 404:
        return PermanentCallError(f"{message}. Check the model's name and the base URL.")
    if status in (401, 402, 403):
        return PermanentCallError(message)
    retry_after = error.retry_after if isinstance(error, ai.ModelAPIError) else None
    if isinstance(error, ai.ModelRateLimitError) or status == 429:
        return AttemptError(message, kind="rate_limit", retry_after=retry_after)
    if isinstance(error, ai.ModelContextWindowExceededError):
        return AttemptError(message, kind="too_long", retry=False)
    # 408 and 409 ask for another attempt; the other 4xx would be refused again.
    if isinstance(error, ai.ModelRequestRejectedError) or (
        status is not None and 400 <= status < 500 and status not in (408, 409, 425)
    ):
        return AttemptError(message, kind="rejected", retry=False)
    return AttemptError(message, kind=_kind(error), retry_after=retry_after)


def _kind(error: Exception) -> str:
    from pydantic_ai import exceptions as ai

    if isinstance(error, ai.ModelConnectionError):
        return "timeout" if _transport(error) == "timeout" else "connection"
    if isinstance(error, ai.ModelHTTPError):
        return "server"
    return "malformed"


def _words(error: Exception) -> str:
    from pydantic_ai import exceptions as ai

    if isinstance(error, ai.ModelHTTPError):
        return f"status {error.status_code}: {_body_words(error.body) or 'without words'}"
    if isinstance(error, ai.ModelConnectionError):
        return {
            "timeout": "no answer in time",
            "disconnected": "the server closed the connection without an answer",
            "refused": "the server cannot be reached",
        }[_transport(error)]
    if isinstance(error, IndexError):
        return "the reply has no choices"
    return str(error).splitlines()[0][:500] if str(error) else type(error).__name__


def _transport(error: BaseException) -> str:
    # The aiohttp transport reports refused and dropped connections as timeouts; only the causes tell.
    import aiohttp

    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, aiohttp.ClientConnectorError):
            return "refused"
        if isinstance(cause, (aiohttp.ServerDisconnectedError, aiohttp.ClientPayloadError, ConnectionError)):
            return "disconnected"
        if isinstance(cause, (TimeoutError, aiohttp.ServerTimeoutError)):
            return "timeout"
        cause = cause.__cause__ or cause.__context__
    return "timeout" if "time" in str(error).lower() else "refused"


def _body_words(body: object) -> str:
    if isinstance(body, dict):
        inner = body.get("error", body)
        if isinstance(inner, dict):
            inner = inner.get("message") or inner.get("detail") or inner
        body = inner
    text = "" if body is None else str(body)
    return " ".join(text.split())[:500]
