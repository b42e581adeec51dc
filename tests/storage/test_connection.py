"""A database on a server, through the interface of one in a file: lost connections, and a server that is away."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from signet import engine
from signet.db import Database, ReadTx, WriteTx
from signet.db.postgres.schema import ServerUnfit
from storage.hosts import cut_off
from support.database import ENGINES, fresh_database

COUNT = "SELECT count(*) FROM runtime_settings"
ADD = "INSERT INTO runtime_settings (key, value) VALUES (?, ?)"


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
    with pytest.raises(ServerUnfit, match="postgresql:///tern does not answer; nothing was"):
        Database(place)
    engine.use(place, None)
