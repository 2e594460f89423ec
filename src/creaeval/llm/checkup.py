"""One tiny call that says what works with a model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from creaeval.errors import CallError, PermanentCallError, SettingError
from creaeval.llm.chat import AttemptError, ChatRequest, Message, Usage
from creaeval.llm.prices import cost_of
from creaeval.llm.records import StoredCall
from creaeval.llm.replies.reading import read_reply
from creaeval.llm.replies.reply import ReplyProblem
from creaeval.llm.replies.schema import reply_schema
from creaeval.llm.settings import role_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from creaeval.llm.chat import ChatModel, ChatReply, Settings

State = Literal["yes", "no", "not asked"]


class _Verdict(BaseModel):
    """Small, with a range and a choice, as real score sheets have."""

    model_config = ConfigDict(extra="forbid", strict=True)
    score: Annotated[int, Field(ge=0, le=3)]
    status: Literal["present", "none"]


_SYSTEM = "You rate one idea and answer with a JSON object of the form you are given, and nothing else."
_USER = 'Rate this use of a brick: "a door stop". Score 0 to 3 for originality; status "present". JSON only.'


@dataclass(frozen=True)
class Finding:
    """One thing that was checked: its name, whether it works, and what is to be said of it."""

    name: str
    state: State
    words: str


@dataclass(frozen=True)
class Checkup:
    """What came of a check.

    Parameters
    ----------
    model : str
        The model's name.
    findings : tuple of Finding
        In the order of checking.
    usage : Usage
        Tokens of the call.
    seconds : float
        How long it took.
    cost_usd : float or None
        What it cost; None where no price is known.
    works : bool
        Whether a run with this model and these settings could be scored.
    """

    model: str
    findings: tuple[Finding, ...]
    usage: Usage
    seconds: float
    cost_usd: float | None
    works: bool


async def check_model(model: ChatModel, given: Mapping[str, Any]) -> Checkup:
    """Make one tiny structured call.

    Parameters
    ----------
    model : ChatModel
        The model; it is started and closed.
    given : mapping of str to object
        What the user set, as in :func:`creaeval.llm.settings.role_settings`.

    Returns
    -------
    Checkup

    Raises
    ------
    SettingError
        A setting's name or value is wrong, or the model cannot be started.
    """
    settings = role_settings(model, given, "judge").settings
    findings: list[Finding] = []
    try:
        findings.append(await _check_settings(model, settings))
        if findings[-1].state == "no":
            return Checkup(model.name, tuple(findings), Usage(), 0.0, 0.0, works=False)
        with_logprobs = await _with_logprobs(model, settings)
        request = ChatRequest(
            _SYSTEM, (Message("user", _USER),), reply_schema(_Verdict), "Verdict", with_logprobs
        )
        await model.start()
        try:
            reply, request = await _reply(model, request)
        except CallError as error:
            key = isinstance(error, PermanentCallError)
            findings.append(Finding("key and address" if key else "call", "no", str(error)))
            return Checkup(model.name, tuple(findings), Usage(), 0.0, 0.0, works=False)
    finally:
        await model.close()
    findings += [
        Finding("key and address", "yes", f"answered as {reply.model}" if reply.model else "answered"),
        _structured(reply, request),
        _logprobs(reply, asked=request.settings.logprobs),
        Finding(
            "cached tokens",
            "yes" if reply.usage.cached else "no",
            f"{reply.usage.cached} of {reply.usage.input} prompt tokens came from its cache"
            if reply.usage.cached
            else "none this time: so short a prompt is rarely cached",
        ),
    ]
    works = all(finding.state == "yes" for finding in findings if finding.name in _NEEDED)
    cost = cost_of(model, reply.usage)
    return Checkup(model.name, tuple(findings), reply.usage, reply.seconds, cost, works=works)


_NEEDED = ("settings", "key and address", "structured output")


async def _check_settings(model: ChatModel, settings: Settings) -> Finding:
    sent = [f"temperature {settings.temperature:g}"] if settings.temperature is not None else []
    sent += [f"seed {settings.seed}"] if settings.seed is not None else []
    sent += [f"reasoning {settings.reasoning}"] if settings.reasoning is not None else []
    words = ", ".join([*sent, f"max_tokens {settings.max_tokens}"])
    if (check := getattr(model, "check", None)) is None:
        return Finding("settings", "yes", words)
    try:
        await check(settings)
    except SettingError as error:
        return Finding("settings", "no", " ".join(error.problems))
    return Finding("settings", "yes", f"sent as they are: {words}")


async def _with_logprobs(model: ChatModel, settings: Settings) -> Settings:
    """Ask for token probabilities where that does not cost another setting."""
    wanted = replace(settings, logprobs=True)
    if (check := getattr(model, "check", None)) is None:
        return settings
    try:
        await check(wanted)
    except SettingError:
        return settings
    return wanted


async def _reply(model: ChatModel, request: ChatRequest) -> tuple[ChatReply, ChatRequest]:
    """Ask without token probabilities where the server refuses them, since a run does not ask for them."""
    try:
        return await model.request(request), request
    except AttemptError as error:
        if error.kind != "rejected" or not request.settings.logprobs:
            raise
    plain = replace(request, settings=replace(request.settings, logprobs=False))
    return await model.request(plain), plain


def _structured(reply: ChatReply, request: ChatRequest) -> Finding:
    stored = StoredCall("", reply.text, reply.finish, reply.usage, reply.seconds, reply.model, "replied", "")
    try:
        read = read_reply(stored, _Verdict, request)
    except ReplyProblem as problem:
        return Finding("structured output", "no", str(problem))
    return Finding("structured output", "yes", "; ".join(("a valid answer", *read.notes)))


def _logprobs(reply: ChatReply, *, asked: bool) -> Finding:
    if not asked:
        return Finding("token probabilities", "not asked", "this provider, or these settings, have none")
    if reply.logprobs:
        return Finding("token probabilities", "yes", f"for {len(reply.logprobs)} tokens")
    return Finding("token probabilities", "no", "asked for, but none came")
