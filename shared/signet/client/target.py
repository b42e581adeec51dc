"""Where a client sends its calls, as whom, and how long it waits."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, TypedDict, Unpack
from urllib.parse import urlsplit

from signet import __version__
from signet.client.address import Address, connected, find_address
from signet.config.env import read_environment
from signet.errors import Invalid
from signet.paths import Workspace, find_workspace
from signet.text import web

#: How often one call is sent again at most (retry.py).
RETRIES = 2
#: A daemon that takes no connection for so long is not there; on this machine that is a matter of milliseconds.
CONNECT_SECONDS = 5.0
#: The same for the daemon that a workspace is connected to: the way to it is short, or a tailnet's.
CONNECT_ELSEWHERE_SECONDS = 2.5

_ADDRESS = ("SIGNET_DAEMON_URL", "SIGNET_HOST", "SIGNET_PORT")
_UNSENDABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


class Target(NamedTuple):
    """A daemon and the headers of every call; `seconds` bounds one whole exchange, `connect_seconds` its start.

    With `only_signet` an answer without the header of a Signet daemon is that of another program. `home` is the
    folder of the workspace that is connected to it (connection.py). `own` is the workspace whose own daemon has to
    answer (local.py), and `role` that of the token which a call over TCP carries then.
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
        """Return whether a workspace is connected to it, so that it may well be away for a day."""
        return self.home is not None

    @property
    def is_tls(self) -> bool:
        """Return whether the connection is encrypted."""
        return self.url.startswith("https:")

    @property
    def address(self) -> tuple[str, int]:
        """Return host and port."""
        parts = urlsplit(self.url)
        return parts.hostname or "", parts.port or (443 if self.is_tls else 80)


class Options(TypedDict, total=False):
    """How a client is made; all of it may be left out.

    `path` names a workspace, `url` an address. `token` and `agent_id` come from SIGNET_TOKEN and SIGNET_AGENT_ID
    otherwise, the token else from the connection. `actor` is who history names, `origin` as whose words texts count,
    where it may be (wire/origin.py). `timeout_seconds` (SIGNET_FETCH_TIMEOUT otherwise) bounds one exchange,
    `connect_timeout_seconds` its start; `retries` says how often a call that may be sent again is. With `only_signet`
    nothing is believed that another program on the port answers. `role` limits what the caller may do where it has to
    show the workspace's own daemon a token: admin or agent.
    """

    path: str | None
    url: str | None
    token: str | None
    agent_id: str | None
    actor: str
    actor_type: str
    origin: str | None
    connect_timeout_seconds: float
    timeout_seconds: float | None
    retries: int
    only_signet: bool
    role: str
    environ: Mapping[str, str]


def find(**options: Unpack[Options]) -> Target:
    """Return the daemon of a workspace, at an address, or the one that the environment names.

    Raises Invalid for an address that is none and for a name or token that no header can carry.
    """
    environ = options.get("environ", os.environ)
    found, odd = read_environment(environ)
    is_named = options.get("url") or options.get("path") is not None
    for warning in () if is_named else odd:
        if warning.startswith(_ADDRESS):  # the default would be somebody else's daemon
            raise Invalid(warning.partition(";")[0])
    seconds = options.get("timeout_seconds") or found.fetch_timeout_ms / 1000
    path = options.get("path")
    # Its key is for it alone, so only the address that stands beside it gets it.
    elsewhere = None if options.get("url") else connected(path, environ, found)
    token = options.get("token") or found.token or (elsewhere and elsewhere.key)
    named = {
        "Authorization": f"Bearer {token}" if token else None,
        "X-Signet-Agent-Id": options.get("agent_id") or found.agent_id,
        "X-Signet-Actor": options.get("actor", "python"),
        "X-Signet-Actor-Type": options.get("actor_type", "sdk"),
        "X-Signet-Origin": options.get("origin"),
        "User-Agent": f"signet/{__version__}",
        "Accept-Encoding": "identity",
        "Connection": "close",
    }
    url = elsewhere.url if elsewhere else options.get("url")
    address = Address(url) if url else find_address(path, environ, found)
    usual = CONNECT_ELSEWHERE_SECONDS if elsewhere else CONNECT_SECONDS
    return Target(
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
    """Return an address if it is one; raises Invalid."""
    if not web.is_address(url):
        raise Invalid(f"{url!r} is not the URL of a daemon, such as http://127.0.0.1:3850")
    return url


def _sendable(name: str, value: str) -> str:
    """Return the value of a header; its text is in no message, because it may be a token."""
    if _UNSENDABLE.search(value):
        raise Invalid(f"{name} contains a line break or another character that cannot be sent")
    return value
