"""Cost of the dashboard: bytes, requests, and waiting times, in Debian's Chromium over 10,000 memories.

The page is driven and timed from within (`performance`): from an action until its result is painted. Each opening of
Today uses a new profile.
"""

import itertools
import json
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator

from loadtests import fill, measure, stack
from loadtests.corpus import Corpus
from loadtests.report import Options, Report
from playwright.sync_api import Browser, Request, Route

sys.path.append(str(stack.ROOT / "tests"))

from dashboard.browser import Theme, View, chromium, viewing
from dashboard.sizes import sizes
from dashboard.views import VIEWS

ROUNDS = 20
MEMORIES = 10_000
#: Rows of the scrolled list; entities and edges of the moved map.
ROWS, ENTITIES, EDGES = 50_000, 5_000, 10_000
WALKS = 3
FRAMES = 60
#: Wheel distance until entities replace their communities.
NEARER = -800
#: Search texts, a few words each.
WORDS = "database deploy kitchen harbour backup team meeting"
IDLE_SECONDS = 300.0
#: Milliseconds without activity after which a page is at rest.
QUIET_MS = 5_000.0
GRAPH = "/api/knowledge/graph"

_FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
_BYTES = (
    "performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))"
    ".reduce((sum, one) => sum + one.decodedBodySize, 0)"
)
#: Records when (ms) the page last changed.
_CHANGED = """
addEventListener("DOMContentLoaded", () => new MutationObserver(() => { window.changed = performance.now(); })
  .observe(document.body, { subtree: true, childList: true, characterData: true }));
"""
#: Resolves to the time (ms) from an action until a test holds and is painted, and fails after a minute.
_SEEN = """((act, test) => new Promise((done, fail) => {
  setTimeout(() => fail(new Error("not seen: " + test)), 60_000);
  const began = performance.now();
  const painted = () => requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
  const look = () => test() && (watch.disconnect(), painted());
  const watch = new MutationObserver(look);
  watch.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  act();
  look();
}))"""
_NEXT_FRAME = (
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))"
)


def run(options: Options) -> Report:
    """Measure and report."""
    report = Report(("what", "least ms", "p50 ms", "p95 ms"))
    shell, everything = sizes()
    report.figures |= {"shell_gzip_bytes": shell, "all_gzip_bytes": everything}
    with stack.Stack(options.folder / "ws", settings=fill.NO_MODEL) as daemon:
        fill.memories(daemon.workspace, Corpus(options.seed), options.count or MEMORIES, jobs=False)
        fill.entities(daemon.workspace, ENTITIES, EDGES)
        daemon.start(stack.API, stack.WORKER, stack.SCHEDULER)
        base = f"http://127.0.0.1:{daemon.port}"
        rounds = options.rounds or ROUNDS
        with chromium() as browser:
            _open(report, browser, base, rounds)
            _walk(report, browser, base, daemon.api or 0)
            _use(report, browser, base, rounds)
            _draw(report, browser, base)
            _idle(report, browser, base)
    return report


def _open(report: Report, browser: Browser, base: str, rounds: int) -> None:
    paint, complete, asked, sent = [], [], [], []
    for _ in range(rounds):
        with viewing(browser, base) as view:
            view.page.add_init_script(_CHANGED)
            view.go("/")
            view.page.locator(".entry").first.wait_for()
            view.page.locator(".dot.good").first.wait_for()
            complete.append(float(view.run("window.changed")))
            paint.append(float(view.run(_FIRST_PAINT)))
            asked.append(len(view.asked))
            sent.append(float(view.run(_BYTES)))
    _row(report, "first_paint", paint)
    _row(report, "today_complete", complete)
    report.figures |= {"today_requests": max(asked), "today_kb": measure.median(sent) / 1_000}


def _walk(report: Report, browser: Browser, base: str, api: int) -> None:
    """Visit every view: time its requests, measure the API's memory, and find violations."""
    took: dict[str, list[float]] = defaultdict(list)
    sent: dict[str, int] = defaultdict(int)

    def note(request: Request) -> None:
        path = request.url.removeprefix(base).partition("?")[0]
        if request.method == "GET" and path.startswith(("/api/", "/memory/", "/health")):
            took[path].append(request.timing["responseStart"] - request.timing["requestStart"])
            sent[path] = max(sent[path], request.sizes()["responseBodySize"])

    before = measure.resident_mb([api])
    with viewing(browser, base) as view:
        view.page.on("requestfinished", note)
        for at in range(WALKS):
            list(_visit(view))
            if at == 0:
                report.figures["api_grows_mb"] = measure.resident_mb([api]) - before
    wrong = [one for theme in ("light", "dark") for one in _wrong(browser, base, theme)]
    waits = {path: measure.percentile(times, 95) for path, times in took.items()}
    slowest = max((path for path in waits if path != GRAPH), key=lambda path: waits[path])
    largest = max(sent, key=lambda path: sent[path])
    report.figures |= {
        "slowest_get_p95": waits[slowest],
        "graph_get_p95": waits[GRAPH],
        "largest_get_kb": sent[largest] / 1_000,
        "violations": len(wrong),
    }
    report.notes += [f"slowest {slowest}, largest {largest}", *wrong[:5]]


def _visit(view: View) -> Iterator[str]:
    view.go("/#/memories")
    id_ = view.run("document.querySelector('.row a').hash.split('id=')[1]")
    for address in VIEWS:
        view.go(address.format(id=id_))
        yield address


def _wrong(browser: Browser, base: str, theme: Theme) -> Iterator[str]:
    with viewing(browser, base, theme=theme) as view:
        for address in _visit(view):
            yield from (f"{address}: {one}" for one in view.violations())
        yield from (*view.said, *view.reports(), *view.strangers())


def _use(report: Report, browser: Browser, base: str, rounds: int) -> None:
    with viewing(browser, base) as view:
        view.go("/#/memories")
        view.page.locator(".row").first.wait_for()
        _row(report, "memory_opens", [_opens(view, at) for at in range(rounds)])
        _row(report, "key_to_result", [_answer(view, at) for at in range(rounds)])
        view.go("/#/engine")
        _row(report, "room_switch", [_switch(view) for _ in range(rounds)])
        view.go("/#/today")
        view.page.locator(".dot.good").first.wait_for()
        _row(report, "event_to_screen", [_event(view, at) for at in range(rounds)])


def _seen(view: View, act: str, test: str) -> float:
    return float(view.run(f"{_SEEN}(() => {{ {act} }}, () => {test})"))


def _shown(selector: str) -> str:
    return f"document.querySelector({json.dumps(selector)})"


def _opens(view: View, at: int) -> float:
    """Return the time until a memory and its history are shown."""
    row = f"document.querySelectorAll('.row a')[{at % 10}].click()"
    waited = _seen(view, row, _shown(".panel .changes li"))
    view.page.keyboard.press("Escape")
    view.page.locator(".panel").wait_for(state="detached")
    return waited


def _answer(view: View, at: int) -> float:
    """Return the ms from the last key to the answer, including the page's 150 ms wait for another key."""
    words = WORDS.split()
    view.go("/#/memories")
    view.page.locator(".row").first.wait_for()
    question = f"{words[at % len(words)]} {words[(at * 3 + 1) % len(words)]} {at}"
    field = "const field = document.querySelector('main input[type=search]')"
    key = f"{field}; field.value = {question!r}; field.dispatchEvent(new Event('input', {{ bubbles: true }}))"
    return _seen(view, key, _shown(".hit, .empty"))


def _switch(view: View) -> float:
    view.page.locator(".rooms a", has_text="Memories").click()
    view.page.locator(".row").first.wait_for()
    link = "document.querySelector('.rooms a[href=\"#/engine\"]').click()"
    return _seen(view, link, _shown(".cards .card"))


def _event(view: View, at: int) -> float:
    text = f"Lantern {at} hangs above the door {time.monotonic_ns()}."
    body = f"JSON.stringify({{ content: {text!r} }})"
    headers = "{ 'content-type': 'application/json' }"
    save = f"void fetch('/api/memory/remember', {{ method: 'POST', headers: {headers}, body: {body} }})"
    return _seen(view, save, f"document.querySelector('main').textContent.includes({text!r})")


def _draw(report: Report, browser: Browser, base: str) -> None:
    """Measure script time per frame of a very long list, and of a large map."""
    with viewing(browser, base) as view:
        _stand_in(view, "**/api/memories?*limit=100*", _rows())
        view.go("/#/memories")
        view.page.locator(".row").first.wait_for()
        scroll = "document.getElementById('main').scrollTop += 600"
        _row(report, "scroll_script", list(_frames(view, lambda: view.run(scroll))))
    with viewing(browser, base) as view:
        view.page.route(f"**{GRAPH}?*", _all_entities)
        view.go("/#/map?least=1")
        view.page.locator(".picture canvas").first.wait_for()
        view.page.get_by_text(f"{ENTITIES:,}").first.wait_for()
        # Until the layout is stable, its worker sends new positions now and then.
        scripts, ran = _scripts(view), -1.0
        while (now := scripts()) != ran:
            ran = now
            view.page.wait_for_timeout(QUIET_MS)
        view.page.mouse.move(500, 400)
        # Zoomed out, a graph with communities is a few discs.
        view.page.mouse.wheel(0, NEARER)
        view.page.mouse.down()
        places = itertools.cycle(range(500, 600, 5))
        moves = _frames(view, lambda: view.page.mouse.move(next(places), 400))
        _row(report, "map_script", list(moves))


def _all_entities(route: Route) -> None:
    """Let the page draw more entities than it requests."""
    route.continue_(url=re.sub(r"limit=\d+", f"limit={ENTITIES}", route.request.url))


def _frames(view: View, act: Callable[[], object]) -> Iterator[float]:
    """Yield the script time (ms) after each action until the next frame."""
    scripts = _scripts(view)
    for _ in range(FRAMES):
        before = scripts()
        act()
        view.run(_NEXT_FRAME)
        yield (scripts() - before) * 1_000


def _scripts(view: View) -> Callable[[], float]:
    """Return the processor time (s) that scripts have used on a page.

    Not wall-clock time: without a graphics processor the drawing uses both processors, and scripts wait.
    """
    session = view.page.context.new_cdp_session(view.page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def ran() -> float:
        found = session.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in found if one["name"] == "ScriptDuration"))

    return ran


def _stand_in(view: View, pattern: str, answer: object) -> None:
    def answered(route: Route) -> None:
        route.fulfill(json=answer)

    view.page.route(pattern, answered)


def _rows() -> dict[str, object]:
    at = "2026-05-09T14:02:00.000Z"
    row: dict[str, object] = {"type": "fact", "who": "Mira", "project": None, "tags": None}
    row |= {"origin": "user", "review": None, "superseded_by": None, "deleted_at": None}
    row |= {"says": "fact", "visibility": "global", "agent_id": "default"}
    row |= {"pinned": False, "importance": 0.5, "version": 1, "created_at": at, "updated_at": at}
    texts = (f"Crate {number} stands in bay {number * 7}." for number in range(ROWS))
    rows = [{**row, "id": f"row-{at}", "content": text} for at, text in enumerate(texts)]
    return {"memories": rows, "next": None}


def _idle(report: Report, browser: Browser, base: str) -> None:
    with viewing(browser, base) as view:
        view.go("/")
        view.page.locator(".dot.good").first.wait_for()
        view.page.wait_for_timeout(QUIET_MS)
        before = len(view.asked)
        view.page.wait_for_timeout(IDLE_SECONDS * 1_000)
        report.figures["idle_requests"] = len(view.asked) - before


def _row(report: Report, name: str, values: list[float]) -> None:
    least, middle, most = min(values), measure.median(values), measure.percentile(values, 95)
    report.rows.append([name, least, middle, most])
    report.figures |= {f"{name}_least": least, f"{name}_p50": middle, f"{name}_p95": most}
