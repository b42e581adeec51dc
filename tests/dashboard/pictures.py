"""Makes the pictures of README and guide: `PYTHONPATH=tests .venv/bin/python -m dashboard.pictures`.

From a workspace with the tests' seed in a temporary folder, in Debian's Chromium; `recorded.py` has the terminal's.
"""

import tempfile
from pathlib import Path

import httpx

from cli.program import ROOT, running
from dashboard.browser import Theme, chromium, viewing
from dashboard.recorded import record
from dashboard.seed import SAID, fill
from signet import clock
from signet.domain.auth import tokens
from signet.paths import Workspace
from signet.providers.native.folder import models_home
from support.processes import PATIENCE_SECONDS, eventually

FOLDER = ROOT / "docs" / "pictures"
#: Name, address, theme, height, and a text that is there when all is.
PICTURES: tuple[tuple[str, str, Theme, int, str], ...] = (
    ("today", "/#/today?day=week", "light", 560, "who may delete a list"),
    (
        "why",
        "/#/memories?ask=how+do+we+deploy+Larder&id={id}&part=why",
        "dark",
        740,
        "It is number",
    ),
    ("triage", "/#/today?triage=1", "light", 300, "Let it fade"),
    ("replay", "/#/sessions/larder-1", "dark", 560, "Shown to the agent"),
    ("map", "/#/map?least=1", "light", 560, "As a list"),
)
#: Time (ms) until the map is at rest.
_REST_MS = 3_000


def main() -> None:
    """Write the pictures."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        record(Path(home), models_home(), FOLDER / "terminal.svg")
    with tempfile.TemporaryDirectory() as home, running(Path(home)) as program:
        base = f"http://127.0.0.1:{program.port}"
        with httpx.Client(base_url=base, timeout=PATIENCE_SECONDS, trust_env=False) as client:
            ids = fill(client, with_hostile=False)
            eventually(lambda: client.get("/api/pipeline/status").json()["queue"] == 0)
        with chromium() as browser:
            for name, address, theme, height, shown in PICTURES:
                with viewing(browser, base, width=1_000, theme=theme) as view:
                    code = tokens.login_code(Workspace(program.workspace), now=clock.now())
                    view.go(f"/#code={code}")
                    view.page.set_viewport_size({"width": 1_000, "height": height})
                    view.go(address.format(id=ids[SAID[2][0]]))
                    view.page.get_by_text(shown).locator("visible=true").first.wait_for()
                    view.page.wait_for_timeout(_REST_MS)
                    view.page.screenshot(path=FOLDER / f"{name}.png")


if __name__ == "__main__":
    main()
