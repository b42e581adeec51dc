"""`signet setup` with a daemon at its end, and the commands around it as a new user meets them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.program import Program
from signet.db import migrate


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    home = tmp_path_factory.mktemp("begun")
    program = Program(home=home, workspace=home / ".agents")
    flags = ("--embedding-provider", "none", "--extraction-provider", "rules")
    try:
        done = program.run(
            *("setup", "--non-interactive", *flags, "--harness", "codex", "--skip-git"),
            SIGNET_PORT=str(program.port),
        )
        assert done.status == 0, done.err
        (home / "first.txt").write_text(done.out)
        yield program
    finally:
        program.run("daemon", "stop")


def test_it_ends_with_the_daemon_the_harness_and_what_to_try(begun: Program) -> None:
    lines = (begun.home / "first.txt").read_text().splitlines()[-3:]
    assert lines[0] == f"Daemon running at http://127.0.0.1:{begun.port}"
    assert lines[1].startswith("Connected: Codex.") and "/onboarding" in lines[1]
    assert lines[2] == 'Try: signet remember "I prefer tabs over spaces"'
    assert (begun.home / ".codex" / "hooks.json").exists()


def test_what_it_says_to_try_works(begun: Program) -> None:
    assert begun.run("remember", "I prefer tabs over spaces").status == 0
    assert "tabs" in begun.run("recall", "tabs").out


def test_again_it_finds_the_daemon_running_and_says_so(begun: Program) -> None:
    done = begun.run("setup", "--non-interactive", "--skip-git", "--json").json()
    assert done["daemon"] == {
        "running": True,
        "started": False,
        "url": f"http://127.0.0.1:{begun.port}",
    }
    assert [one["is_connected"] for one in done["harnesses"]] == [True]


def test_the_dashboard_is_opened_at_the_end_when_that_is_wanted(begun: Program) -> None:
    done = begun.run("setup", "--non-interactive", "--skip-git", "--open-dashboard")
    assert (done.status, "open the address yourself" in done.err) == (0, True), done.err


def test_status_shows_it_all_in_one_screen(begun: Program, engine: str) -> None:
    shown = begun.run("status").out
    for words in ("Daemon running", "rules", "recall uses keywords only", "✓ agent.yaml", "free"):
        assert words in shown, shown
    found = begun.run("status", "--json").json()
    assert (found["disk"]["database"] > 0) is (engine == "sqlite")
    assert found["vectors"]["provider"] == "none"
    drawn = begun.on_terminal("status", columns=80, NO_COLOR="1")
    assert len(drawn.splitlines()) < 24


def test_the_dashboard_is_an_address_and_over_ssh_a_way_to_it(begun: Program) -> None:
    url = f"http://127.0.0.1:{begun.port}"
    found = begun.run("dashboard", "--no-open", "--json").json()
    assert (found["opened"], found["started"]) == (False, False)
    assert found["url"].startswith(f"{url}/#code=")
    far = begun.run("dashboard", SSH_CONNECTION="192.0.2.1 50000 192.0.2.9 22")
    assert (far.status, far.out.startswith(f"{url}/#code=")) == (0, True)
    assert f"ssh -N -L {begun.port}:127.0.0.1:{begun.port}" in far.err and "@192.0.2.9" in far.err
    assert "open the address there" in far.err, "which may log in, and does so once"


def test_missing_vectors_are_counted_and_cannot_be_made_without_a_model(begun: Program) -> None:
    assert begun.run("remember", "The slipway is behind the shed.").status == 0
    found = begun.run("repair", "stats", "--json").json()["embedding-gaps"]
    assert found["total"] >= found["unembedded"] >= 1
    looked = begun.run("repair", "re-embed", "--batch-size", "1")
    assert (looked.status, "would create 1 of" in looked.out) == (0, True)
    assert begun.run("repair", "re-embed", "--apply", "--json").status == 1


@pytest.mark.sqlite_file
def test_the_schema_is_current_and_vectors_are_where_they_belong(begun: Program) -> None:
    assert begun.run("migrate-schema").out == f"Schema {migrate.head()} is current\n"
    told = begun.run("migrate-schema", "--json").json()
    assert (told["before"], told["after"], told["copy"]) == (migrate.head(), migrate.head(), None)
    nothing = begun.run("migrate-schema", "--path", str(begun.home / "none"))
    assert (nothing.status, "No memory database found" in nothing.err) == (1, True)


def test_the_workspace_that_applies_is_told_and_another_can_be_saved(begun: Program) -> None:
    elsewhere = begun.home / "elsewhere"
    told = begun.run("workspace", "status", "--json").json()
    assert (told["workspace"], told["from"]) == (str(begun.workspace), "SIGNET_PATH")
    saved = begun.run("workspace", "set", str(elsewhere))
    assert (saved.status, str(elsewhere) in saved.out) == (0, True)
    assert "SIGNET_PATH is set and takes precedence" in saved.err
    place = begun.home / ".config" / "signet" / "workspace.json"
    assert json.loads(place.read_text()) == {"workspace": str(elsewhere)}
    told = begun.run("workspace", "status", "--json", SIGNET_PATH="").json()
    assert (told["workspace"], told["from"]) == (str(elsewhere), "saved")
    file = Path(begun.home / "file")
    file.write_text("x")
    assert begun.run("workspace", "set", str(file)).status == 1
    place.unlink()
