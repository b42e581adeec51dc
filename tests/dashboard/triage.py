"""Saying what is worth keeping, with keys; and all that match."""

import re
from concurrent.futures import ThreadPoolExecutor

import httpx
from playwright.sync_api import expect

from dashboard.browser import View
from support.processes import eventually

SAID = "The lighthouse of Port Ellen is {}."


def _saved(client: httpx.Client, text: str, **body: object) -> str:
    return str(client.post("/api/memory/remember", json={"content": text, **body}).json()["id"])


def test_new_memories_are_kept_rejected_and_faded_with_keys(
    view: View, ids: dict[str, str], client: httpx.Client
) -> None:
    found = {one: _saved(client, SAID.format(one)) for one in ("red", "old", "shut")}
    view.go("/#/today?triage=1")
    view.press("Escape")
    view.go("/#/today?triage=1")
    said = view.page.locator(".triage .said")
    for word, key, done in (("shut", "1", "Kept"), ("old", "2", "Forgotten"), ("red", "3", "half")):
        expect(said).to_have_text(SAID.format(word))
        view.press(key)
        view.page.locator(".toast", has_text=done).wait_for()
    eventually(lambda: client.get(f"/api/memory/{found['old']}").status_code == 404)
    assert client.get(f"/api/memory/{found['red']}").json()["importance"] < 0.5
    expect(said).not_to_have_text(SAID.format("red"))
    view.press("z")
    expect(said).to_have_text(SAID.format("red"))


def test_all_that_match_are_forgotten_by_the_daemon_and_come_back(
    view: View, ids: dict[str, str], client: httpx.Client
) -> None:
    crates = [f"Crate {number} stands in bay {number * 7}." for number in range(230)]
    with ThreadPoolExecutor(8) as many:
        list(many.map(lambda text: _saved(client, text, who="Storekeeper"), crates))
    kept = _saved(client, "The key of the bays hangs by the door.", who="Storekeeper", pinned=True)

    def left() -> int:
        asked: dict[str, str | int] = {"who": "Storekeeper", "total": 1, "limit": 1}
        return int(client.get("/api/memories", params=asked).json()["total"])

    view.go("/#/memories?who=Storekeeper&q=crate")
    view.page.locator(".row .tick").first.check()
    view.page.get_by_role("button", name="All that match").click()
    view.page.get_by_text("230 memories chosen").wait_for()
    view.page.get_by_role("button", name="Forget", exact=True).click()
    view.page.get_by_text("(holds crate)").first.wait_for()
    view.page.get_by_role("button", name="Not these").click()
    view.page.get_by_role("button", name="Clear", exact=True).click()
    view.go("/#/memories?who=Storekeeper")
    view.page.locator(".row .tick").first.check()
    view.page.get_by_role("button", name="All that match").click()
    view.page.get_by_text("231 memories chosen").wait_for()
    view.page.get_by_label("Add a tag").fill("bay")
    view.press("Enter")
    view.page.get_by_text("231 memories have the tag bay").wait_for()
    assert client.get(f"/api/memory/{kept}").json()["tags"] == "bay"
    view.press("z")
    # All of it is taken back: what changes between the preview and the forgetting would stay.
    view.page.locator(".toast", has_text="Undone.").wait_for()
    assert not client.get(f"/api/memory/{kept}").json()["tags"]
    view.page.locator(".row .tick").first.check()
    view.page.get_by_role("button", name="All that match").click()
    view.page.get_by_text("231 memories chosen").wait_for()
    view.page.get_by_role("button", name="Forget", exact=True).click()
    view.page.get_by_text("231 memories would go, but 1 pinned").wait_for()
    view.page.get_by_role("button", name=re.compile("Forget 230")).click()
    view.page.get_by_text("230 memories forgotten").wait_for()
    assert left() == 1 and client.get(f"/api/memory/{kept}").status_code == 200
    view.press("z")
    eventually(lambda: left() == 231)
