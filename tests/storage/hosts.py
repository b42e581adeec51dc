"""Hosts that share a database on a PostgreSQL server: each with a home, a workspace and a daemon of its own."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg

from cli.program import SETTINGS, Program
from support import postgres
from support.processes import PATIENCE_SECONDS


@dataclass(frozen=True)
class Host:
    """A host, and the address of the shared database."""

    program: Program
    url: str

    def start(self) -> None:
        done = self.program.run("daemon", "start", "--port", str(self.program.port))
        assert done.status == 0, done.err

    def post(self, path: str, body: object) -> Any:
        """Return the answer of this host's daemon."""
        base = f"http://127.0.0.1:{self.program.port}"
        answer = httpx.post(base + path, json=body, timeout=PATIENCE_SECONDS)
        assert answer.status_code < 300, answer.text
        return answer.json()

    def get(self, path: str) -> Any:
        answer = httpx.get(f"http://127.0.0.1:{self.program.port}{path}", timeout=PATIENCE_SECONDS)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def pid(self, name: str) -> int:
        """Return the process of a program of this host's daemon."""
        found = self.program.run("status", "--json").json()["processes"]
        return int(next(one["pid"] for one in found if one["name"] == name))

    def end_session(self, key: str, turns: list[tuple[str, str]], project: str) -> None:
        """End a session of Claude Code in which only messages were exchanged."""
        path = self.program.home / f"{key}.jsonl"
        lines = [
            json.dumps({"type": role, "message": {"role": role, "content": text}})
            for role, text in turns
        ]
        path.write_text("\n".join(lines), "utf-8")
        said = {"session_id": key, "cwd": project, "reason": "other", "transcript_path": str(path)}
        done = self.program.run("hook", "session-end", "-H", "claude-code", stdin=json.dumps(said))
        assert done.status == 0, done.err

    def prompt(self, key: str, text: str, project: str) -> str:
        """Return what a prompt of a new session receives."""
        said = {"session_id": key, "cwd": project, "prompt": text}
        done = self.program.run(
            "hook", "user-prompt-submit", "-H", "claude-code", stdin=json.dumps(said)
        )
        assert done.status == 0, done.err
        return done.out


def settings(url: str | None) -> str:
    """Return an agent.yaml that asks no model and makes no vector."""
    return SETTINGS + (f"storage: {{url: {json.dumps(url)}}}\n" if url else "")


def a_program(home: Path, url: str | None) -> Program:
    """Return the program of a new workspace; nothing runs."""
    program = Program(home=home, workspace=home / "workspace")
    program.workspace.mkdir(parents=True)
    (program.workspace / "agent.yaml").write_text(settings(url))
    return program


@contextmanager
def hosts(folder: Path, *names: str) -> Iterator[list[Host]]:
    """Run the daemons of hosts on a new database until the block ends."""
    url = postgres.empty()
    with ExitStack() as started:
        started.callback(postgres.drop, url)
        found = [Host(a_program(folder / name, url), url) for name in names]
        for host in found:
            started.callback(host.program.run, "daemon", "stop")
            host.start()
        yield found


def cut_off(url: str, *, through: str | None = None) -> None:
    """Close every connection to a database, as a restart of the server does, through another one if it lets none in."""
    rows(
        through or url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        f" WHERE datname = '{postgres.name_of(url)}' AND pid <> pg_backend_pid()",
    )


def rows(url: str, sql: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query on a server; none of a command."""
    with psycopg.connect(url, autocommit=True) as connection:
        found = connection.execute(sql.encode())
        return found.fetchall() if found.description else []
