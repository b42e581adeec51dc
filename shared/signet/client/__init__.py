"""Speak to a running daemon from Python.

    from signet.client import Signet

    signet = Signet()
    signet.remember("Ana prefers tabs.", tags=["style"])
    for hit in signet.recall("tabs or spaces")["results"]:
        ...

Answers are the JSON bodies of the HTTP interface. A refusal is raised as the `signet.errors` class of its kind.
Needs nothing but the standard library, so that commands and hooks start at once.
"""

from signet.client.address import find_url
from signet.client.errors import BadAnswer, DaemonNotRunning, DaemonSilent
from signet.client.signet import Signet
from signet.client.work import Job, Work

__all__ = ["BadAnswer", "DaemonNotRunning", "DaemonSilent", "Job", "Signet", "Work", "find_url"]
