"""Calls carried from one ledger to another."""

from __future__ import annotations

import asyncio
import json
import tempfile
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from creaeval.errors import LedgerError
from creaeval.llm.ask import Ask, Prompt
from creaeval.llm.chat import Settings
from creaeval.llm.ledger import Ledger
from creaeval.llm.records import Imported

from .calls import call
from .support import FakeModel, Verdict, verdict


def test_exported_calls_can_be_imported_once_and_cost_nothing_there(database: str, tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    first, second, third = (call(name, user=name, cost_usd=0.5, attempts=2) for name in "abc")
    with Ledger.open(tmp_path / "from.db") as ledger:
        for new in (first, second, third):
            ledger.put(new)
        ledger.abandon([third.key])
        assert ledger.export_calls(file) == 2
        assert ledger.export_calls(tmp_path / "one.jsonl", [first.key]) == 1
        with pytest.raises(LedgerError, match="1 of the calls to export are not in it"):
            ledger.export_calls(tmp_path / "both.jsonl", [first.key, third.key])
        assert ledger.export_calls(tmp_path / "both.jsonl", [first.key, third.key], live_only=True) == 1
        written = ledger.find(second.key)
    with Ledger.open(database) as ledger:
        assert ledger.import_calls(tmp_path / "one.jsonl") == Imported(1, 0)
        assert ledger.import_calls(file) == Imported(1, 1)
        assert ledger.import_calls(file) == Imported(0, 2)
        assert ledger.find(second.key) == written
        assert written is not None
        assert (written.text, written.cost_usd, written.attempts) == ("b", 0.5, 2)
        assert ledger.totals() == []
        assert (ledger.overview().imported, ledger.check().unchecked) == (2, 0)
        ledger.export_calls(tmp_path / "again.jsonl")
    assert sorted((tmp_path / "again.jsonl").read_text().splitlines()) == sorted(
        file.read_text().splitlines()
    )


def test_an_export_of_the_first_version_is_imported_as_it_is(database: str, tmp_path: Path) -> None:
    recording = tmp_path / "recording.jsonl"
    recording.write_bytes(files("creaeval.demo").joinpath("files", "recording.jsonl").read_bytes())
    lines = [json.loads(line) for line in recording.read_text().splitlines()]
    old = [{n: v for n, v in line.items() if n not in ("cost_usd", "attempts", "checksum")} for line in lines]
    recording.write_text("".join(json.dumps(line) + "\n" for line in old))
    with Ledger.open(database) as ledger:
        assert ledger.import_calls(recording) == Imported(len(lines), 0)
        for line in lines:
            stored = ledger.find(line["key"])
            assert stored is not None
            assert (stored.text, stored.cost_usd, stored.attempts) == (line["reply"], None, None)
        assert ledger.check().unchecked == 0


@pytest.fixture
def exported(tmp_path: Path) -> list[dict[str, Any]]:
    """Five calls as they are exported."""
    with Ledger.open(tmp_path / "from.db") as ledger:
        for name in "abcde":
            ledger.put(call(name, user=name))
        ledger.export_calls(tmp_path / "calls.jsonl")
    return [json.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines()]


def test_torn_and_changed_lines_are_named_by_number_and_nothing_is_imported(
    tmp_path: Path, exported: list[dict[str, Any]]
) -> None:
    whole = [json.dumps(line) for line in exported]
    lines = [
        whole[0],
        whole[1][:90] + whole[2],  # two writers at once
        whole[2].replace("You judge.", "You are kind."),
        json.dumps({**exported[3], "input_tokens": "many"}),
        json.dumps({name: value for name, value in exported[3].items() if name != "reply"}),
        json.dumps({**exported[3], "reply": "better"}),
        json.dumps({**exported[3], "state": "abandoned"}),
        json.dumps({**exported[3], "cost_usd": float("nan")}),
        json.dumps({**exported[3], "output_tokens": 10**30}),
        json.dumps({**exported[3], "messages": [1]}),
        "",
    ]
    file = tmp_path / "calls.jsonl"
    file.write_text("\n".join(lines) + "\n")
    with Ledger.open(tmp_path / "to.db") as ledger:
        with pytest.raises(LedgerError) as caught:
            ledger.import_calls(file)
        assert ledger.find(call(user="a").key) is None
        imported = ledger.import_calls(file, skip_broken=True)
        assert (imported.new, imported.known, len(imported.broken)) == (1, 0, 10)
    message = str(caught.value)
    assert "line 1:" not in message
    for part in (
        "line 2: found a torn or malformed line",
        "line 3: the key does not match",
        "line 4: input_tokens: found 'many'",
        "line 5: found no field reply",
        "line 6: the checksum does not match the reply",
        "line 7: state: found 'abandoned'",
        "line 8: cost_usd: found nan",
        "line 9: output_tokens: found 1000",
        "line 10: the key does not match",
        "line 11: found a torn or malformed line",
        "Nothing was imported. With --skip-broken the other 1 lines are taken",
    ):
        assert part in message


def ask(model: FakeModel, ledger: Ledger, name: str) -> None:
    asking = Ask(model, ledger, Settings(), role="judge")
    prompt = Prompt("You judge.", f"Rate response {name}.")
    asyncio.run(asking(prompt, Verdict, schema_name="Step2", label={"response_id": name}))


def test_calls_on_torn_lines_are_asked_again_and_no_others(tmp_path: Path) -> None:
    # Case R07: of four records the third was written into the middle of the second.
    names = ("R1", "R2", "R3", "R4")
    file = tmp_path / "calls.jsonl"
    with Ledger.open(tmp_path / "from.db") as ledger:
        for name in names:
            ask(FakeModel(lambda *_: verdict(5)), ledger, name)
        ledger.export_calls(file)
    r1, r2, r3, r4 = file.read_text().splitlines()
    cut = r2.index("messages") - 1
    file.write_text("\n".join([r1, r2[:cut] + r3, r2[cut:], r4]) + "\n")
    model = FakeModel(lambda *_: verdict(6))
    with Ledger.open(tmp_path / "to.db") as ledger:
        imported = ledger.import_calls(file, skip_broken=True)
        assert imported.new == 2
        assert [line.partition(": ")[0] for line in imported.broken] == [
            f"{file}, line 2",
            f"{file}, line 3",
        ]
        for name in names:
            ask(model, ledger, name)
        assert [request.messages[0].text for request in model.requests] == [
            "Rate response R2.",
            "Rate response R3.",
        ]


@cache
def three_calls() -> bytes:
    """An export of three calls."""
    with tempfile.TemporaryDirectory() as folder, Ledger.open(Path(folder) / "l.db") as ledger:
        for name in "abc":
            ledger.put(call(f"the reply to {name}", user=name))
        ledger.export_calls(Path(folder) / "calls.jsonl")
        return (Path(folder) / "calls.jsonl").read_bytes()


@settings(max_examples=40)
@given(st.data())
def test_however_a_file_is_torn_its_lines_are_taken_whole_or_not_at_all(data: st.DataObject) -> None:
    content = three_calls()
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, len(content)))
    between = data.draw(st.one_of(st.binary(max_size=20), st.just(content[:start]), st.just(content[end:])))
    with tempfile.TemporaryDirectory() as folder, Ledger.open(Path(folder) / "l.db") as ledger:
        file = Path(folder) / "calls.jsonl"
        file.write_bytes(content[:start] + between + content[end:])
        ledger.import_calls(file, skip_broken=True)
        for name in "abc":
            stored = ledger.find(call(user=name).key)
            assert stored is None or stored.text == f"the reply to {name}"


def test_a_file_that_cannot_be_read_or_written_is_named(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "l.db") as ledger:
        with pytest.raises(LedgerError, match=r"none\.jsonl: cannot be read: No such file"):
            ledger.import_calls(tmp_path / "none.jsonl")
        with pytest.raises(LedgerError, match=r"cannot be written: "):
            ledger.export_calls(tmp_path)
        with pytest.raises(LedgerError, match=r"cannot be written: "):
            ledger.export_calls(tmp_path / "l.db" / "calls.jsonl")
    assert [file.name for file in tmp_path.iterdir()] == ["l.db"]
