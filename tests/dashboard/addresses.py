"""Where addresses lead: the tabs of the earlier dashboard, and an earlier view that somebody kept."""

from dashboard.browser import View

#: The earlier address and the one that it leads to.
EARLIER = {
    "/#home": "#/today",
    "/#nowhere": "#/today",
    "/#pipeline": "#/engine",
    "/#engine/logs": "#/engine/logs",
    "/#queue": "#/engine/queue",
    "/#knowledge": "#/map",
    "/#memory/constellation": "#/map?view=meaning",
    "/#config": "#/settings",
    "/#secrets": "#/settings/secrets",
    "/#changelog": "#/settings/about",
    "/#memory": "#/memories",
    "/#memory/memories": "#/memories",
    "/#timeline": "#/memories?bar=1",
}


def test_addresses_of_the_earlier_dashboard_lead_to_their_rooms(view: View) -> None:
    view.go("/#pipeline")
    assert view.run("location.hash") == "#/engine"
    for earlier, now in EARLIER.items():
        view.go(earlier)
        assert view.run("location.hash") == now, earlier


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
