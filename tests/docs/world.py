"""The home of a reader: a project, yesterday's session of Claude Code, notes; and a daemon that has read them."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cli.program import SETTINGS, Program

SESSION = "085173df-d852-492c-9061-ab9a62b312a4"
TODAY = "f0aa96bd-3826-478f-89c8-74cc3088a0ea"
SAID = (
    ("user", "The invoice totals are off by one cent in three tests. Find out why."),
    (
        "assistant",
        "The totals add floats, and 0.1 + 0.2 is not 0.3. I changed invoice.py to sum integer cents and format them at"
        " the end. The three failing tests pass.",
    ),
    (
        "user",
        "We decided: Larder stores every amount as integer cents, never floats, because of the rounding bug in the"
        " invoices. Convert what is left.",
    ),
    (
        "assistant",
        "Noted. I converted the two remaining REAL columns in migrations/0006_cents.sql.",
    ),
)
AGAIN = (
    ("user", "An invoice is off by one cent again. Find out why."),
    (
        "assistant",
        "Same cause as yesterday: a float. discount.py multiplies the price by 0.9 before rounding. I changed it to"
        " integer cents, as you decided for all amounts, and the test passes.",
    ),
)
NOTES = """# Larder notes

The pantry database is copied to the NAS every night.

## Deploys

Ana approves every deploy to production.
"""
MEM0 = [{"id": "1", "memory": "Prefers dark mode", "created_at": "2026-01-02T10:00:00Z"}]


def a_home(home: Path) -> Program:
    """Make the files of a reader who has no Signet yet."""
    project = home / "larder"
    project.mkdir(parents=True)
    git = ("git", "-c", "user.email=ana@example.org", "-c", "user.name=Ana")
    for arguments in (("init", "-q", "-b", "main"), ("commit", "-q", "--allow-empty", "-m", "x")):
        subprocess.run(
            [*git, *arguments], cwd=project, check=True, env={**os.environ, "HOME": str(home)}
        )
    (home / "notes").mkdir()
    (home / "notes" / "ops.md").write_text(NOTES)
    (home / "larder" / "mem0.json").write_text(json.dumps(MEM0))
    write_log(home, SESSION, SAID, days=1)
    return Program(home=home, workspace=home / ".agents")


def write_log(
    home: Path, session: str, said: tuple[tuple[str, str], ...], *, days: int = 0
) -> Path:
    """Write a log as Claude Code does, of a session some days ago."""
    folder = home / ".claude" / "projects" / "-larder"
    folder.mkdir(parents=True, exist_ok=True)
    at = datetime.now(UTC) - timedelta(days=days)
    lines = [
        json.dumps(
            {
                "type": role,
                "cwd": str(home / "larder"),
                "sessionId": session,
                "version": "2.1.197",
                "timestamp": (at + timedelta(seconds=place)).isoformat(),
                "message": {"role": role, "content": text},
            }
        )
        for place, (role, text) in enumerate(said)
    ]
    path = folder / f"{session}.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    os.utime(path, (at.timestamp(), at.timestamp()))
    return path


def hook(program: Program, name: str, **said: object) -> str:
    """Run a hook as Claude Code does."""
    project = str(program.home / "larder")
    given = json.dumps({"cwd": project, **said})
    done = program.run(
        *("hook", name, "-H", "claude-code", "--project", project),
        stdin=given,
        SIGNET_PROMPT_SUBMIT_TIMEOUT="60000",
        SIGNET_SESSION_START_TIMEOUT="60000",
        SIGNET_FETCH_TIMEOUT="60000",
    )
    assert done.status == 0, done.err
    return done.out


def end(program: Program, session: str, log: Path) -> None:
    """Deliver a session, and wait until it can be found and has been read."""
    hook(program, "session-end", session_id=session, transcript_path=str(log), reason="other")
    watched = program.run("jobs", "watch")
    assert watched.status == 0, watched.err


def a_session_today(program: Program) -> None:
    """Play the session of the tutorial: its start, its prompt, its end."""
    hook(program, "session-start", session_id=TODAY, source="startup")
    hook(program, "user-prompt-submit", session_id=TODAY, prompt=AGAIN[0][1])
    end(program, TODAY, write_log(program.home, TODAY, AGAIN))


@contextmanager
def served(program: Program, mode: str = "local") -> Iterator[None]:
    """Run a daemon that has read yesterday's session until the block ends."""
    program.workspace.mkdir(exist_ok=True)
    (program.workspace / "agent.yaml").write_text(f"{SETTINGS}auth: {{mode: {mode}}}\n")
    started = program.run("daemon", "start", "--port", str(program.port))
    assert started.status == 0, started.err
    try:
        log = program.home / ".claude" / "projects" / "-larder" / f"{SESSION}.jsonl"
        end(program, SESSION, log)
        yield
    finally:
        program.run("daemon", "stop")
