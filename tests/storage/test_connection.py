"""A database on a server, through the interface of one in a file: lost connections, and a server that is away."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from signet import clock, engine
from signet.db import Database, ReadTx, WriteTx
from signet.db.commits import Commits
from signet.db.dialect import as_list
from signet.db.driver import connect, sqlite
from signet.db.postgres.schema import ServerUnfit
from signet.queue import NewJob, enqueue
from storage.hosts import cut_off, rows
from support import postgres
from support.database import ENGINES, fresh_database
from support.executor import a_dispatcher
from support.processes import PATIENCE_SECONDS, eventually, program, said, state

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


def test_a_read_that_the_server_cuts_short_runs_again_whoever_caught_the_error(
    db: Database,
) -> None:
    db.write(add, "here")
    tries = 0

    def read(tx: ReadTx) -> str:
        nonlocal tries
        tries += 1
        tx.value(COUNT)
        if tries == 1:
            cut_off(str(db.url))
        with suppress(sqlite.DatabaseError):
            return f"{count(tx)} found"
        return "nothing found"

    assert db.read(read) == "1 found"
    assert tries == 2


def test_a_read_that_is_cut_short_twice_names_the_server(db: Database) -> None:
    def read(tx: ReadTx) -> None:
        tx.value(COUNT)
        cut_off(str(db.url))
        with suppress(sqlite.DatabaseError):
            tx.value(COUNT)

    with pytest.raises(ServerUnfit, match="does not answer"):
        db.read(read)
    assert db.read(count) == 0


def test_two_hosts_that_add_the_same_row_at_once_both_see_it(db: Database) -> None:
    """What each adds if it is missing is there once, and neither fails or leaves out a part of its work."""
    tries = 0

    def add_if_missing(tx: WriteTx) -> str:
        nonlocal tries
        tries += 1
        found = tx.one("SELECT value FROM runtime_settings WHERE key = 'celery'")
        if tries == 1:
            rows(str(db.url), "INSERT INTO runtime_settings (key, value) VALUES ('celery', 'b')")
        if found is not None:
            return f"{found['value']} was there"
        return tx.optional("link", lambda: str(tx.run(ADD, ("celery", "a"))), "left out")

    assert db.write(add_if_missing) == "b was there"
    assert tries == 2


def test_a_row_that_breaks_a_unique_index_each_time_is_an_error(db: Database) -> None:
    db.write(add, "once")
    with pytest.raises(sqlite.IntegrityError, match="duplicate key"):
        db.write(add, "once")
    db.write(add, "twice")
    assert db.read(count) == 2


class Watched(Commits):
    """A watcher that notes when it could not read."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.has_failed = threading.Event()

    def version(self) -> int:
        try:
            return super().version()
        except sqlite.Error:
            self.has_failed.set()
            raise


def test_a_worker_looks_for_jobs_again_when_the_server_is_back(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher = Watched(db.path)
    monkeypatch.setattr(db, "commits", lambda: watcher)
    name = postgres.name_of(str(db.url))
    allow = f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS '
    with a_dispatcher(db, 60_000, 1) as broker:
        rows(postgres.address("postgres", postgres.SUPERUSER), allow + "false")
        cut_off(str(db.url), through=postgres.address("postgres", postgres.SUPERUSER))
        assert watcher.has_failed.wait(PATIENCE_SECONDS)
        rows(postgres.address("postgres", postgres.SUPERUSER), allow + "true")
        with closing(Database(db.path)) as elsewhere:  # whose calls this worker does not hear
            elsewhere.write(enqueue, NewJob(kind="noop", queue="q"), now=clock.now())
        assert broker.dispatcher.fetch("q", PATIENCE_SECONDS) is not None


def test_nul_in_a_list_is_the_sign_that_a_text_has_there(db: Database) -> None:
    texts = ["a\0b", "\0", "\\\0", "a\\u0000b", "\\\\u0000", "", "ok"]
    found = db.read(ReadTx.column, "SELECT value FROM json_each(?)", (as_list(texts),))
    assert found == [text.replace("\0", "\ufffd") for text in texts]
