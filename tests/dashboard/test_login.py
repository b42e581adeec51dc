"""`signet dashboard` opens the page of a daemon that wants tokens, once."""

from pathlib import Path

import pytest

from cli import program
from cli.program import SETTINGS, running
from dashboard.browser import CHROMIUM, chromium, viewing


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_the_link_logs_in_once_and_an_ended_login_asks_for_a_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "SETTINGS", SETTINGS + "auth: {mode: team}\n")
    with running(tmp_path) as team:
        link = team.run("dashboard", "--no-open").out.split()[0]
        with chromium() as browser:
            with viewing(browser, link) as first:
                first.page.goto(link)
                first.page.get_by_text("Nothing is remembered yet").wait_for()
                assert "code" not in first.run("location.href")
                first.run("location.hash = '#/settings/access'")
                listed = first.page.locator("tr", has_text="dashboard")
                listed.get_by_role("button", name="Remove dashboard").wait_for()
                assert "admin" in listed.inner_text()
                assert team.run("auth", "token", "revoke", "dashboard").status == 0
                reader = team.run("auth", "token", "create", "--role", "readonly", "--json").json()
                # The page may have noticed by itself, and lies under the question then.
                first.run("location.hash = '#/memories'")
                first.page.get_by_text("Your login has ended").wait_for()
                first.page.get_by_role("textbox", name="Token").fill(reader["token"])
                first.press("Enter")
                first.page.get_by_text("Nothing is remembered yet").wait_for()
                first.page.locator(".dot", has_text="Signet is running").wait_for()
                first.page.goto(first.base.split("#")[0] + "#/settings/secrets")
                first.page.get_by_text("You may not see").wait_for()
            with viewing(browser, link) as second:
                second.page.goto(link)
                second.page.get_by_text("was used already").wait_for()
                second.page.get_by_text("asks for a token").wait_for()
