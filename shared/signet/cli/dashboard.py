"""`signet dashboard`: open the dashboard in a browser, or explain how to reach it over SSH."""

import os
import sys
from typing import Annotated

from signet.cli import output
from signet.cli.command import Output, PathOption, PortOption, command
from signet.cli.daemon import default_port, shown_log
from signet.client import connection
from signet.paths import Workspace, find_workspace

#: A Linux program without any of these has no display.
_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")


@command()
def dashboard(
    path: PathOption = None,
    no_open: Annotated[bool, "Print the address, open nothing."] = False,
    port: PortOption = None,
    as_json: bool = False,
) -> Output:
    """Open the daemon's page in a browser; starts a daemon of this machine if needed.

    The address opens a session: once, within 5 minutes.

    Examples: signet dashboard · signet dashboard --no-open
    """
    from signet.daemon import control

    workspace = find_workspace(path)
    if (elsewhere := connection.connection_of(workspace)) is not None:
        is_open = not no_open and open_page(elsewhere.url)
        yield {"url": elsewhere.url, "opened": is_open, "started": False}
        output.say(elsewhere.url)
        return
    with shown_log(as_json), output.Passing(quiet=as_json) as passing:
        started = control.start(workspace, port or default_port(workspace), tell=passing.show)
    at = started.daemon.port
    url = with_code(started.daemon.url, workspace)
    is_open = not no_open and open_page(url)
    yield {"url": url, "opened": is_open, "started": started.is_new}
    output.say(url)
    say_where(at, is_missing=not no_open and not is_open)


def with_code(url: str, workspace: Workspace) -> str:
    """Return the address with a one-time session code; without a code for agents and other users.

    Raises SignetError if the daemon does not answer there, so that no other program receives the code.
    """
    from signet import clock
    from signet.cli.command import is_agent_shell
    from signet.daemon import ready
    from signet.domain.auth import tokens

    code = None if is_agent_shell() else tokens.login_code(workspace, now=clock.now())
    if code is None:
        return url
    ready.check_daemon(workspace, url)
    return f"{url.rstrip('/')}/#code={code}"


def show_page(url: str, port: int, *, opens: bool) -> None:
    """Open the page if possible; otherwise explain how to reach it."""
    say_where(port, is_missing=opens and not open_page(url))


def say_where(port: int, *, is_missing: bool) -> None:
    """Explain how to reach the page over SSH, or that the browser `is_missing`."""
    if (forward := forward_command(port)) is not None:
        output.hint(f"From your own machine: {forward}, then open the address there")
    elif is_missing:
        output.hint("No browser found; open the address yourself")


def open_page(url: str) -> bool:
    """Open an address in a browser on this machine's display; return whether one exists."""
    import webbrowser

    has_screen = sys.platform == "darwin" or any(os.environ.get(name) for name in _SCREENS)
    if not has_screen or _ssh() is not None:
        return False
    try:
        return webbrowser.open(url)
    except webbrowser.Error:
        return False


def forward_command(port: int) -> str | None:
    """Return the command that forwards the page to the SSH client, None without SSH."""
    host = _ssh()
    if host is None:
        return None
    import getpass

    return f"ssh -N -L {port}:127.0.0.1:{port} {getpass.getuser()}@{host}"


def _ssh() -> str | None:
    """Return this machine's address in the SSH connection."""
    words = os.environ.get("SSH_CONNECTION", "").split()
    return words[2] if len(words) == 4 else None
