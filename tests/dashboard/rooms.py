"""Every room: nothing said, nothing forbidden, nothing asked elsewhere, readable in both themes, no mouse needed."""

from dashboard.browser import View
from dashboard.keyboard import faults_of_focus
from dashboard.views import VIEWS

WIDE, NARROW = 1280, 400


def test_every_view_is_quiet_accessible_and_needs_no_mouse(view: View, ids: dict[str, str]) -> None:
    id_ = ids["The team decided to use SQLite for Larder instead of Postgres."]
    for place, (address, shown) in enumerate(VIEWS.items()):
        view.go(address.format(id=id_))
        view.page.get_by_text(shown).locator("visible=true").first.wait_for()
        view.press("Shift")
        assert faults_of_focus(view) == [], address
        # What is around a view is the same around all.
        assert view.violations(in_frame=not place) == [], address
        # A narrow page has the colours of a wide one.
        view.look("dark", NARROW)
        assert view.violations(in_frame=not place) == [], address
        wide = view.run("document.documentElement.scrollWidth")
        assert wide <= NARROW, (address, wide)
        view.look("light", WIDE)
