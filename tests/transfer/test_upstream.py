"""Databases of the earlier program, at four of its versions, are imported whole."""

import hashlib
from contextlib import closing
from pathlib import Path

import pytest

from migrations import upstream
from signet.domain.transfer.sources import choose
from signet.domain.transfer.sources.formats import Format, ImportOptions, ImportSource
from signet.paths import Workspace
from support.database import MADE_AT
from support.http import Api
from transfer.rows import imported

#: Tables of the earlier program whose rows come one to one.
KEPT = {
    2: ("memories", "memory_history"),
    8: ("documents", "document_memories"),
    30: (),
    43: ("memory_hints", "agents"),
}

NOWHERE = Workspace(Path("/nowhere"))


def taken(api: Api, path: Path) -> tuple[int, int, list[str]]:
    with choose.open_source(
        str(path), None, ImportOptions(), workspace=NOWHERE, now=MADE_AT
    ) as source:
        assert source.format is Format.UPSTREAM
        return imported(api, values(source))


def values(source: ImportSource) -> list[dict[str, object]]:
    found = list(source.records)
    assert found[-1].done == source.total
    return [dict(one.value) for one in found]


@pytest.mark.parametrize("version", upstream.VERSIONS)
def test_a_database_of_any_version_is_imported_once_and_left_as_it_was(
    tmp_path: Path, empty: Api, version: int
) -> None:
    path = tmp_path / "theirs.db"
    with closing(upstream.write(path, version)) as theirs:
        for table in [name for step, names in KEPT.items() if step <= version for name in names]:
            assert theirs.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    new, known, reasons = taken(empty, path)
    assert reasons == []
    assert taken(empty, path) == (0, new + known, [])
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith("theirs")] == [
        "theirs.db"
    ]
    memories = {row["id"]: row for row in empty.rows("memories")}
    assert set(memories) == {"m1", "m2", "m3"}
    assert memories["m1"]["content"] == "The greenhouse heater runs on propane"
    forgotten_at = "2025-02-01T00:00:00.000Z"
    assert (memories["m3"]["is_deleted"], memories["m3"]["deleted_at"]) == (1, forgotten_at)
    assert memories["m1"]["created_at"] == "2025-01-01T00:00:00.000Z"
    assert {row["id"] for row in empty.rows("memory_history")} == {"h1", "h2"}
    assert len(empty.rows("entities")) == 2  # of which one was there twice
    if version >= 30:
        transcripts = [row["session_key"] for row in empty.rows("session_transcripts")]
        assert transcripts[:1] == ["k1"] and len(transcripts) == 4


def test_the_same_text_under_an_earlier_hash_is_known(tmp_path: Path, empty: Api) -> None:
    text = "Seedlings move outdoors in the second week of May"
    ours = empty.post("/api/memory/remember", {"content": text}).body["id"]
    path = tmp_path / "theirs.db"
    upstream.write(path, 43).close()
    assert taken(empty, path)[2] == []
    assert {row["id"] for row in empty.rows("memories")} == {ours, "m1", "m3"}
    assert {row["memory_id"] for row in empty.rows("document_memories")} == {ours}


def test_a_database_in_use_is_imported_with_what_is_only_in_its_log(
    tmp_path: Path, empty: Api
) -> None:
    path = tmp_path / "theirs.db"
    with closing(upstream.write(path, 43)) as theirs:
        theirs.execute("PRAGMA journal_mode = WAL")
        theirs.execute("UPDATE memories SET content = 'Written last' WHERE id = 'm1'")
        assert taken(empty, path)[2] == []
    assert empty.rows("memories")[0]["content"] == "Written last"


@pytest.mark.sqlite_file
def test_a_workspace_of_ours_is_read_from_its_folder(full: Api, empty: Api) -> None:
    new, known, reasons = taken(empty, full.state.workspace.root)
    assert (known, reasons) == (0, []) and new > 40
    assert len(empty.rows("memories")) == len(full.rows("memories"))
