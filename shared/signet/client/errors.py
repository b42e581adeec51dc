"""What can go wrong between a client and the daemon, and how a refusal becomes an error again."""

from collections.abc import Mapping

from signet.errors import (
    Conflict,
    Forbidden,
    Invalid,
    Kind,
    NotFound,
    SignetError,
    TooLarge,
    Unavailable,
)


class DaemonNotRunning(Unavailable):
    """Daemon is not running. Start it with: signet daemon start."""

    code = "daemon_not_running"


class DaemonSilent(Unavailable):
    """The daemon did not answer in time. If it stays silent: signet daemon restart."""

    code = "daemon_silent"


class BadAnswer(SignetError):
    """What answered is not a Signet daemon."""

    code = "bad_answer"


class Unauthenticated(SignetError):
    """The daemon wants a token; set SIGNET_TOKEN."""

    kind = Kind.UNAUTHENTICATED
    code = "unauthenticated"


class Limited(SignetError):
    """Too many requests; try again later."""

    kind = Kind.LIMITED
    code = "limited"


_OF_STATUS: Mapping[int, type[SignetError]] = {
    400: Invalid,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    405: Invalid,
    409: Conflict,
    413: TooLarge,
    422: Invalid,
    429: Limited,
    503: Unavailable,
}


def refusal(status: int, body: object) -> SignetError:
    """Return the error that a 4xx or 5xx answer stands for, with the daemon's own text and code."""
    if not isinstance(body, dict) or not isinstance(body.get("error"), str):
        return BadAnswer(f"The daemon's address answered with status {status}", status=status)
    base = _OF_STATUS.get(status, SignetError)
    code = body.get("code")
    kind: type[SignetError] = base
    if code not in (None, base.code):
        kind = type(base.__name__, (base,), {"code": code})
    return kind(body["error"], status=status)
