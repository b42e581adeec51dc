"""Every path under a workspace, by name, and how a workspace is chosen.

A workspace is chosen by the first that applies: an explicit path, `SIGNET_PATH`, `SIGNET_WORKSPACE`, the saved
default in `$XDG_CONFIG_HOME/signet/workspace.json`, `~/.agents`.
"""

import errno
import json
import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

#: A unix socket path must fit in sockaddr_un.sun_path: 108 bytes on Linux, 104 on macOS, NUL included; what is
#: left after the longest name we put below the runtime folder (a process id under `bell/`).
RUNTIME_PATH_LIMIT = 103 - len("/bell/00000000-0000-0000-0000-000000000000")


class Workspace(NamedTuple):
    """The folder that holds everything a person's agents own; all paths below it by name."""

    root: Path

    @property
    def memory_dir(self) -> Path:
        return self.root / "memory"

    @property
    def database(self) -> Path:
        return self.memory_dir / "memories.db"

    @property
    def skills_dir(self) -> Path:
        return self.root / "skills"

    @property
    def daemon_dir(self) -> Path:
        return self.root / ".daemon"

    @property
    def log_dir(self) -> Path:
        return self.daemon_dir / "logs"

    @property
    def pid_file(self) -> Path:
        return self.daemon_dir / "pid"

    @property
    def state_file(self) -> Path:
        return self.daemon_dir / "state.json"

    @property
    def port_file(self) -> Path:
        """The port that the daemon was last to listen on; it stays when the daemon stops."""
        return self.daemon_dir / "port"

    @property
    def lock_file(self) -> Path:
        return self.daemon_dir / "lock"

    @property
    def spool_dir(self) -> Path:
        """What hooks could not deliver yet."""
        return self.daemon_dir / "spool"

    @property
    def spool_lock(self) -> Path:
        """Held by whoever hands over what waits there."""
        return self.daemon_dir / "spool.lock"

    @property
    def connection_file(self) -> Path:
        """The daemon elsewhere that is used instead of an own one, with the key for it."""
        return self.daemon_dir / "connection.json"

    @property
    def away_file(self) -> Path:
        """Its time says when that daemon was last found away."""
        return self.daemon_dir / "away"

    @property
    def offline_dir(self) -> Path:
        """What sessions are given while that daemon is away."""
        return self.daemon_dir / "offline"

    @property
    def auth_secret(self) -> Path:
        """What tokens are signed with; only in the modes that know them."""
        return self.daemon_dir / "auth-secret"

    @property
    def token_file(self) -> Path:
        """The key of own tokens and of the daemon's proof; new at every start (domain/auth/tokens.py)."""
        return self.daemon_dir / "token"

    @property
    def api_socket(self) -> Path:
        """The socket on which the API serves the daemon's user."""
        return self.runtime_dir / "api.sock"

    @property
    def metrics_dir(self) -> Path:
        return self.daemon_dir / "metrics"

    @property
    def secrets_dir(self) -> Path:
        return self.root / ".secrets"

    @property
    def vault(self) -> Path:
        return self.secrets_dir / "secrets.enc"

    @property
    def backups_dir(self) -> Path:
        """Archives that were made by themselves, or without a place of their own."""
        return self.daemon_dir / "backups"

    @property
    def replaced_dir(self) -> Path:
        """What restores have put aside: a folder for each."""
        return self.daemon_dir / "replaced"

    @property
    def restore_dir(self) -> Path:
        """What a restore has unpacked and not yet put into place."""
        return self.daemon_dir / "restore"

    @property
    def restore_journal(self) -> Path:
        """There while a restore exchanges files; whoever finds it finishes that before anything else."""
        return self.daemon_dir / "restore.json"

    @property
    def runtime_dir(self) -> Path:
        """Sockets and process locks: `.daemon/run`, or a hashed folder under the user's runtime folder when
        the workspace lies too deep for a unix socket path."""
        near = self.daemon_dir / "run"
        if len(os.fsencode(near)) <= RUNTIME_PATH_LIMIT:
            return near
        import hashlib
        import tempfile

        digest = hashlib.sha256(os.fsencode(self.root)).hexdigest()[:16]
        base = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
        user = 0 if sys.platform == "win32" else os.getuid()  # there are no sockets there
        return Path(base) / f"signet-{user}-{digest}"

    def is_moved(self) -> bool:
        """Return whether the path no longer leads to the working folder, which is the workspace for its daemon."""
        try:
            return not os.path.samestat(self.root.stat(), os.stat("."))  # noqa: PTH116  # Path(".") is no path of ours
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError:  # a disk that does not answer is not another place
            return False

    def make(self) -> None:
        """Create the folders that every process needs, each with mode 0700.

        Raises OSError when the disk is full or read-only, or when a shared temporary folder holds a runtime
        folder that belongs to somebody else.
        """
        folders = (self.root, self.memory_dir, self.daemon_dir, self.log_dir, self.runtime_dir)
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        found = self.runtime_dir.stat(follow_symlinks=False)
        if found.st_uid != os.getuid() or not stat.S_ISDIR(found.st_mode):
            raise PermissionError(errno.EPERM, "belongs to another user", str(self.runtime_dir))


def config_home(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of the user's own settings: `$XDG_CONFIG_HOME/signet`."""
    return Path(environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "signet"


def cache_home(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of files that can be made again, such as models: `$XDG_CACHE_HOME/signet`."""
    return Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "signet"


def find_workspace(
    explicit: str | None = None, environ: Mapping[str, str] = os.environ
) -> Workspace:
    """Return the workspace that applies; it need not exist yet."""
    given = (explicit, environ.get("SIGNET_PATH"), environ.get("SIGNET_WORKSPACE"))
    chosen = next((path for path in given if path and path.strip()), None) or _saved(environ)
    return Workspace(Path((chosen or "~/.agents").strip()).expanduser().absolute())


def _saved(environ: Mapping[str, str]) -> str | None:
    try:
        found = json.loads((config_home(environ) / "workspace.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    value = found.get("workspace") if isinstance(found, dict) else None
    return value if isinstance(value, str) and value.strip() else None
