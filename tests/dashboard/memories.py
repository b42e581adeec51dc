"""Memories with the keyboard alone, two windows, and texts of strangers."""

import httpx
from playwright.sync_api import Browser, expect

from dashboard.browser import View, viewing
from dashboard.seed import HOSTILE
from support.processes import eventually

RULE = "Always run `make backup` before a deploy of Larder."


def _rows(client: httpx.Client) -> dict[str, dict[str, object]]:
    listed = client.get("/api/memories", params={"limit": 1_000}).json()["memories"]
    return {row["id"]: row for row in listed}


def test_find_read_why_edit_forget_undo_and_recover_with_keys(
    view: View, ids: dict[str, str], client: httpx.Client
) -> None:
    page, id_ = view.page, ids[RULE]
    view.go("/")
    view.press("Escape", "g", "m")
    page.locator("main input[type=search]:focus").wait_for()
    page.keyboard.type("backup before a deploy")
    # What was said of it in a session may be there, too, and before it.
    page.locator("[aria-label=Answers] .hit", has_text="make backup").first.wait_for()
    view.press("Escape", "j", "w")
    expect(page.locator(".panel .body")).to_contain_text(
        "It is number 1 for “backup before a deploy”"
    )

    view.press("e")
    page.get_by_label("Text").wait_for()
    view.press("Control+End", "Backspace")
    page.keyboard.type(" to the Pi.")
    view.press("Control+Enter")
    page.get_by_text("Changed.").wait_for()
    assert client.get(f"/api/memory/{id_}").json()["content"] == f"{RULE[:-1]} to the Pi."
    view.press("z")
    page.get_by_text("Undone.").wait_for()
    assert client.get(f"/api/memory/{id_}").json()["content"] == RULE

    view.press("f")
    page.get_by_text("Forgotten.", exact=True).wait_for()
    assert client.get(f"/api/memory/{id_}").status_code == 404
    view.press("z")
    eventually(lambda: client.get(f"/api/memory/{id_}").status_code == 200)
    assert client.get(f"/api/memory/{id_}").json()["content"] == RULE
    history = client.get(f"/api/memory/{id_}/history").json()["history"]
    own = [one["event"] for one in history if one["changedBy"] == "dashboard"]
    assert own == ["updated", "updated", "deleted", "recovered"]


def test_a_forgotten_memory_is_listed_recovered_and_erased(
    view: View, ids: dict[str, str], client: httpx.Client
) -> None:
    id_ = ids["Mira's desk is by the window on the second floor."]
    client.request("DELETE", f"/api/memory/{id_}", json={"reason": "moved"})
    view.go("/#/memories?state=forgotten")
    view.page.locator(".row", has_text="by the window").wait_for()
    view.press("Escape", "j", "r")
    view.page.get_by_text("Recovered.").wait_for()
    assert client.get(f"/api/memory/{id_}").status_code == 200
    # A document that says it too is named, when it is forgotten and when it is erased.
    seats = (
        "Who sits where. Mira's desk is by the window on the second floor. Jonas sits by the door."
    )
    said = {"source_type": "text", "title": "Seats", "content": seats}
    document = client.post("/api/documents", json=said).json()["id"]
    eventually(lambda: client.get(f"/api/documents/{document}").json()["status"] == "done")
    view.go(f"/#/memories?id={id_}")
    view.page.get_by_role("button", name="Forget", exact=True).click()
    view.page.get_by_text("These still say it: Seats").wait_for()
    view.go("/#/memories?state=forgotten")
    view.page.locator(".row", has_text="by the window").click()
    view.page.get_by_role("button", name="Erase…").click()
    view.page.get_by_role("button", name="Erase", exact=True).click()
    expect(view.page.get_by_label("What may still contain it")).to_contain_text("Seats")
    view.page.get_by_role("button", name="Close", exact=True).click()
    expect(view.page.locator(".row", has_text="by the window")).to_have_count(0)


def test_terms_in_the_field_narrow_the_list_instead_of_being_asked(
    view: View, ids: dict[str, str]
) -> None:
    page = view.page
    view.go("/#/memories")
    field = page.get_by_label("Ask memories")
    field.fill("who:Mira ")
    expect(page.locator(".row", has_text="SQLite for Larder")).to_have_count(1)
    expect(page.locator(".row", has_text="Jonas reviews")).to_have_count(0)
    expect(field).to_have_value("")
    field.fill('type:fact "nine minutes"')
    expect(page.locator(".row")).to_have_count(1)
    eventually(lambda: view.run("location.hash") == "#/memories?who=Mira&type=fact&q=nine+minutes")
    # Without the blank behind it, it may still become another word: it is asked.
    field.fill("type:fact")
    eventually(lambda: "ask=type%3Afact" in view.run("location.hash"))


def test_what_a_removed_agent_knew_is_read_and_remembered_again(
    view: View, client: httpx.Client
) -> None:
    said = "The scout keeps its maps in a tin."
    assert client.post("/api/agents", json={"name": "scout"}).status_code == 201
    client.post("/api/memory/remember", json={"content": said, "agentId": "scout"})
    assert client.delete("/api/agents/scout").status_code == 200
    view.go("/#/memories?state=archived")
    view.page.locator(".row", has_text="in a tin").click()
    panel = view.page.get_by_label("Memory", exact=True)
    expect(panel).to_contain_text("nobody (archived)")
    expect(panel.get_by_role("button", name="Forget")).to_have_count(0)
    panel.get_by_role("button", name="Remember it again").click()
    view.page.get_by_text("Remembered again.").wait_for()
    expect(view.page.locator(".row", has_text="in a tin")).to_have_count(0)
    view.go("/#/memories")
    view.page.locator(".row", has_text="in a tin").wait_for()


def test_who_edits_what_another_window_has_changed_sees_both_texts(
    browser: Browser, base: str, ids: dict[str, str], client: httpx.Client
) -> None:
    text = "Jonas reviews every change to the billing module."
    with viewing(browser, base) as view:
        view.go(f"/#/memories?id={ids[text]}&part=edit")
        client.patch(f"/api/memory/{ids[text]}", json={"content": f"{text} Always.", "reason": "x"})
        view.page.get_by_label("Text").fill(f"{text} On Mondays.")
        view.page.get_by_role("button", name="Save", exact=True).click()
        view.page.get_by_text("has changed. Difference").wait_for()
        expect(view.page.locator(".diff del")).to_have_text("Always")
        view.page.get_by_role("button", name="Save my text").click()
        view.page.locator(".toast", has_text="Changed.").wait_for()
    assert client.get(f"/api/memory/{ids[text]}").json()["content"] == f"{text} On Mondays."


def test_texts_of_strangers_are_texts(view: View, ids: dict[str, str]) -> None:
    view.go("/#/memories")
    for text in HOSTILE:
        view.go(f"/#/memories?id={ids[text]}&part=from")
        said = view.page.locator(".said")
        said.wait_for()
        assert said.locator("*").count() == 0
        view.go(f"/#/memories?id={ids[text]}&part=history")
    view.go("/#/memories?ask=press+here")
    view.page.get_by_text("press here", exact=False).first.wait_for()
    assert view.page.title() == "Memories · Signet"
    assert view.run("[...document.images].every((one) => one.src.startsWith(location.origin))")
    assert view.run("[...document.links].every((one) => one.protocol === location.protocol)")


def test_why_not_and_as_a_prompt(view: View, ids: dict[str, str]) -> None:
    far = ids["Caddy terminates TLS for atlas.example on port 443."]
    view.go(f"/#/memories?ask=nobody+deploys+on+fridays&id={far}&part=why")
    expect(view.page.locator(".panel .body")).to_contain_text("It is no answer to “nobody deploys")
    view.page.get_by_role("button", name="What a prompt gets").click()
    expect(view.page.locator("dialog .block")).to_contain_text(
        "nobody deploys on Fridays", ignore_case=True
    )


def test_looking_changes_nothing(view: View, ids: dict[str, str], client: httpx.Client) -> None:
    before = _rows(client)
    for address in (
        "/#/memories",
        "/#/memories?ask=database",
        f"/#/memories?id={next(iter(ids.values()))}",
    ):
        view.go(address)
    view.press("Control+k")
    view.page.locator(".palette input").wait_for()
    view.page.keyboard.type("deploy larder")
    view.page.locator(".palette [role=option]").nth(2).wait_for()
    assert _rows(client) == before
