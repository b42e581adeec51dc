"""Words of Chinese, Japanese and Korean are found inside sentences, whoever writes the text."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signet.db import fts, script
from signet.db.driver import Connection, connect
from support.database import fresh_database
from support.fulltext import check_index

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
        ("We released v3.4.0 of the parser", "3.4.0"),
        ("We released 3.4.0 of the parser", "V3.4.0"),
        ("Pinned typescript to 5.4.5", "v5.4.5"),
        ("Requires python3.11 for tomllib", "python 3.11"),
        ("Requires Python 3.11 for tomllib", "python3.11"),
        ("Target is ES2022", "2022"),
        ("HTTP2 is off at the edge", "http/2"),
        ("HTTP/2 is off at the edge", "http2"),
        ("Backups older than 30s or of 25MB", "25 mb"),
        ("The k8s cluster", "k8s"),
        ("Größe3 und Größe4", "größe 4"),
        ("Серверы2 и 3", "серверы"),
        ("データベースの移行", "ﾃﾞｰﾀﾍﾞｰｽ"),
        ("ﾊﾟﾝとｶﾞﾗｽ", "パン"),
        ("ＡＰＩ full ｗｉｄｔｈ", "api width"),
        ("api width", "ＡＰＩ ｗｉｄｔｈ"),
        ("ofﬁce ﬂag", "office flag"),
        ("①step needs 5㎏, m²", "kg"),
        ("Ship it 🚀", "🚀"),
        ("deployed✅now", "deployed ✅"),
        ("👩‍💻 at work", "👩‍💻"),
        ("👍🏽 from Ana", "👍"),
        ("Press 1️⃣ to go on", "1️⃣"),
        ("Press 1⃣ to go on", "1️⃣"),
        ("Press1️⃣2️⃣", "2️⃣ press"),
        ("Sold in 🇩🇪🇫🇷", "🇫🇷"),
        ("🇩🇪: sold", "sold 🇩🇪"),
        ("We ❤️ it", "❤"),
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
    check_index(db, "memories_fts", "memories")
    assert found(db, "空") == []


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Connection:
    return connect(fresh_database(tmp_path_factory.mktemp("plain") / "memories.db"))


@pytest.mark.sqlite_file
@given(
    st.text(st.sampled_from("ab 1é中文の猫ーー회의.・Ж𠀀ß，３Ｂｶﾞﾟﬁ🚀²"), min_size=1, max_size=150)
)
def test_the_index_and_a_question_cut_alike(plain: Connection, text: str) -> None:
    plain.execute("DELETE FROM memories")
    plain.execute(SAVE, ("a", text))
    (read,) = plain.execute("SELECT content FROM memories_words").fetchone()
    parts = [part for raw in script.fold(text).split() for part in script.cut(raw)]
    assert {word for part in parts for word in script.indexed(part).split()} <= set(read.split())


@pytest.mark.parametrize(
    ("text", "usual"),
    [
        ("０３－１２３４", "03-1234"),
        ("ａ＠ｂ．ｃｏ", "a@b.co"),
        ("ｐｌａｎ＿７", "plan_7"),
        ("１２：３０", "12:30"),
        ("2024‑05‑01", "2024-05-01"),
    ],
)
def test_wide_marks_and_hyphens_are_usual_ones(text: str, usual: str) -> None:
    assert fts.words(text) == fts.words(usual) and fts.folded(text) == usual


def test_another_version_is_not_found(plain: Connection) -> None:
    plain.execute("DELETE FROM memories")
    plain.execute(SAVE, ("flag", "🇪🇩 11️⃣"))
    assert found(plain, "🇩🇪") == found(plain, "1️⃣") == []
    for number, text in enumerate(("v3.4.0", "v3.40", "13.4.0", "3.4", "python3.12", "🚢 HTTP3")):
        plain.execute(SAVE, (str(number), text))
    assert found(plain, "3.4.0") == ["0"]
    assert found(plain, "python3.11") == found(plain, "http/2") == found(plain, "🚀") == []
