"""Reports in a real browser: nothing hostile runs, links lead, tables sort, the search finds, keys work."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import pytest

from booklets import booklet, cgpst, scored, variant
from creaeval.report.html import run_report
from creaeval.report.html.page import write_page
from scripted import ScriptedModel, stage_of

from .browser import Tab, chromium, open_tab
from .pages import HOSTILE
from .test_html import of_response, saying

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from creaeval.data import Response
    from creaeval.llm import ChatRequest

pytestmark = pytest.mark.slow


def quoting(request: ChatRequest) -> str:
    """Quote the beginning of each step, and the words after its first ten signs."""
    text = booklet().steps[stage_of(request)].text.split("\n")[0]
    return saying("Seen.", text[:40], text[10:60])(request)


def written(folder: Path, *responses: Response, **options: Any) -> Path:
    """Score responses and write their report."""
    given = {"analyst": ScriptedModel("scripted:a", answer=quoting), **options}
    run = scored(folder, *responses, **given)
    ratings = [rating for one in responses[:1] for rating in of_response(one.id)]
    write_page(run_report(run, ratings), folder / "report.html")
    return folder / "report.html"


def in_browser(folder: Path, page: Path, visit: Callable[[Tab], Awaitable[None]], fragment: str = "") -> None:
    """Open a page, do something there, and see that the console stayed empty."""
    chromium()

    async def go() -> None:
        async with open_tab(folder / "profile") as tab:
            await tab.open(page, fragment)
            await visit(tab)
            assert tab.said == []

    asyncio.run(go())


OPEN = "document.querySelector('#page article')?.id ?? ''"


def test_links_keys_marks_sorting_and_search_work(tmp_path: Path) -> None:
    responses = [variant(f"r{n}", group="even" if n % 2 == 0 else "odd") for n in (3, 1, 10, 2)]
    page = written(tmp_path, *responses)

    async def visit(tab: Tab) -> None:
        assert await tab.run("document.querySelector('#summary').hidden") is False
        # The list, then keys.
        await tab.click("#list a[href='#p-0-1']")
        assert await tab.run(OPEN) == "p-0-1"
        assert await tab.run("document.activeElement.id") == "p-0-1"
        assert await tab.run("document.querySelector('[aria-current]').hash") == "#p-0-1"
        await tab.press("j")
        assert await tab.run(OPEN) == "p-0-2"
        await tab.press("k")
        await tab.press("ArrowLeft")
        assert await tab.run(OPEN) == "p-0-0"
        # From a mark to its evidence and back to the text.
        await tab.click("#page sup a")
        assert await tab.run("document.activeElement.id") == "q-0-0.0.1"
        assert await tab.run("document.querySelectorAll('mark.lit').length") >= 1
        await tab.click("#page .quotes a")
        assert await tab.run("location.hash") == "#m-0-0.0.1"
        await tab.click("#page mark")
        assert await tab.run("location.hash") == "#q-0-0.0.1"
        await tab.press("s")
        assert await tab.run(OPEN) == ""
        # Natural order of ids, then the other way round.
        table = (
            "Array.from(document.querySelectorAll('.grid tr[data-s]')).map((row) => row.dataset.s).join(' ')"
        )
        head = "Array.from(document.querySelectorAll('.grid')).at(-1).tHead.rows[0].cells[0]"
        assert await tab.run(table) == "r3 r1 r10 r2"
        await tab.run(f"{head}.firstElementChild.click()")
        assert await tab.run(table) == "r1 r2 r3 r10"
        assert await tab.run(f"{head}.getAttribute('aria-sort')") == "ascending"
        await tab.run(f"{head}.firstElementChild.click()")
        assert await tab.run(table) == "r10 r3 r2 r1"
        # The search by a column; next goes through what it left.
        await tab.press("/")
        assert await tab.run("document.activeElement.id") == "search"
        for letter in "ODD":
            await tab.press(letter)
        left = "document.querySelectorAll('#list li:not([hidden]) bdi')"
        shown = f"Array.from({left}).map((name) => name.textContent).join(' ')"
        assert await tab.run(shown) == "r3 r1"
        assert await tab.run("document.querySelector('#search-count').textContent") == "2 of 4"
        await tab.press("Enter")
        assert await tab.run(OPEN) == "p-0-0"
        await tab.press("Escape")
        assert await tab.run("document.querySelectorAll('#list li:not([hidden])').length") == 4
        await tab.press("?")
        assert await tab.run("document.querySelector('#keys').open") is True
        await tab.run("document.querySelector('#keys').close()")
        # The theme goes round.
        colours = set()
        for _ in range(3):
            await tab.click("#theme-button")
            colours.add(await tab.run("getComputedStyle(document.body).backgroundColor"))
        assert len(colours) == 2

    in_browser(tmp_path, page, visit)


def test_a_link_from_outside_opens_the_page_at_its_place(tmp_path: Path) -> None:
    page = written(tmp_path, variant("r0"), variant("r1"))

    async def visit(tab: Tab) -> None:
        assert await tab.run(OPEN) == "p-0-1"
        top = "document.getElementById('q-0-1.5.1').getBoundingClientRect().top"
        assert 0 < await tab.run(top) < await tab.run("innerHeight")

    in_browser(tmp_path, page, visit, "#q-0-1.5.1")


@pytest.mark.parametrize("width", [360, 800, 1400])
def test_nothing_is_wider_than_the_window(tmp_path: Path, width: int) -> None:
    judges = [ScriptedModel(f"scripted:a-judge-with-a-long-name-{n}") for n in range(4)]
    page = written(tmp_path, variant("an-id-without-any-blank-" * 6), judges=judges)

    async def visit(tab: Tab) -> None:
        await tab.size(width)
        for fragment in ("#s-top", "#p-0-0"):
            await tab.run(f"location.hash = {fragment!r}")
            await tab.run("new Promise((done) => setTimeout(done, 50))")
            assert await tab.run("document.documentElement.scrollWidth") <= width, fragment
        if width == 360:
            assert await tab.run("getComputedStyle(document.querySelector('#list')).display") == "none"
            await tab.click("#list-button")
            assert await tab.run("getComputedStyle(document.querySelector('#list')).display") == "block"

    in_browser(tmp_path, page, visit)


def test_no_hostile_text_runs_or_hides_anything(tmp_path: Path) -> None:
    responses = []
    for text in HOSTILE.values():
        steps: dict[str, str | list[str]] = {
            step.id: [text, "an idea"] if step.items is not None else f"{text} a step"
            for step in cgpst().steps
        }
        responses.append(variant(f"id {text}", steps, column=text))

    def answer(request: ChatRequest) -> str:
        return saying(" ".join(HOSTILE.values())[:500], HOSTILE["script"], HOSTILE["template"])(request)

    page = written(tmp_path, *responses, analyst=ScriptedModel("scripted:<b>a", answer=answer))

    async def visit(tab: Tab) -> None:
        for n in range(len(responses)):
            await tab.run(f"location.hash = '#p-0-{n}'")
            await tab.run("new Promise((done) => setTimeout(done, 30))")
            assert await tab.run(OPEN) == f"p-0-{n}"
        assert await tab.run("window.ran") is None
        assert (
            await tab.run("document.querySelectorAll('body script:not([type]), body img, body svg').length")
            == 1
        )
        assert await tab.run("getComputedStyle(document.querySelector('main')).display") == "block"
        # A script that is put in later may not run either: the policy stands behind the escaping.
        await tab.run(
            "document.body.append(Object.assign(document.createElement('script'), {text: 'window.ran=2'}))"
        )
        assert await tab.run("window.ran") is None
        assert any("Content Security Policy" in one for one in tab.said)
        tab.said.clear()

    in_browser(tmp_path, page, visit)


def test_printing_gives_the_summary_and_the_chosen_response_or_all(tmp_path: Path) -> None:
    page = written(tmp_path, *(variant(f"r{n}") for n in range(3)))

    async def visit(tab: Tab) -> None:
        one = await tab.print()
        await tab.run("window.print = () => {}")
        await tab.run("document.querySelector('#print-button').click()")
        assert await tab.run("document.querySelectorAll('#all article').length") == 3
        everything = await tab.print()
        assert everything.startswith(b"%PDF")
        assert len(everything) > 1.5 * len(one)
        await tab.run("window.dispatchEvent(new Event('afterprint'))")
        assert await tab.run("document.querySelectorAll('#all article').length") == 0
        assert await tab.run(OPEN) == "p-0-1"

    in_browser(tmp_path, page, visit, "#p-0-1")


def test_two_hundred_booklets_open_and_turn(tmp_path: Path) -> None:
    page = written(tmp_path, *(variant(f"booklet-{n:03}") for n in range(200)))
    began = time.monotonic()

    async def visit(tab: Tab) -> None:
        loaded = await tab.run("performance.timing.loadEventEnd - performance.timing.navigationStart")
        turned = await tab.run(
            "(() => { const t = performance.now(); location.hash = '#p-0-199'; "
            "return new Promise((done) => setTimeout(() => { document.body.offsetHeight; "
            "done(performance.now() - t); }, 0)); })()"
        )
        assert await tab.run(OPEN) == "p-0-199"
        assert await tab.run("document.querySelectorAll('#list li').length") == 200
        size = page.stat().st_size / 1e6
        print(f"{size:.1f} MB: loaded in {loaded:.0f} ms, a page opened in {turned:.0f} ms")

    in_browser(tmp_path, page, visit)
    print(f"with the browser's start {time.monotonic() - began:.1f} s")
