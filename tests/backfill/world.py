"""A home with sessions of harnesses, an API that looks there and a worker that reads them."""

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from signet.process import backoff
from support.http import Api, an_api
from support.processes import eventually, program

STORES = Path(__file__).with_name("stores")
REAL = Path(__file__).parents[1] / "harnesses" / "transcripts"
#: When the oldest session was.
DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
_ELSEWHERE = (
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "OPENCLAW_STATE_DIR",
    "XDG_DATA_HOME",
    "XDG_CONFIG_HOME",
)


@dataclass(frozen=True, slots=True)
class World:
    """The API, and the home that it looks in."""

    api: Api
    home: Path

    def claude(
        self, key: str, said: Sequence[str], *, days: int = 0, project: str = "/p/heron"
    ) -> Path:
        """Write a session of Claude Code, in which the user and the agent speak in turns."""
        at = DAY + timedelta(days=days)
        records = [
            {
                "type": role,
                "cwd": project,
                "timestamp": f"{at + timedelta(minutes=turn):%Y-%m-%dT%H:%M:%S}.000Z",
                "message": {"role": role, "content": text},
            }
            for turn, text in enumerate(said)
            for role in [("user", "assistant")[turn % 2]]
        ]
        lines = "".join(f"{json.dumps(one)}\n" for one in records)
        return self.file(f".claude/projects/-p-heron/{key}.jsonl", lines, at)

    def file(self, name: str, text: str, at: datetime = DAY) -> Path:
        """Write a file that was changed last at an instant."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        os.utime(path, (at.timestamp(), at.timestamp()))
        return path

    def database(self, name: str, store: str) -> Path:
        """Write a database from its dump."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with sqlite3.connect(path) as made:
            made.executescript(store)
        made.close()
        return path

    def poll(self, **wanted: object) -> Any:
        """Return what there is."""
        answer = self.api.post("/api/backfill", {"dryRun": True, **wanted})
        assert answer.status == 200, answer.body
        return answer.body

    def start(self, **wanted: object) -> Any:
        """Start reading."""
        answer = self.api.post("/api/backfill", wanted)
        assert answer.status == 200, answer.body
        return answer.body

    @property
    def status(self) -> Any:
        """Return how far it is."""
        return self.api.get("/api/backfill").body

    def read(self, **wanted: object) -> Any:
        """Read all that is asked for, and return how that ended; a worker has to run."""
        self.start(**wanted)
        eventually(lambda: self.status["state"] == "done")
        return self.status

    def text(self, key: str) -> str:
        """Return what is stored of a session."""
        texts = {one["session_key"]: one["content"] for one in self.api.rows("session_transcripts")}
        return str(texts.get(key, ""))

    @contextmanager
    def worker(self) -> Iterator[Any]:
        """Run a worker."""
        workspace = self.api.state.workspace
        backoff.forget(workspace.runtime_dir)
        env = {"SIGNET_PATH": str(workspace.root)}
        with program("-m", "signet_worker.main", env=env, is_heard=False) as process:
            yield process


@contextmanager
def a_world(folder: Path) -> Iterator[World]:
    """Give an empty home."""
    home = folder / "home"
    home.mkdir()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("HOME", str(home))
        for name in _ELSEWHERE:
            patched.delenv(name, raising=False)
        with an_api(folder / "agents") as api:
            yield World(api, home)
