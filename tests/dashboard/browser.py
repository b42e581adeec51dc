"""Debian's Chromium without a window, driven by playwright; each page keeps a record of what must not happen on it."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, Literal

from playwright.sync_api import Browser, BrowserContext, Page, Request, expect, sync_playwright

from support.processes import PATIENCE_SECONDS

#: Of the daemon and the browser, as on one machine.
ZONE = "Europe/Berlin"
#: The headless shell does the same with half of the processor's time.
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
#: Root may not use the sandbox, a test machine has no screen, and nothing is to be asked of the network.
_FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
_REPORTS = """
window.reports = [];
addEventListener("securitypolicyviolation", (e) => reports.push(e.violatedDirective + " " + e.blockedURI));
"""
#: No messages of the page: refusals that a test makes, and how a machine without a GPU feels about WebGL.
_OTHERS = ("Failed to load resource", "GL Driver Message")
#: When what the page has is drawn, and what acts then does.
_DRAWN = "new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))"
Theme = Literal["light", "dark"]
HEIGHT = 800
#: Colours take axe most of its time, and the later ones of a list are those of the earlier ones.
_LATER = ["li:nth-child(n+17)", "tr:nth-child(n+17)", ".text > :nth-child(n+17)"]
#: Rooms and projects, and the line above a view.
_FRAME = ["nav.rooms", "header.head"]
PATIENCE_MS = 1_000 * PATIENCE_SECONDS
expect.set_options(timeout=PATIENCE_MS)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run the browser until the block ends."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=_FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class View:
    """A page, and what it said and asked."""

    page: Page
    base: str
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def go(self, address: str) -> None:
        """Go to an address of the page and wait until what it shows is there."""
        self.page.goto(self.base + address)
        self.ready()

    def ready(self) -> None:
        """Wait until nothing is loading."""
        self.page.wait_for_selector("main :not(.skeleton) >> nth=0")
        self.page.wait_for_selector("[aria-busy]", state="detached")

    def press(self, *keys: str) -> None:
        """Press keys as somebody who sees what the one before did: keys act when what they act on is drawn."""
        for key in keys:
            self.run(_DRAWN)
            self.page.keyboard.press(key)

    def run(self, expression: str) -> Any:
        """Return what an expression comes to, awaited; unlike `evaluate` it does not need the page's policy."""
        session = self.page.context.new_cdp_session(self.page)
        asked = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        answer = session.send("Runtime.evaluate", asked)
        session.detach()
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def allow(self, *shown: str) -> None:
        """Consent to what the dialog says, which must show these texts."""
        dialog = self.page.get_by_role("dialog", name="Allow this?")
        for text in shown:
            expect(dialog).to_contain_text(text)
        dialog.get_by_role("button", name="Allow").click()
        dialog.wait_for(state="hidden")

    def dismiss(self, text: str) -> None:
        """Wait for a message at the foot of the page, and take away all: for ten seconds they cover what is below."""
        self.page.locator(".toast", has_text=text).wait_for()
        for button in reversed(self.page.locator(".toast [aria-label=Dismiss]").all()):
            button.click()

    def look(self, theme: Theme, width: int) -> None:
        """Let the system have another theme and the window another width."""
        self.page.emulate_media(color_scheme=theme)
        self.page.set_viewport_size({"width": width, "height": HEIGHT})

    def violations(self, *, in_frame: bool = True) -> list[str]:
        """Return what axe finds wrong, by rule and element: in a view and in what is around it, or in the view."""
        source = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
        if not self.run("typeof axe !== 'undefined'"):
            self.run(f"{source}; undefined")
        left_out = [[one] for one in (_LATER if in_frame else _LATER + _FRAME)]
        found = self.run(
            f"axe.run({{exclude: {left_out}}}, {{resultTypes: ['violations']}}).then((r) => JSON.stringify("
            "r.violations.flatMap((v) => v.nodes.map((n) => v.id + ': ' + n.html.slice(0, 200) + n.failureSummary))))"
        )
        return list(json.loads(found))

    def strangers(self) -> list[str]:
        """Return the requests that went elsewhere."""
        return [url for url in self.asked if not url.startswith((self.base, "data:", "blob:"))]

    def reports(self) -> list[str]:
        """Return what the page's policy has forbidden."""
        return list(self.run("window.reports"))


@contextmanager
def viewing(
    browser: Browser, base: str, *, width: int = 1280, theme: Theme = "light"
) -> Iterator[View]:
    """Open a page of a new browser profile until the block ends."""
    context: BrowserContext = browser.new_context(
        viewport={"width": width, "height": HEIGHT},
        color_scheme=theme,
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id=ZONE,
    )
    context.add_init_script(_REPORTS)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    view = View(page, base)

    def note(request: Request) -> None:
        view.asked.append(request.url)

    page.on("request", note)
    page.on(
        "console",
        lambda message: (
            None if any(one in message.text for one in _OTHERS) else view.said.append(message.text)
        ),
    )
    page.on("pageerror", lambda error: view.said.append(str(error)))
    try:
        yield view
    finally:
        context.close()
