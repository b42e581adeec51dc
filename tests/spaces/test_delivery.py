"""What nobody may get through a space's memory: common files, imports, saves; and spaces without any key."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from spaces.people import ALL, HERS, admin, key, row, saved, share, texts, withdraw
from support.http import Api, an_api

ROSTER = "agents:\n  roster:\n    - {name: scout, read_policy: isolated}\n"


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Api]:
    with an_api(tmp_path / "local", ROSTER) as opened:
        opened.post("/api/spaces", {"name": "billing"})
        yield opened


def test_in_local_mode_a_space_is_read_like_what_is_shared(local: Api) -> None:
    memory = saved(local, {}, agentId="scout", visibility="private")
    seen = {"x_signet_agent_id": "scout"}
    assert (texts(local, {}), texts(local, seen)) == (set(), {HERS})
    assert share(local, memory, {}, agentId="scout").status == 200
    assert (texts(local, {}), texts(local, seen)) == ({HERS}, {HERS})
    common = saved(local, {}, "The crane is red.")
    assert share(local, common, {}).status == 200
    assert texts(local, seen) == {HERS}  # isolated: only its own
    assert withdraw(local, memory, {}).status == 200
    assert texts(local, {}) == {"The crane is red."}


def test_common_files_hold_no_memory_of_a_space(local: Api) -> None:
    saved(local, {}, "The crane is red and stands in the yard.", importance=0.9)
    memory = saved(local, {}, importance=0.9)
    assert "4711" in str(local.post("/api/hooks/synthesis", {"trigger": "manual"}).body)
    assert share(local, memory, {}).status == 200
    asked = str(local.post("/api/hooks/synthesis", {"trigger": "manual"}).body)
    assert "The crane is red" in asked and "4711" not in asked


def test_nothing_enters_a_space_by_a_save_or_an_import(api: Api, tmp_path: Path) -> None:
    anna, bert = key(api, "anna", billing=ALL), key(api, "bert", billing=ALL)
    asked = {"content": HERS, "visibility": "space:billing"}
    assert api.post("/api/memory/remember", asked, **anna).status == 400
    memory = saved(api, anna)
    assert share(api, memory, anna).status == 200
    pages, cursor = [], ""
    while cursor is not None:
        page = api.get(f"/api/export?cursor={cursor}", **bert).body
        pages += page["records"]
        cursor = page["next"]
    [record] = [one for one in pages if one["record"] == "memory"]
    assert record["visibility"] == "space:billing"
    with an_api(tmp_path / "other", "auth:\n  mode: hybrid\n") as other:
        other.post("/api/spaces", {"name": "billing"}, **admin(other))
        done = other.post("/api/import", {"records": [record]}, **admin(other))
        assert (done.status, done.body["refused"]) == (200, 0), done.body
        assert row(other, memory)["visibility"] == "private"
        assert texts(other, key(other, "bert", billing=ALL)) == set()
        assert texts(other, key(other, "anna")) == {HERS}


def test_facts_derived_in_a_space_leave_it_with_their_memory(api: Api) -> None:
    anna, bert = key(api, "anna", billing=ALL), key(api, "bert", billing=("read",))
    memory = saved(api, anna)
    early = saved(api, anna, "The port of the invoice server is 4711.")
    late = saved(api, anna, "The invoice server belongs to Larder.")
    for fact in (early, late):
        api.run(
            "INSERT INTO memory_sources (memory_id, kind, source_id) VALUES (?, 'memory', ?)",
            fact,
            memory,
        )
    assert share(api, memory, anna).status == 200
    assert texts(api, bert) == {HERS}  # an earlier fact stays private
    api.run("UPDATE memories SET visibility = 'space:billing' WHERE id = ?", late)
    assert len(texts(api, bert)) == 2
    assert withdraw(api, memory, anna).status == 200
    assert texts(api, bert) == set()
    assert {row(api, one)["visibility"] for one in (memory, early, late)} == {"private"}


def test_a_forgotten_memory_of_a_space_comes_back_there_or_to_its_author(api: Api) -> None:
    anna, bert = key(api, "anna", billing=ALL), key(api, "bert", billing=ALL)
    memory = saved(api, anna)
    assert share(api, memory, anna).status == 200
    assert api.send("DELETE", f"/api/memory/{memory}?reason=x", b"", dict(bert)).status == 403
    assert api.send("DELETE", f"/api/memory/{memory}?reason=x", b"", dict(anna)).status == 200
    assert texts(api, bert) == set()
    assert api.post(f"/api/memory/{memory}/recover", {"reason": "x"}, **anna).status == 200
    assert texts(api, bert) == {HERS}
    assert api.send("DELETE", f"/api/memory/{memory}?reason=x", b"", dict(anna)).status == 200
    assert withdraw(api, memory, anna).status == 200
    assert api.post(f"/api/memory/{memory}/recover", {"reason": "x"}, **anna).status == 200
    assert (texts(api, anna), texts(api, bert)) == ({HERS}, set())
    erased = f"/api/memory/{memory}?reason=x&erase=1"
    assert api.send("DELETE", erased, b"", dict(anna)).status == 200
    assert api.rows("shares") == []


def test_what_a_private_memory_says_changes_nothing_in_a_space(api: Api) -> None:
    anna, bert = key(api, "anna", billing=ALL), key(api, "bert", billing=("read",))
    memory = saved(api, anna)
    assert share(api, memory, anna).status == 200
    saved(api, anna, "The invoice server of Larder runs on port 1.", supersedes=[memory])
    listed = json.dumps(api.get(f"/api/memory/{memory}", **bert).body)
    assert '"superseded_by": null' in listed and "port 1." not in listed
