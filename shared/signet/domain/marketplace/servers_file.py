"""The file of installed servers: `marketplace/servers.json` of the workspace, private, readable and replaced whole.

A file that is not understood is never written over. Git leaves it here, because variables may have been written out.
"""

import json
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from signet.domain.marketplace import config
from signet.domain.marketplace.models import Mode, Policy, Scope, Server
from signet.errors import NotFound, SignetError, Unavailable
from signet.files import locked, replace_file

VERSION = 1


class FileUnreadable(Unavailable):
    """This version cannot read a file of the marketplace."""

    code = "marketplace_unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """What the file holds: the servers by their ids, in the order of their installation, and the policy."""

    servers: Mapping[str, Server]
    policy: Policy = field(default_factory=Policy)

    def server(self, id_: str) -> Server:
        """Return a server; raises NotFound."""
        if id_ not in self.servers:
            raise NotFound(f"There is no tool server '{id_}'", "tool_server_not_found", id=id_)
        return self.servers[id_]

    def with_server(self, server: Server) -> "Installed":
        """Return what is installed with this server in the place of one of its id."""
        return replace(self, servers={**self.servers, server.id: server})

    def without(self, id_: str) -> "Installed":
        """Return what is installed without a server; raises NotFound."""
        self.server(id_)
        left = {key: server for key, server in self.servers.items() if key != id_}
        return replace(self, servers=left)


class ServersFile:
    """Reads and changes the file; what was read is kept until the file changes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reading = threading.Lock()
        self._read: tuple[object, Installed] | None = None

    def read(self) -> Installed:
        """Return what is installed; raises FileUnreadable."""
        with self._reading:
            try:
                found = self.path.stat()
            except FileNotFoundError:
                return Installed(servers={})
            seen = (found.st_mtime_ns, found.st_ino, found.st_size)
            if self._read is None or self._read[0] != seen:
                self._read = (seen, _installed(read_json(self.path)))
            return self._read[1]

    def change(self, how: Callable[[Installed], Installed]) -> Installed:
        """Put what `how` makes of the file in its place and return it; raises FileUnreadable and what `how` raises."""
        with alone(self.path.parent):
            changed = how(self.read())
            write_json(
                self.path,
                {
                    "policy": asdict(changed.policy),
                    "servers": [_written(server) for server in changed.servers.values()],
                },
            )
        return changed


def read_json(path: Path) -> Mapping[str, object]:
    """Return the object in a file of ours, empty when there is no file; raises FileUnreadable."""
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError) as error:
        raise FileUnreadable(f"{path} is not JSON; nothing was changed") from error
    if not isinstance(found, dict) or found.get("version") != VERSION:
        raise FileUnreadable(f"{path} has an unknown format")
    return found


def write_json(path: Path, content: Mapping[str, object]) -> None:
    """Replace a file of ours in one step."""
    text = json.dumps({"version": VERSION, **content}, indent=2, ensure_ascii=False)
    replace_file(path, text.encode("utf-8", "replace") + b"\n", beside=f".{path.name}.new")


def alone(folder: Path) -> AbstractContextManager[None]:
    """Keep other writers of the folder waiting, in this process and in others."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return locked(folder)


def _written(server: Server) -> dict[str, object]:
    return asdict(server) | {"config": config.written(server.config)}


def _installed(found: Mapping[str, object]) -> Installed:
    try:
        servers = [_server(one) for one in found["servers"]]  # type: ignore[attr-defined]
        policy = dict(found["policy"])  # type: ignore[call-overload]
        return Installed(
            servers={server.id: server for server in servers},
            policy=Policy(**policy | {"mode": Mode(policy["mode"])}),
        )
    except (KeyError, TypeError, ValueError, SignetError) as error:
        raise FileUnreadable(f"marketplace/servers.json is damaged ({error!r})") from error


def _server(found: Mapping[str, object]) -> Server:
    fields = dict(found)
    scope = {name: tuple(values) for name, values in dict(fields["scope"]).items()}  # type: ignore[call-overload]
    fields |= {"config": config.read(fields["config"]), "scope": Scope(**scope)}
    return Server(**fields)  # type: ignore[arg-type]
