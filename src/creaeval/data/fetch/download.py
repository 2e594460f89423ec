"""Download a file over HTTP: bounded in time and size, verified, never half."""

from __future__ import annotations

import hashlib
import http.client
import urllib.error
import urllib.request
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from creaeval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

MAX_BYTES = 200_000_000
_CHUNK = 1 << 16
_HELP = "Where there is no way, copy the data from another machine and set CREAEVAL_DATA to their folder."


@dataclass(frozen=True)
class Progress:
    """How far a download is.

    Parameters
    ----------
    name : str
        The file's name.
    received : int
        Bytes so far.
    total : int or None
        Bytes in all, if the server says so.
    done : bool
        Whether it is complete and verified.
    """

    name: str
    received: int
    total: int | None
    done: bool = False


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows nothing: addresses of originals are final; a network that wants a sign-in sends elsewhere."""

    def redirect_request(self, *_: object) -> None:
        return None


def download(
    url: str,
    path: Path,
    *,
    sha256: str | None,
    timeout: float,
    max_bytes: int = MAX_BYTES,
    progress: Callable[[Progress], None] = lambda _: None,
) -> str:
    """Download a file and return the SHA-256 of what came; whatever fails, nothing stays at ``path``.

    ``progress`` is called after every piece and at the end. DataError if it cannot be reached, is silent for
    ``timeout`` seconds, cut off, larger than ``max_bytes``, or not what ``sha256`` says.
    """
    digest, received, total = hashlib.sha256(), 0, None
    try:
        with path.open("xb") as file, closing(_chunks(url, timeout)) as chunks:
            for chunk, total in chunks:
                received += len(chunk)
                if max(received, total or 0) > max_bytes:
                    raise DataError(f"{url}: is larger than {max_bytes:,} bytes, which these data are not.")
                digest.update(chunk)
                file.write(chunk)
                progress(Progress(path.name, received, total))
        if total is not None and received != total:
            raise DataError(
                f"{url}: was cut off after {received:,} of {total:,} bytes. Run the command again."
            )
        if sha256 is not None and digest.hexdigest() != sha256:
            raise DataError(
                f"{url}: {path.name} has SHA-256 {digest.hexdigest()}, expected {sha256}. Nothing was kept. "
                f"A network that answers with pages of its own does this. {_HELP}"
            )
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    progress(Progress(path.name, received, total, done=True))
    return digest.hexdigest()


def _chunks(url: str, timeout: float) -> Generator[tuple[bytes, int | None]]:
    """Yield the body in pieces, each with the length of all that the server announced."""
    if not url.startswith(("https://", "http://")):
        raise DataError(f"{url}: is no address of the web.")
    opener = urllib.request.build_opener(_NoRedirect)
    try:
        with opener.open(url, timeout=timeout) as reply:
            announced = reply.headers.get("Content-Length", "")
            total = int(announced) if announced.isdecimal() else None
            while chunk := reply.read(_CHUNK):
                yield chunk, total
            yield b"", total  # so that an empty body has its length, too
    except urllib.error.HTTPError as error:
        with error:
            elsewhere = error.headers.get("Location")
        if elsewhere:
            raise DataError(
                f"{url}: sends on to {elsewhere[:200]!r}, which is not followed. "
                f"A network that wants a sign-in does this. {_HELP}"
            ) from error
        raise DataError(f"{url}: the server answered {error.code} ({error.reason}). {_HELP}") from error
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        words = (
            "no answer in time" if isinstance(reason, TimeoutError) else str(reason) or type(reason).__name__
        )
        raise DataError(f"{url}: cannot be downloaded ({words}). {_HELP}") from error
