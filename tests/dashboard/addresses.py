"""Where addresses lead: unknown ones, and an earlier view that somebody kept."""

from dashboard.browser import View


def test_an_unknown_address_leads_to_today(view: View) -> None:
    for address in ("/#nowhere", "/#/nowhere/at/all?x=1"):
        view.go(address)
        assert view.run("location.hash") == "#/today", address


def test_back_and_reload_give_the_same_view(view: View, ids: dict[str, str]) -> None:
    view.go("/#/memories?type=fact")
    view.page.locator(".row").first.click()
    view.page.locator(".panel .said").wait_for()
    opened = view.run("location.hash")
    view.page.reload()
    view.page.locator(".panel .said").wait_for()
    assert view.run("location.hash") == opened
    view.page.go_back()
    view.page.locator(".panel").wait_for(state="detached")
    assert view.run("location.hash") == "#/memories?type=fact"
