"""What is added and removed in the page, an earlier day beside now, a line around memories, and the log as it grows."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from dashboard.browser import View
from support.processes import eventually

DESK = "Mira's desk is by the window on the second floor."


def _add(page: Page, what: str, **typed: str) -> None:
    """Fill in a form that is folded, and send it."""
    page.locator("summary", has_text=what).click()
    form = page.locator("details[open] form")
    for name, value in typed.items():
        form.locator(f"[name={name}]").fill(value)
    form.locator("button.primary").click()


def _remove(view: View, name: str) -> None:
    view.page.get_by_role("button", name=f"Remove {name}").click()
    view.allow(name)
    view.dismiss(f"{name} is removed.")


@pytest.mark.own_files
def test_what_is_added_in_the_page_is_there_and_can_be_removed(
    view: View, ids: dict[str, str], client: httpx.Client, tmp_path: Path
) -> None:
    page = view.page
    (tmp_path / "boiler.md").write_text("The boiler is serviced in October.\n")
    view.go("/#/settings/sources")
    _add(page, "Add a folder", folder=str(tmp_path))
    view.allow("This will read the files of a folder into memory", str(tmp_path))
    page.locator("tr", has_text="boiler.md").get_by_text("done").wait_for()
    _remove(view, tmp_path.name)
    assert client.get("/api/connectors").json()["count"] == 0

    view.go("/#/settings/secrets")
    _add(page, "Keep a secret", name="BOILER_KEY", value="4711")
    view.allow("This will store a secret", "BOILER_KEY")
    _remove(view, "BOILER_KEY")
    assert "4711" not in page.content()

    # What the daemon refuses is said in its words, and nothing that was typed is lost.
    view.go("/#/engine/tasks")
    _add(page, "Add a task", name="Tidy", prompt="Look for stale notes", cronExpression="whenever")
    view.allow("This will add a task", "Look for stale notes", "claude-code", "whenever")
    page.locator(".toast.bad-edge").wait_for()
    expect(page.locator("[name=prompt]")).to_have_value("Look for stale notes")


def test_an_earlier_day_is_compared_with_now(
    view: View, ids: dict[str, str], client: httpx.Client
) -> None:
    body = {"content": DESK[:-1] + ", at last.", "reason": "moved"}
    assert client.patch(f"/api/memory/{ids[DESK]}", json=body).is_success
    then = (datetime.now(UTC) - timedelta(days=15)).isoformat()
    view.go("/#/memories?bar=1")
    slider = view.page.get_by_label("Show what was believed")
    slider.focus()
    for _ in range(10):
        view.press("ArrowLeft")
    since = view.page.locator(".timebar p")
    expect(since).to_contain_text(
        re.compile(r"Since then [1-9]\d* added, \d+ corrected, \d+ forgotten")
    )
    row = view.page.locator(".row", has_text=DESK)
    expect(row).to_contain_text("changed since")
    listed = client.get("/api/memories", params={"as_of": then}).json()["memories"]
    assert [one["content"] for one in listed] == [DESK]
    row.get_by_text("changed since").click()
    expect(view.page.locator(".panel .diff ins")).to_contain_text("at last")
    client.patch(f"/api/memory/{ids[DESK]}", json={"content": DESK, "reason": "moved back"})


def test_the_log_is_followed_and_stands_still(
    view: View, ids: dict[str, str], client: httpx.Client
) -> None:
    view.go("/#/engine/logs")
    lines = view.page.locator(".log li")
    lines.first.wait_for()
    view.page.get_by_role("button", name="Pause").click()
    shown = lines.count()
    client.post("/api/secrets/LAMP_KEY", json={"value": "4712"})
    expect(view.page.get_by_role("status").filter(has_text="new")).to_have_text(re.compile("[1-9]"))
    assert lines.count() == shown
    view.page.get_by_role("button", name="Continue").click()
    client.delete("/api/secrets/LAMP_KEY")
    eventually(lambda: lines.filter(has_text="secret").count() >= 2)
