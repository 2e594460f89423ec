from __future__ import annotations

import csv
import hashlib
import json
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import creaeval
from booklets import scenarios, variant
from creaeval.errors import SettingError
from creaeval.runs import export_run, write_table
from creaeval.runs.export import file_names
from scripted import ScriptedModel

if TYPE_CHECKING:
    from creaeval.runs import Run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    ledger = tmp_path_factory.mktemp("export") / "l.db"
    model = ScriptedModel()
    responses = [variant("a", group="x"), variant("A", group="-1")]
    return creaeval.score(responses, scenarios=scenarios(), analyst=model, judges=model, ledger=ledger)


def test_a_run_is_written_to_a_folder_that_is_made_for_it(run: Run, tmp_path: Path) -> None:
    written = export_run(run, tmp_path / "deep" / "results")
    names = [path.name for path in written]
    assert names[:4] == ["scores.csv", "scores_wide.csv", "failures.csv", "run.json"]
    assert len({path.name.casefold() for path in written}) == len(written) == 6
    assert all(path.is_file() for path in written)


def test_the_same_run_may_be_written_to_the_same_folder_again(run: Run, tmp_path: Path) -> None:
    assert export_run(run, tmp_path) == export_run(run, tmp_path)


def test_a_folder_with_other_files_is_refused_and_left_as_it_is(run: Run, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("chapter 1")
    with pytest.raises(SettingError, match="holds other files") as caught:
        export_run(run, tmp_path)
    assert "name another one with --out" in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_folder_with_another_run_is_refused_and_left_as_it_is(run: Run, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"run_id": "0123456789"}))
    with pytest.raises(SettingError, match="holds run 0123456789"):
        export_run(run, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_a_file_in_place_of_the_folder_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "results").write_text("")
    with pytest.raises(SettingError, match="this is a file"):
        export_run(run, tmp_path / "results")


def rows_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


@settings(max_examples=50)
@given(
    cells=st.lists(
        st.text() | st.from_regex(r"[=+\-@\t\r\n][\w()!.]*", fullmatch=True), min_size=1, max_size=30
    )
)
def test_no_cell_begins_like_a_formula_and_nothing_else_is_changed(cells: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        frame = pd.DataFrame({"=A1": range(len(cells)), "text": cells})
        header, *rows = rows_of(write_table(frame, Path(folder) / "t.csv"))
    assert header == ["'=A1", "text"]
    assert [row[0] for row in rows] == [str(number) for number in range(len(cells))]
    for cell, (_, written) in zip(cells, rows, strict=True):
        plain = re.fullmatch(r"[+-]?\d+([.,]\d+)?", written)
        assert written[:1] not in ("=", "+", "-", "@", "\t", "\r", "\n") or plain
        # Only the apostrophe is new; a line end of any kind is a newline.
        assert written.removeprefix("'") == re.sub("\r\n?", "\n", cell).removeprefix("'")


def test_numbers_stay_numbers_and_missing_values_are_empty(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "score": pd.array([-1.5, None], dtype="Float64"),
            "item": pd.array([None, 3], dtype="Int64"),
            "t": ["-5", "-x"],
        }
    )
    assert rows_of(write_table(frame, tmp_path / "t.csv"))[1:] == [["-1.5", "", "-5"], ["", "3", "'-x"]]


def test_a_table_without_rows_has_its_header(tmp_path: Path) -> None:
    path = write_table(pd.DataFrame(columns=["a", "b"]), tmp_path / "t.csv")
    assert path.read_bytes() == b"\xef\xbb\xbfa,b\n"


identifiers = st.text(st.sampled_from("abAB01 ._-/\\:äÄ中")) | st.text(max_size=120)


@given(identifier=identifiers)
def test_a_file_name_is_safe_on_every_system(identifier: str) -> None:
    name = file_names([identifier])[identifier]
    assert re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]*", name)
    assert len(name) <= 89
    assert not name.endswith(".")
    assert name.split(".")[0].upper() not in {"CON", "PRN", "AUX", "NUL", "COM1", "COM9", "LPT1", "LPT9"}


@given(one=identifiers, other=identifiers, data=st.data())
def test_two_ids_never_share_a_file_even_where_case_does_not_count(
    one: str, other: str, data: st.DataObject
) -> None:
    alike = [
        other,
        one.swapcase(),
        one.upper(),
        one.lower(),
        one + ".",
        one.replace("/", "_"),
        file_names([one])[one],
        f"{one}-{hashlib.sha256(one.encode()).hexdigest()[:8]}",
    ]
    second = data.draw(st.sampled_from(alike))
    assume(one != second)
    names = file_names([one, second])
    assert names[one].casefold() != names[second].casefold()


@pytest.mark.parametrize("identifier", ["con", "nul.txt", "com1", "lpt9", "..", ".", "", "../../etc/passwd"])
def test_a_name_that_a_system_would_take_for_something_else_is_not_used(identifier: str) -> None:
    name = file_names([identifier])[identifier]
    assert re.fullmatch(r"[\w.-]*-[0-9a-f]{8}", name)
    assert "/" not in name


def test_a_plain_id_is_its_own_file_name() -> None:
    assert file_names(["r07_b-2", "A05_FS10"]) == {"r07_b-2": "r07_b-2", "A05_FS10": "A05_FS10"}


def test_ids_that_differ_in_case_alone_both_get_a_mark() -> None:
    names = file_names(["Ab", "aB"])
    assert names["Ab"].startswith("Ab-")
    assert names["aB"].startswith("aB-")
