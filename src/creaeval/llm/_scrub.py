"""Keep keys out of messages, logs and the ledger."""

from __future__ import annotations

import re

# Providers repeat the key in their refusal, some in full and some half masked.
_KEY = re.compile(
    r"\b(?:sk|gsk|xai)-[\w*.-]{4,}|\bAIza[\w*.-]{20,}|\bBearer\s+\S+|\bBasic\s+[\w+/]{12,}=*", re.IGNORECASE
)
SHORTEST_KEY = 12
_USERINFO = re.compile(r"(\w+://)[^/\s@]+@")


def scrub(text: str, *secrets: str) -> str:
    """Replace secrets in a text.

    Parameters
    ----------
    text : str
        A message from elsewhere.
    *secrets : str
        Known secrets.

    Returns
    -------
    str
        The text with ``[key]`` in their place.
    """
    for secret in secrets:
        # A word such as EMPTY, which local servers take for a key, is no secret and may be in any text.
        if len(secret) >= SHORTEST_KEY:
            text = text.replace(secret, "[key]")
    return _USERINFO.sub(r"\1", _KEY.sub("[key]", text))
