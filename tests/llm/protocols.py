"""What six providers' servers answer: replies and error bodies in each one's own form.

They are what the providers' SDKs and pydantic-ai understand (test_loopback.py). The words of the errors are
written from memory and were compared with no live server.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from loopback import Scripted

Protocol = Literal["chat", "responses", "anthropic", "google", "mistral", "groq"]
PROTOCOLS: tuple[Protocol, ...] = ("chat", "responses", "anthropic", "google", "mistral", "groq")

Fault = Literal[
    "rate_limit",  # come back later
    "quota",  # the account's money or daily quota is used up
    "payment",  # DeepSeek's and others' 402
    "bad_key",  # the whole key is repeated, as some servers do
    "forbidden",
    "no_model",
    "too_long",
    "too_long_llama",  # llama.cpp's own form
    "bad_request",
    "overloaded",
    "unavailable",
    "server",
    "failed_generation",  # Groq's: the model wrote no valid JSON
]
# Protocols without a form of their own for these use another one's.
_ALIKE: Mapping[Fault, Fault] = {
    "payment": "quota",
    "quota": "payment",
    "too_long_llama": "too_long",
    "failed_generation": "bad_request",
}

_CREATED = 1_700_000_000


@dataclass(frozen=True)
class Question:
    """What a request asks for.

    Parameters
    ----------
    protocol : Protocol
        How it was asked.
    model : str
        The model's name.
    body : mapping
        The whole request.
    key : str
        The API key it came with.
    """

    protocol: Protocol
    model: str
    body: Mapping[str, Any]
    key: str = ""

    @property
    def tool(self) -> str | None:
        """The tool to call, if the answer goes into one."""
        return wanted(self.body)[0] if self.body.get("tools") else None

    @property
    def alternatives(self) -> int | None:
        """How many tokens to name at each place; None if no log probabilities are asked for."""
        body = self.body
        match self.protocol:
            case "chat":
                return body.get("top_logprobs", 0) if body.get("logprobs") else None
            case "responses":
                asked = "message.output_text.logprobs" in (body.get("include") or ())
                return body.get("top_logprobs") or 0 if asked else None
            case "google":
                config = body.get("generationConfig") or {}
                return config.get("logprobs", 0) if config.get("responseLogprobs") else None
        return None


def protocol_of(path: str, headers: Mapping[str, str]) -> Protocol:
    """Tell which SDK is speaking."""
    if path.startswith("/openai/"):
        return "groq"
    if path.endswith("/responses"):
        return "responses"
    if path.endswith("/messages"):
        return "anthropic"
    if path.endswith(":generateContent"):
        return "google"
    return "mistral" if headers.get("User-Agent", "").startswith("mistral-client-python/") else "chat"


def wanted(body: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Find the name and the JSON schema of the answer a request asks for, whatever its protocol.

    The name is empty where the protocol has none (Anthropic's native output), the schema where none is sent.
    """
    for tool in body.get("tools") or ():
        (declared,) = tool.get("functionDeclarations", (tool,))
        function = declared.get("function", declared)
        for key in ("parameters", "input_schema", "parameters_json_schema"):
            if key in function:
                return function["name"], function[key]
    form = (body.get("response_format") or {}).get("json_schema") or (body.get("text") or {}).get("format")
    form = form or (body.get("output_config") or {}).get("format") or {}
    schema = form.get("schema") or (body.get("generationConfig") or {}).get("responseJsonSchema") or {}
    return form.get("name") or schema.get("title", ""), schema


def used(prompt: int, cached: int = 0, output: int = 0, reasoning: int = 0) -> dict[str, Any]:
    """Write OpenAI's usage object; `prompt` includes the cached tokens, `output` the reasoning."""
    return {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": reasoning},
    }


def spell(content: str, chances: Iterable[Mapping[str, float]] = ()) -> list[dict[str, Any]]:
    """Split a text into tokens with log probabilities, as chat completions do; each digit is one token.

    Parameters
    ----------
    content : str
        The text.
    chances : iterable of mapping
        For one digit after the other, the probability of each token there. Everything else is certain.
    """
    left = iter(chances)
    tokens = []
    for token in re.findall(r"\d|[^\W\d]+|\s+|.", content):
        here: Mapping[str, float] = next(left, {token: 1.0}) if token.isdigit() else {token: 1.0}
        ranked = sorted(here.items(), key=lambda item: -item[1])
        tokens.append(
            {
                **_token(token, here.get(token, 1e-9)),
                "top_logprobs": [_token(other, chance) for other, chance in ranked],
            }
        )
    return tokens


def _token(token: str, chance: float) -> dict[str, Any]:
    return {"token": token, "logprob": math.log(chance), "bytes": list(token.encode())}


@dataclass(frozen=True)
class _Answer:
    """A scripted reply with all that does not depend on the protocol worked out."""

    question: Question
    text: str | None
    arguments: str | None
    thinking: str | None
    finish: str
    usage: Mapping[str, Any]
    refusal: str | None
    logprobs: Sequence[Mapping[str, Any]] | None

    @property
    def tokens(self) -> tuple[int, int, int, int]:
        """Tokens of the prompt, of it cached, of the reply, of it reasoning."""
        prompt, reply = (self.usage.get(f"{side}_tokens_details") or {} for side in ("prompt", "completion"))
        return (
            self.usage["prompt_tokens"],
            prompt.get("cached_tokens", 0),
            self.usage["completion_tokens"],
            reply.get("reasoning_tokens", 0),
        )


def reply(scripted: Scripted, question: Question) -> dict[str, Any]:
    """Write the body of a good reply."""
    content, arguments = scripted.content, None
    in_tool = question.tool is not None and not scripted.plain and scripted.refusal is None
    # Anthropic and Google send arguments as an object, so what is none stays text.
    free_form = question.protocol not in ("anthropic", "google")
    if in_tool and content is not None and (free_form or _is_object(content)):
        content, arguments = None, content
    logprobs = None
    if question.alternatives is not None and content is not None:
        spelled = spell(content) if scripted.logprobs is None else scripted.logprobs
        logprobs = [
            {**token, "top_logprobs": token["top_logprobs"][: question.alternatives]} for token in spelled
        ]
    body = question.body
    words = len(json.dumps(body.get("messages") or body.get("input") or body.get("contents")).split())
    usage = scripted.usage or {
        "prompt_tokens": words,
        "completion_tokens": 5,
        "total_tokens": words + 5,
    }
    answer = _Answer(
        question,
        content,
        arguments,
        scripted.thinking,
        scripted.finish_reason,
        usage,
        scripted.refusal,
        logprobs,
    )
    return _WRITERS[question.protocol](answer)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _calls(answer: _Answer, call_id: str) -> list[dict[str, Any]]:
    function = {"name": answer.question.tool, "arguments": answer.arguments}
    return [{"id": call_id, "type": "function", "function": function}]


def _chat_finish(answer: _Answer) -> str:
    return "tool_calls" if answer.arguments is not None and answer.finish == "stop" else answer.finish


def _completion(answer: _Answer, message: dict[str, Any], **choice: Any) -> dict[str, Any]:
    return {
        "id": "chatcmpl-loopback",
        "object": "chat.completion",
        "created": _CREATED,
        "model": answer.question.model,
        "choices": [{"index": 0, "message": message, "finish_reason": _chat_finish(answer), **choice}],
        "usage": dict(answer.usage),
    }


def _chat(answer: _Answer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text, "refusal": answer.refusal}
    if answer.thinking is not None:
        # OpenAI keeps it to itself; DeepSeek, Qwen, vLLM and llama.cpp send it here.
        message["reasoning_content"] = answer.thinking
    if answer.arguments is not None:
        message["tool_calls"] = _calls(answer, "call_loopback")
    if answer.logprobs is None:
        return _completion(answer, message)
    return _completion(answer, message, logprobs={"content": answer.logprobs, "refusal": None})


def _groq(answer: _Answer) -> dict[str, Any]:
    # There is no refusal of its own: the words come as text.
    text = answer.refusal or answer.text
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if answer.thinking is not None:
        match answer.question.body.get("reasoning_format"):
            case "hidden":
                pass
            case "raw":
                message["content"] = f"<think>{answer.thinking}</think>{text or ''}"
            case _:
                message["reasoning"] = answer.thinking
    if answer.arguments is not None:
        message["tool_calls"] = _calls(answer, "call_loopback")
    return {**_completion(answer, message, logprobs=None), "x_groq": {"id": "req_loopback"}}


def _mistral(answer: _Answer) -> dict[str, Any]:
    text = answer.refusal or answer.text or ""
    content: Any = text
    if answer.thinking is not None:
        content = [
            {"type": "thinking", "thinking": [{"type": "text", "text": answer.thinking}], "closed": True},
            *([{"type": "text", "text": text}] if text else []),
        ]
    message: dict[str, Any] = {"role": "assistant", "content": content, "tool_calls": None, "prefix": False}
    if answer.arguments is not None:
        message["tool_calls"] = [{**call, "index": n} for n, call in enumerate(_calls(answer, "loopback1"))]
    return _completion(answer, message)


def _responses(answer: _Answer) -> dict[str, Any]:
    body = answer.question.body
    reason = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(answer.finish)
    status = "completed" if reason is None else "incomplete"
    output: list[dict[str, Any]] = []
    if answer.thinking is not None:
        summary = [{"type": "summary_text", "text": answer.thinking}]
        reasoning = {"type": "reasoning", "id": "rs_loopback", "summary": summary}
        if "reasoning.encrypted_content" in (body.get("include") or ()):
            reasoning["encrypted_content"] = "c2VhbGVk"
        output.append(reasoning)
    if answer.arguments is not None:
        output.append(
            {
                "type": "function_call",
                "id": "fc_loopback",
                "call_id": "call_loopback",
                "name": answer.question.tool,
                "arguments": answer.arguments,
                "status": status,
            }
        )
    else:
        part: dict[str, Any] = {"type": "refusal", "refusal": answer.refusal}
        if answer.refusal is None:
            logprobs = answer.logprobs or []
            part = {"type": "output_text", "text": answer.text, "annotations": [], "logprobs": logprobs}
        if answer.refusal is not None or answer.text is not None:
            message = {"type": "message", "id": "msg_loopback", "role": "assistant", "status": status}
            output.append({**message, "content": [part]})
    prompt, cached, written, thought = answer.tokens
    return {
        "id": "resp_loopback",
        "object": "response",
        "created_at": _CREATED,
        "status": status,
        "background": False,
        "error": None,
        "incomplete_details": None if reason is None else {"reason": reason},
        "instructions": body.get("instructions"),
        "max_output_tokens": body.get("max_output_tokens"),
        "metadata": {},
        "model": answer.question.model,
        "output": output,
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": (body.get("reasoning") or {}).get("effort"), "summary": None},
        "service_tier": "default",
        "store": body.get("store", True),
        "temperature": body.get("temperature", 1.0),
        "text": body.get("text") or {"format": {"type": "text"}},
        "tool_choice": body.get("tool_choice", "auto"),
        "tools": body.get("tools") or [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": {
            "input_tokens": prompt,
            "input_tokens_details": {"cached_tokens": cached},
            "output_tokens": written,
            "output_tokens_details": {"reasoning_tokens": thought},
            "total_tokens": prompt + written,
        },
        "user": None,
    }


def _anthropic(answer: _Answer) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if answer.thinking is not None:
        content.append({"type": "thinking", "thinking": answer.thinking, "signature": "c2VhbGVk"})
    stops = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}
    stop = stops.get(answer.finish, answer.finish)
    details = None
    if answer.refusal is not None:
        stop = "refusal"
        details = {"type": "refusal", "category": None, "explanation": answer.refusal}
    elif answer.arguments is not None:
        arguments = json.loads(answer.arguments)
        tool = answer.question.tool
        content.append({"type": "tool_use", "id": "toolu_loopback", "name": tool, "input": arguments})
        stop = "tool_use" if stop == "end_turn" else stop
    elif answer.text:
        content.append({"type": "text", "text": answer.text})
    prompt, cached, written, thought = answer.tokens
    return {
        "id": "msg_loopback",
        "type": "message",
        "role": "assistant",
        "model": answer.question.model,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "stop_details": details,
        "usage": {
            # What came from the cache is no part of this number.
            "input_tokens": prompt - cached,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": cached,
            "output_tokens": written,
            "output_tokens_details": {"thinking_tokens": thought},
            "service_tier": "standard",
        },
    }


def _google(answer: _Answer) -> dict[str, Any]:
    prompt, cached, written, thought = answer.tokens
    usage = {"promptTokenCount": prompt, "totalTokenCount": prompt + written}
    if cached:
        usage["cachedContentTokenCount"] = cached
    body: dict[str, Any] = {
        "usageMetadata": usage,
        "modelVersion": answer.question.model,
        "responseId": "loopback",
    }
    if answer.refusal is not None:
        # A blocked prompt has no candidates.
        blocked = {"blockReason": "PROHIBITED_CONTENT", "blockReasonMessage": answer.refusal}
        return {**body, "promptFeedback": blocked}
    usage["candidatesTokenCount"] = written - thought
    if thought:
        usage["thoughtsTokenCount"] = thought
    parts: list[dict[str, Any]] = []
    if answer.thinking is not None:
        parts.append({"text": answer.thinking, "thought": True})
    if answer.arguments is not None:
        arguments = json.loads(answer.arguments)
        parts.append({"functionCall": {"name": answer.question.tool, "args": arguments}})
    elif answer.text:
        parts.append({"text": answer.text})
    finishes = {"stop": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}
    content: dict[str, Any] = {"role": "model"}
    candidate: dict[str, Any] = {
        "content": {**content, "parts": parts} if parts else content,
        "finishReason": finishes.get(answer.finish, answer.finish),
        "index": 0,
    }
    if answer.logprobs is not None:
        candidate["logprobsResult"] = {
            "chosenCandidates": [_candidate(token) for token in answer.logprobs],
            "topCandidates": [
                {"candidates": [_candidate(other) for other in token["top_logprobs"]]}
                for token in answer.logprobs
            ],
        }
        candidate["avgLogprobs"] = sum(token["logprob"] for token in answer.logprobs) / len(answer.logprobs)
    return {**body, "candidates": [candidate]}


def _candidate(token: Mapping[str, Any]) -> dict[str, Any]:
    return {"token": token["token"], "tokenId": len(token["token"]), "logProbability": token["logprob"]}


_WRITERS = {
    "chat": _chat,
    "responses": _responses,
    "anthropic": _anthropic,
    "google": _google,
    "mistral": _mistral,
    "groq": _groq,
}


# Status, words, type, code.
_OPENAI: Mapping[Fault, tuple[int, str, str, str | None]] = {
    "rate_limit": (
        429,
        "Rate limit reached for {model} in organization org-loopback on requests per min (RPM): Limit 3, "
        "Used 3, Requested 1. Please try again in 20s.",
        "requests",
        "rate_limit_exceeded",
    ),
    "quota": (
        429,
        "You exceeded your current quota, please check your plan and billing details.",
        "insufficient_quota",
        "insufficient_quota",
    ),
    "payment": (402, "Insufficient Balance", "unknown_error", "invalid_request_error"),
    "bad_key": (
        401,
        "Incorrect API key provided: {key}. You can find your API key at "
        "https://platform.openai.com/account/api-keys.",
        "invalid_request_error",
        "invalid_api_key",
    ),
    "forbidden": (
        403,
        "Country, region, or territory not supported",
        "request_forbidden",
        "unsupported_country_region_territory",
    ),
    "no_model": (
        404,
        "The model `{model}` does not exist or you do not have access to it.",
        "invalid_request_error",
        "model_not_found",
    ),
    "too_long": (
        400,
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 200000 "
        "tokens. Please reduce the length of the messages.",
        "invalid_request_error",
        "context_length_exceeded",
    ),
    "bad_request": (400, "Invalid schema for response_format 'Sheet'.", "invalid_request_error", None),
    "overloaded": (503, "The engine is currently overloaded, please try again later.", "server_error", None),
    "unavailable": (503, "Service Unavailable", "server_error", None),
    "server": (
        500,
        "The server had an error while processing your request. Sorry about that!",
        "server_error",
        None,
    ),
}

_GROQ: Mapping[Fault, tuple[int, str, str, str | None]] = {
    **_OPENAI,
    "bad_key": (401, "Invalid API Key", "invalid_request_error", "invalid_api_key"),
    "rate_limit": (
        429,
        "Rate limit reached for model `{model}` in organization `org_loopback` on tokens per minute (TPM): "
        "Limit 6000, Used 5900, Requested 900. Please try again in 7.66s.",
        "tokens",
        "rate_limit_exceeded",
    ),
    "too_long": (
        400,
        "Please reduce the length of the messages or completion.",
        "invalid_request_error",
        "context_length_exceeded",
    ),
    "failed_generation": (
        400,
        "Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for more details.",
        "invalid_request_error",
        "json_validate_failed",
    ),
    "unavailable": (503, "Service Unavailable", "internal_server_error", None),
}

# Status, words, type.
_ANTHROPIC: Mapping[Fault, tuple[int, str, str]] = {
    "rate_limit": (
        429,
        "This request would exceed your organization's rate limit of 50 requests per minute.",
        "rate_limit_error",
    ),
    "quota": (
        400,
        "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade "
        "or purchase credits.",
        "invalid_request_error",
    ),
    "payment": (402, "There is an issue with your billing or payment information.", "billing_error"),
    "bad_key": (401, "invalid x-api-key", "authentication_error"),
    "forbidden": (
        403,
        "Your API key does not have permission to use the specified resource.",
        "permission_error",
    ),
    "no_model": (404, "model: {model}", "not_found_error"),
    "too_long": (400, "prompt is too long: 210000 tokens > 200000 maximum", "invalid_request_error"),
    "bad_request": (
        400,
        "output_config.format.schema: For 'object' type, 'additionalProperties' must be set to false",
        "invalid_request_error",
    ),
    "overloaded": (529, "Overloaded", "overloaded_error"),
    "unavailable": (503, "Service Unavailable", "api_error"),
    "server": (500, "Internal server error", "api_error"),
}

# Status, words, Google's word for the status.
_GOOGLE: Mapping[Fault, tuple[int, str, str]] = {
    "rate_limit": (
        429,
        "You exceeded your current quota, please check your plan and billing details.",
        "RESOURCE_EXHAUSTED",
    ),
    "quota": (
        429,
        "You exceeded your current quota, please check your plan and billing details.",
        "RESOURCE_EXHAUSTED",
    ),
    "bad_key": (400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT"),
    "forbidden": (403, "The caller does not have permission", "PERMISSION_DENIED"),
    "no_model": (
        404,
        "models/{model} is not found for API version v1beta, or is not supported for generateContent. Call "
        "ListModels to see the list of available models and their supported methods.",
        "NOT_FOUND",
    ),
    "too_long": (
        400,
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        "INVALID_ARGUMENT",
    ),
    "bad_request": (400, "Request contains an invalid argument.", "INVALID_ARGUMENT"),
    "overloaded": (503, "The model is overloaded. Please try again later.", "UNAVAILABLE"),
    "unavailable": (503, "The service is currently unavailable.", "UNAVAILABLE"),
    "server": (500, "An internal error has occurred. Please retry.", "INTERNAL"),
}

# Status, words, type, code.
_MISTRAL: Mapping[Fault, tuple[int, str, str, str | None]] = {
    "rate_limit": (429, "Rate limit exceeded", "rate_limited", "1300"),
    "payment": (402, "Payment required", "invalid_request_error", None),
    "bad_key": (401, "Unauthorized", "unauthorized", None),
    "forbidden": (403, "Forbidden", "forbidden", None),
    "no_model": (400, "Invalid model: {model}", "invalid_model", "1500"),
    "too_long": (
        400,
        "Prompt contains 140000 tokens, too large for model with 131072 maximum context length",
        "invalid_request_prompt",
        "3051",
    ),
    "bad_request": (422, "Input should be a valid list", "invalid_request_error", None),
    "overloaded": (429, "Service tier capacity exceeded for this model.", "invalid_request_error", "3505"),
    "unavailable": (503, "Service unavailable.", "internal_server_error", "3000"),
    "server": (500, "Service unavailable.", "internal_server_error", "3000"),
}

_ANTHROPIC_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_GOOGLE_WORDS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


def error_body(protocol: Protocol, status: int, error: Mapping[str, Any]) -> dict[str, Any]:
    """Wrap an error as a protocol does."""
    match protocol:
        case "anthropic":
            inner = {"type": _ANTHROPIC_TYPES.get(status, "api_error"), **error}
            return {"type": "error", "error": inner, "request_id": "req_loopback"}
        case "google":
            return {"error": {"code": status, "status": _GOOGLE_WORDS.get(status, "UNKNOWN"), **error}}
        case "mistral":
            plain = {"object": "error", "type": "invalid_request_error", "param": None, "code": None}
            return {**plain, "raw_status_code": status, **error}
    return {"error": dict(error)}


def fault(
    name: Fault, question: Question, *, retry_after: float | None = None, content: str | None = None
) -> tuple[int, dict[str, Any]]:
    """Write the status and the body of an error as the protocol's provider does.

    Parameters
    ----------
    name : Fault
        What goes wrong.
    question : Question
        The request.
    retry_after : float, optional
        Seconds to wait, for Google, which says it in the body.
    content : str, optional
        What the model wrote, for Groq's failed_generation.
    """
    if name == "too_long_llama" and question.protocol == "chat":
        words = "the request exceeds the available context size, try increasing it"
        llama = {
            "message": words,
            "type": "exceed_context_size_error",
            "n_prompt_tokens": 9000,
            "n_ctx": 8192,
        }
        return 400, error_body("chat", 400, {"code": 400, **llama})
    tables: Mapping[Protocol, Mapping[Fault, tuple[Any, ...]]] = {
        "chat": _OPENAI,
        "responses": _OPENAI,
        "anthropic": _ANTHROPIC,
        "google": _GOOGLE,
        "mistral": _MISTRAL,
        "groq": _GROQ,
    }
    table = tables[question.protocol]
    if name not in table:
        name = _ALIKE[name]
    status, words, kind, *codes = table[name]
    error: dict[str, Any] = {"message": words.format(model=question.model, key=question.key)}
    if question.protocol == "google":
        error |= {"status": kind, "details": _details(name, retry_after)}
    else:
        error |= {"type": kind}
    if codes:
        error |= {"param": None, "code": codes[0]}
    if name == "failed_generation":
        error["failed_generation"] = content or ""
    return status, error_body(question.protocol, status, error)


def _details(name: Fault, retry_after: float | None) -> list[dict[str, Any]]:
    details: list[dict[str, Any]] = []
    if name == "bad_key":
        info = {"reason": "API_KEY_INVALID", "domain": "googleapis.com"}
        details.append({"@type": "type.googleapis.com/google.rpc.ErrorInfo", **info})
    if name in ("rate_limit", "quota"):
        span = "Day" if name == "quota" else "Minute"
        limit = {
            "quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests",
            "quotaId": f"GenerateRequestsPer{span}PerProjectPerModel-FreeTier",
        }
        details.append({"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [limit]})
    if retry_after is not None:
        details.append(
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{retry_after:g}s"}
        )
    return details
