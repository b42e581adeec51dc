"""One daemon, one workspace and one browser for everything in `test_pages.py`; skipped where there is no Chromium.

playwright keeps an event loop running in this thread, so it must be gone before the next file begins.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
from playwright.sync_api import Browser

from cli.program import Program, running
from dashboard.browser import CHROMIUM, ZONE, View, chromium, viewing
from dashboard.seed import fill
from signet import clock
from signet.domain.auth import tokens
from signet.paths import Workspace
from support.processes import PATIENCE_SECONDS, eventually

pytest.register_assert_rewrite(
    "dashboard.addresses",
    "dashboard.changes",
    "dashboard.consent",
    "dashboard.keyboard",
    "dashboard.memories",
    "dashboard.restored",
    "dashboard.rooms",
    "dashboard.others",
    "dashboard.shared",
    "dashboard.triage",
    "dashboard.states",
    "dashboard.helps",
    "dashboard.hostile",
)


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    with running(tmp_path_factory.mktemp("dashboard"), zone=ZONE) as program:
        yield program


@pytest.fixture(scope="module")
def base(daemon: Program) -> str:
    return f"http://127.0.0.1:{daemon.port}"


@pytest.fixture(scope="module")
def client(daemon: Program, base: str) -> Iterator[httpx.Client]:
    """Return a client of the daemon's owner, over the workspace's socket."""
    socket = str(Workspace(daemon.workspace).api_socket)
    with httpx.Client(
        base_url=base, timeout=PATIENCE_SECONDS, transport=httpx.HTTPTransport(uds=socket)
    ) as opened:
        yield opened


@pytest.fixture(scope="module")
def ids(client: httpx.Client) -> dict[str, str]:
    """Fill the workspace and return the ids of its memories by their texts, when no job is left."""
    found = fill(client)

    def is_done() -> bool:
        status = client.get("/api/pipeline/status").json()
        return bool(status["queue"] == 0 and status["processing"] == 0)

    eventually(is_done)
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with chromium() as opened:
        yield opened


@pytest.fixture
def typed(browser: Browser, base: str, ids: dict[str, str]) -> Iterator[View]:
    """Open a page by its address; it must stay without a message, a policy report and a request elsewhere."""
    with quiet(browser, base) as opened:
        yield opened


@pytest.fixture
def view(typed: View, daemon: Program) -> View:
    """Open a page as `signet dashboard` does."""
    code = tokens.login_code(Workspace(daemon.workspace), now=clock.now())
    typed.go(f"/#code={code}")
    return typed


@contextmanager
def quiet(browser: Browser, base: str, **how: object) -> Iterator[View]:
    with viewing(browser, base, **how) as opened:  # type: ignore[arg-type]
        yield opened
        assert (opened.said, opened.reports(), opened.strangers()) == ([], [], [])
