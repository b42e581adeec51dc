"""What runs programs or changes who is trusted: the page asks, and opened by its address it says how to open it."""

import httpx
from playwright.sync_api import expect

from cli.program import Program
from dashboard.browser import View
from support.processes import eventually

TASK = {"name": "Tidy", "prompt": "Look for stale notes", "cronExpression": "0 9 * * *"}


def _add_task(view: View) -> None:
    view.go("/#/engine/tasks")
    view.page.locator("summary", has_text="Add a task").click()
    form = view.page.locator("details[open] form")
    for name, value in TASK.items():
        form.locator(f"[name={name}]").fill(value)
    form.get_by_label("Without permission prompts").check()
    form.locator("button.primary").click()


def test_what_is_declined_does_not_happen(view: View, client: httpx.Client) -> None:
    sent: list[str] = []
    view.page.on("request", lambda request: sent.append(f"{request.method} {request.url}"))
    _add_task(view)
    dialog = view.page.get_by_role("dialog", name="Allow this?")
    expect(dialog).to_contain_text("This will add a task, which runs an agent on a schedule")
    for text in (*TASK.values(), "claude-code", "skipPermissions: true"):
        expect(dialog).to_contain_text(text)
    assert view.violations() == []
    dialog.get_by_role("button", name="Cancel").click()
    view.dismiss("Nothing was changed.")
    view.page.locator("details[open] form button.primary").click()
    dialog.wait_for()
    view.press("Escape")
    view.page.get_by_text("Nothing was changed.").wait_for()
    assert client.get("/api/tasks").json()["tasks"] == []
    assert not any("confirm" in one for one in sent)


def test_settings_are_asked_about(view: View, client: httpx.Client, daemon: Program) -> None:
    view.go("/#/settings/agent?find=mask_secrets")
    view.page.get_by_role("checkbox").click()
    view.allow("This will change memory.mask_secrets", "off", "now: on")
    view.page.get_by_text("is changed").wait_for()
    assert "mask_secrets: false" in (daemon.workspace / "agent.yaml").read_text()
    assert client.patch("/api/config", json={"set": {"memory.mask_secrets": True}}).is_success
    # The form has the file as it was before that change.
    view.page.reload()
    view.go("/#/settings/agent?find=search.top_k")
    view.page.get_by_role("spinbutton").fill("30")
    view.press("Enter")
    view.allow("This will change search.top_k", "30")
    eventually(lambda: "top_k: 30" in (daemon.workspace / "agent.yaml").read_text())


def test_a_page_opened_by_its_address_reads_and_changes_memory_and_runs_nothing(
    typed: View, ids: dict[str, str], client: httpx.Client
) -> None:
    desk = next(text for text in ids if "desk" in text)
    typed.go(f"/#/memories?id={ids[desk]}")
    expect(typed.page.locator(".panel")).to_contain_text("second floor")
    typed.go("/#/settings/access")
    expect(typed.page.get_by_role("main")).to_contain_text("open it with signet dashboard")
    _add_task(typed)
    typed.page.get_by_text("open the dashboard with: signet dashboard").wait_for()
    assert client.get("/api/tasks").json()["tasks"] == []
