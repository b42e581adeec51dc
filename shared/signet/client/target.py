"""The address, identity and timeouts of a client's calls."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, TypedDict, Unpack
from urllib.parse import urlsplit

from signet import __version__
from signet.client.address import DaemonAddress, connected, find_address
from signet.config.env import read_environment
from signet.errors import Invalid
from signet.paths import Workspace, find_workspace
from signet.text import web

#: Maximum number of retries per call (retry.py).
RETRIES = 2
#: Seconds to wait for a local connection, which normally takes milliseconds.
CONNECT_SECONDS = 5.0
#: Seconds to wait for a remote daemon's connection, over a short path or a tailnet.
CONNECT_ELSEWHERE_SECONDS = 2.5

_ADDRESS = ("SIGNET_DAEMON_URL", "SIGNET_HOST", "SIGNET_PORT")
_UNSENDABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


class CallTarget(NamedTuple):
    """A daemon and the headers of every call; `seconds` bounds one exchange, `connect_seconds` its start.

    `only_signet` rejects an answer without a Signet daemon's header. `home` is the folder of the connected workspace
    (connection.py). `own` is the workspace whose own daemon must answer (local.py), and `role` the role of the token
    that a call over TCP then carries.
    """

    url: str
    headers: Mapping[str, str]
    connect_seconds: float
    seconds: float
    retries: int
    only_signet: bool = False
    home: Path | None = None
    own: Workspace | None = None
    role: str = "admin"

    @property
    def is_elsewhere(self) -> bool:
        """Return whether this is a remote daemon, which may be unreachable for long."""
        return self.home is not None

    @property
    def is_tls(self) -> bool:
        return self.url.startswith("https:")

    @property
    def address(self) -> tuple[str, int]:
        parts = urlsplit(self.url)
        return parts.hostname or "", parts.port or (443 if self.is_tls else 80)


class Options(TypedDict, total=False):
    """Options of a client; all may be omitted.

    `path` names a workspace, `url` an address. `token` defaults to SIGNET_TOKEN or the connection's token, `agent_id`
    to SIGNET_AGENT_ID. `actor` is the name in the history, `origin` the claimed origin of texts (wire/origin.py),
    `request_id` the name of all its requests in history and logs. `timeout_seconds` (default SIGNET_FETCH_TIMEOUT)
    limits one exchange, `connect_timeout_seconds` its start; `retries` is the maximum for safe calls. `only_signet`
    rejects answers of other programs on the port. `role` limits the token that is sent to the workspace's own daemon:
    admin or agent.
    """

    path: str | None
    url: str | None
    token: str | None
    agent_id: str | None
    actor: str
    actor_type: str
    origin: str | None
    request_id: str
    connect_timeout_seconds: float
    timeout_seconds: float | None
    retries: int
    only_signet: bool
    role: str
    environ: Mapping[str, str]


def find(**options: Unpack[Options]) -> CallTarget:
    """Return the daemon of a workspace, at an address, or from the environment.

    Raises Invalid for an invalid address, and for a name or token that no header can carry.
    """
    environ = options.get("environ", os.environ)
    found, odd = read_environment(environ)
    is_named = options.get("url") or options.get("path") is not None
    for warning in () if is_named else odd:
        if warning.startswith(_ADDRESS):  # the default would be another workspace's daemon
            raise Invalid(warning.partition(";")[0])
    seconds = options.get("timeout_seconds") or found.fetch_timeout_ms / 1000
    path = options.get("path")
    # The key is only for the address stored with it.
    elsewhere = None if options.get("url") else connected(path, environ, found)
    token = options.get("token") or found.token or (elsewhere and elsewhere.key)
    named = {
        "Authorization": f"Bearer {token}" if token else None,
        "X-Signet-Agent-Id": options.get("agent_id") or found.agent_id,
        "X-Signet-Actor": options.get("actor", "python"),
        "X-Signet-Actor-Type": options.get("actor_type", "sdk"),
        "X-Signet-Origin": options.get("origin"),
        "X-Signet-Request-Id": options.get("request_id"),
        "User-Agent": f"signet/{__version__}",
        "Accept-Encoding": "identity",
        "Connection": "close",
    }
    url = elsewhere.url if elsewhere else options.get("url")
    address = DaemonAddress(url) if url else find_address(path, environ, found)
    usual = CONNECT_ELSEWHERE_SECONDS if elsewhere else CONNECT_SECONDS
    return CallTarget(
        url=checked(address.url.rstrip("/")),
        headers={name: _sendable(name, value) for name, value in named.items() if value},
        connect_seconds=min(options.get("connect_timeout_seconds", usual), seconds),
        seconds=seconds,
        retries=options.get("retries", RETRIES),
        only_signet=options.get("only_signet", False),
        home=find_workspace(path, environ).root if elsewhere else None,
        own=address.own,
        role=options.get("role", "admin"),
    )


def checked(url: str) -> str:
    """Return a valid address; raises Invalid."""
    if not web.is_address(url):
        raise Invalid(f"{url!r} is not the URL of a daemon, such as http://127.0.0.1:3850")
    return url


def _sendable(name: str, value: str) -> str:
    """Return a valid header value; errors never quote it, because it may be a token."""
    if _UNSENDABLE.search(value):
        raise Invalid(f"{name} contains a line break or another character that cannot be sent")
    return value
