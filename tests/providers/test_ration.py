"""Calls that cost somebody are bounded, for all processes together."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from signet import clock
from signet.db import Database
from signet.db.provider_usage import ProviderUsage
from signet.errors import ProviderBusy, ProviderDown, ProviderFailed
from signet.providers import ration
from signet.providers.openai import OpenAIModel
from signet.providers.ration import Ration, RationedModel
from signet.queue import retry
from support.database import fresh_database
from support.models import Hang, Status, fake_openai
from support.processes import eventually, program


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """Give a database at an instant that stands still: counts are those of an hour."""
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now)
    opened = Database(fresh_database(tmp_path / "memories.db"))
    yield opened
    opened.close()


def rationed(
    db: Database,
    folder: Path,
    url: str,
    *,
    at_once: int = 4,
    calls: int = 0,
    tokens: int = 0,
    yields: bool = False,
) -> RationedModel:
    bounds = Ration(at_once=at_once, calls_per_hour=calls, tokens_per_hour=tokens)
    model = OpenAIModel(url, "gpt-4o-mini")
    return RationedModel(model, db, folder / "llm", bounds, yields=yields)


def ask(model: RationedModel, seconds: float = 5.0) -> str:
    return model.generate("hello there", timeout_seconds=seconds, max_tokens=9).text


def usage(db: Database) -> ProviderUsage:
    return db.read(ration.used, "openai", now=clock.now())


def test_a_call_and_its_tokens_are_counted_for_the_hour(db: Database, tmp_path: Path) -> None:
    with fake_openai("three little words") as server:
        model = rationed(db, tmp_path, server.url)
        ask(model)
        ask(model)
    assert usage(db) == ProviderUsage(calls=2, tokens=10)
    assert db.read(ration.used, "openai", now=clock.now() - timedelta(hours=1)) == ProviderUsage()


def test_over_the_calls_of_an_hour_nobody_is_asked_and_the_wait_ends_with_it(
    db: Database, tmp_path: Path
) -> None:
    with fake_openai() as server:
        model = rationed(db, tmp_path, server.url, calls=2)
        ask(model)
        ask(model)
        with pytest.raises(ProviderDown, match="2 calls an hour is used up") as down:
            ask(model)
        assert len(server.requests) == 2
    assert 0 < (down.value.retry_after_seconds or 0) <= 3600


def test_over_the_tokens_of_an_hour_nobody_is_asked(db: Database, tmp_path: Path) -> None:
    with fake_openai("one two") as server:
        model = rationed(db, tmp_path, server.url, tokens=4)
        ask(model)
        with pytest.raises(ProviderDown, match="4 tokens an hour"):
            ask(model)


def test_a_call_that_fails_has_been_made(db: Database, tmp_path: Path) -> None:
    with fake_openai(Status(500)) as server, pytest.raises(ProviderFailed):
        ask(rationed(db, tmp_path, server.url))
    assert usage(db) == ProviderUsage(calls=1, tokens=0)


def test_counts_are_forgotten_after_a_month(db: Database) -> None:
    long_ago = clock.now() - timedelta(days=31)
    db.write(ration.count, "openai", now=long_ago, calls=5)
    db.write(ration.count, "openai", now=clock.now(), calls=1)
    assert db.read(ration.used, "openai", now=long_ago) == ProviderUsage()


def test_no_more_calls_are_out_at_once_than_there_are_slots(db: Database, tmp_path: Path) -> None:
    held = Hang(text="first")
    with fake_openai(held, "second") as server:
        model = rationed(db, tmp_path, server.url, at_once=1)
        first = threading.Thread(target=ask, args=(model, 20.0))
        first.start()
        eventually(lambda: len(server.requests) == 1)
        with pytest.raises(ProviderBusy, match="1 parallel calls") as busy:
            ask(model, seconds=0.2)
        assert not retry.outcome_of(busy.value).is_provider_down, "others may go on asking"
        assert len(server.requests) == 1
        held.release.set()
        first.join()
        assert ask(model) == "second"


def test_who_yields_leaves_the_last_slot_to_others(db: Database, tmp_path: Path) -> None:
    held = Hang(text="first")
    with fake_openai(held, "second") as server:
        model = rationed(db, tmp_path, server.url, at_once=2)
        yielding = rationed(db, tmp_path, server.url, at_once=2, yields=True)
        first = threading.Thread(target=ask, args=(yielding, 20.0))
        first.start()
        eventually(lambda: len(server.requests) == 1)
        with pytest.raises(ProviderBusy):
            ask(yielding, seconds=0.2)
        assert ask(model) == "second"
        held.release.set()
        first.join()
        assert ask(rationed(db, tmp_path, server.url, at_once=1, yields=True)) == "second"


#: A program that makes a call which never ends: database, folder and address are its arguments.
CALLER = """
import sys
from pathlib import Path
from signet.db import Database
from signet.db.provider_usage import ProviderUsage
from signet.providers.openai import OpenAIModel
from signet.providers.ration import Ration, RationedModel
model = OpenAIModel(sys.argv[3], "gpt-4o-mini")
bounds = Ration(at_once=1, calls_per_hour=0, tokens_per_hour=0)
caller = RationedModel(model, Database(Path(sys.argv[1])), Path(sys.argv[2]), bounds)
caller.generate("hello", timeout_seconds=600, max_tokens=9)
"""


def test_a_slot_comes_back_when_its_process_is_killed(db: Database, tmp_path: Path) -> None:
    with fake_openai(Hang(), "after the kill") as server:
        model = rationed(db, tmp_path, server.url, at_once=1)
        arguments = (str(tmp_path / "memories.db"), str(tmp_path / "llm"), server.url)
        with program("-c", CALLER, *arguments) as other:
            eventually(lambda: len(server.requests) == 1)
            with pytest.raises(ProviderDown):
                ask(model, seconds=0.1)
            other.kill()
            other.wait()
            assert ask(model) == "after the kill"
