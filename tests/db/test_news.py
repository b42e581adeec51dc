"""News of a database: commits of any process, and the passing of a few seconds."""

from pathlib import Path

import pytest

from signet.db import Database, WriteTx, commits
from signet.db.commits import Commits, News
from signet.db.driver import sqlite
from support.database import fresh_database

pytestmark = pytest.mark.sqlite_file


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return fresh_database(tmp_path / "m.db")


def change(tx: WriteTx) -> None:
    tx.run("CREATE TABLE IF NOT EXISTS herons (name TEXT)")
    tx.run("INSERT INTO herons VALUES ('grey')")


def test_each_commit_of_any_process_is_news_once(path: Path) -> None:
    own, other = Database(path), Database(path)
    news = own.news()
    assert news.has_come(), "nothing was known before"
    for writer in (other, own):
        assert not news.has_come()
        writer.write(change)
        assert news.has_come()
    assert not news.has_come()
    news.close()
    own.close()
    other.close()


def test_seconds_are_news_too(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    news = News(Commits(path))
    assert news.has_come()
    assert not news.has_come()
    monkeypatch.setattr(commits, "QUIET_SECONDS", 0.0)
    assert news.has_come()
    news.close()


def test_an_unreadable_database_and_a_server_may_always_have_news(path: Path) -> None:
    class Unreadable(Commits):
        def version(self) -> int:
            raise sqlite.OperationalError("disk I/O error")

    for news in (News(Unreadable(path)), News(None)):
        assert [news.has_come(), news.has_come()] == [True, True]
        news.close()
