"""Backfill on a machine connected to a remote daemon: read sessions here and send them, newest first.

The daemon cannot read this machine's files. It processes each session as one that ended long ago, with low priority.
Sent sessions are recorded here, so a second run resumes; sending one twice is harmless. Running sessions are skipped;
their own end delivers them.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from signet import clock
from signet.cli import spooled
from signet.client import Signet
from signet.client.call import Call
from signet.client.errors import BadAnswer
from signet.domain.backfill import look
from signet.domain.backfill.models import FoundSession, UserHome, WantedSessions
from signet.domain.backfill.places import PLACES
from signet.domain.sessions.session_end import LONG_AGO
from signet.errors import SignetError, Unauthenticated, Unavailable
from signet.files import read_file, replace_file
from signet.paths import Workspace

Noted = dict[str, list[object]]


class Sent(NamedTuple):
    """Counts of sent sessions; `why` explains an early stop."""

    sent: int
    failed: int
    why: SignetError | None = None


class Sender:
    """This machine's sessions, and the record of those sent to its daemon."""

    def __init__(self, signet: Signet, workspace: Workspace, home: Path) -> None:
        self._signet = signet
        self._home = home
        self._file = workspace.daemon_dir / "sent.json"
        self._noted = self._read()

    def find(self, wanted: WantedSessions) -> tuple[list[FoundSession], list[FoundSession]]:
        """Return the requested sessions, newest first, and those not yet sent in their current state."""
        every = look.find(UserHome(path=self._home), wanted)
        return every, [one for one in every if self._noted.get(_name(one)) != _state(one)]

    def send(self, new: Sequence[FoundSession], progress: Callable[[int], None]) -> Sent:
        """Send sessions until the daemon is unreachable or refuses the key; skip sessions that it rejects."""
        sent = failed = 0
        for number, one in enumerate(new):
            progress(number)
            try:
                self._signet.send(_call(one))
                sent += 1
            except (Unavailable, BadAnswer, Unauthenticated) as error:
                return Sent(sent, failed, error)
            except (SignetError, OSError, ValueError):  # a hostile file, or a broken one
                failed += 1
                continue
            self._noted[_name(one)] = _state(one)
            replace_file(self._file, json.dumps({"url": self._url, "sent": self._noted}).encode())
        return Sent(sent, failed)

    @property
    def _url(self) -> str:
        return self._signet.target.url

    def _read(self) -> Noted:
        """Return the record for this daemon; records of other daemons do not count."""
        with suppress(OSError, ValueError, KeyError, TypeError):
            said = json.loads(read_file(self._file))
            if said["url"] == self._url:
                return dict(said["sent"])
        return {}


def _call(one: FoundSession) -> Call[object]:
    said: dict[str, object] = {"harness": one.harness, "sessionKey": one.key, "reason": LONG_AGO}
    if one.project:
        said["cwd"] = one.project
    log = PLACES[one.harness].read(one.path, one.key)
    found = {"transcriptPath": one.path} if log is None else {"transcript": log}
    body = spooled.with_log({**said, **found})
    if "transcript" not in body:
        raise FileNotFoundError(one.path)
    return Call(method="POST", path="/api/hooks/session-end", body=body, is_safe=True)


def _name(one: FoundSession) -> str:
    return f"{one.harness}:{one.key}"


def _state(one: FoundSession) -> list[object]:
    return [one.bytes, clock.to_text(one.changed_at)]


def by_harness(found: Sequence[FoundSession]) -> Iterator[tuple[str, int]]:
    for place in PLACES.values():
        if count := sum(one.harness == place.harness for one in found):
            yield place.name, count
