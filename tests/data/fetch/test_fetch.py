"""Fetching public data from a server on loopback, which misbehaves."""

from __future__ import annotations

import hashlib
import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from creaeval.data import fetch as module
from creaeval.data.fetch import Fetched, data_folder, fetch
from creaeval.data.fetch.dataset import Check, DataSet, Original
from creaeval.data.fetch.download import Progress, download
from creaeval.errors import DataError, SettingError
from data_folder import shared_data

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

COMMIT = "0" * 40
PLAIN, COUNTED = b"one\n", b"a,n\nx,1\ny,2\n"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def original(path: str, data: bytes | None) -> Original:
    return Original("owner/name", COMMIT, path, None if data is None else sha256(data))


def keep(originals: Mapping[str, bytes]) -> dict[str, bytes]:
    """Keep one file, and count a word more in the other, which the check does not see."""
    return {"LICENSE": originals["licence"], "plain.txt": originals["plain"], "t.csv": originals["table"]}


SET = DataSet(
    folder="mine",
    originals={
        "licence": original("LICENSE", b"Do what you like.\n"),
        "plain": original("a folder/plain.txt", PLAIN),
        "table": original("t.csv", None),
    },
    convert=keep,
    checks=(Check("plain.txt", sha256(PLAIN)), Check("t.csv", sha256(b"a\nx\ny\n"), columns=("a",))),
    notice="# Mine\n",
)
GOOD = {
    f"/owner/name/{COMMIT}/LICENSE": b"Do what you like.\n",
    f"/owner/name/{COMMIT}/a%20folder/plain.txt": PLAIN,
    f"/owner/name/{COMMIT}/t.csv": COUNTED,
}
TABLE = f"/owner/name/{COMMIT}/t.csv"
PLAIN_AT = f"/owner/name/{COMMIT}/a%20folder/plain.txt"


@dataclass
class Server:
    """Files by path, and what goes wrong with them."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=lambda: dict(GOOD))
    faults: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)


@contextmanager
def serving() -> Iterator[Server]:
    server, gone = Server(), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.asked.append(self.path)
            data, fault = server.files.get(self.path), server.faults.get(self.path)
            if fault == "silent":
                gone.wait(10)
                return
            if fault == "redirect":
                self.send_response(302)
                self.send_header("Location", "/sign-in")
                self.end_headers()
                return
            if data is None:
                self.send_error(404, "Not Found")
                return
            self.send_response(200)
            if fault != "no length":
                self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2] if fault == "cut" else data)

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    server.url = f"http://127.0.0.1:{http.server_port}/"
    try:
        yield server
    finally:
        gone.set()
        http.shutdown()
        thread.join(10)
        http.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def get(server: Server, out: Path, timeout: float = 5.0, dataset: DataSet = SET) -> Fetched:
    return fetch("mine", out, base_url=server.url, datasets={"mine": dataset}, timeout=timeout)


def everything(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_originals_are_downloaded_turned_verified_and_their_source_named(
    server: Server, tmp_path: Path
) -> None:
    fetched = get(server, tmp_path / "out")
    assert fetched == Fetched(tmp_path / "out" / "mine", downloaded=True, files=("plain.txt", "t.csv"))
    found = everything(tmp_path)
    source = found.pop("out/mine/SOURCE.md").decode()
    assert found == {
        "out/mine/LICENSE": b"Do what you like.\n",
        "out/mine/plain.txt": PLAIN,
        "out/mine/t.csv": COUNTED,
    }
    assert source.startswith("# Mine\n\n## Originals\n- https://raw.githubusercontent.com/owner/name/")
    assert f"a%20folder/plain.txt\n  SHA-256 {sha256(PLAIN)}\n" in source
    assert server.asked == list(GOOD)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_is_there_is_verified_and_not_downloaded_again(server: Server, tmp_path: Path) -> None:
    get(server, tmp_path)
    server.asked.clear()
    assert get(server, tmp_path) == Fetched(tmp_path / "mine", downloaded=False, files=("plain.txt", "t.csv"))
    assert not server.asked


def test_what_is_missing_is_added_and_what_is_in_order_stays(server: Server, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "t.csv").write_bytes(b"a,n\nx,7\ny,7\n")  # differs in what is not checked
    assert get(server, tmp_path).downloaded
    assert (tmp_path / "mine" / "t.csv").read_bytes() == b"a,n\nx,7\ny,7\n"
    assert (tmp_path / "mine" / "plain.txt").read_bytes() == PLAIN


@pytest.mark.parametrize("data", [b"", b"a,n\nx,1\nz,2\n", b"b\n1\n", b"\xff\xfe", b'a,n\n"x'])
def test_a_file_that_differs_is_named_and_never_written_over(
    server: Server, tmp_path: Path, data: bytes
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "t.csv").write_bytes(data)
    (tmp_path / "mine" / "plain.txt").write_bytes(b"two\n")
    before = everything(tmp_path)
    with pytest.raises(
        DataError, match=r"(?s)plain\.txt: is there .*t\.csv: is there and stays.* of a, "
    ) as caught:
        get(server, tmp_path)
    assert sha256(b"two\n") in str(caught.value)
    assert sha256(PLAIN) in str(caught.value)
    assert "name another folder with --out" in str(caught.value)
    assert everything(tmp_path) == before
    assert not server.asked


def test_a_file_without_a_check_is_not_written_over_either(server: Server, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "SOURCE.md").write_text("my notes")
    with pytest.raises(DataError, match=r"SOURCE\.md: is there, stays as it is, and differs"):
        get(server, tmp_path)
    assert everything(tmp_path) == {"mine/SOURCE.md": b"my notes"}


def refused(server: Server, tmp_path: Path, match: str, timeout: float = 5.0) -> str:
    with pytest.raises(DataError, match=match) as caught:
        get(server, tmp_path / "out", timeout)
    assert not list(tmp_path.iterdir()), "something was left"
    return str(caught.value)


def test_wrong_bytes_are_refused_with_both_checksums_and_nothing_is_kept(
    server: Server, tmp_path: Path
) -> None:
    server.files[PLAIN_AT] = b"0ne\n"
    said = refused(server, tmp_path, r"plain\.txt has SHA-256 \w{64}, expected \w{64}\. Nothing was kept")
    assert sha256(b"0ne\n") in said
    assert sha256(PLAIN) in said


def test_an_original_without_a_checksum_is_caught_by_what_is_made_of_it(
    server: Server, tmp_path: Path
) -> None:
    server.files[TABLE] = b"a,n\nx,1\ny,2\nz,3\n"
    refused(server, tmp_path, r"mine: t\.csv as made from what came has SHA-256 \w{64} of a, expected \w{64}")


def test_a_page_in_place_of_the_form_is_refused(server: Server, tmp_path: Path) -> None:
    def convert(_: Mapping[str, bytes]) -> dict[str, bytes]:
        raise KeyError("story_id")

    other = DataSet("mine", SET.originals, convert, SET.checks, "")
    with pytest.raises(DataError, match=r"not in the form that was published \(KeyError: 'story_id'\)"):
        get(server, tmp_path / "out", dataset=other)
    assert not list(tmp_path.iterdir())


def test_a_missing_file_is_named(server: Server, tmp_path: Path) -> None:
    del server.files[TABLE]
    said = refused(server, tmp_path, r"t\.csv: the server answered 404 \(Not Found\)")
    assert server.url + TABLE[1:] in said
    assert "CREAEVAL_DATA" in said


def test_a_file_cut_off_in_the_middle_is_refused(server: Server, tmp_path: Path) -> None:
    server.faults[TABLE] = "cut"
    refused(server, tmp_path, r"t\.csv: was cut off after 6 of 12 bytes")


def test_a_server_that_never_answers_is_given_up(server: Server, tmp_path: Path) -> None:
    server.faults[TABLE] = "silent"
    refused(server, tmp_path, r"t\.csv: cannot be downloaded \(no answer in time\)\. .*CREAEVAL_DATA", 0.2)


def test_a_redirect_is_not_followed(server: Server, tmp_path: Path) -> None:
    server.faults[TABLE] = "redirect"
    refused(server, tmp_path, r"t\.csv: sends on to '/sign-in', which is not followed")
    assert server.asked == list(GOOD)


def test_without_a_network_the_address_and_creaeval_data_are_named(tmp_path: Path) -> None:
    with socket.socket() as bound:  # bound, but nobody listens
        bound.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{bound.getsockname()[1]}/"
        with pytest.raises(
            DataError, match=rf"^{url}owner/name/0+/LICENSE: cannot be downloaded .*CREAEVAL_DATA"
        ):
            fetch("mine", tmp_path / "out", base_url=url, datasets={"mine": SET})
    assert not list(tmp_path.iterdir())


def test_an_empty_folder_that_was_there_stays(server: Server, tmp_path: Path) -> None:
    server.faults[TABLE] = "cut"
    (tmp_path / "mine").mkdir()
    with pytest.raises(DataError):
        get(server, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    assert not list((tmp_path / "mine").iterdir())


def test_a_folder_that_cannot_be_written_is_said(server: Server, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(DataError, match=r"out/mine.*: cannot be read \(Not a directory\)"):
        get(server, tmp_path / "out")


@pytest.mark.parametrize("fault", ["", "no length"])
def test_a_file_that_is_too_large_is_given_up(server: Server, tmp_path: Path, fault: str) -> None:
    server.faults[TABLE] = fault
    with pytest.raises(DataError, match="is larger than 11 bytes"):
        download(server.url + TABLE[1:], tmp_path / "t.csv", sha256=None, timeout=5, max_bytes=11)
    assert not list(tmp_path.iterdir())


def test_only_addresses_of_the_web_are_opened(tmp_path: Path) -> None:
    (tmp_path / "here").write_text("secret")
    with pytest.raises(DataError, match="is no address of the web"):
        download((tmp_path / "here").as_uri(), tmp_path / "there", sha256=None, timeout=5)


@pytest.mark.parametrize("fault", ["", "no length"])
def test_progress_is_told_in_bytes(server: Server, tmp_path: Path, fault: str) -> None:
    server.files[TABLE] = bytes(200_000)
    server.faults[TABLE] = fault
    seen: list[Progress] = []
    digest = download(
        server.url + TABLE[1:], tmp_path / "t.csv", sha256=None, timeout=5, progress=seen.append
    )
    assert digest == sha256(bytes(200_000))
    total = None if fault else 200_000
    assert seen[-1] == Progress("t.csv", 200_000, total, done=True)
    assert seen[-2] == Progress("t.csv", 200_000, total)
    assert [one.received for one in seen] == sorted(one.received for one in seen)
    assert len(seen) > 3


def test_data_go_where_was_said_else_where_creaeval_data_says_else_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CREAEVAL_DATA", raising=False)
    assert str(data_folder()) == "creaeval-data"
    monkeypatch.setenv("CREAEVAL_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    assert data_folder(tmp_path / "other") == tmp_path / "other"


def test_an_unknown_set_is_refused_with_those_there_are() -> None:
    with pytest.raises(SettingError, match=r"'ttcv' is no set .* ttcw, aut, cgpst-sample"):
        fetch("ttcv")


@pytest.mark.parametrize("name", module.DATASETS)
def test_originals_are_pinned_and_have_names_of_their_own(name: str) -> None:
    dataset = module.DATASETS[name]
    names = [one.name for one in dataset.originals.values()]
    assert len(set(names)) == len(names)
    for one in dataset.originals.values():
        assert len(one.commit) == 40
        assert one.sha256 is None or len(one.sha256) == 64
    assert all(len(check.sha256) == 64 for check in dataset.checks)


@pytest.mark.parametrize("name", module.DATASETS)
def test_the_known_data_pass_their_checks(name: str) -> None:
    folder = shared_data(module.DATASETS[name].folder)
    fetched = fetch(name, folder.parent, base_url="http://127.0.0.1:1/")
    assert fetched == Fetched(folder, downloaded=False, files=fetched.files)
