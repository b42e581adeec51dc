"""A workspace with its API and worker running on the default settings and model, and a project to talk about."""

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from providers.native.cases import Models
from signet.db.driver import connect
from support.http import Served, a_workspace, served
from support.processes import eventually, program


@dataclass(frozen=True)
class World:
    """A workspace with its API and worker running, and a project."""

    server: Served
    project: Path

    def hook(self, name: str, key: str, **body: object) -> str:
        """Call a hook and return what it injects."""
        sent = {"harness": "claude-code", "sessionKey": key, "cwd": str(self.project), **body}
        answer = self.server.post(f"/api/hooks/{name}", sent)
        assert answer.status == 200, answer.body
        return str(answer.body.get("inject", ""))

    def talk(
        self,
        key: str,
        turns: list[tuple[str, str]],
        day: int,
        **ended: object,
    ) -> None:
        """End a session in which only messages were exchanged."""
        path = self.log(
            key,
            [{"type": role, "message": {"role": role, "content": text}} for role, text in turns],
            day,
        )
        self.hook("session-end", key, **{"transcriptPath": path, "reason": "other", **ended})

    def log(self, key: str, records: list[dict[str, object]], day: int) -> str:
        """Write the log of a session as Claude Code does, a record a minute, and return its path."""
        at = datetime(2026, 3, day, 9, tzinfo=UTC)
        lines = [
            json.dumps({"timestamp": (at + timedelta(minutes=minute)).isoformat(), **record})
            for minute, record in enumerate(records)
        ]
        path = self.project.parent / f"{key}.jsonl"
        path.write_text("\n".join(lines), "utf-8")
        return str(path)

    def rest(self) -> None:
        """Wait until no job is open."""
        sql = "SELECT count(*) FROM memory_jobs WHERE status IN ('pending', 'leased')"
        eventually(lambda: self.rows(sql) == [(0,)], seconds=120)

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        """Return rows of the database."""
        connection = connect(self.server.workspace.database, read_only=True)
        try:
            return [tuple(row) for row in connection.execute(sql)]
        finally:
            connection.close()

    def configure(self, settings: str) -> None:
        """Write agent.yaml; it is in force within two seconds."""
        (self.server.workspace.root / "agent.yaml").write_text(settings, "utf-8")

    def warm(self) -> None:
        """Wait until questions are answered by meaning, too; there must be something to compare them with."""
        self.server.post("/api/memory/remember", {"content": "The harbour cat is called Tula."})

        def is_hybrid() -> bool:
            answer = self.server.post("/api/memory/recall", {"query": "oven"})
            return bool(answer.body["method"] == "hybrid")

        eventually(is_hybrid, seconds=120)


@contextlib.contextmanager
def a_world(folder: Path, models: Models) -> Iterator[World]:
    """Run the processes on a new workspace with all defaults."""
    workspace = a_workspace(folder / "agents")
    (workspace.root / "agent.yaml").write_text("", "utf-8")
    project = folder / "project"
    project.mkdir()
    env = {"SIGNET_PATH": str(workspace.root), "SIGNET_MODEL_DIR": str(models.home)}
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.ExitStack() as patched,
        program("-m", "signet_worker.main", env=env, is_heard=False),
    ):
        patch.setenv("SIGNET_MODEL_DIR", str(models.home))
        yield World(patched.enter_context(served(workspace)), project)
