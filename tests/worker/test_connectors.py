"""Folders kept in step by a real worker."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from signet import clock
from signet.domain.connectors import registry
from signet.process.rescuer import Rescuer
from signet.queue import transitions
from support.processes import eventually
from worker.home import USER, Home, a_home
from worker.sources import (
    RULES,
    a_connector,
    drained,
    emptied,
    endless,
    handed_over,
    health_of,
    read,
    row_of,
    settings,
    started,
    state,
    synced,
)

pytestmark = pytest.mark.own_files


#: Of the folder whose sync is killed in the middle: several steps of it.
FILES = 200
NEW = {"documentsAdded": 0, "documentsUpdated": 0, "documentsRemoved": 0, "errorCount": 0}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with a_home(tmp_path_factory.mktemp("w")) as made:
        made.configure(settings())
        with made.worker():
            yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "notes"
    write(made / "a.md", "Apples ripen in autumn.")
    write(made / "deep" / "er" / "b.txt", "Bees sleep in winter.")
    return made


def write(path: Path, text: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def counts(result: object) -> dict[str, object]:
    assert isinstance(result, dict)
    return {name: result[name] for name in NEW}


def texts(home: Home, connector_id: str) -> set[str]:
    """Return what can be found of the connector's documents."""
    rows = home.rows(
        "SELECT content FROM memories m JOIN document_memories l ON l.memory_id = m.id"
        " JOIN documents d ON d.id = l.document_id WHERE d.connector_id = ? AND m.is_deleted = 0",
        connector_id,
    )
    return {row[0] for row in rows}


def test_a_folder_becomes_documents_and_stays_in_step(home: Home, folder: Path) -> None:
    connector_id = a_connector(home, folder)
    first = synced(home, connector_id)
    assert counts(first) == {**NEW, "documentsAdded": 2}
    assert texts(home, connector_id) == {"Apples ripen in autumn.", "Bees sleep in winter."}
    documents = home.rows(
        "SELECT source_type, source_url, title, status, agent_id FROM documents"
        " WHERE connector_id = ? ORDER BY source_url",
        connector_id,
    )
    assert [tuple(row) for row in documents] == [
        ("file", str(folder / "a.md"), "a.md", "done", "default"),
        ("file", str(folder / "deep/er/b.txt"), "deep/er/b.txt", "done", "default"),
    ]
    assert counts(synced(home, connector_id)) == NEW

    write(folder / "a.md", "Apples ripen in September.")
    (folder / "deep/er/b.txt").unlink()
    write(folder / "c.md", "Cherries ripen first.")
    third = synced(home, connector_id)
    assert counts(third) == {
        "documentsAdded": 1,
        "documentsUpdated": 1,
        "documentsRemoved": 1,
        "errorCount": 0,
    }
    assert texts(home, connector_id) == {"Apples ripen in September.", "Cherries ripen first."}
    gone = home.rows(
        "SELECT status, error FROM documents WHERE source_url = ?", str(folder / "deep/er/b.txt")
    )
    assert [tuple(row) for row in gone] == [("deleted", "source file removed")]
    row = row_of(home, connector_id)
    assert (row["status"], row["last_error"]) == ("idle", None)
    assert (
        json.loads(row["cursor_json"] or "")
        == third["cursor"]
        == {"lastSyncAt": row["last_sync_at"]}
    )


def test_a_file_that_was_moved_in_with_an_old_time_or_set_back_is_found(
    home: Home, folder: Path
) -> None:
    connector_id = a_connector(home, folder)
    synced(home, connector_id)
    write(folder / "old.md", "Older than the last sync.")
    write(folder / "a.md", "An earlier version.")
    for name in ("old.md", "a.md"):
        os.utime(folder / name, (1_000_000_000, 1_000_000_000))
    assert counts(synced(home, connector_id)) == {
        **NEW,
        "documentsAdded": 1,
        "documentsUpdated": 1,
    }
    assert "An earlier version." in texts(home, connector_id)
    # What is in a file was written when the file was changed, not today.
    [old] = home.rows("SELECT created_at FROM memories WHERE content LIKE 'Older than%'")
    assert old["created_at"] == "2001-09-09T01:46:40.000Z"


def test_a_touched_file_is_read_but_what_it_says_stays_as_it_is(home: Home, folder: Path) -> None:
    connector_id = a_connector(home, folder)
    synced(home, connector_id)
    before = home.rows("SELECT id, version FROM memories ORDER BY id")
    os.utime(folder / "a.md", (1_900_000_000, 1_900_000_000))
    assert counts(synced(home, connector_id))["documentsUpdated"] == 1
    assert home.rows("SELECT id, version FROM memories ORDER BY id") == before
    assert counts(synced(home, connector_id)) == NEW
    result = synced(home, connector_id, is_full=True)
    assert counts(result)["documentsUpdated"] == 2
    assert home.rows("SELECT id, version FROM memories ORDER BY id") == before
    assert health_of(home, connector_id)["documents"] == {"done": 2}


def test_only_files_that_are_meant_are_read_and_troubles_of_single_files_are_told(
    home: Home, folder: Path, tmp_path: Path
) -> None:
    write(tmp_path / "outside.md", "a secret")
    for name in ("node_modules/x.md", ".hidden/x.md", ".x.md", "drafts/x.md", "x.rst"):
        write(folder / name, "not meant")
    write(folder / "large.md", "x" * 101)
    write(folder / "broken.md", b"caf\xe9 au lait")
    (folder / "out.md").symlink_to(tmp_path / "outside.md")
    (folder / "loop").symlink_to(folder)
    (folder / "in.md").symlink_to(folder / "a.md")
    (folder / "dangling.md").symlink_to(folder / "nothing.md")
    os.mkfifo(folder / "pipe.md")
    write(folder / os.fsdecode(b"odd\xff.md"), "a name that is no text")
    connector_id = a_connector(
        home, folder, ignorePatterns=["node_modules", "drafts"], maxFileSize=100
    )
    result = synced(home, connector_id)
    assert texts(home, connector_id) == {
        "Apples ripen in autumn.",
        "Bees sleep in winter.",
        "caf\ufffd au lait",
    }
    assert counts(result) == {**NEW, "documentsAdded": 4, "errorCount": 3}
    errors = result["errors"]
    assert isinstance(errors, list)
    assert {error["message"]: error["retryable"] for error in errors} == {
        "larger than 100 bytes": False,
        "the name is not UTF-8": False,
        "No such file or directory": True,
    }


def test_a_folder_that_is_gone_is_an_error_and_nothing_is_removed(home: Home, folder: Path) -> None:
    connector_id = a_connector(home, folder)
    synced(home, connector_id)
    away = folder.rename(folder.with_name("away"))
    job_id = started(home, connector_id)
    drained(home)
    (job,) = home.rows("SELECT * FROM memory_jobs WHERE id = ?", job_id)
    assert (job["status"], job["attempts"], job["last_error_code"]) == (
        "dead",
        1,
        "CONNECTOR_AUTH_FAIL",
    )
    row = row_of(home, connector_id)
    assert row["status"] == "error"
    assert row["last_error"] == f"{folder} cannot be read: No such file or directory"
    assert health_of(home, connector_id)["documents"] == {"done": 2}
    away.rename(folder)
    assert counts(synced(home, connector_id)) == NEW
    assert (row_of(home, connector_id)["status"], row_of(home, connector_id)["last_error"]) == (
        "idle",
        None,
    )


def refusal(home: Home, connector_id: str) -> str:
    """Sync a folder that must not be read and return the error that the connector shows."""
    before = home.value("SELECT count(*) FROM documents WHERE connector_id = ?", connector_id)
    job_id = started(home, connector_id)
    drained(home)
    (job,) = home.rows("SELECT * FROM memory_jobs WHERE id = ?", job_id)
    assert (job["status"], job["last_error_code"]) == ("dead", "private_folder")
    count = "SELECT count(*) FROM documents WHERE connector_id = ?"
    assert home.value(count, connector_id) == before
    return str(row_of(home, connector_id)["last_error"])


def test_a_folder_that_becomes_a_link_is_read_no_more(
    home: Home, folder: Path, tmp_path: Path
) -> None:
    write(tmp_path / "diary" / "a.md", "a private diary")
    connector_id = a_connector(home, folder)
    synced(home, connector_id)
    folder.rename(folder.with_name("moved"))
    folder.symlink_to(tmp_path / "diary")
    error = refusal(home, connector_id)
    assert f"{folder} is a link to {tmp_path}/diary now" in error
    assert f"signet connector remove {connector_id[:8]} --documents" in error
    assert "a private diary" not in texts(home, connector_id)


def test_a_private_folder_of_an_older_version_is_read_no_more(
    home: Home, folder: Path, tmp_path: Path
) -> None:
    write(home.workspace.secrets_dir / "a.md", "a secret of the vault")
    write(tmp_path / ".ssh" / "a.md", "a secret key")
    for root in (home.workspace.secrets_dir, home.workspace.root, Path("/"), tmp_path / ".ssh"):
        connector_id = a_connector(home, folder)
        home.run(
            "UPDATE connectors SET config_json = json_set(config_json, '$.rootPath', ?) WHERE id = ?",
            str(root),
            connector_id,
        )
        assert f"{root} is private" in refusal(home, connector_id)
        document = handed_over(home, source_type="file", url=str(tmp_path / ".ssh" / "a.md"))
        assert "path not allowed" in str(read(home, document, "failed")["error"])
        home.db.write(
            registry.remove, connector_id, cascade=True, actor=USER, rules=RULES, now=clock.now()
        )
    assert not home.value("SELECT count(*) FROM memories WHERE content LIKE 'a secret%'")


def test_private_folders_inside_a_connected_folder_are_skipped_and_named(
    home: Home, folder: Path
) -> None:
    for number, mark in enumerate(("key4.db", ".gpg-id", ".daemon/pid")):
        write(folder / f"copy-{number}" / mark, "")
        write(folder / f"copy-{number}" / "x.md", "a secret")
    (folder / "shown.md").symlink_to(folder / "copy-0" / "x.md")
    connector_id = a_connector(home, folder)
    result = synced(home, connector_id)
    assert not home.value("SELECT count(*) FROM documents WHERE source_url LIKE '%shown.md'")
    assert texts(home, connector_id) == {"Apples ripen in autumn.", "Bees sleep in winter."}
    errors = result["errors"]
    assert isinstance(errors, list)
    assert {error["message"].rpartition(" is ")[2] for error in errors} == {
        "a browser profile",
        "a password store",
        "a Signet workspace",
    }


def test_a_document_whose_folder_becomes_a_link_before_it_is_read_is_refused(
    home: Home, folder: Path, tmp_path: Path
) -> None:
    write(tmp_path / "diary" / "b.txt", "a secret of the diary")
    a_connector(home, folder)
    (folder / "deep" / "er").rename(tmp_path / "er")
    (folder / "deep" / "er").symlink_to(tmp_path / "diary")
    document = read(
        home, handed_over(home, source_type="file", url=f"{folder}/deep/er/b.txt"), "failed"
    )
    assert "path not allowed: it lies in no connected folder" in str(document["error"])


def test_what_was_handed_over_for_a_connector_by_hand_is_no_file_of_it(
    home: Home, folder: Path
) -> None:
    connector_id = a_connector(home, folder)
    for kind, text, url in (
        ("text", "By hand.", f"{folder}/x.md"),
        ("file", "Elsewhere.", "/elsewhere/x.md"),
    ):
        handed_over(home, connector_id=connector_id, source_type=kind, content=text, url=url)
    assert counts(synced(home, connector_id)) == {**NEW, "documentsAdded": 2}
    assert {"By hand.", "Elsewhere."} < texts(home, connector_id)


def test_removing_a_connector_with_its_documents_forgets_what_only_they_hold(
    home: Home, folder: Path
) -> None:
    write(folder / "d.md", "Dates grow on palms.")
    kept = home.remember("Dates grow on palms.")
    connector_id = a_connector(home, folder)
    synced(home, connector_id)
    assert len(texts(home, connector_id)) == 3
    home.db.write(
        registry.remove, connector_id, cascade=True, actor=USER, rules=RULES, now=clock.now()
    )
    assert not home.rows("SELECT 1 FROM connectors WHERE id = ?", connector_id)
    assert not home.rows(
        "SELECT 1 FROM documents WHERE connector_id = ? AND status <> 'deleted'", connector_id
    )
    assert texts(home, connector_id) == set()
    assert not home.memory(kept)["is_deleted"]


def test_documents_of_a_connector_that_is_gone_belong_to_a_new_one_of_the_same_folder(
    home: Home, folder: Path
) -> None:
    first = a_connector(home, folder)
    synced(home, first)
    write(folder.with_name("notes-old") / "x.md", "A neighbour.")
    neighbour = a_connector(home, folder.with_name("notes-old"))
    synced(home, neighbour)
    for connector_id in (first, neighbour):
        home.db.write(
            registry.remove, connector_id, cascade=False, actor=USER, rules=RULES, now=clock.now()
        )
    stranger = a_connector(home, folder, agent_id="stranger")
    assert health_of(home, stranger)["documents"] == {}
    assert counts(synced(home, stranger))["documentsAdded"] == 2
    home.db.write(registry.remove, stranger, cascade=True, actor=USER, rules=RULES, now=clock.now())
    second = a_connector(home, folder)
    assert health_of(home, second)["documents"] == {"done": 2}
    assert counts(synced(home, second)) == NEW
    assert health_of(home, second)["documents"] == {"done": 2}


def test_a_worker_killed_in_the_middle_of_a_sync_leaves_the_same_as_one_that_was_not(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "notes"
    for number in range(FILES):
        write(folder / f"{number:03}.md", f"# File {number}\n\nIts number is {number}.")
    with a_home(tmp_path / "w") as home:
        home.configure(settings())
        ends = []
        for where in ("nowhere", "before", "comparing", "reading"):
            emptied(home)
            connector_id = a_connector(home, folder)
            job_id = started(home, connector_id)
            if where in ("comparing", "reading"):
                _kill(home, connector_id, where)
            with home.worker():
                home.hurry()
                drained(home)
            row = row_of(home, connector_id)
            (result,) = home.rows("SELECT result FROM memory_jobs WHERE id = ?", job_id)[0]
            ends.append((row["status"], row["last_error"], counts(json.loads(result)), state(home)))
        assert ends[0] == ends[1] == ends[2] == ends[3]
        assert ends[0][2] == {**NEW, "documentsAdded": FILES}
        assert len(ends[0][3]["chunks"]) == FILES
        assert home.value("PRAGMA integrity_check") == "ok"


def _kill(home: Home, connector_id: str, where: str) -> None:
    seen, change = "SELECT count(*) FROM documents WHERE connector_id = ?", "INSERT ON documents"
    half = f"(SELECT count(*) FROM documents) = {FILES // 2}"
    if where == "reading":
        seen, change = f"{seen} AND status = 'done'", "UPDATE ON documents"
        half = f"(SELECT count(*) FROM documents WHERE status = 'done') = {FILES // 2}"
    reaper = Rescuer(home.db, home.workspace.runtime_dir, own="test")
    with endless(home, change, half), home.worker() as victim:
        reaper.poll()
        eventually(lambda: bool(home.value(seen, connector_id)))
        victim.kill()
        victim.wait()
        eventually(
            lambda: not home.value("SELECT count(*) FROM memory_jobs WHERE status = 'leased'")
        )
    assert 0 < int(str(home.value(seen, connector_id))) < FILES
    assert row_of(home, connector_id)["status"] in ("syncing", "idle")


def test_a_sync_that_dies_for_good_or_is_cancelled_shows_as_interrupted(
    tmp_path: Path, folder: Path
) -> None:
    with a_home(tmp_path / "w") as home:
        home.configure(settings())
        connector_id = a_connector(home, folder)
        job_id = started(home, connector_id)
        home.db.write(transitions.cancel, job_id, now=clock.now())
        row = row_of(home, connector_id)
        assert (row["status"], row["last_error"]) == ("error", "sync interrupted")
        home.db.write(transitions.requeue, now=clock.now(), job_ids=[job_id])
        assert row_of(home, connector_id)["status"] == "syncing"
        with home.worker():
            drained(home)
        assert row_of(home, connector_id)["status"] == "idle"


def test_a_frozen_store_lets_a_sync_wait(tmp_path: Path, folder: Path) -> None:
    with a_home(tmp_path / "w") as home:
        home.configure(settings())
        connector_id = a_connector(home, folder)
        job_id = started(home, connector_id)
        frozen = settings()
        memory = frozen["memory"]
        assert isinstance(memory, dict)
        memory["pipelineV2"]["mutationsFrozen"] = True
        home.configure(frozen)
        with home.worker():
            errors = "SELECT errors FROM memory_jobs WHERE id = ?"
            eventually(lambda: bool(home.value(errors, job_id)))
            (job,) = home.rows("SELECT * FROM memory_jobs WHERE id = ?", job_id)
            assert (job["status"], job["attempts"], job["last_error_code"]) == (
                "pending",
                0,
                "mutations_frozen",
            )
            assert not home.rows("SELECT 1 FROM documents")
            home.configure_live(settings())
            home.hurry()
            drained(home)
        assert health_of(home, connector_id)["documents"] == {"done": 2}
