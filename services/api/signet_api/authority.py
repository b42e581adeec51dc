"""What decides about callers for as long as this process lives; a change of mode or address needs a restart (CF-16)."""

from dataclasses import dataclass, field
from typing import Self

from signet.config import Settings
from signet.config.env import is_loopback
from signet.config.sections import AuthMode
from signet.domain.auth import secret
from signet.paths import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """The mode, and the secret of its tokens; none in local mode.

    `any_host`: every caller must show a token, or other machines may call; so any name of this one will do.
    """

    mode: AuthMode = AuthMode.LOCAL
    any_host: bool = False
    secret: bytes = field(default=b"", repr=False)

    @classmethod
    def of(cls, settings: Settings, workspace: Workspace, bind: str) -> Self:
        """Return what agent.yaml asks for, and make the secret when there is none.

        Raises BadSecret, and OSError when the secret cannot be made or read.
        """
        mode = settings.auth.mode
        if mode is AuthMode.LOCAL:
            return cls()
        found = secret.ensure(workspace.auth_secret)
        any_host = mode is AuthMode.TEAM or not is_loopback(bind)
        return cls(mode=mode, any_host=any_host, secret=found)
