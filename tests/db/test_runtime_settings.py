"""Small values by key."""

from pathlib import Path

from signet.db import WriteTx, runtime_settings
from signet.db.driver import connect
from support.database import fresh_database


def test_a_value_is_replaced_and_subjects_are_listed_by_the_rest_of_their_keys(
    tmp_path: Path,
) -> None:
    tx = WriteTx(connect(fresh_database(tmp_path / "m.db")))
    for key, value in {"seen:b": "1", "seen:a": "2", "seem": "4", "seen;a": "5"}.items():
        runtime_settings.put(tx, key, value)
    runtime_settings.put(tx, "seen:b", 3)
    assert runtime_settings.get_all(tx, "seen:") == {"a": "2", "b": "3"}
    assert runtime_settings.get_number(tx, "seen:b") == 3
    assert runtime_settings.get_number(tx, "unknown") == 0
    assert runtime_settings.get(tx, "unknown") is None
