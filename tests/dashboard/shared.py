"""Spaces: share a memory, see what is in a space, decide about a proposal, and withdraw."""

import httpx
from playwright.sync_api import expect

from dashboard.browser import View

TEXT = "The shelf labels of Larder are printed on Tuesdays."


def test_a_memory_is_shared_decided_about_and_withdrawn(
    view: View, ids: dict[str, str], client: httpx.Client
) -> None:
    page = view.page
    memory = client.post("/api/memory/remember", json={"content": TEXT}).json()["id"]
    for name, review in (("labels", False), ("board", True)):
        client.post("/api/spaces", json={"name": name, "review": review})
    view.go(f"/#/memories?id={memory}&part=access")
    page.get_by_role("button", name="Share in labels").click()
    page.get_by_text("in the space labels").wait_for()
    page.get_by_label("Space", exact=True).select_option("labels")
    expect(page.locator("main .row")).to_have_count(1)
    expect(page.locator("main .row")).to_contain_text("default in labels")
    page.get_by_role("button", name="Withdraw").click()
    page.get_by_text("and is shared.").wait_for()
    assert client.get(f"/api/memory/{memory}").json()["visibility"] == "global"

    page.get_by_role("button", name="Share in board").click()
    page.get_by_text("proposed · default in board").wait_for()
    view.go("/#/memories?space=board")
    page.get_by_text(TEXT).wait_for()
    page.get_by_role("button", name="Approve").click()
    expect(page.locator("main .row")).to_have_count(1)
    assert client.get(f"/api/memory/{memory}").json()["visibility"] == "space:board"
    for name in ("labels", "board"):
        client.delete(f"/api/spaces/{name}")
    client.delete(f"/api/memory/{memory}?reason=x&erase=1")
