"""Rows as named tuples, and lists as one parameter."""

from pathlib import Path
from typing import NamedTuple, TypedDict

import pytest

from signet.db import ReadTx
from signet.db.dialect import LIST, as_list, list_of
from signet.db.driver import connect


class Planet(NamedTuple):
    name: str
    moons: int


@pytest.fixture
def tx(tmp_path: Path) -> ReadTx:
    connection = connect(tmp_path / "planets.db")
    connection.execute("CREATE TABLE planets (name TEXT, moons INTEGER)")
    connection.execute("INSERT INTO planets VALUES ('Earth', 1), ('Mars', 2), ('Venus', 0)")
    return ReadTx(connection)


def test_rows_come_as_named_tuples(tx: ReadTx) -> None:
    assert tx.rows(Planet, "SELECT name, moons FROM planets WHERE moons > ?", (1,)) == [
        Planet("Mars", 2)
    ]
    found = tx.row(Planet, "SELECT name, moons FROM planets WHERE name = ?", ("Earth",))
    assert found is not None and found.moons == 1
    assert tx.row(Planet, "SELECT name, moons FROM planets WHERE name = 'Pluto'") is None


def test_columns_that_are_not_the_fields_are_refused(tx: ReadTx) -> None:
    with pytest.raises(TypeError, match="moons"):
        tx.rows(Planet, "SELECT moons, name FROM planets")
    with pytest.raises(TypeError, match="Planet"):
        tx.row(Planet, "SELECT name FROM planets WHERE moons > 5")


def test_a_list_is_one_parameter(tx: ReadTx) -> None:
    names = tx.tuples(
        f"SELECT name FROM planets WHERE name IN {LIST} ORDER BY name",
        (as_list(["Venus", "Mars"]),),
    )
    assert names == [("Mars",), ("Venus",)]
    most = f"SELECT count(*) FROM planets WHERE moons IN {list_of(':moons')}"
    assert tx.value(most, {"moons": as_list([0, 1])}) == 2
    assert tx.value(most, {"moons": as_list([])}) == 0


class World(TypedDict):
    name: str
    hasMoons: bool


def test_rows_come_as_typed_dictionaries(tx: ReadTx) -> None:
    found = tx.records(World, "SELECT name, moons > 0 AS has_moons FROM planets ORDER BY name")
    assert found[::2] == [
        {"name": "Earth", "hasMoons": True},
        {"name": "Venus", "hasMoons": False},
    ]
    with pytest.raises(TypeError, match="World"):
        tx.records(World, "SELECT name FROM planets")
    assert tx.record(World, "SELECT name, 1 AS has_moons FROM planets WHERE moons > 5") is None
    assert tx.column("SELECT moons FROM planets ORDER BY moons") == [0, 1, 2]
