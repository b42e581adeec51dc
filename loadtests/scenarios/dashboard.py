"""What the dashboard costs: bytes, requests, and how long a person waits, in Debian's Chromium over 10,000 memories.

The browser is driven as a person would; times are the page's own (`performance`), from a new profile each round.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from loadtests import fill, measure, stack
from loadtests.corpus import Corpus
from loadtests.report import Options, Report
from playwright.sync_api import Browser

sys.path.append(str(stack.ROOT / "tests"))

from dashboard.browser import View, chromium, viewing
from dashboard.sizes import sizes

ROUNDS = 20
MEMORIES = 10_000
QUESTIONS = 12
#: What is typed into the search, a few words each.
WORDS = "database deploy kitchen harbour backup team meeting"
IDLE_SECONDS = 30.0

_FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
_BYTES = (
    "performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))"
    ".reduce((sum, one) => sum + one.decodedBodySize, 0)"
)


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(("what", "p50 ms", "p95 ms"))
    shell, everything = sizes()
    report.figures |= {"shell_gzip_bytes": shell, "all_gzip_bytes": everything}
    with stack.Stack(options.folder / "ws", settings=fill.NO_MODEL) as daemon:
        fill.memories(daemon.workspace, Corpus(options.seed), options.count or MEMORIES, jobs=False)
        daemon.start(stack.API, stack.WORKER, stack.SCHEDULER)
        base = f"http://127.0.0.1:{daemon.port}"
        with chromium() as browser:
            _open(report, browser, base, options.rounds or ROUNDS)
            _use(report, browser, base)
    return report


def _open(report: Report, browser: Browser, base: str, rounds: int) -> None:
    paint, complete, asked, sent = [], [], [], []
    for _ in range(rounds):
        with viewing(browser, base) as view:
            view.go("/")
            view.page.locator(".entry").first.wait_for()
            view.page.get_by_text("Nothing. Everything works.").wait_for()
            complete.append(float(view.run("performance.now()")))
            paint.append(float(view.run(_FIRST_PAINT)))
            asked.append(len(view.asked))
            sent.append(float(view.run(_BYTES)))
    _row(report, "first_paint", paint)
    _row(report, "today_complete", complete)
    report.figures |= {"today_requests": max(asked), "today_kb": measure.median(sent) / 1_000}


def _use(report: Report, browser: Browser, base: str) -> None:
    with viewing(browser, base) as view:
        view.go("/#/memories")
        rows = view.page.locator(".row")
        rows.first.wait_for()
        _row(report, "memory_opens", [_opens(view, at) for at in range(QUESTIONS)])
        _row(report, "key_to_result", [_answer(view, at) for at in range(QUESTIONS)])
        view.go("/#/memories")
        for room in ("sessions", "memories"):
            view.go(f"/#/{room}")
        _row(report, "room_switch", [_switch(view) for _ in range(QUESTIONS)])
        _row(report, "event_to_screen", list(_events(view, base)))
        view.go("/#/today")
        before = len(view.asked)
        view.page.wait_for_timeout(IDLE_SECONDS * 1_000)
        report.figures["idle_requests"] = len(view.asked) - before


def _opens(view: View, at: int) -> float:
    view.page.locator(".row .text").nth(at).evaluate("(one) => one.textContent")
    with _timed() as seconds:
        view.page.locator(".row .text").nth(at).click()
        view.page.locator(".panel .said").wait_for()
    view.page.keyboard.press("Escape")
    view.page.locator(".panel").wait_for(state="detached")
    return seconds() * 1_000


def _answer(view: View, at: int) -> float:
    """Return the time from the last key to the answer, in ms; the page waits 150 of them for another key."""
    words = WORDS.split()
    view.go("/#/memories")
    view.page.locator("main input[type=search]").fill("")
    view.page.locator(".row").first.wait_for()
    field = view.page.locator("main input[type=search]")
    with _timed() as seconds:
        field.fill(f"{words[at % len(words)]} {words[(at * 3 + 1) % len(words)]}")
        view.page.locator(".hit, .empty").first.wait_for()
    return seconds() * 1_000


def _switch(view: View) -> float:
    with _timed() as seconds:
        view.page.get_by_role("link", name="Engine").click()
        view.page.get_by_role("link", name="Overview").wait_for()
    view.page.get_by_role("link", name="Memories").first.click()
    view.page.locator(".row").first.wait_for()
    return seconds() * 1_000


def _events(view: View, base: str) -> Iterator[float]:
    for at in range(QUESTIONS):
        text = f"Lantern {at} hangs above the door."
        with _timed() as seconds:
            view.page.request.post(f"{base}/api/memory/remember", data={"content": text})
            view.page.get_by_text(text).first.wait_for()
        yield seconds() * 1_000


@contextmanager
def _timed() -> Iterator[Callable[[], float]]:
    began = time.monotonic()
    ended: list[float] = []
    yield lambda: ended[0] - began
    ended.append(time.monotonic())


def _row(report: Report, name: str, values: list[float]) -> None:
    middle, most = measure.median(values), measure.percentile(values, 95)
    report.rows.append([name, middle, most])
    report.figures |= {f"{name}_p50": middle, f"{name}_p95": most}
