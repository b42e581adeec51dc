"""Every room in both themes, wide and narrow: nothing said, nothing forbidden, nothing asked elsewhere, readable."""

import pytest
from playwright.sync_api import Browser

from dashboard.browser import Theme
from dashboard.conftest import quiet

#: Every view that has an address, and a text that it shows.
VIEWS = {
    "/": "remembers",
    "/#/today?triage=1": "Let it fade",
    "/#/sessions": "claude-code",
    "/#/sessions/larder-1": "Which database does Larder use",
    "/#/sessions/unknown": "Nothing is known",
    "/#/engine": "does the background work",
    "/#/engine/queue": "done",
    "/#/engine/queue?status=dead": "No job has died",
    "/#/engine/repair": "Preview",
    "/#/engine/logs": "api.ready",
    "/#/engine/cost": "Tokens put into your prompts",
    "/#/engine/predictor": "What it costs",
    "/#/engine/tasks": "No task yet",
    "/#/memories": "The team decided to use SQLite",
    "/#/memories?ask=which+database": "An agent would be told",
    "/#/memories?ask=SQLite&id={id}&part=why": "It is number",
    "/#/memories?id={id}&part=history": "Remembered",
    "/#/memories?id={id}&part=used": "prompt 1",
    "/#/memories?id={id}&part=from": "It names",
    "/#/memories?id={id}&part=access": "it is its own",
    "/#/memories?bar=1": "Believed now",
    "/#/memories?id={id}&part=edit": "Importance",
    "/#/memories?state=forgotten&who=Nobody": "Nothing is forgotten",
    "/#/map?view=list": "Mentions",
    "/#/map": "As a list",
    "/#/map?view=meaning": "No memory has a vector yet",
    "/#/settings": "As the system",
    "/#/settings/agent?find=recall": "A change is in force",
    "/#/settings/files": "agent.yaml",
    "/#/settings/harnesses": "Claude Code",
    "/#/settings/sources": "No source yet",
    "/#/settings/skills": "No skill is installed",
    "/#/settings/tools": "No tool server is installed",
    "/#/settings/access": "what all share",
    "/#/settings/secrets": "No secret yet",
    "/#/settings/about": "Signet 0",
    "/capture": "Something to remember",
}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_every_view_is_quiet_and_accessible(
    browser: Browser, base: str, ids: dict[str, str], theme: Theme, width: int
) -> None:
    id_ = ids["The team decided to use SQLite for Larder instead of Postgres."]
    with quiet(browser, base, theme=theme, width=width) as view:
        for address, shown in VIEWS.items():
            view.go(address.format(id=id_))
            view.page.get_by_text(shown).locator("visible=true").first.wait_for()
            # Colours were tried when it was wide.
            if (width, theme) != (400, "dark"):
                assert view.violations() == [], address
            wide = view.run("document.documentElement.scrollWidth")
            assert wide <= width, (address, wide)
