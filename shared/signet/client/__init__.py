"""Speak to a running daemon from Python.

    from signet.client import Signet

    signet = Signet()
    signet.remember("Ana prefers tabs.", tags=["style"])
    for hit in signet.recall("tabs or spaces")["results"]:
        ...

`AsyncSignet` has the same methods, to be awaited. Answers are the JSON bodies of the HTTP interface, typed in
`signet.client.answers`. A refusal is raised as the error of its kind.
Importing it needs nothing but the standard library, so that commands and hooks start at once.
"""

from signet.client.address import find_url
from signet.client.answers import Job
from signet.client.asynchronous import AsyncSignet
from signet.client.calls.memory import Patch
from signet.client.errors import (
    BadAnswer,
    Conflict,
    ConnectionBroken,
    DaemonNotRunning,
    DaemonSilent,
    RateLimited,
    Unauthenticated,
    Unavailable,
)
from signet.client.signet import Signet
from signet.client.work import Work
from signet.errors import Forbidden, Invalid, NotFound, SignetError, TooLarge

__all__ = [
    "AsyncSignet",
    "BadAnswer",
    "Conflict",
    "ConnectionBroken",
    "DaemonNotRunning",
    "DaemonSilent",
    "Forbidden",
    "Invalid",
    "Job",
    "NotFound",
    "Patch",
    "RateLimited",
    "Signet",
    "SignetError",
    "TooLarge",
    "Unauthenticated",
    "Unavailable",
    "Work",
    "find_url",
]
