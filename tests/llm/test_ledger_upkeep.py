"""What is not in a ledger, and what is removed from it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from creaeval.llm.ledger import Ledger
from creaeval.llm.ledger._private import without_private
from creaeval.llm.records import Failure, Prunable

from .calls import call

if TYPE_CHECKING:
    from pathlib import Path

SECRETS = {
    "openai": "sk-proj-Ab3dEf6hIj9k",
    "google": "AIzaSyD-0123456789abcdefghijklmnop",
    "header": "dXNlcjpwYXNzd29yZA",
    "login": "s3cret-in-a-url",
    "xkey": "0123456789abcdef0123",
}


def test_keys_headers_logins_and_home_folders_are_not_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home-of-somebody"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    message = (
        f"Incorrect API key provided: {SECRETS['openai']}. Also {SECRETS['google']}; headers "
        f"{{'Authorization': 'Basic {SECRETS['header']}', 'x-api-key': '{SECRETS['xkey']}'}}; "
        f"see {home}/models/m.gguf and /home/alice/x, C:\\Users\\Bob\\x, /Users/carol/x; "
        f"https://me:{SECRETS['login']}@host.example/v1"
    )
    identity = {
        "provider": "own",
        "base_url": f"https://me:{SECRETS['login']}@host.example/home/page/v1",
        "model": f"{home}/models/m.gguf",
    }
    path = tmp_path / "l.db"
    with Ledger.open(path) as ledger:
        ledger.put(replace(call("the reply"), identity=identity))
        ledger.put_failure(Failure("k", "own:m1", "judge", {"id": "R1"}, 1, "permanent", message, 1.0))
        with ledger.engine.connect() as connection:
            stored = connection.execute(sa.text("select base_url, model from calls")).one()
            said = connection.execute(sa.text("select message from failures")).scalar_one()
        content = b"".join(file.read_bytes() for file in tmp_path.glob("l.db*"))
        ledger.check()
    assert tuple(stored) == ("https://host.example/home/page/v1", "~/models/m.gguf")
    assert "see ~/models/m.gguf and ~/x, ~\\x, ~/x; https://host.example/v1" in said
    assert b"the reply" in content
    for secret in (*SECRETS.values(), str(home), "/home/alice", "Users"):
        assert secret.encode() not in content


@pytest.mark.parametrize(
    "text",
    [
        "https://a.example/home/v1",
        "https://127.0.0.1:8000/home/x/v1",
        "no key was given; the response has 3 keys: a, b and c",
        "/rootless/x, ask-me-anything, a task-1 disk",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert without_private(text) == text


def test_prompts_replies_and_labels_are_data_and_stay_as_they_are(database: str) -> None:
    text = f"My key is {SECRETS['openai']}, my home /home/alice."
    new = replace(call(text, user=text), label={"response_id": "sk-2024-001"})
    with Ledger.open(database) as ledger:
        ledger.put(new)
        with ledger.engine.connect() as connection:
            row = connection.execute(sa.text("select reply, messages, label from calls")).one()
    assert row.reply == text
    assert text in str(row.messages)
    assert "sk-2024-001" in str(row.label)


def fill(ledger: Ledger) -> None:
    """A reply in use, one of a failed chain, and a failed attempt."""
    ledger.put(call("kept", user="kept"))
    ledger.put(call("a reply of a failed chain", user="gone", cost_usd=0.5))
    ledger.abandon([call(user="gone").key])
    ledger.put_failure(Failure("k", "openai:m1", "judge", {"id": "R1"}, 1, "server", "slow", 1.0))


def texts(ledger: Ledger) -> list[str]:
    with ledger.engine.connect() as connection:
        rows = connection.execute(sa.text("select system, messages, reply from calls order by id")).all()
    return [f"{row.system}{row.messages}{row.reply}" for row in rows]


def test_pruning_removes_texts_of_abandoned_calls_and_failures_and_no_account(database: str) -> None:
    with Ledger.open(database) as ledger:
        fill(ledger)
        before, kept = ledger.totals(), texts(ledger)[0]
        assert ledger.prune(1, dry=False) == Prunable(0, 0)
        assert ledger.prune(-1, dry=True) == Prunable(1, 1)
        assert "a reply of a failed chain" in texts(ledger)[1]
        assert ledger.prune(-1, dry=False) == Prunable(1, 1)
        assert ledger.prune(-1, dry=False) == Prunable(0, 0)
        assert texts(ledger) == [kept, "[]"]
        assert ledger.totals() == before
        assert ledger.failed_attempts() == []
        assert ledger.find(call(user="kept").key) is not None
        assert ledger.check().missing == 0


def test_pruning_gives_space_back(tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    with Ledger.open(path) as ledger:
        for number in range(50):
            ledger.put(call("x" * 20_000, user=f"{number}"))
        ledger.abandon([call(user=f"{number}").key for number in range(50)])
        assert ledger.overview().size > 1_000_000
        assert ledger.prune(-1, dry=False).calls == 50
        assert ledger.overview().size < 200_000
    assert b"xxxxxxxx" not in path.read_bytes()
