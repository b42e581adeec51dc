"""Connectors over HTTP: register, look, sync, remove."""

import json
from pathlib import Path

import pytest

from support.http import Api

CONNECTORS = "/api/connectors"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Return a folder next to the workspace; the one above contains it and is refused (CON-11)."""
    made = tmp_path / "notes"
    made.mkdir()
    return made


def register(api: Api, folder: Path, **fields: object) -> str:
    body = {"provider": "filesystem", "settings": {"rootPath": str(folder)}, **fields}
    made = api.post(CONNECTORS, body)
    assert made.status == 201, made.body
    return str(made.body["id"])


@pytest.mark.own_files
def test_a_folder_is_registered_with_the_settings_that_will_hold(api: Api, notes: Path) -> None:
    api.add_agent()
    settings = {"path": f"{notes}/", "glob": "*.rst"}
    connector_id = register(api, notes, displayName="Notes", settings=settings, agentId="nora")
    row = api.get(f"{CONNECTORS}/{connector_id}").body
    assert (row["provider"], row["display_name"], row["status"]) == ("filesystem", "Notes", "idle")
    assert (row["agent_id"], row["cursor"], row["last_sync_at"]) == ("nora", None, None)
    assert (
        row["settings"]
        == json.loads(row["config_json"])
        == {
            "rootPath": str(notes),
            "patterns": ["*.rst"],
            "ignorePatterns": [".git", "node_modules", ".DS_Store"],
            "maxFileSize": 1_048_576,
        }
    )


@pytest.mark.own_files
def test_the_list_is_newest_first(api: Api, notes: Path) -> None:
    ids = [register(api, notes) for _ in range(2)]
    body = api.get(CONNECTORS).body
    assert ([row["id"] for row in body["connectors"]], body["count"]) == (ids[::-1], 2)
    assert {row["display_name"] for row in body["connectors"]} == {"filesystem"}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "provider must be filesystem, github-docs, or gdrive"),
        ({"provider": "ftp"}, "provider must be filesystem, github-docs, or gdrive"),
        ({"provider": "filesystem"}, "settings.rootPath must be an absolute path"),
        ({"settings": {"rootPath": "notes"}}, "settings.rootPath must be an absolute path"),
        ({"settings": {"rootPath": 7}}, "settings.rootPath must be an absolute path"),
        ({"settings": {"rootPath": "/a\0b"}}, "settings.rootPath must be an absolute path"),
        (
            {"settings": {"rootPath": "/nowhere/at/all"}},
            "settings.rootPath: /nowhere/at/all cannot be read: No such",
        ),
        ({"settings": {"rootPath": "/", "patterns": 5}}, "settings.patterns must be a list"),
        ({"settings": {"rootPath": "/", "patterns": [5]}}, "settings.patterns must be a list"),
        ({"settings": {"rootPath": "/", "patterns": ["a"] * 101}}, "settings.patterns is too long"),
        ({"settings": {"rootPath": "/", "maxFileSize": 0}}, "settings.maxFileSize must be"),
        ({"settings": {"rootPath": "/", "maxFileSize": True}}, "settings.maxFileSize must be"),
        ({"settings": []}, "settings: Input should be a valid dictionary"),
        ({"displayName": 5}, "displayName: Input should be a valid string"),
    ],
)
@pytest.mark.own_files
def test_what_makes_no_sense_is_refused_and_nothing_is_stored(
    api: Api, body: dict[str, object], words: str
) -> None:
    sent = {"provider": "filesystem", **body} if body else body
    refused = api.post(CONNECTORS, sent)
    assert refused.status == 400
    assert refused.error.startswith(words)
    assert api.rows("connectors") == []


@pytest.mark.own_files
def test_a_file_is_no_folder(api: Api, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    settings = {"rootPath": str(tmp_path / "a.md")}
    refused = api.post(CONNECTORS, {"provider": "filesystem", "settings": settings})
    assert refused.error.endswith("cannot be read: Not a directory")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("", "it is the Signet workspace"),
        ("/", "it is the Signet workspace"),
        ("/.secrets", ".secrets is hidden"),
        ("/.daemon", ".daemon is hidden"),
        ("/memory", "it contains"),
        ("/..", "it contains"),
        ("/notes/../.secrets", ".secrets is hidden"),
        ("/notes/vault", ".secrets is hidden"),
    ],
)
@pytest.mark.own_files
def test_private_folders_are_refused_however_they_are_spelled(
    api: Api, path: str, reason: str
) -> None:
    """F-S: each of these was registered, and recall returned its files (CON-11)."""
    root = api.state.workspace.root
    for folder in (".secrets", ".daemon", "notes"):
        (root / folder).mkdir(exist_ok=True)
    (root / "notes" / "vault").symlink_to(root / ".secrets")
    body = {"provider": "filesystem", "settings": {"rootPath": f"{root}{path}"}}
    refused = api.post(CONNECTORS, body)
    assert (refused.status, refused.body["code"]) == (400, "private_folder")
    assert f"is private: {reason}" in refused.error and "Choose a folder" in refused.error
    assert api.rows("connectors") == []


@pytest.mark.parametrize(
    "path", ["/", "/etc", "/proc/self/root/etc", "~", "/proc/self/cwd/../../../../../../../../.."]
)
@pytest.mark.own_files
def test_folders_of_the_system_and_the_home_are_refused(api: Api, path: str) -> None:
    root = str(Path(path).expanduser())
    refused = api.post(CONNECTORS, {"provider": "filesystem", "settings": {"rootPath": root}})
    assert (refused.status, refused.body["code"]) == (400, "private_folder"), refused.body


@pytest.mark.own_files
def test_a_link_is_registered_as_the_folder_that_it_leads_to(
    api: Api, notes: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(notes)
    connector_id = register(api, tmp_path / "link")
    assert api.get(f"{CONNECTORS}/{connector_id}").body["settings"]["rootPath"] == str(notes)


@pytest.mark.own_files
def test_a_sync_is_one_job_and_shows_at_once(api: Api, notes: Path) -> None:
    connector_id = register(api, notes)
    first = api.post(f"{CONNECTORS}/{connector_id}/sync")
    again = api.post(f"{CONNECTORS}/{connector_id}/sync/full?confirm=true")
    assert (first.status, first.body["status"]) == (200, "syncing")
    assert again.body == {"status": "syncing", "message": "Already syncing"}
    (job,) = api.rows("memory_jobs")
    assert (job["id"], job["job_type"], job["queue"]) == (
        first.body["jobId"],
        "connector_sync",
        "light",
    )
    assert json.loads(job["payload"]) == {"connectorId": connector_id, "full": False}
    health = api.get(f"{CONNECTORS}/{connector_id}/health").body
    assert health == {
        "id": connector_id,
        "status": "syncing",
        "lastSyncAt": None,
        "lastError": None,
        "documentCount": 0,
        "documents": {},
        "progress": None,
    }


@pytest.mark.own_files
def test_a_full_sync_wants_to_be_confirmed(api: Api, notes: Path) -> None:
    connector_id = register(api, notes)
    refused = api.post(f"{CONNECTORS}/{connector_id}/sync/full")
    assert (refused.status, refused.error) == (400, "Full resync requires ?confirm=true")
    api.post(f"{CONNECTORS}/{connector_id}/sync/full?confirm=true")
    (job,) = api.rows("memory_jobs")
    assert json.loads(job["payload"])["full"] is True


@pytest.mark.own_files
def test_a_syncing_row_without_a_job_can_be_synced(api: Api, notes: Path) -> None:
    connector_id = register(api, notes)
    api.run("UPDATE connectors SET status = 'syncing'")
    assert "jobId" in api.post(f"{CONNECTORS}/{connector_id}/sync").body


@pytest.mark.own_files
def test_other_providers_can_be_registered_and_not_synced_yet(api: Api) -> None:
    body = {"provider": "github-docs", "settings": {"repo": "a/b"}}
    connector_id = api.post(CONNECTORS, body).body["id"]
    for path in ("sync", "sync/full?confirm=true"):
        refused = api.post(f"{CONNECTORS}/{connector_id}/{path}")
        assert (refused.status, refused.error) == (501, "Provider github-docs not yet supported")
    row = api.get(f"{CONNECTORS}/{connector_id}").body
    assert (row["status"], row["settings"]) == ("idle", {"repo": "a/b"})
    assert api.get(f"{CONNECTORS}/{connector_id}/health").body["documentCount"] == 0


@pytest.mark.own_files
def test_resync_counts_what_became_of_each(api: Api, notes: Path) -> None:
    api.post(CONNECTORS, {"provider": "gdrive"})
    first = register(api, notes)
    register(api, notes)
    api.post(f"{CONNECTORS}/{first}/sync")
    assert api.post(f"{CONNECTORS}/resync").body == {
        "status": "ok",
        "total": 3,
        "started": 1,
        "alreadySyncing": 1,
        "unsupported": 1,
        "failed": 0,
    }


@pytest.mark.own_files
def test_an_unknown_connector_is_not_found_by_any_route(api: Api) -> None:
    for method, path in (
        ("GET", ""),
        ("GET", "/health"),
        ("POST", "/sync"),
        ("POST", "/sync/full?confirm=true"),
        ("DELETE", ""),
        ("DELETE", "?cascade=true"),
    ):
        answer = api.send(method, f"{CONNECTORS}/none{path}")
        assert (answer.status, answer.error) == (404, "Connector not found"), path


@pytest.mark.parametrize("cascade", [False, True])
@pytest.mark.own_files
def test_removing_a_connector_stops_its_sync_and_removes_its_documents_when_asked(
    api: Api, notes: Path, cascade: bool
) -> None:
    connector_id = register(api, notes)
    api.post(f"{CONNECTORS}/{connector_id}/sync")
    for number in range(25):
        body = {"source_type": "text", "content": f"Page {number}.", "connector_id": connector_id}
        assert api.post("/api/documents", body).status == 201
    assert api.get(f"{CONNECTORS}/{connector_id}/health").body["documents"] == {"queued": 25}
    gone = api.delete(f"{CONNECTORS}/{connector_id}{'?cascade=true' if cascade else ''}")
    assert (gone.status, gone.body["deleted"]) == (200, True)
    assert api.rows("connectors") == []
    statuses = {row["status"] for row in api.rows("documents")}
    assert statuses == {"deleted" if cascade else "queued"}
    (sync,) = [job for job in api.rows("memory_jobs") if job["job_type"] == "connector_sync"]
    assert (sync["status"], sync["error"]) == ("dead", "cancelled")


@pytest.mark.own_files
def test_frozen_mutations_refuse_a_sync_and_a_removal_of_documents(api: Api, notes: Path) -> None:
    connector_id = register(api, notes)
    api.configure("memory:\n  pipelineV2:\n    mutationsFrozen: true\n")
    assert api.post(f"{CONNECTORS}/{connector_id}/sync").status == 503
    assert api.delete(f"{CONNECTORS}/{connector_id}?cascade=true").status == 503
    assert api.post(f"{CONNECTORS}/resync").body["failed"] == 1
    assert [row["status"] for row in api.rows("connectors")] == ["idle"]
