"""Databases for tests of the ledger: SQLite always, PostgreSQL where there is one.

``CREAEVAL_TEST_POSTGRES`` names a server as an SQLAlchemy URL. Without it, a private server is started where
PostgreSQL's programs are installed; else these tests are skipped.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

if TYPE_CHECKING:
    from collections.abc import Iterator

PASSWORD = "a-password-for-tests"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[sa.URL]:
    """A server, by its URL with a password."""
    if named := os.environ.get("CREAEVAL_TEST_POSTGRES"):
        yield sa.make_url(named)
        return
    programs = _programs()
    if programs is None:
        pytest.skip(
            "needs PostgreSQL: name a server in CREAEVAL_TEST_POSTGRES (an SQLAlchemy URL), or install it"
        )
    # Not pytest's own folder: the path of a socket may not be long, and another user must get there.
    folder = Path(tempfile.mkdtemp(prefix="creaeval-pg"))
    try:
        yield from _private_server(programs, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres_server: sa.URL) -> Iterator[str]:
    """The URL of an empty schema."""
    schema = f"test_{secrets.token_hex(6)}"
    engine = sa.create_engine(postgres_server, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with engine.connect() as connection:
        connection.execute(sa.schema.CreateSchema(schema))
    url = postgres_server.update_query_dict({"options": f"-csearch_path={schema}"})
    yield url.render_as_string(hide_password=False)
    with engine.connect() as connection:
        connection.execute(sa.schema.DropSchema(schema, cascade=True))


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A place for a ledger in each kind of database."""
    if request.param == "sqlite":
        return str(tmp_path / "ledger.db")
    url: str = request.getfixturevalue("postgres_url")
    return url


def _programs() -> Path | None:
    found = shutil.which("initdb")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    candidates = [Path(found).resolve().parent] if found else folders
    return next((one for one in reversed(candidates) if (one / "postgres").exists()), None)


def _private_server(programs: Path, folder: Path) -> Iterator[sa.URL]:
    as_user: dict[str, Any] = {}
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        import pwd

        user = next(one for one in pwd.getpwall() if one.pw_name in ("postgres", "nobody"))
        as_user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        os.chown(folder, user.pw_uid, user.pw_gid)
    (folder / "password").write_text(PASSWORD)
    (folder / "password").chmod(0o644)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options: dict[str, Any] = {**as_user, "cwd": folder, "stdout": subprocess.DEVNULL, "env": {"LC_ALL": "C"}}
    data = folder / "data"
    subprocess.run(
        [
            programs / "initdb", "-D", data, "-U", "tester", "--auth=scram-sha-256", "--pwfile=password",
            "--encoding=UTF8", "--no-sync",
        ],
        check=True, timeout=120, **options,
    )  # fmt: skip
    # What a crash of the machine would lose does not matter here.
    settings = ("listen_addresses=127.0.0.1", f"port={port}", "fsync=off", "unix_socket_directories=")
    arguments = [part for setting in settings for part in ("-c", setting)]
    server = subprocess.Popen(
        [programs / "postgres", "-D", data, *arguments], stderr=subprocess.DEVNULL, **options
    )
    url = sa.URL.create("postgresql+psycopg", "tester", PASSWORD, "127.0.0.1", port, "postgres")
    try:
        _wait_for(url)
        yield url
    finally:
        server.send_signal(signal.SIGINT)  # ends sessions, too
        server.wait(timeout=60)


def _wait_for(url: sa.URL) -> None:
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    until = time.monotonic() + 60
    while True:
        try:
            engine.connect().close()
        except sa.exc.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
        else:
            return
