"""What was given at a prompt and why, what comes by itself, the map, the files."""

import json
import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import expect

from cli.program import Program
from dashboard.browser import View
from signet.db import Database, WriteTx
from signet.paths import Workspace
from support.processes import eventually

#: How attempts of a job went.
TRIED = (
    {
        "began": "2026-05-01T12:00:00.000Z",
        "at": "2026-05-01T12:00:02.000Z",
        "code": "timeout",
        "text": "no answer",
    },
    {"at": "2026-05-01T12:00:09.000Z", "code": "boom", "text": "it broke"},
)


def test_yesterdays_session_tells_what_was_given_and_why(view: View, ids: dict[str, str]) -> None:
    view.go("/")
    view.press("Escape", "g", "s")
    # The page before has entries, too.
    view.page.get_by_label("Use").wait_for()
    view.page.locator(".entry", has_text="claude-code").first.wait_for()
    for _ in range(view.page.locator(".entry").count()):
        view.press("j")
        if "claude-code" in view.page.locator(".entry:focus").inner_text():
            break
    view.press("Enter")
    view.page.get_by_role("button", name="Prompt 2").wait_for()
    view.press("k", "k", "k", "j", "j")
    shown = view.page.get_by_role("region", name="Prompt 2")
    expect(shown).to_contain_text("How do I deploy Larder")
    expect(shown).to_contain_text("make backup")
    expect(shown).to_contain_text("The migration runs by itself")
    expect(shown).not_to_contain_text("Thursday is better")
    view.page.get_by_role("button", name="Start").click()
    part = view.page.get_by_role("region", name="Start").locator("details", has_text="The date")
    part.locator("summary").click()
    expect(part).to_contain_text("20")
    view.page.get_by_role("button", name="Prompt 2").click()
    view.press("w")
    expect(view.page.locator(".panel .body")).to_contain_text("How do I deploy Larder")
    view.go("/#/sessions?use=given_nothing")
    expect(view.page.locator(".entry")).to_contain_text(["no memories shown"])
    view.page.get_by_label("Use").select_option("None used")
    expect(view.page).to_have_url(re.compile("use=used_nothing"))
    expect(view.page.locator(".entry", has_text="no memories shown")).to_have_count(0)


def test_a_project_filters_every_room(view: View, ids: dict[str, str]) -> None:
    view.go("/#/memories")
    hue = "document.documentElement.style.getPropertyValue('--hue')"
    assert view.run(hue) == ""
    view.page.locator(".projects a", has_text="atlas").click()
    expect(view.page.locator(".row", has_text="PMTiles")).to_have_count(1)
    expect(view.page.locator(".row", has_text="Larder")).to_have_count(0)
    eventually(lambda: view.run(hue) != "")
    view.press("Escape", "g", "s")
    expect(view.page.locator(".entry")).to_contain_text(["atlas"])
    view.press("g", "t")
    digest = view.page.get_by_role("region", name="atlas")
    expect(digest).to_contain_text("Jonas reviews every change")
    expect(view.page.get_by_role("region", name="larder")).to_have_count(0)
    view.page.locator(".projects a", has_text="All").click()
    decided = view.page.get_by_role("region", name="larder")
    expect(decided).to_contain_text("a shopping list is kept for ninety days")
    eventually(lambda: view.run(hue) == "")


def test_what_a_session_was_shown_wrongly_is_limited_to_its_project(
    view: View, ids: dict[str, str], client: httpx.Client
) -> None:
    view.go("/#/sessions/larder-1?turn=0")
    once = view.page.get_by_role("button", name="Only in this project")
    item = view.page.locator(".items li", has=once)
    id_ = (item.first.get_by_role("link").get_attribute("href") or "").split("id=")[1].split("&")[0]

    def project() -> object:
        return client.get(f"/api/memory/{id_}").json()["project"]

    before = project()
    item.first.get_by_role("button", name="Only in this project").click()
    view.page.locator(".toast", has_text="Only sessions in larder").wait_for()
    assert project() == "/home/mira/larder"
    view.press("z")
    eventually(lambda: project() == before)


def test_what_is_saved_elsewhere_appears_by_itself(
    view: View, ids: dict[str, str], client: httpx.Client
) -> None:
    view.go("/")
    view.page.locator(".dot", has_text="Signet is running").wait_for()
    text = "The kettle in the kitchen is broken."
    id_ = client.post("/api/memory/remember", json={"content": text}).json()["id"]
    view.page.locator(".entry", has_text=text).wait_for()
    client.request("DELETE", f"/api/memory/{id_}", json={"reason": "repaired"})
    view.page.locator(".entry", has_text=text).wait_for(state="detached")
    expect(view.page.get_by_text(text)).to_have_count(0)
    view.page.get_by_role("link", name="forgotten").click()
    expect(view.page.locator(".row", has_text=text)).to_have_count(1)


def test_the_map_goes_from_one_entity_to_the_next_with_keys(
    view: View, ids: dict[str, str], client: httpx.Client
) -> None:
    view.go("/#/map?least=1")
    view.page.locator(".picture, table").first.wait_for()
    if view.page.locator("table").count():
        view.page.locator("tbody button").first.click()
    else:
        view.press("ArrowRight")
    view.page.get_by_label("Find a name").fill("sql")
    view.page.get_by_role("complementary", name="Entity").get_by_text("mention").wait_for()
    found = view.page.locator(".found")
    everything = found.inner_text()
    view.page.get_by_role("button", name="Only what it is linked to").click()
    expect(found).not_to_have_text(everything)
    view.page.get_by_role("button", name="Only what it is linked to").click()
    expect(found).to_have_text(everything)

    def left_out() -> list[str]:
        answer = client.get("/api/knowledge/entities/pinned", params={"pin_type": "suppress"})
        return [one["name"] for one in answer.json()]

    name = view.page.locator(".panel h2").inner_text()
    view.page.get_by_role("button", name="Leave it out").click()
    view.page.get_by_text("left out of answers").wait_for()
    assert left_out() == [name]
    view.press("z")
    view.page.get_by_role("button", name="Leave it out").wait_for()
    assert left_out() == []


def test_a_file_that_changed_on_disk_is_not_overwritten_unseen(view: View, daemon: Program) -> None:
    file = daemon.workspace / "NOTES.md"
    file.write_text("One.\n")
    view.go("/#/settings/files?file=NOTES.md")
    field = view.page.get_by_label("NOTES.md")
    field.fill("One, by me.\n")
    file.write_text("One, by somebody else.\n")
    view.press("Control+s")
    view.page.get_by_text("has changed on disk").wait_for()
    assert file.read_text() == "One, by somebody else.\n"
    view.page.get_by_role("button", name="Save my text").click()
    view.allow("This will replace NOTES.md, which agents read", "One, by somebody elseme.")
    view.page.get_by_text("is saved").wait_for()
    assert file.read_text() == "One, by me.\n"


@pytest.fixture
def two_died(ids: dict[str, str], daemon: Program) -> Iterator[None]:
    """Let two jobs be dead; afterwards none is, whatever the test has done."""
    database = Database(Workspace(daemon.workspace).database)
    died = "UPDATE memory_jobs SET status = 'dead', completed_at = NULL, failed_at = updated_at, errors = ?"
    some = "WHERE id IN (SELECT id FROM memory_jobs WHERE status = 'completed' LIMIT 2)"
    alive = "UPDATE memory_jobs SET status = 'completed', completed_at = updated_at WHERE status = 'dead'"
    database.write(WriteTx.run, f"{died} {some}", (json.dumps(TRIED),))
    yield
    database.write(WriteTx.run, alive)
    database.close()


def test_a_dead_job_is_tried_again_and_a_repair_previewed_and_run_with_keys(
    view: View, two_died: None, client: httpx.Client
) -> None:
    def dead() -> int:
        return int(client.get("/api/jobs", params={"status": "dead"}).json()["count"])

    def advice() -> list[str]:
        report = client.get("/api/diagnostics").json()
        return [one["command"] for one in report["composite"]["help"]]

    eventually(lambda: "signet repair requeue-dead --apply" in advice())
    view.go("/")
    view.page.get_by_role("link", name="Preview the repair").click()
    view.page.get_by_role("button", name="Repair 2").wait_for()
    view.press("Escape")
    view.page.get_by_role("button", name="Repair 2").wait_for(state="hidden")
    view.go("/#/engine/queue?status=dead")
    view.page.locator(".row").nth(1).wait_for()
    view.press("j", "Enter")
    tried = view.page.get_by_label("Attempts that failed").locator("li")
    expect(tried).to_have_text([re.compile("timeout.*after 2.0 s"), re.compile("boom.*broke")])
    view.page.get_by_text("Payload and result").click()
    expect(view.page.locator("dialog pre")).to_contain_text('"result": {')
    assert view.violations() == []
    view.press("Escape", "r")
    eventually(lambda: dead() == 1)
    view.go("/#/engine/repair")
    view.press("j")
    focused = view.page.locator(".repair", has=view.page.locator("button:focus"))
    expect(focused).to_contain_text("Retry dead jobs")
    view.press("Enter")
    view.page.get_by_role("button", name="Repair 1").wait_for()
    assert dead() == 1
    for _ in range(3):
        view.press("Tab")
        if view.page.locator("button.primary:focus").count():
            break
    view.press("Enter")
    eventually(lambda: dead() == 0)
