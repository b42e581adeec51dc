"""Before many memories are forgotten together, everything is copied; a disk without room for that stops nobody."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from signet.domain.backup import archive, kept
from signet.domain.memory import choose
from support.http import Answer, Api

MANY = choose.CONFIRM_ABOVE + 1


def remember(api: Api, count: int, word: str = "heron") -> list[str]:
    texts = [f"The {word} number {number} stands in the reeds." for number in range(count)]
    return [str(api.post("/api/memory/remember", {"content": text}).body["id"]) for text in texts]


def forget(api: Api, ids: list[str]) -> Answer:
    found = api.post("/api/memory/forget", {"ids": ids}).body
    sent = {"mode": "execute", "reason": "old", "ids": ids, "confirm_token": found["confirmToken"]}
    return api.post("/api/memory/forget", sent)


def test_many_are_copied_first_and_few_are_not(api: Api) -> None:
    ids = remember(api, MANY)
    few = forget(api, ids[:2])
    assert "backup" not in few.body
    done = forget(api, ids[2:] + remember(api, 3, "crane"))
    assert done.body["deleted"] == MANY + 1
    with archive.opened(Path(done.body["backup"])) as reader:
        assert reader.manifest.reason == "before-forget"
        assert reader.manifest.counts["memories"] == MANY + 3
        reader.verify(lambda size: None)


def test_a_series_shares_its_copy_until_something_changes_that_goes(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = remember(api, MANY, "heron")
    second = remember(api, MANY, "crane")
    # The name of a copy has whole seconds, and all of this happens in one.
    api.run("UPDATE memories SET updated_at = '2026-01-01T00:00:00.000Z'")
    copy = forget(api, first).body["backup"]
    assert forget(api, second).body["backup"] == copy
    third = remember(api, MANY, "stork")
    assert forget(api, third).body["backup"] != copy
    assert len(kept.backups(api.state.workspace)) == 2


@contextmanager
def no_room(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        usage = shutil.disk_usage("/")._replace(free=1_000)
        patch.setattr(shutil, "disk_usage", lambda path: usage)
        yield


def test_without_room_for_a_copy_they_go_all_the_same_and_it_is_said(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = remember(api, MANY)
    with no_room(monkeypatch):
        done = forget(api, ids)
    assert done.body["deleted"] == MANY
    assert done.body["backup"] is None
    assert "free" in done.body["backupSkipped"]
    assert not kept.backups(api.state.workspace)


def test_all_that_match_go_in_one_request_with_one_copy(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choose, "MAX_CANDIDATES", 10)
    texts = [f"The bittern number {number} booms." for number in range(MANY)]
    for text in texts:
        api.post("/api/memory/remember", {"content": text, "tags": ["marsh"]})
    [kept_id] = remember(api, 1)
    asked = {"tags": "marsh", "all": True}
    shown = api.post("/api/memory/forget", {**asked, "limit": 5}).body
    assert (shown["count"], shown["total"], len(shown["candidates"])) == (MANY, MANY, 5)
    todo = {**asked, "mode": "execute", "reason": "old"}
    assert api.post("/api/memory/forget", todo).status == 400
    done = api.post("/api/memory/forget", {**todo, "confirm_token": shown["confirmToken"]}).body
    assert done["deleted"] == MANY
    assert Path(done["backup"]).exists() and len(kept.backups(api.state.workspace)) == 1
    assert api.get(f"/api/memory/{kept_id}").status == 200
