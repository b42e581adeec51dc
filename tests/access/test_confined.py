"""Secret values over TCP: a person's program gets them, one in a sandbox or an agent's shell does not (SE-23)."""

import os
import shutil
import subprocess

import pytest

from support.http import Served

CURL = shutil.which("curl")
pytestmark = pytest.mark.skipif(CURL is None, reason="curl is not installed")
MARKS = ("CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "AI_AGENT")


@pytest.fixture(autouse=True)
def _no_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*MARKS, "OPENCODE", "CURSOR_AGENT", "CODEX_THREAD_ID", "OPENCLAW_SHELL"):
        monkeypatch.delenv(name, raising=False)


def value(server: Served, *before: str, **environ: str) -> str:
    """Return what curl prints about a secret when another command starts it."""
    assert server.post("/api/secrets/KEY", {"value": "tarred-rope"}).status == 200
    url = f"http://127.0.0.1:{server.port}/api/secrets/KEY"
    command = [*before, str(CURL), "-sS", url]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **environ}, check=False
    )
    if done.returncode and not done.stdout:
        pytest.skip(done.stderr.strip())
    return done.stdout


def test_a_persons_program_gets_a_value(server: Served) -> None:
    assert "tarred-rope" in value(server)
    assert "tarred-rope" in value(server, **{"\udcff is no name in UTF-8": "1"})


@pytest.mark.parametrize("name", MARKS)
def test_an_agents_shell_gets_none(server: Served, name: str) -> None:
    said = value(server, **{name: "1"})
    assert "tarred" not in said and "an agent's shell" in said and "signet secret get" in said


@pytest.mark.parametrize(
    "sandbox",
    [
        ("setpriv", "--no-new-privs"),
        ("unshare", "--mount"),
        ("unshare", "--user", "--map-root-user"),
        ("unshare", "--pid", "--fork"),
        ("bwrap", "--dev-bind", "/", "/"),
    ],
    ids=lambda found: found[0] + found[1],
)
def test_a_sandbox_gets_none(server: Served, sandbox: tuple[str, ...]) -> None:
    if shutil.which(sandbox[0]) is None:
        pytest.skip(f"{sandbox[0]} is not installed")
    said = value(server, *sandbox)
    assert "tarred" not in said and "signet secret get" in said
