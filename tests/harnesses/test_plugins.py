"""What runs inside OpenCode and OpenClaw, under Node against a real daemon; `node/*.test.mjs` say what it must do."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harnesses.home import Home, a_home
from signet.db import Database
from signet.domain.harnesses import opencode, registry
from signet.domain.harnesses.models import ConnectOptions
from signet.domain.sessions import spool
from signet.domain.transcripts import steps
from signet.domain.transcripts.steps import StepType
from signet.paths import Workspace
from support.http import Served, a_workspace, served
from support.processes import PATIENCE_SECONDS, eventually

NODE = shutil.which("node")
TESTS = Path(__file__).parent / "node"
pytestmark = pytest.mark.skipif(NODE is None, reason="needs Node")


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    settings = "hooks: {userPromptSubmit: {minScore: 0}}\n"
    with served(a_workspace(tmp_path_factory.mktemp("plugins") / "w", settings)) as running:
        yield running


def run(script: str, daemon: Served, **environment: str) -> None:
    """Run the tests of a script; what they say stands in the failure."""
    done = subprocess.run(
        [str(NODE), "--test", str(TESTS / script)],
        env={
            "PATH": str(Path(str(NODE)).parent),
            "TMPDIR": tempfile.gettempdir(),  # has the daemon's socket if a workspace's path is too long for it
            "DAEMON": f"http://127.0.0.1:{daemon.port}",
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def at(folder: Path, workspace: Workspace) -> Home:
    """Return a home whose harnesses are connected to a workspace."""
    home = a_home(folder)
    for name in opencode.NEEDED:
        (workspace.root / name).touch()
    return replace(home, site=replace(home.site, workspace=workspace))


def rows(daemon: Served, sql: str) -> list[tuple[object, ...]]:
    """Return what the daemon has stored."""
    db = Database(daemon.workspace.database)
    try:
        return [tuple(row) for row in db.read(lambda tx: tx.all(sql))]
    finally:
        db.close()


#: The call of a tool that both scripts have in a session, and what it answers.
DONE = [(StepType.CALL, "light --port 9944"), (StepType.RESULT, "lit")]


def done(daemon: Served, key: str) -> list[tuple[str, str]]:
    """Return the calls of tools in a session with their answers, which say what a memory was used for."""
    [(stored,)] = rows(daemon, f"SELECT content FROM session_steps WHERE session_key = '{key}'")
    found = steps.read(str(stored))
    return [(one.type, one.text) for one in found if one.type in (StepType.CALL, StepType.RESULT)]


def test_the_plugin_of_opencode_keeps_to_its_contract(tmp_path: Path, daemon: Served) -> None:
    home = at(tmp_path, daemon.workspace)
    assert registry.connect(home.site, "opencode").success
    plugin = home.path / ".config/opencode/plugins/signet.mjs"
    run("opencode.test.mjs", daemon, PLUGIN=str(plugin), SPOOL=str(home.site.workspace.spool_dir))
    [(harness, content)] = rows(
        daemon, "SELECT harness, content FROM session_transcripts WHERE session_key = 'oc-1'"
    )
    assert harness == "opencode" and "harbour light" in str(content)
    assert done(daemon, "oc-1") == DONE
    spooled = "SELECT content FROM session_transcripts WHERE session_key = 'oc-3'"
    eventually(lambda: bool(rows(daemon, spooled)))
    [(content,)] = rows(daemon, spooled)
    assert "harbour light" in str(content) and "And the buoy?" in str(content)
    assert not spool.is_waiting(home.site.workspace.spool_dir)


def test_plugin_and_hook_of_openclaw_keep_to_their_contract(tmp_path: Path, daemon: Served) -> None:
    home = at(tmp_path, daemon.workspace)
    assert registry.connect(home.site, "openclaw").success
    assert registry.connect(home.site, "openclaw", ConnectOptions(legacy=True)).success
    plugin = home.path / ".openclaw/extensions/signet-memory-openclaw/index.js"
    handler = home.site.workspace.root / "hooks/agent-memory/handler.js"
    run("openclaw.test.mjs", daemon, PLUGIN=str(plugin), HANDLER=str(handler))
    spooled = "SELECT 1 FROM session_transcripts WHERE session_key = 'agent:main:off'"
    eventually(lambda: bool(rows(daemon, spooled)))
    kept = rows(
        daemon,
        "SELECT session_key, agent_id FROM session_transcripts WHERE session_key LIKE 'agent:%' ORDER BY 1",
    )
    keys = ("agent:helm:s-7", "agent:main:main", "agent:main:off")
    assert kept == [(key, "default") for key in keys]
    assert done(daemon, "agent:main:main") == DONE


def test_a_plugin_speaks_to_the_daemon_of_its_workspace_and_to_no_other_program(
    tmp_path: Path, daemon: Served
) -> None:
    beside = Workspace(tmp_path / "beside")
    beside.make()
    shutil.copy(daemon.workspace.token_file, beside.token_file)
    home = at(tmp_path, beside)
    assert registry.connect(home.site, "openclaw").success
    plugin = home.path / ".openclaw/extensions/signet-memory-openclaw/index.js"
    places = {"FOLDER": str(beside.daemon_dir), "SOCKET": str(beside.api_socket)}
    run("own.test.mjs", daemon, PLUGIN=str(plugin), **places)
