"""Every room in both themes, wide and narrow: nothing said, nothing forbidden, nothing asked elsewhere, readable."""

from dashboard.browser import View
from dashboard.views import VIEWS

WIDE, NARROW = 1280, 400


def test_every_view_is_quiet_and_accessible(view: View, ids: dict[str, str]) -> None:
    id_ = ids["The team decided to use SQLite for Larder instead of Postgres."]
    for address, shown in VIEWS.items():
        view.go(address.format(id=id_))
        view.page.get_by_text(shown).locator("visible=true").first.wait_for()
        assert view.violations() == [], address
        view.look("dark", WIDE)
        assert view.violations("contrast") == [], address
        # A narrow page has the colours of a wide one.
        view.look("light", NARROW)
        assert view.violations("form") == [], address
        wide = view.run("document.documentElement.scrollWidth")
        assert wide <= NARROW, (address, wide)
        view.look("light", WIDE)
