"""A workspace with a real database and a real worker process, and what its jobs have left there."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen

from signet import clock
from signet.config import settings_from
from signet.db import Database, ReadTx, Row, WriteTx
from signet.domain.memory import remember
from signet.domain.memory.models import Actor, NewMemory, Rules
from signet.paths import Workspace
from signet.process import backoff
from signet.queue.enqueue import DUE
from signet.queue.wakeup import Notifier
from support.database import fresh_database
from support.processes import eventually, program

USER = Actor(name="test")

Tree = dict[object, object]


def manifest(
    provider: str = "ollama",
    url: str | None = None,
    *,
    embedding: str = "none",
    api_key: str | None = None,
    timeout_ms: int = 60_000,
    **pipeline: object,
) -> Tree:
    """Return the content of an agent.yaml; `url` is where both models answer, the rest is `pipelineV2`.

    What follows a reading, hints and structure, is off unless a test asks for it.
    """
    off = {"hints": {"enabled": False}, "structural": {"enabled": False}}
    extraction = {"provider": provider, "endpoint": url, "api_key": api_key, "timeout": timeout_ms}
    return {
        "embedding": {"provider": embedding, "base_url": url},
        "memory": {
            "pipelineV2": {"extraction": extraction, **off, **pipeline},
        },
    }


@dataclass
class Home:
    """A workspace, its database as this process has it open, and the calls that tests repeat."""

    workspace: Workspace
    db: Database
    tree: Tree = field(default_factory=dict)

    def configure(self, tree: Tree) -> None:
        """Write agent.yaml."""
        self.tree = tree
        fresh = self.workspace.root / "agent.new"
        fresh.write_text(json.dumps(tree), "utf-8")
        fresh.replace(self.workspace.root / "agent.yaml")

    def remember(
        self, text: str, agent: str = "default", *, attempts: int = 3, actor: Actor = USER
    ) -> str:
        """Save a memory as the API does, and return its ID."""

        def save(tx: WriteTx) -> str:
            settings, _ = settings_from(self.tree)
            new = NewMemory(content=text, agent_id=agent, project="/p")
            saved = remember.remember(
                tx, new, actor=actor, rules=Rules.from_settings(settings), now=clock.now()
            )
            tx.run(
                "UPDATE memory_jobs SET max_attempts = ? WHERE memory_id = ?", (attempts, saved.id)
            )
            return saved.id

        return self.db.write(save)

    @contextmanager
    def runs(self, service: str, env: Mapping[str, str] | None = None) -> Iterator[Popen[str]]:
        """Run a service of this workspace until the block ends; it is up when the block begins."""
        backoff.forget(self.workspace.runtime_dir)
        announced = "SELECT * FROM processes WHERE pid = ?"
        env = {"SIGNET_PATH": str(self.workspace.root), **(env or {})}
        with program("-m", f"{service}.main", env=env, is_heard=False) as process:
            eventually(
                lambda: bool(self.rows(announced, process.pid)) or process.poll() is not None
            )
            yield process

    def worker(self, env: Mapping[str, str] | None = None) -> AbstractContextManager[Popen[str]]:
        return self.runs("signet_worker", env)

    def processes(self, kind: str) -> int:
        """Return how many processes of a kind have announced themselves."""
        return len(self.rows("SELECT * FROM processes WHERE kind = ?", kind))

    def logged(self, event: str) -> int:
        """Return how often an event stands in the log."""
        logs = self.workspace.log_dir.glob("daemon-*.log")
        return sum(log.read_text("utf-8").count(event) for log in logs)

    def configure_live(self, tree: Tree) -> None:
        """Write agent.yaml beside a running process and wait until it was read; what holds already needs no reading."""
        if tree == self.tree:
            return
        before = self.logged("config.reloaded")
        self.configure(tree)
        eventually(lambda: self.logged("config.reloaded") > before)

    def value(self, sql: str, *params: object) -> object:
        """Return one value."""
        return self.db.read(ReadTx.value, sql, params)

    def rows(self, sql: str, *params: object) -> list[Row]:
        """Return rows."""
        return self.db.read(ReadTx.all, sql, params)

    def run(self, sql: str, *params: object) -> None:
        """Change rows by hand, and wake whoever waits for jobs."""

        def change(tx: WriteTx) -> None:
            tx.run(sql, params)
            tx.signal(DUE)

        self.db.write(change)

    def hurry(self) -> None:
        """Let all waits be over: those of jobs and those of stopped queues."""
        self.run("UPDATE provider_breakers SET retry_at_ms = 0")
        self.run("UPDATE memory_jobs SET due_ms = 0 WHERE status = 'pending'")

    def wait_for_end(self, read: Callable[[], Row], status: str) -> None:
        """Wait until a job has ended; one that is to die does not wait between its attempts."""

        def is_over() -> bool:
            if status == "dead":
                self.try_again()
            return read()["status"] in ("completed", "dead")

        eventually(is_over)

    def try_again(self) -> None:
        """Let the waits of jobs be over that have failed."""
        waits = "SELECT 1 FROM memory_jobs WHERE status = 'pending' AND attempts > 0 AND due_ms > 0"
        if self.rows(waits):
            self.run("UPDATE memory_jobs SET due_ms = 0 WHERE status = 'pending' AND attempts > 0")

    def job(self, target: str, kind: str = "extract") -> Row:
        """Return the newest job of a kind for a memory or document."""
        found = self.rows(
            "SELECT * FROM memory_jobs WHERE ? IN (memory_id, document_id) AND job_type = ?"
            " ORDER BY created_at DESC, id DESC LIMIT 1",
            target,
            kind,
        )
        return found[0]

    def ended(self, target: str, kind: str = "extract", status: str = "completed") -> Tree:
        """Wait until the job of a memory or document has ended so, and return its result."""
        self.wait_for_end(lambda: self.job(target, kind), status)
        job = self.job(target, kind)
        assert job["status"] == status, job["errors"]
        result = json.loads(job["result"] or "{}")
        assert isinstance(result, dict)
        return result

    def drained(self, kind: str = "%") -> None:
        """Wait until no job of a kind waits or runs."""
        waits = "SELECT COUNT(*) FROM memory_jobs WHERE status IN ('pending', 'leased') AND job_type LIKE ?"
        eventually(lambda: not self.value(waits, kind))

    def memory(self, memory_id: str) -> Row:
        """Return a row of `memories`."""
        return self.rows("SELECT * FROM memories WHERE id = ?", memory_id)[0]

    def facts(self, memory_id: str) -> list[Row]:
        """Return what was read from a memory, in order."""
        return self.rows("SELECT * FROM memories WHERE source_id = ? ORDER BY seq", memory_id)

    def proposals(self, memory_id: str) -> list[Tree]:
        """Return what history says about the proposals of a memory, in order."""
        found = self.rows(
            "SELECT metadata, changed_by, reason FROM memory_history"
            " WHERE memory_id = ? AND event = 'none' ORDER BY rowid",
            memory_id,
        )
        return [
            {**json.loads(row["metadata"]), "by": row["changed_by"], "reason": row["reason"]}
            for row in found
        ]

    def dump(self, table: str = "memories") -> list[tuple[object, ...]]:
        """Return every row of a table."""
        return [tuple(row) for row in self.rows(f"SELECT * FROM {table} ORDER BY rowid")]


@contextmanager
def a_home(folder: Path) -> Iterator[Home]:
    """Make a workspace whose database this process holds open."""
    workspace = Workspace(folder)
    workspace.make()
    db = Database(fresh_database(workspace.database))
    notifier = Notifier(workspace.runtime_dir)
    db.writer.listen(lambda signals: notifier.notify())
    try:
        yield Home(workspace, db)
    finally:
        db.close()
        notifier.close()
