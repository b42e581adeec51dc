"""What the processes of one database agree on: who lives, who leads, by which clock leases end, and when jobs are due.

On one machine the kernel answers: locks of files, the monotonic clock, datagrams (`Coordination`). On a PostgreSQL
server with processes of several hosts the server answers for those of other hosts (`HostsCoordination`); among the
processes of one host the kernel stays the faster witness.
"""

from signet import clock
from signet.db import Database
from signet.paths import Workspace
from signet.process.liveness import Presence
from signet.process.rescuer import Rescuer
from signet.queue.wakeup import Notifier


class Coordination:
    """The coordination of one machine, for one process."""

    #: The clock of leases is its monotonic one.
    clock = clock.SYSTEM

    def __init__(self, db: Database, workspace: Workspace, kind: str, *, queues: str = "") -> None:
        """Prove that this process lives, and insert its row; `queues` are those whose jobs it runs."""
        self._db, self._folder = db, workspace.runtime_dir
        self.presence = Presence(workspace.runtime_dir, kind)
        self._notifier = Notifier(workspace.runtime_dir)
        self._queues = queues

    @property
    def owner(self) -> str:
        """The owner of this process's leases."""
        return self.presence.owner

    def announce(self) -> None:
        """Insert this process's row, and wake the others after its later commits that make a job due."""
        self._db.write(self.presence.announce, now=self.clock.now(), queues=self._queues)
        self._db.writer.listen(lambda signals: self.notify())

    def notify(self) -> None:
        """Wake the processes that run jobs."""
        self._notifier.notify()

    def leads(self) -> bool:
        """Return whether this scheduler, the only one of its machine, leads."""
        return True

    def has_ended(self, owner: str) -> bool | None:
        """Return whether a process without a lock file here has ended; None if only its lease can tell."""
        return None

    def rescuer(self) -> Rescuer:
        """Return what releases the jobs of the other processes when they end."""
        ended = self.has_ended
        return Rescuer(self._db, self._folder, self.owner, has_ended=ended, clock=self.clock)

    def withdraw(self) -> None:
        """Remove this process's row."""
        self.presence.withdraw(self._db)

    def close(self) -> None:
        """Give up the proof of life, after the database is closed."""
        self.presence.close()
        self._notifier.close()


class HostsCoordination(Coordination):
    """The coordination of processes on several hosts, which a PostgreSQL server mediates."""

    def __init__(self, db: Database, workspace: Workspace, kind: str, *, queues: str = "") -> None:
        super().__init__(db, workspace, kind, queues=queues)
        assert db.url is not None
        from signet.db.postgres.session import ServerSession

        wake = self._notifier.notify if queues else None
        self._session: ServerSession = ServerSession(db.url, self.owner, wake=wake)
        self.clock = self._session.clock

    def notify(self) -> None:
        super().notify()
        self._session.notify()

    def leads(self) -> bool:
        """Return whether this scheduler leads those of all hosts; it tries to from the first call on."""
        return self._session.try_to_lead()

    def has_ended(self, owner: str) -> bool | None:
        return self._session.has_ended(owner)

    def close(self) -> None:
        self._session.close()
        super().close()


def join(db: Database, workspace: Workspace, kind: str, *, queues: str = "") -> Coordination:
    """Return the coordination of a process of this kind with the others of its database."""
    made = Coordination if db.url is None else HostsCoordination
    return made(db, workspace, kind, queues=queues)
