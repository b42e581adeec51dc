"""Makes the pictures of the README: `PYTHONPATH=tests .venv/bin/python -m dashboard.pictures`.

From a workspace with the tests' seed in a temporary folder, in Debian's Chromium; `recorded.py` has the terminal's.
"""

import tempfile
from pathlib import Path

import httpx

from cli.program import ROOT, running
from dashboard.browser import Theme, chromium, viewing
from dashboard.recorded import record
from dashboard.seed import SAID, fill
from signet.providers.native.folder import models_home
from support.processes import eventually

FOLDER = ROOT / "docs" / "pictures"
#: Name, address, theme, and a text that is there when all is.
PICTURES: tuple[tuple[str, str, Theme, str], ...] = (
    ("today", "/#/today?day=week", "light", "who may delete a list"),
    ("why", "/#/memories?ask=how+do+we+deploy+Larder&id={id}&part=why", "dark", "It is number"),
)


def main() -> None:
    """Write the pictures."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        record(Path(home), models_home(), FOLDER / "terminal.svg")
    with tempfile.TemporaryDirectory() as home, running(Path(home)) as program:
        base = f"http://127.0.0.1:{program.port}"
        with httpx.Client(base_url=base, timeout=30.0, trust_env=False) as client:
            ids = fill(client, with_hostile=False)
            eventually(lambda: client.get("/api/pipeline/status").json()["queue"] == 0)
        with chromium() as browser:
            for name, address, theme, shown in PICTURES:
                with viewing(browser, base, width=1_000, theme=theme) as view:
                    view.go(address.format(id=ids[SAID[2][0]]))
                    view.page.get_by_text(shown).first.wait_for()
                    view.page.set_viewport_size({"width": 1_000, "height": 560})
                    view.page.screenshot(path=FOLDER / f"{name}.png")


if __name__ == "__main__":
    main()
