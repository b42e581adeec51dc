"""`signet doctor`, `report`, `paths`, `daemon install` and `uninstall` as a person uses them."""

import json
import shlex
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.program import Program, running
from signet import clock
from signet.care.doctor.examine import examine
from signet.client import PlainSignet, Signet
from signet.db.driver import connect
from signet.errors import NotFound
from signet.paths import Workspace
from support.database import storage
from support.processes import eventually

#: Of these a machine without models, service or backup says that they are worth a look.
MAY_WARN = {"backup", "embeddings", "queue", "sqlite", "disk", "provider", "waiting"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """Give a daemon of this file's own: what others forget or break is not looked at here."""
    with running(tmp_path_factory.mktemp("doctor")) as program:
        # A program counts as starting for its first second, though it answers before.
        eventually(lambda: checks(program)["processes"]["status"] == "ok")
        yield program


def checks(program: Program, *arguments: str) -> dict[str, dict[str, str]]:
    done = program.run("doctor", "--json", *arguments)
    found = {one["check"]: one for one in done.json()}
    assert (done.status == 1) == any(one["status"] == "fail" for one in found.values())
    return found


def test_a_running_daemon_is_well_in_every_check(served: Program) -> None:
    found = checks(served)
    assert {name for name, one in found.items() if one["status"] != "ok"} <= MAY_WARN
    assert set(found["daemon"]) == {"check", "status", "detail", "fix", "mend"}
    assert "api running" in found["processes"]["detail"]
    text = served.run("doctor").out
    assert len(text.splitlines()) == len(found)
    assert "✓ daemon" in text


def test_a_ready_daemon_checks_what_it_has_open(served: Program, engine: str) -> None:
    asked = Signet(path=str(served.workspace), environ={}).doctor()
    found = checks(served)
    assert [*found][: len(asked)] == [one["check"] for one in asked]
    assert {"python", "settings", "queue", "embeddings", "capture"} <= found.keys()
    assert ("structure" in found) is (engine == "sqlite")
    assert {"daemon", "processes", "port", "service"} <= {*[*found][len(asked) :]}
    assert not {"signet.db", "signet.providers", "signet.config.sections"} & served.loaded("doctor")
    with pytest.MonkeyPatch.context() as patch:
        # A daemon of an earlier version knows no such route.
        patch.setattr(PlainSignet, "send", _unknown)
        for name, value in storage(served.workspace).items():
            patch.setenv(name, value)
        here = [*examine(Workspace(served.workspace), now=clock.now())]
    assert {one.check for one in here} == found.keys()


def _unknown(*_: object) -> object:
    raise NotFound("Not found")


def test_status_needs_one_answer(served: Program) -> None:
    asked = Signet(path=str(served.workspace), environ={}).overview()
    found = served.run("status", "--json").json()
    assert asked.keys() - {"known"} <= found.keys()
    assert found["memories"]["total"] == asked["memories"]["total"]
    assert found["pipeline"]["queues"].keys() == {"memory", "summary"}
    assert found["predictor"]["enabled"] and found["vectors"]["provider"] == "none"
    assert "claude-code" in found["harnessNames"]


def security(program: Program) -> dict[str, str]:
    found = program.run("doctor", "--security", "--json").json()
    return {one["check"]: one["status"] for one in found}


def test_security_asks_a_running_daemon_for_what_it_must_refuse(served: Program) -> None:
    found = security(served)
    assert set(found.values()) == {"ok"}, found
    assert {"web pages", "programs", "other users", "identity", "network"} <= found.keys()


def test_security_names_what_is_open(served: Program) -> None:
    token = served.workspace / ".daemon" / "token"
    try:
        for path, mode in ((served.workspace, 0o777), (token, 0o644)):
            path.chmod(mode)
            assert security(served)["files"] == "fail"
            served.run("doctor", "--fix")
    finally:
        token.chmod(0o600)
    assert [one.stat().st_mode & 0o777 for one in (served.workspace, token)] == [0o755, 0o600]
    manifest = served.workspace / "agent.yaml"
    before = manifest.read_text("utf-8") if manifest.exists() else ""
    manifest.write_text(f"{before}\nauth:\n  localUsers: any\n", "utf-8")
    try:
        found = security(served)
        assert found["mode"] == "fail"
    finally:
        manifest.write_text(before, "utf-8")


def test_security_without_a_daemon_says_that_it_cannot_be_tested(alone: Program) -> None:
    done = alone.run("doctor", "--security")
    assert done.status == 1
    assert "not running" in done.out and "signet daemon start" in done.out


def test_without_a_daemon_it_says_what_to_do(alone: Program) -> None:
    done = alone.run("doctor")
    assert done.status == 1
    assert "✗ workspace" in done.out
    assert "! daemon" in done.out
    assert "signet daemon start" in done.out
    assert not alone.workspace.exists()


@pytest.mark.sqlite_file
def test_fix_repairs_an_emptied_index_through_the_daemon_and_its_history(served: Program) -> None:
    served.run("remember", "The gadwall sleeps by the weir.")
    database = served.workspace / "memory" / "memories.db"
    connection = connect(database)
    # The maintenance of a daemon that has just started would repair it first.
    maintained = "SELECT 1 FROM memory_jobs WHERE job_type = 'maintenance' AND status = 'completed'"
    eventually(lambda: connection.execute(maintained).fetchone() is not None)
    connection.execute("INSERT INTO memories_fts (memories_fts) VALUES ('delete-all')")
    (served.workspace / "memory" / "memories.db").chmod(0o644)
    found = checks(served)
    assert found["index"]["status"] != "ok"
    assert found["file modes"]["status"] == "fail"
    done = served.run("doctor", "--fix")
    assert "✓ restrict private files to you" in done.out, done.out
    assert "✓ repair check-fts" in done.out, done.out
    assert done.status == 0, done.out
    assert checks(served)["index"]["status"] == "ok"
    assert "gadwall" in served.run("recall", "gadwall weir").out
    audit = "SELECT changed_by, metadata FROM memory_history WHERE memory_id = 'system'"
    ((who, metadata),) = [tuple(row) for row in connection.execute(audit)][-1:]
    connection.close()
    assert who == "doctor"
    assert json.loads(metadata)["repairAction"] == "checkFtsConsistency"
    again = served.run("doctor", "--fix")
    assert "repair check-fts" not in again.out


@pytest.mark.sqlite_file
def test_an_index_of_another_program_is_named_and_taken_out(served: Program) -> None:
    connection = connect(served.workspace / "memory" / "memories.db")
    connection.execute(
        "CREATE UNIQUE INDEX idx_embeddings_content_hash_unique ON embeddings (content_hash)"
    )
    connection.execute("DROP INDEX idx_memories_type")
    connection.close()
    found = checks(served)["structure"]
    assert (found["status"], found["fix"]) == ("fail", "signet doctor --fix")
    assert "index idx_embeddings_content_hash_unique belongs to another program" in found["detail"]
    assert "index idx_memories_type is missing" in found["detail"]
    done = served.run("doctor", "--fix")
    assert "removed index idx_embeddings_content_hash_unique" in done.out
    assert "made index idx_memories_type" in done.out
    assert checks(served)["structure"]["status"] == "ok"
    assert served.run("remember", "The grebe dives at noon.").status == 0


def test_a_provider_that_is_held_back_is_told_by_doctor_and_status(served: Program) -> None:
    # A job that ends closes the breaker of its provider.
    Signet(url=f"http://127.0.0.1:{served.port}").wait_for_jobs()
    connection = connect(served.workspace / "memory" / "memories.db")
    connection.execute(
        "INSERT INTO provider_breakers (provider, state, failures, retry_at_ms, updated_at)"
        " VALUES ('llm', 'open', 3, 4102444800000, '2026-05-01T12:00:00.000Z')"
    )
    try:
        told = checks(served)["waiting"]
        assert told["status"] == "warn"
        assert "since 2026-05-01" in told["detail"] and "next attempt 2100-01-01" in told["detail"]
        text = " ".join(served.run("status").out.split())
        assert "paused since" in text and "jobs wait, next attempt" in text
        (breaker,) = served.run("status", "--json").json()["pipeline"]["providers"]["breakers"]
        assert breaker["waiting"] == 0 and breaker["since"] == "2026-05-01T12:00:00.000Z"
    finally:
        connection.execute("DELETE FROM provider_breakers WHERE provider = 'llm'")
        connection.close()


def test_a_report_lists_what_it_holds(served: Program, tmp_path: Path) -> None:
    served.run("remember", "The bittern booms at dusk.")
    target = tmp_path / "report.zip"
    done = served.run("report", "-o", str(target), "--json").json()
    with zipfile.ZipFile(target) as archive:
        assert [part["name"] for part in done["contents"]] == archive.namelist()
        held = b"".join(archive.read(name) for name in archive.namelist())
    assert b"bittern" not in held
    assert served.run("report", "-o", str(target), "--json").json()["code"] == "file_exists"


def test_every_place_is_named(alone: Program) -> None:
    found = alone.run("paths", "--json").json()
    assert found["backups"] == str(alone.workspace / ".daemon" / "backups")
    assert found["secrets"] == str(alone.workspace / ".secrets")


def a_manager(folder: Path) -> Path:
    """Return a service manager that accepts everything."""
    manager = folder / "bin" / "systemctl"
    manager.parent.mkdir()
    manager.write_text("#!/bin/sh\n")
    manager.chmod(0o755)
    return manager


def test_install_shows_what_it_would_write_and_says_what_the_system_refuses(
    alone: Program, tmp_path: Path
) -> None:
    looked = alone.run("daemon", "install", "--dry-run", "--json", PATH="/nowhere").json()
    assert str(alone.workspace) in looked["text"]
    assert not Path(looked["service"]).exists()
    done = alone.run("daemon", "install", PATH="/nowhere")
    assert done.status == 1
    assert "is not installed. Nothing was changed" in done.err
    assert not Path(looked["service"]).exists()
    manager = a_manager(tmp_path)
    manager.write_text('#!/bin/sh\n[ "$2" != enable ]\n')
    refused = alone.run("daemon", "install", PATH=str(manager.parent))
    assert refused.status == 1 and "installed" not in refused.out
    assert "is written, but systemctl --user enable" in refused.err
    manager.write_text("#!/bin/sh\n")
    done = alone.run("daemon", "install", PATH=str(manager.parent))
    assert done.out.startswith("Service already installed"), done.err
    removed = alone.run("daemon", "uninstall", PATH=str(manager.parent))
    assert removed.status == 0
    assert not Path(looked["service"]).exists()
    assert alone.run("daemon", "uninstall").out == "No service is installed\n"


def test_uninstall_leaves_the_workspace_and_purge_asks_for_the_word(alone: Program) -> None:
    (alone.workspace / ".daemon").mkdir(parents=True)
    (alone.workspace / "agent.yaml").write_text("version: 1\n")
    alone.run("daemon", "install", PATH=str(a_manager(alone.home).parent))
    looked = alone.run("uninstall", "--dry-run", "--json").json()
    assert [what for what in looked["wouldRemove"] if "service" in what]
    done = alone.run("uninstall", PATH="/nowhere")
    assert "signet.service" in done.out or "ai.signet.daemon" in done.out
    assert f"rm -rf {shlex.quote(str(alone.workspace))}" in done.err
    assert (alone.workspace / "agent.yaml").exists()
    refused = alone.run("uninstall", "--purge")
    assert (refused.status, "--yes" in refused.err) == (1, True)
    assert "Nothing removed" in alone.on_terminal("uninstall", "--purge", typed="yes\n")
    assert alone.workspace.exists()
    assert "Removed" in alone.on_terminal("uninstall", "--purge", typed="purge\n")
    assert not alone.workspace.exists()


@pytest.mark.parametrize("command", ["doctor", "backup", "restore", "report", "uninstall"])
def test_each_command_explains_itself_with_two_examples(alone: Program, command: str) -> None:
    text = alone.run(command, "--help").out
    examples = text.partition("Examples:")[2]
    assert examples.count(f"signet {command}") == 2 + (command == "backup")
