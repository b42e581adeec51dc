"""Speak to a running daemon from Python.

    from signet.client import Signet

    >>> signet = Signet()
    >>> saved = signet.remember("Ana prefers tabs.", tags=["style"])
    >>> [hit["content"] for hit in signet.recall("tabs or spaces")["results"]]
    ['Ana prefers tabs.']

Nothing stays open between two calls, so a client needs no `with` block, although it may have one.

For programs that call a model: `context_for` returns what is remembered about a prompt as a text for the system
prompt; `openai_tools` and `anthropic_tools` describe the tools, and `run_tool` runs what the model calls.

`AsyncSignet` has the same methods, to be awaited, and `async with`. Answers are the JSON bodies of the HTTP interface,
typed in `signet.client.answers`. A refusal is raised as the error of its kind.
Importing it needs nothing but the standard library, so that commands and hooks start at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from signet.client.address import find_url
    from signet.client.answers import Job
    from signet.client.asynchronous import AsyncSignet
    from signet.client.calls import Choice, MemoryFilter, Patch
    from signet.client.errors import (
        BadAnswer,
        ConnectionBroken,
        DaemonNotRunning,
        DaemonSilent,
        RateLimited,
    )
    from signet.client.plain import PlainSignet
    from signet.client.plans import Context, Work
    from signet.client.signet import Signet
    from signet.client.tools import anthropic_tools, openai_tools
    from signet.errors import (
        Conflict,
        Forbidden,
        Invalid,
        NotFound,
        SignetError,
        TooLarge,
        Unauthenticated,
        Unavailable,
    )

__all__ = [
    "AsyncSignet",
    "BadAnswer",
    "Choice",
    "Conflict",
    "ConnectionBroken",
    "Context",
    "DaemonNotRunning",
    "DaemonSilent",
    "Forbidden",
    "Invalid",
    "Job",
    "MemoryFilter",
    "NotFound",
    "Patch",
    "PlainSignet",
    "RateLimited",
    "Signet",
    "SignetError",
    "TooLarge",
    "Unauthenticated",
    "Unavailable",
    "Work",
    "anthropic_tools",
    "find_url",
    "openai_tools",
]

_HOMES = {
    "address": "find_url",
    "answers": "Job",
    "asynchronous": "AsyncSignet",
    "plain": "PlainSignet",
    "calls": "Choice MemoryFilter Patch",
    "plans": "Context Work",
    "signet": "Signet",
    "tools": "anthropic_tools openai_tools",
}


def __getattr__(name: str) -> object:
    """Import a name's module on first use: a hook needs only a few."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = next((home for home, names in _HOMES.items() if name in names.split()), "errors")
    return getattr(import_module(f"signet.client.{home}"), name)
