"""Words of Chinese, Japanese and Korean are found inside sentences, whoever writes the text."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from hypothesis import given
from hypothesis import strategies as st

from signet.db import fts, migrate, script
from signet.db.driver import Connection, connect
from signet.resources import alembic_dir
from support.database import fresh_database

NOW = datetime(2026, 5, 1, 6, 30, tzinfo=UTC)
SAVE = "INSERT INTO memories (id, content, created_at, updated_at) VALUES (?, ?, '', '')"


def found(db: Connection, question: str) -> list[str]:
    match = fts.all_of(fts.words(question))
    rows = db.execute(
        "SELECT m.id FROM memories_fts f JOIN memories m ON m.seq = f.rowid WHERE memories_fts MATCH ? ORDER BY 1",
        (match,),
    )
    return [row[0] for row in rows]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("我们在2023年用PostgreSQL数据库。", "数据库"),
        ("我们在2023年用PostgreSQL数据库。", "postgresql"),
        ("我们在2023年用PostgreSQL数据库。", "2023"),
        ("家里有一只猫", "猫"),
        ("倉庫の鍵は青い引き出しに入っています。", "引き出し"),
        ("회의는 내일 열 시에 있습니다", "회의"),
        ("Die Straße ist gesperrt", "STRASSE"),
        ("Новогодняя ёлка", "елка"),
        ("Ma sœur habite ici", "soeur"),
    ],
)
def test_a_word_inside_a_sentence_is_found(tmp_path: Path, text: str, question: str) -> None:
    db = connect(fresh_database(tmp_path / "memories.db"))
    db.execute(SAVE, ("a", text))
    db.execute(SAVE, ("b", "Something else, 別のもの"))
    assert found(db, question) == ["a"]
    db.execute("UPDATE memories SET content = '空' WHERE id = 'a'")
    assert found(db, question) == []
    assert found(db, "空") == ["a"]
    db.execute("DELETE FROM memories")
    db.execute("INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)")
    assert found(db, "空") == []


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Connection:
    return connect(fresh_database(tmp_path_factory.mktemp("plain") / "memories.db"))


@given(st.text(st.sampled_from("ab 1é中文の猫ーー회의.・Ж𠀀ß，"), min_size=1, max_size=150))
def test_the_index_and_a_question_cut_alike(plain: Connection, text: str) -> None:
    plain.execute("DELETE FROM memories")
    plain.execute(SAVE, ("a", text))
    (read,) = plain.execute("SELECT content FROM memories_words").fetchone()
    parts = [part for raw in script.fold(text).split() for part in script.cut(raw)]
    assert set(parts) <= set(read.split())


def test_an_earlier_file_is_indexed_again(tmp_path: Path) -> None:
    path = tmp_path / "memories.db"
    config = Config()
    config.set_main_option("script_location", str(alembic_dir()).replace("%", "%%"))
    config.attributes["now"] = NOW
    with migrate._engine(path).connect() as connection, connection.begin():
        config.attributes["connection"] = connection
        command.upgrade(config, "0002")
    db = connect(path)
    db.execute(SAVE, ("a", "我们没有数据库"))
    db.execute(
        "INSERT INTO episode_chunks (agent_id, source_type, source_id, project, position, content, said_at)"
        " VALUES ('default', 'session', 's', '', 0, 'User: 缓存放在哪里', '')"
    )
    db.close()
    migrate.upgrade(path, now=NOW)
    db = connect(path)
    assert found(db, "数据库") == ["a"]
    assert db.execute("SELECT rowid FROM episode_chunks_fts WHERE content MATCH '缓存'").fetchall()
    assert migrate.drift(path) == []
