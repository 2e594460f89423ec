"""Names of files, made of ids that may hold anything."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# A file name has at most 255 bytes; an ending and a mark must have room in it. People read fewer.
_CHARACTERS, _BYTES = 80, 200
# Names Windows keeps for devices, whatever follows a dot.
_DEVICE = re.compile(r"(con|prn|aux|nul|(com|lpt)[0-9])(\..*)?")
# Names that look like one that was made of another id.
_LIKE_MARKED = re.compile(r"-([0-9a-f]{8}|[0-9a-f]{64})$")


def file_names(ids: Iterable[str]) -> dict[str, str]:
    """Make names of files, without their ending, of the ids of one run, each its own and safe everywhere.

    Letters, marks and digits of every script stay, with dots, hyphens and underscores inside; everything else
    becomes an underscore, or nothing at either end: ``Füchse 🦊`` becomes ``Füchse``. Where two would share a
    file, also on systems that tell neither cases nor forms of Unicode apart, or a name is one that a system
    keeps for itself, a hash of the id follows: ``Füchse-66a42f09``.

    Parameters
    ----------
    ids : iterable of str
        Each once.

    Returns
    -------
    dict of str to str
        By id; at most 89 characters and 209 bytes of UTF-8, save where two hashes begin alike.
    """
    plain = {name: _plain(name) for name in ids}
    folded = {name: _folded(shown) for name, shown in plain.items()}
    times = Counter(folded.values())
    names: dict[str, str] = {}
    taken: set[str] = set()
    for name, shown in plain.items():
        known = folded[name]
        alone = known and times[known] == 1 and not _DEVICE.fullmatch(known)
        names[name] = shown if alone and not _LIKE_MARKED.search(known) else _mark(name, shown, taken)
        taken.add(_folded(names[name]))
    return names


def _plain(name: str) -> str:
    composed = unicodedata.normalize("NFC", name)
    kept = "".join(c if c in "._-" or unicodedata.category(c)[0] in "LMN" else " " for c in composed)
    shown = "_".join(kept.split()).strip("._-")[:_CHARACTERS]
    while len(shown.encode()) > _BYTES:
        shown = shown[:-1]
    return shown.rstrip("._-")


def _mark(name: str, shown: str, taken: set[str]) -> str:
    shown = shown or "id"
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    marked = f"{shown}-{digest[:8]}"
    return marked if _folded(marked) not in taken else f"{shown}-{digest}"


def _folded(name: str) -> str:
    """Fold a name as the least discerning file system does: what differs here differs everywhere."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).upper().casefold())
