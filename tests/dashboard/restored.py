"""What was missed and came back: bypassing a session, and an answer that says what was not searched."""

import httpx
from playwright.sync_api import Route, expect

from dashboard.browser import View
from support.processes import eventually

KEY = "larder-9"


def _is_bypassed(client: httpx.Client) -> bool:
    listed = client.get("/api/sessions", params={"state": "all"}).json()["sessions"]
    return bool(next(one["bypassed"] for one in listed if one["key"] == KEY))


def test_a_running_session_has_a_title_and_is_bypassed(
    view: View, ids: dict[str, str], client: httpx.Client
) -> None:
    call = {"harness": "codex", "sessionKey": KEY, "project": "/home/mira/larder"}
    client.post("/api/hooks/session-start", json=call)
    prompt = "Why do the shelf labels fade? Look at the printer first."
    client.post("/api/hooks/user-prompt-submit", json={**call, "userPrompt": prompt})
    view.go("/#/sessions")
    view.page.locator(".entry", has_text="Why do the shelf labels fade").first.click()
    view.page.get_by_role("heading", name="Why do the shelf labels fade").wait_for()
    bypass = view.page.get_by_role("button", name="Bypass")
    bypass.focus()
    view.press("Enter")
    view.page.locator(".toast", has_text="Bypassed.").wait_for()
    assert _is_bypassed(client)
    bypass.blur()
    view.press("z")
    eventually(lambda: not _is_bypassed(client))
    client.post("/api/sessions/larder-9/forget", json={"mode": "execute", "reason": "tested"})


def test_an_answer_says_that_new_texts_are_not_searched_yet(
    view: View, ids: dict[str, str]
) -> None:
    is_late = True

    def answer(route: Route) -> None:
        if not is_late:
            return route.continue_()
        found = route.fetch()
        return route.fulfill(response=found, json={**found.json(), "incomplete": True})

    view.page.route("**/api/memory/recall", answer)
    view.go("/#/memories?ask=which+database")
    said = view.page.get_by_text("Some new texts are not searched by meaning yet")
    said.wait_for()
    is_late = False
    view.page.get_by_role("button", name="Ask again").click()
    expect(said).to_have_count(0)
    view.page.locator(".hit").first.wait_for()
