"""The one place where `doctor` and `uninstall` meet the harnesses.

A harness connector adds itself to `CONNECTORS`; nothing else has to know of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from signet.paths import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Something of ours in a harness's settings: where, and why it does not work (None: it does)."""

    place: str
    problem: str | None = None


class Connector(Protocol):
    """What connects one harness to this installation."""

    name: str

    def entries(self, workspace: Workspace) -> Sequence[Entry]:
        """Return what is in the harness's settings now; nothing when it is not connected."""

    def remove(self, workspace: Workspace) -> Sequence[str]:
        """Take every entry out and return the places; what is not ours stays as it is."""


CONNECTORS: tuple[Connector, ...] = ()
