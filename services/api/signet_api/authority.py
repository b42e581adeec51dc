"""Authentication mode and keys of this process; a change of mode or address requires a restart (CF-16)."""

import os
from dataclasses import dataclass, field
from typing import Self

from signet.config import Settings
from signet.config.env import is_loopback
from signet.config.sections import AuthMode
from signet.domain.auth import tokens
from signet.paths import Workspace
from signet.process.program import SUPERVISOR_PID


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """The mode, the workspace token, and the secret of user tokens (empty in local mode).

    `any_host`: accept every Host, because all callers need a token or other machines may call.
    """

    mode: AuthMode = AuthMode.LOCAL
    any_host: bool = False
    secret: bytes = field(default=b"", repr=False)
    workspace_token: bytes = field(default=b"", repr=False)

    @classmethod
    def from_settings(cls, settings: Settings, workspace: Workspace, bind: str) -> Self:
        """Read the mode from the settings and create missing keys; raises BadSecret, and OSError if a key is
        inaccessible.
        """
        mode = settings.auth.mode
        token = _workspace_token(workspace)
        if mode is AuthMode.LOCAL:
            return cls(workspace_token=token)
        return cls(
            mode=mode,
            any_host=mode is AuthMode.TEAM or not is_loopback(bind),
            secret=tokens.ensure_secret(workspace.auth_secret),
            workspace_token=token,
        )

    def close(self, workspace: Workspace) -> None:
        """Remove the workspace token if no supervisor owns it."""
        if not os.environ.get(SUPERVISOR_PID):
            tokens.remove_workspace_token(workspace)


def _workspace_token(workspace: Workspace) -> bytes:
    if os.environ.get(SUPERVISOR_PID):
        try:
            return tokens.read_workspace_token(workspace)
        except FileNotFoundError:
            pass  # deleted while running
    return tokens.create_workspace_token(workspace)
