"""What goes wrong for a while is said in words, and heals by itself: too much to do, a daemon that comes again."""

import os
import re
import signal
from itertools import cycle

import httpx
from playwright.sync_api import Route, expect

from dashboard.browser import View
from support.processes import PATIENCE_SECONDS

#: What each view asks first, and what it shows when the answer is there.
ASKED = {
    "/#/memories": ("**/api/memories?*limit=100*", "The team decided to use SQLite"),
    "/#/sessions": ("**/api/sessions?*", "claude-code"),
    "/#/engine/queue": ("**/api/jobs?*", "done"),
    "/#/engine/predictor": ("**/api/evaluation", "Learning from use"),
}
#: Answers in which nothing is, and what lists say of them, with and without filters.
EMPTY: tuple[tuple[str, dict[str, object], dict[str, str]], ...] = (
    (
        "**/api/memories?*limit=100*",
        {"memories": [], "next": None},
        {
            "/#/memories": "Nothing is remembered yet",
            "/#/memories?state=forgotten": "Nothing is forgotten",
            "/#/memories?state=archived": "Nothing is archived",
            "/#/memories?state=archived&type=rule": "No memory passes these filters",
        },
    ),
    (
        "**/api/sessions?*",
        {"sessions": [], "next": None},
        {
            "/#/sessions": "No session yet",
            "/#/sessions?harness=zed": "No session passes these filters",
        },
    ),
    (
        "**/api/jobs?*",
        {"jobs": []},
        {
            "/#/engine/queue": "All done",
            "/#/engine/queue?status=dead": "No job has failed",
            "/#/engine/queue?status=dead&code=timeout": "No job passes these filters",
            "/#/engine/queue?status=completed": "No job passes these filters",
        },
    ),
    (
        "**/api/knowledge/graph?*",
        dict.fromkeys(
            "ids names kinds mentions communities pinned kindNames communityNames sources targets".split(),
            (),
        )
        | {"total": 0},
        {
            "/#/map": "No name yet",
            "/#/map?kind=person": "No name passes these filters",
            "/#/map?least=9": "No name passes these filters",
        },
    ),
)
BUSY = {429: "Too many requests: wait a moment", 503: "The database is busy"}


def test_a_daemon_that_has_too_much_to_do_is_asked_again(view: View, ids: dict[str, str]) -> None:
    for (status, said), (address, (asked, shown)) in zip(cycle(BUSY.items()), ASKED.items()):

        def refuse(route: Route, *, status: int = status, said: str = said) -> None:
            body = {"error": said, "code": "busy"}
            route.fulfill(status=status, json=body, headers={"retry-after": "1"})

        view.page.route(asked, refuse)
        view.go(address)
        alert = view.page.get_by_role("alert").filter(has_text=said)
        expect(alert).to_contain_text("Asking again")
        assert view.violations() == [], address
        view.page.unroute(asked)
        view.page.get_by_text(shown).locator("visible=true").first.wait_for()
        expect(alert).to_have_count(0)


def test_an_empty_list_says_why_it_is_empty(view: View, ids: dict[str, str]) -> None:
    for asked, nothing, shown in EMPTY:

        def answer(route: Route, *, nothing: dict[str, object] = nothing) -> None:
            route.fulfill(json=nothing)

        view.page.route(asked, answer)
        for address, said in shown.items():
            view.go(address)
            view.page.get_by_role("heading", name=said).wait_for()
        view.page.unroute(asked)
    view.go("/#/settings/agent?find=nothing+of+this+name")
    view.page.get_by_role("heading", name="No setting passes these filters").wait_for()


def test_work_that_only_takes_time_needs_nobody(view: View, client: httpx.Client) -> None:
    report = client.get("/api/diagnostics").json()
    report["composite"]["help"] = [
        {"domain": domain, "reason": reason, "command": command, "points": 0.3, "passes": passes}
        for domain, reason, command, passes in (
            ("queue", "90 jobs wait", "signet jobs watch", True),
            ("storage", "the disk is full", "df -h", False),
        )
    ]
    view.page.route("**/api/diagnostics", lambda route: route.fulfill(json=report))
    view.go("/")
    needs = view.page.locator("section", has=view.page.get_by_role("heading", name="Needs you"))
    expect(needs.get_by_role("listitem")).to_have_text(
        [re.compile("the disk is full", re.IGNORECASE)]
    )
    view.page.unroute("**/api/diagnostics")


def test_what_is_shown_stays_while_the_daemon_does_not_answer(
    view: View, ids: dict[str, str], client: httpx.Client
) -> None:
    view.go("/#/memories")
    rows = view.page.locator(".row")
    rows.first.wait_for()
    view.page.route("**/api/memories?*", lambda route: route.abort())
    text = "The stairs creak on the third step."
    client.post("/api/memory/remember", json={"content": text})
    expect(view.page.locator(".stale").first).to_contain_text("does not answer")
    assert rows.count() > 5
    view.page.unroute("**/api/memories?*")
    view.page.locator(".row", has_text=text).wait_for()
    expect(view.page.locator(".stale")).to_have_count(0)


def test_a_cut_stream_is_mended_and_nothing_is_missed(
    view: View, ids: dict[str, str], client: httpx.Client
) -> None:
    view.go("/")
    dot = view.page.locator(".dot").first
    expect(dot).to_have_text("Signet is running")
    view.page.route("**/api/events", lambda route: route.abort())
    processes = client.get("/api/status").json()["processes"]
    os.kill(next(one["pid"] for one in processes if one["name"] == "api"), signal.SIGKILL)
    expect(dot).to_have_text("Reconnecting")
    text = "The lamp over the door was changed."
    with httpx.Client(transport=httpx.HTTPTransport(retries=20), base_url=view.base) as again:
        again.post("/api/memory/remember", json={"content": text}, timeout=PATIENCE_SECONDS)
    expect(view.page.locator(".entry", has_text=text)).to_have_count(0)
    view.page.unroute("**/api/events")
    view.page.locator(".entry", has_text=text).wait_for()
    expect(dot).to_have_text("Signet is running")
