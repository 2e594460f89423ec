"""One table in every encoding and with every delimiter that spreadsheets write."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pytest

from creaeval.data import read_data
from creaeval.tasks import load_task

from ..support import the_problem, write

if TYPE_CHECKING:
    from pathlib import Path

AUT = load_task("aut")

GERMAN = [("Ziegelstein", "als Bettwärmer für müde Füße"), ("Büroklammer", "ein Schlüssel – „zur Not“")]
POLISH = [("cegła", "podpórka pod książki"), ("cegła", "ścianka na łąkę"), ("cegła", "źródło ciepła w łóżku")]
CHINESE = [
    ("砖头", "可以用来当枕头睡觉"),
    ("回形针", "打开手机的卡槽"),
    ("砖头", "把它磨成粉末画画"),
    ("砖头", "压住被风吹起的报纸"),
]
JAPANESE = [
    ("レンガ", "本を立てるために使う"),
    ("クリップ", "しおりの代わりにする"),
    ("レンガ", "漬物の重しにする"),
]
TRADITIONAL = [("磚頭", "可以用來當枕頭睡覺"), ("迴紋針", "打開手機的卡槽"), ("磚頭", "把它磨成粉末來畫畫")]


def table(uses: list[tuple[str, str]], delimiter: str = ",", line: str = "\r\n") -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=line)
    writer.writerow(["id", "object", "response"])
    writer.writerows([number, *use] for number, use in enumerate(uses, 1))
    return out.getvalue()


def read(path: Path) -> list[tuple[str, str]]:
    found = read_data(path, AUT, want=("responses",))
    assert found.notes == []
    assert [response.id for response in found.responses] == [str(n + 1) for n in range(len(found.responses))]
    return [(response.scenario or "", response.steps["uses"].text) for response in found.responses]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("uses", [GERMAN, POLISH, CHINESE, JAPANESE, TRADITIONAL])
def test_unicode_is_read_with_and_without_a_mark(
    tmp_path: Path, uses: list[tuple[str, str]], encoding: str
) -> None:
    assert read(write(tmp_path / "a.csv", table(uses).encode(encoding))) == uses


@pytest.mark.parametrize(
    ("uses", "encoding"),
    [
        (GERMAN, "cp1252"),
        (POLISH, "cp1250"),
        (CHINESE, "gb18030"),
        (CHINESE, "gbk"),
        (JAPANESE, "cp932"),
        (TRADITIONAL, "big5"),
    ],
)
def test_what_spreadsheets_save_without_saying_so_is_read(
    tmp_path: Path, uses: list[tuple[str, str]], encoding: str
) -> None:
    assert read(write(tmp_path / "a.csv", table(uses).encode(encoding))) == uses


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line", ["\n", "\r\n", "\r"])
def test_the_delimiter_and_the_end_of_a_line_may_be_any(tmp_path: Path, delimiter: str, line: str) -> None:
    uses = [("brick", "a wall, or two; really"), ("rope", "a\tbelt | a swing"), ("brick", 'a "hat"')]
    found = read_data(write(tmp_path / "a.csv", table(uses, delimiter, line)), AUT, split="none")
    assert [(r.scenario, r.steps["uses"].text) for r in found.responses] == uses


def test_ends_of_lines_may_be_mixed(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,object,response\r\n1,brick,a wall\n2,brick,a hat\r3,rope,a belt\r\n")
    assert read(path) == [("brick", "a wall"), ("brick", "a hat"), ("rope", "a belt")]


def test_a_line_may_state_the_delimiter(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", f"sep=;\r\n{table(GERMAN, ';')}".encode("utf-8-sig"))
    assert read(path) == GERMAN


def test_text_of_two_encodings_is_refused_with_the_byte(tmp_path: Path) -> None:
    rows = table(GERMAN).encode() + "3,Ziegelstein,für Füße\r\n".encode("cp1252")
    path = write(tmp_path / "a.csv", rows)
    at = rows.index(b"f\xfcr") + 1
    assert the_problem(lambda: read_data(path, AUT)) == (
        f"{path}: byte {at} (0xfc) is not utf-8, expected CSV in UTF-8. Save the file again as UTF-8."
    )
