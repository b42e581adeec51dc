"""A COMMIT whose answer is lost: the server says later whether the rows are there, and nothing is written twice."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from signet import clock, engine
from signet.db import Database, ReadTx, WriteTx
from signet.db.postgres import fate
from signet.db.postgres.database import CommitUnknown
from signet.queue import NewJob, enqueue
from storage.hosts import cut_off, rows
from storage.wire import Loss, Wire, a_wire
from support import postgres
from support.database import ENGINES, fresh_database
from support.executor import a_dispatcher
from support.processes import PATIENCE_SECONDS, eventually

ADD = "INSERT INTO runtime_settings (key, value) VALUES (?, ?)"


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Wire]:
    with ENGINES.during(on_postgres=True):
        place = fresh_database(tmp_path / "memories.db")
        url = str(engine.url_of(place))
        with a_wire(url) as found:
            engine.use(place, found.url)
            yield found
            engine.use(place, url)


@pytest.fixture
def db(wire: Wire, tmp_path: Path) -> Iterator[Database]:
    with closing(Database(tmp_path / "memories.db")) as found:
        yield found


class Adds:
    """A write that counts how often it runs."""

    def __init__(self, key: str = "added") -> None:
        self.key = key
        self.runs = 0

    def __call__(self, tx: WriteTx) -> str:
        self.runs += 1
        tx.run(ADD, (self.key, "2026"))
        return f"{self.key} is there"


def keys(wire: Wire) -> list[str]:
    return [key for (key,) in rows(wire.server, "SELECT key FROM runtime_settings ORDER BY key")]


def test_a_write_whose_answer_is_lost_succeeds_and_does_not_run_again(
    db: Database, wire: Wire
) -> None:
    add = Adds()
    wire.loses = Loss.ANSWER
    assert db.write(add) == "added is there"
    assert (add.runs, wire.lost, keys(wire)) == (1, 1, ["added"])
    assert db.write(Adds("another")) == "another is there"


@pytest.mark.parametrize("loss", [Loss.REQUEST, Loss.UNNOTICED])
def test_a_commit_that_did_not_arrive_runs_again(db: Database, wire: Wire, loss: Loss) -> None:
    """The server ends the transaction of a session that is lost before it knows of that."""
    add = Adds()
    wire.loses = loss
    assert db.write(add) == "added is there"
    assert (add.runs, wire.lost, keys(wire)) == (2, 1, ["added"])


def test_a_session_that_ends_before_its_commit_runs_again(db: Database, wire: Wire) -> None:
    add = Adds()

    def write(tx: WriteTx) -> str:
        told = add(tx)
        if add.runs == 1:
            cut_off(wire.server)
        return told

    assert db.write(write) == "added is there"
    assert (add.runs, keys(wire)) == (2, ["added"])


def test_a_commit_that_the_server_refuses_is_no_lost_one(db: Database, wire: Wire) -> None:
    """A conflict that a COMMIT reports has written nothing, and its transaction runs again at once."""
    add = Adds()
    fails = f"CREATE SEQUENCE tries; GRANT ALL ON SEQUENCE tries TO {postgres.ROLE};"
    fails += """
        CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF nextval('tries') = 1 THEN RAISE EXCEPTION 'conflict' USING ERRCODE = '40001'; END IF; RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER late AFTER INSERT ON runtime_settings DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION conflict()"""
    rows(wire.server, fails)
    assert db.write(add) == "added is there"
    assert (add.runs, keys(wire)) == (2, ["added"])


def test_writes_that_commit_together_all_succeed_once(db: Database, wire: Wire) -> None:
    adds = [Adds(f"save {number}") for number in range(4)]
    is_blocked, may_go = threading.Event(), threading.Event()
    told: list[object] = []

    def block(tx: WriteTx) -> None:
        is_blocked.set()
        may_go.wait(PATIENCE_SECONDS)

    blocker = threading.Thread(target=db.write, args=(block,))
    blocker.start()
    assert is_blocked.wait(PATIENCE_SECONDS)
    threads = [threading.Thread(target=lambda add=add: told.append(db.write(add))) for add in adds]
    for thread in threads:
        thread.start()
    eventually(lambda: len(db.writer._waiting) == len(adds))
    wire.loses = Loss.ANSWER
    may_go.set()
    for thread in [blocker, *threads]:
        thread.join()
    assert sorted(map(str, told)) == [f"{add.key} is there" for add in adds]
    assert keys(wire) == [add.key for add in adds]
    assert [add.runs for add in adds] == [1, 1, 1, 1]
    assert wire.lost == 1


def test_a_server_that_stays_away_leaves_it_open_and_a_repeat_is_safe(
    db: Database, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fate, "SECONDS", 0.0)
    save = "INSERT INTO runtime_settings (key, value) VALUES ('added', 'x') ON CONFLICT DO NOTHING"
    wire.loses, wire.is_closed_then = Loss.ANSWER, True
    with pytest.raises(CommitUnknown, match=r"does not answer; it is not known whether") as raised:
        db.write(lambda tx: tx.run(save))
    assert "nothing was written" not in str(raised.value)
    assert raised.value.code == "commit_unknown"
    assert keys(wire) == ["added"], "it was written"
    wire.is_closed = False
    db.write(lambda tx: tx.run(save))
    assert keys(wire) == ["added"]


def test_a_server_that_comes_back_soon_says_what_became_of_it(db: Database, wire: Wire) -> None:
    wire.loses, wire.is_closed_then = Loss.ANSWER, True
    wire.then = threading.Timer(0.5, lambda: setattr(wire, "is_closed", False)).start
    add = Adds()
    assert db.write(add) == "added is there"
    assert add.runs == 1


class Claims:
    """A hook that adds a row in a transaction of its own, once."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self.wake = wake
        self.done = threading.Event()
        self.told: list[bool] = []

    def wants_commit(self, _: ReadTx) -> bool:
        return not self.done.is_set()

    def before_commit(self, tx: WriteTx) -> None:
        tx.run(ADD, (f"claim {len(self.told)}", ""))

    def after_commit(self, committed: bool) -> None:
        self.told.append(committed)
        if committed:
            self.done.set()
        else:
            self.wake()


@pytest.mark.parametrize(
    "loss, told", [(Loss.ANSWER, [True]), (Loss.REQUEST, [False, True])], ids=["answer", "request"]
)
def test_a_claim_learns_whether_it_has_its_jobs(
    db: Database, wire: Wire, loss: Loss, told: list[bool]
) -> None:
    hook = Claims(db.writer.wake)
    wire.loses = loss
    db.writer.add_hook(hook)
    assert hook.done.wait(PATIENCE_SECONDS)
    assert (hook.told, keys(wire)) == (told, [f"claim {len(told) - 1}"])


def test_a_job_whose_claim_lost_its_answer_runs_at_once(
    db: Database, wire: Wire, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere.db"
    engine.use(elsewhere, wire.server)
    with a_dispatcher(db, 60_000, 1) as broker, closing(Database(elsewhere)) as other:
        wire.loses = Loss.ANSWER
        other.write(enqueue, NewJob(kind="noop", queue="q"), now=clock.now())
        db.writer.wake()
        assert broker.dispatcher.fetch("q", PATIENCE_SECONDS) is not None
    assert wire.lost == 1
