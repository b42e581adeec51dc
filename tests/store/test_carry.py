"""What was forgotten since a backup stays forgotten in the state that is put back."""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from signet.db import Database
from signet.domain.memory import forget, forgotten, lookup, remember
from signet.domain.memory.models import Actor, Forget, NewMemory, Rules
from signet.domain.transcripts import withheld
from support.database import fresh_database

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(days=1)
ACTOR = Actor()


def save(db: Database, text: str) -> str:
    new = NewMemory(content=text, created_at=NOON)
    return db.write(remember.remember, new, actor=ACTOR, rules=Rules(), now=NOON).id


@pytest.mark.sqlite_file
def test_what_was_forgotten_or_erased_since_goes_again(tmp_path: Path) -> None:
    path, staged = fresh_database(tmp_path / "memories.db"), tmp_path / "staged.db"
    db = Database(path)
    kept, gone, erased = (
        save(db, text) for text in ("Tea.", "The code is 4711.", "The PIN is 12.")
    )
    db.close()
    shutil.copy(path, staged)
    db = Database(path)
    for memory_id, for_good in ((gone, False), (erased, True)):
        asked = Forget(memory_id=memory_id, reason="x", for_good=for_good)
        db.write(forget.forget_one, asked, actor=ACTOR, rules=Rules(), now=LATER)
    db.close()
    assert forgotten.carry_over(path, staged, now=LATER) == 2
    assert forgotten.carry_over(path, staged, now=LATER) == 0
    db = Database(staged)
    found = [db.read(lookup.find, one) for one in (kept, gone, erased)]
    values = db.read(lambda tx: tx.tuples("SELECT memory_id, why FROM forgotten_values"))
    held = {one.memory_id for one in db.read(withheld.statements, "default")}
    db.close()
    assert held == {gone, erased}  # in transcripts, too
    assert [one and one.is_deleted for one in found] == [False, True, None]
    assert sorted(values) == sorted([(gone, "forgotten"), (erased, "erased")])


def test_a_present_state_that_cannot_be_read_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "broken.db").write_text("no database " * 100)
    staged = fresh_database(tmp_path / "staged.db")
    assert forgotten.carry_over(tmp_path / "broken.db", staged, now=LATER) == 0
    assert forgotten.carry_over(tmp_path / "none.db", staged, now=LATER) == 0
