"""Sessions: what was given at a prompt, why, and whether it was used."""

from playwright.sync_api import expect

from dashboard.browser import View


def test_yesterdays_session_tells_what_was_given_and_why(view: View, ids: dict[str, str]) -> None:
    view.go("/")
    for key in ("Escape", "g", "s"):
        view.page.keyboard.press(key)
    view.page.locator(".entry", has_text="claude-code").first.click()
    turn = view.page.get_by_role("button", name="Prompt 2")
    turn.click()
    shown = view.page.get_by_role("region", name="Prompt 2")
    expect(shown).to_contain_text("How do I deploy Larder")
    expect(shown).to_contain_text("make backup")
    shown.get_by_role("link", name="why").first.click()
    expect(view.page.get_by_role("tabpanel")).to_contain_text("How do I deploy Larder")
