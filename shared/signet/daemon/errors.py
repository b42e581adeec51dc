"""Why a daemon could not be started or stopped."""

from pathlib import Path

from signet.errors import Conflict, SignetError


class PortTaken(Conflict):
    """The port is used by another program."""

    code = "port_taken"


class StartFailed(SignetError):
    """Failed to start daemon."""

    code = "start_failed"

    def __init__(self, reason: str, log: Path, tail: tuple[str, ...]) -> None:
        super().__init__(f"Failed to start daemon: {reason}", log=str(log))
        self.log = log
        self.tail = tail
