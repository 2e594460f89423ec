"""The last line of defence between secrets and the ledger; whoever writes a message scrubs it first."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path

from creaeval.llm._scrub import scrub

# Keys whose place in a header gives them away.
_HEADER = re.compile(
    r"""\b(authorization|(?:x-)?(?:goog-)?api[-_]?key)(["']?\s*[:=]\s*["']?)(?:(?:basic|bearer)\s+)?[^\s"',}&]+""",
    re.IGNORECASE,
)
# Not after a host's name, where /home/… is part of an address.
_ANY_HOME = r"(?<![\w.\]])(?:/home/|/Users/|[A-Za-z]:[\\/]+Users[\\/]+)[^\s/\\\"':]+"


@lru_cache(maxsize=256)  # a model's identity is looked at with every call
def without_private(text: str) -> str:
    """Replace what looks like a key, a login in an address or a home folder.

    Parameters
    ----------
    text : str
        A message or a part of a model's identity; never a prompt or a reply, which are data.

    Returns
    -------
    str
        The text with ``[key]`` and ``~`` in their place.
    """
    text = _HEADER.sub(r"\1\2[key]", scrub(text))
    return _homes(str(Path.home())).sub("~", text)


@cache
def _homes(home: str) -> re.Pattern[str]:
    # A home of / or of one letter, as some containers have, would be found everywhere.
    own = [re.escape(home) + r"(?![\w.-])"] if len(Path(home).parts) > 1 else []
    return re.compile("|".join([*own, _ANY_HOME]))
