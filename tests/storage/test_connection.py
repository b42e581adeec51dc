"""A database on a server, through the interface of one in a file: lost connections, and a server that is away."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from signet import engine
from signet.db import Database, ReadTx, WriteTx
from signet.db.driver import connect
from signet.db.postgres.schema import ServerUnfit
from storage.hosts import cut_off, rows
from support.database import ENGINES, fresh_database
from support.processes import eventually, program, said, state

COUNT = "SELECT count(*) FROM runtime_settings"
ADD = "INSERT INTO runtime_settings (key, value) VALUES (?, ?)"
#: Claims, stops itself in the transaction, and claims again after it continues.
FREEZES = """
import signal, sys, threading
from pathlib import Path
from signet import engine
from signet.db import Database
engine.use(Path(sys.argv[1]), sys.argv[2])
class Hook:
    tries, is_done = 0, threading.Event()
    def wants_commit(self, tx):
        return not self.is_done.is_set()
    def before_commit(self, tx):
        self.tries += 1
        tx.run("INSERT INTO runtime_settings (key, value) VALUES (?, ?)", (f"try {self.tries}", ""))
        if self.tries == 1:
            signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)
    def after_commit(self, committed):
        if committed:
            self.is_done.set()
        else:
            db.writer.wake()
db = Database(Path(sys.argv[1]), inline=False)
hook = Hook()
db.writer.add_hook(hook)
hook.is_done.wait()
print("claimed", flush=True)
"""


class Claims:
    """A hook that claims until it has committed once."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self.wake = wake
        self.done = threading.Event()
        self.attempts = 0

    def wants_commit(self, _: ReadTx) -> bool:
        return not self.done.is_set()

    def before_commit(self, tx: WriteTx) -> None:
        add(tx, "claimed")

    def after_commit(self, committed: bool) -> None:
        self.attempts += 1
        if committed:
            self.done.set()
        else:
            self.wake()


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with ENGINES.during(on_postgres=True):
        found = Database(fresh_database(tmp_path / "memories.db"))
        yield found
        found.close()


def add(tx: WriteTx, name: str) -> None:
    tx.run(ADD, (name, "2026"))


def count(tx: ReadTx) -> int:
    return int(tx.value(COUNT))


def test_a_connection_that_the_server_closed_is_opened_again(db: Database) -> None:
    assert db.url is not None
    for number, write in enumerate((db.write, db.write_quick, db.write_quick, db.write)):
        write(add, str(number))
        cut_off(db.url)
        assert db.read(count) == number + 1


def test_a_server_that_is_away_is_named(tmp_path: Path) -> None:
    place = tmp_path / "memories.db"
    engine.use(place, "postgresql://ada@/tern?host=/nowhere")
    with pytest.raises(
        ServerUnfit, match=r"postgresql:///tern\?host=/nowhere does not answer; nothing"
    ):
        Database(place)
    engine.use(place, None)


def test_a_host_that_freezes_in_a_claim_stops_the_others_only_for_a_while(db: Database) -> None:
    assert db.url is not None
    db.write(add, "a save before")
    short = f"{db.url}&options=-c%20idle_in_transaction_session_timeout%3D3000"
    with program("-c", FREEZES, str(db.path), short) as frozen:
        eventually(lambda: state(frozen.pid) == "T")
        hook = Claims(db.writer.wake)
        db.writer.add_hook(hook)
        db.write(add, "a save meanwhile")
        assert hook.done.wait(15), "the claim waited for the frozen host"
        assert hook.attempts > 1
        frozen.send_signal(signal.SIGCONT)
        said(frozen, "claimed")
    found = {key for (key,) in rows(db.url, "SELECT key FROM runtime_settings")}
    assert found == {"a save before", "a save meanwhile", "claimed", "try 2"}


def test_a_read_may_think_as_long_as_it_likes(db: Database) -> None:
    with closing(connect(db.path, read_only=True)) as reader:
        found = reader.execute(
            "SELECT current_setting('idle_in_transaction_session_timeout')"
        ).fetchone()
    assert found[0] == "0"
