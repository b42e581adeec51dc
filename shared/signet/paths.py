"""Paths of a workspace, and the choice of the workspace.

The first of these applies: an explicit path, `SIGNET_PATH`, `SIGNET_WORKSPACE`, the saved default in
`$XDG_CONFIG_HOME/signet/workspace.json`, `~/.agents`.
"""

import errno
import json
import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

#: A Unix socket path must fit into sockaddr_un.sun_path (108 bytes on Linux, 104 on macOS, including NUL), with the
#: longest name below the runtime folder (a process ID under `bell/`).
RUNTIME_PATH_LIMIT = 103 - len("/bell/00000000-0000-0000-0000-000000000000")


class Workspace(NamedTuple):
    """The folder of an agent's data, and the paths below it."""

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
        """The daemon's last port; kept when the daemon stops."""
        return self.daemon_dir / "port"

    @property
    def bind_file(self) -> Path:
        """The daemon's last listening address; kept when the daemon stops."""
        return self.daemon_dir / "bind"

    @property
    def lock_file(self) -> Path:
        return self.daemon_dir / "lock"

    @property
    def spool_dir(self) -> Path:
        """Calls that hooks could not deliver yet."""
        return self.daemon_dir / "spool"

    @property
    def spool_lock(self) -> Path:
        """The lock of the process that delivers the spool."""
        return self.daemon_dir / "spool.lock"

    @property
    def connection_file(self) -> Path:
        """The remote daemon of this workspace, with its key."""
        return self.daemon_dir / "connection.json"

    @property
    def away_file(self) -> Path:
        """Its modification time is when the remote daemon was last unreachable."""
        return self.daemon_dir / "away"

    @property
    def offline_dir(self) -> Path:
        """Contexts for sessions while the remote daemon is unreachable."""
        return self.daemon_dir / "offline"

    @property
    def auth_secret(self) -> Path:
        """The signing key of tokens, in modes with tokens."""
        return self.daemon_dir / "auth-secret"

    @property
    def token_file(self) -> Path:
        """The key of own tokens and of the daemon's proof; new at every start (domain/auth/tokens.py)."""
        return self.daemon_dir / "token"

    @property
    def api_socket(self) -> Path:
        """The API's socket for the daemon's user."""
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
        """Automatic backups, and others without a path."""
        return self.daemon_dir / "backups"

    @property
    def replaced_dir(self) -> Path:
        """Data replaced by restores, one folder each."""
        return self.daemon_dir / "replaced"

    @property
    def restore_dir(self) -> Path:
        """An unpacked restore that is not in place yet."""
        return self.daemon_dir / "restore"

    @property
    def restore_journal(self) -> Path:
        """Exists while a restore exchanges files; any process that finds it completes the restore first."""
        return self.daemon_dir / "restore.json"

    @property
    def load_journal(self) -> Path:
        """Exists while a restore has the memory of a server in the workspace's file."""
        return self.daemon_dir / "restore-load"

    @property
    def runtime_dir(self) -> Path:
        """Sockets and process locks: `.daemon/run`, or a hashed folder under the user's runtime folder if the
        workspace's path is too long for a Unix socket.
        """
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
        """Return whether the path no longer leads to the current folder, which is the daemon's workspace."""
        try:
            return not os.path.samestat(self.root.stat(), os.stat("."))  # noqa: PTH116  # Path(".") is no path of ours
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError:  # a disk that does not answer is not another place
            return False

    def make(self) -> None:
        """Create the required folders, each with mode 0700.

        Raises OSError if the disk is full or read-only, or if a shared temporary folder contains another user's
        runtime folder.
        """
        folders = (self.root, self.memory_dir, self.daemon_dir, self.log_dir, self.runtime_dir)
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        found = self.runtime_dir.stat(follow_symlinks=False)
        if found.st_uid != os.getuid() or not stat.S_ISDIR(found.st_mode):
            raise PermissionError(errno.EPERM, "belongs to another user", str(self.runtime_dir))


def config_home(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of the user's settings: `$XDG_CONFIG_HOME/signet`."""
    return Path(environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "signet"


def cache_home(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of replaceable files such as models: `$XDG_CACHE_HOME/signet`."""
    return Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "signet"


def find_workspace(
    explicit: str | None = None, environ: Mapping[str, str] = os.environ
) -> Workspace:
    """Return the selected workspace, which may not exist."""
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
