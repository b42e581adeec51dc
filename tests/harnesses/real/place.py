"""A home in which real harness programs run: a daemon of the installed `signet`, and a model that answers by script.

Nothing gets out: programs are given one address, the model's on loopback; every proxy leads nowhere, and what
harnesses send home by themselves is switched off.
"""

import base64
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from cli.program import DEAD_URL, PATIENT, SETTINGS, Program
from harnesses.real import npm
from signet.domain.transcripts import transcript
from signet.domain.transcripts.transcript import Turn
from support.agentmodel import fake_agent_model
from support.models import FakeServer
from support.processes import PATIENCE_SECONDS

#: How long a harness may take for one run, also on a machine that does much else.
RUN_SECONDS = 400
IDENTITY = {
    "AGENTS.md": "# Agents\n\nAnswer in one sentence.\n",
    "SOUL.md": "# Soul\n\nCalm and exact.\n",
    "IDENTITY.md": "# Identity\n\nname: Kestrel\n",
    "USER.md": "# User\n\nMara sails a folkboat.\n",
}
_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
#: What keeps harnesses from talking to anybody but the model.
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "HTTP_PROXY": DEAD_URL,
    "HTTPS_PROXY": DEAD_URL,
    "ALL_PROXY": DEAD_URL,
    "http_proxy": DEAD_URL,
    "https_proxy": DEAD_URL,
    "NO_PROXY": "127.0.0.1,localhost",
    "no_proxy": "127.0.0.1,localhost",
}


class Installed(Program):
    """The installed `signet`, with an environment that names neither our sources nor the folder it is in."""

    def environment(self, **more: str) -> dict[str, str]:
        """Return what a person's shell has where no Python environment is active."""
        found = super().environment(**{"PATH": "/usr/bin:/bin", **more})
        del found["PYTHONPATH"]
        return found

    def command(self, *arguments: str) -> list[str]:
        """Return the command line of the installed program."""
        return [str(Path(sys.executable).with_name("signet")), *arguments]


@dataclass(frozen=True, slots=True)
class Ran:
    """What a harness program printed, and its exit status."""

    status: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Place:
    """A home with a running daemon, and the model that its harnesses ask."""

    home: Path
    signet: Installed
    model: FakeServer

    @property
    def url(self) -> str:
        """Return where the daemon is."""
        return f"http://127.0.0.1:{self.signet.port}"

    def write(self, name: str, content: str) -> Path:
        """Write a file below the home."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
        return path

    def clear(self, *names: str) -> None:
        """Remove files and folders below the home."""
        for path in (self.home / name for name in names):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    def project(self, name: str) -> Path:
        """Return a folder to work in, empty at first; it is outside of the home."""
        path = self.home.parent / "projects" / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    def files(self, *below: str) -> dict[str, bytes]:
        """Return every file, link and folder of the home by its path; `below`: only these and what is in them.

        The workspace and copies of files are left out. A link's content is where it leads, a folder has none.
        """
        found: dict[str, bytes] = {}
        for folder, folders, names in os.walk(self.home):
            if Path(folder) == self.home:
                folders.remove(".agents")
            for path in (Path(folder, name) for name in (*folders, *names)):
                name = str(path.relative_to(self.home))
                if not below or any(name == one or name.startswith(f"{one}/") for one in below):
                    found[name] = _content(path)
        return found

    def environment(self, programs: Path, **more: str) -> dict[str, str]:
        """Return the environment of a harness."""
        return {
            "HOME": str(self.home),
            "PATH": npm.path_of(programs),
            "LANG": "C.UTF-8",
            "TERM": "xterm",
            **QUIET,
            **PATIENT,
            **more,
        }

    def run(
        self, harness: str, *arguments: str, cwd: Path | None = None, stdin: str = "", **more: str
    ) -> Ran:
        """Run the program of a harness to its end; skips the test where it cannot be had."""
        programs = program_of(harness)
        command = [str(programs / npm.PACKAGES[harness].program), *arguments]
        return self.run_command(command, self.environment(programs, **more), cwd, stdin)

    def run_command(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        cwd: Path | None = None,
        stdin: str = "",
    ) -> Ran:
        """Run any command with exactly this environment."""
        done = subprocess.run(
            command,
            env=environment,
            cwd=cwd or self.project("empty"),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=RUN_SECONDS,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def connect(self, harness: str, *options: str) -> None:
        """Connect a harness as a person does in whose shell it is."""
        path = npm.path_of(program_of(harness))
        done = self.signet.run("harness", "install", harness, *options, PATH=path)
        assert done.status == 0, done.err
        assert self.signet.run("harness", "status").status == 0

    def disconnect(self, harness: str) -> None:
        """Take it out again."""
        done = self.signet.run("harness", "uninstall", harness)
        assert done.status == 0, done.err

    def transcript(self, session: str) -> Any:
        """Return what is stored of a session."""
        return self.get(f"/api/sessions/{session}/transcript")

    def is_kept(self, session: str) -> bool:
        """Return whether something is stored of a session."""
        reply = httpx.get(f"{self.url}/api/sessions/{session}/transcript", timeout=PATIENCE_SECONDS)
        return reply.status_code == 200

    def unknown_records(self, harness: str) -> list[Any]:
        """Return the log records of unknown types that a harness has written."""
        found = self.get("/api/status")["capture"]["unknownRecords"]
        return [one for one in found if one["harness"] == harness]

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stop the daemon until the block ends."""
        self.signet.run("daemon", "stop")
        try:
            yield
        finally:
            started = self.signet.run("daemon", "start", "--port", str(self.signet.port))
            assert started.status == 0, started.err

    def image(self, name: str) -> Path:
        """Return a picture of one pixel below the folder of projects."""
        path = self.project("pictures") / name
        path.write_bytes(base64.b64decode(_PIXEL))
        return path

    def messages(self, session: str) -> list[Turn]:
        """Return the messages that are stored of a session."""
        return transcript.parse(self.transcript(session)["content"])

    def check_times(self, session: str, messages: Sequence[Turn]) -> None:
        """Check that each message has its own time, and that the session lasted from the first to the last."""
        times = [one.at or "none" for one in messages]
        assert times == sorted(times) and "none" not in times
        found = self.transcript(session)
        assert [found[one][:19] for one in ("createdAt", "updatedAt")] == [
            times[0][:19],
            times[-1][:19],
        ]

    def get(self, path: str, **query: str) -> Any:
        """Return what the daemon answers to a GET."""
        reply = httpx.get(f"{self.url}{path}", params=query, timeout=PATIENCE_SECONDS)
        assert reply.status_code == 200, reply.text
        return reply.json()

    def remember(self, content: str, project: Path) -> None:
        """Save a memory of a project."""
        body = {"content": content, "project": str(project), "importance": 0.9}
        reply = httpx.post(f"{self.url}/api/memory/remember", json=body, timeout=PATIENCE_SECONDS)
        assert reply.status_code == 200, reply.text


def program_of(harness: str) -> Path:
    """Return the folder with a harness's program; skips the test where it cannot be had."""
    try:
        return npm.installed(harness)
    except npm.Unavailable as error:
        pytest.skip(f"{harness}: {error}")


@contextmanager
def running_place(folder: Path) -> Iterator[Place]:
    """Give a home with a running daemon and no harness until the block ends."""
    home = folder / "home"
    workspace = home / ".agents"
    workspace.mkdir(parents=True)
    (workspace / "agent.yaml").write_text(SETTINGS)
    for name, content in IDENTITY.items():
        (workspace / name).write_text(content)
    signet = Installed(home=home, workspace=workspace)
    started = signet.run("daemon", "start", "--port", str(signet.port))
    assert started.status == 0, started.err
    try:
        with fake_agent_model() as model:
            yield Place(home=home, signet=signet, model=model)
    finally:
        signet.run("daemon", "stop")


def _content(path: Path) -> bytes:
    if path.is_symlink():
        return os.fsencode(path.readlink())
    return path.read_bytes() if path.is_file() else b""
