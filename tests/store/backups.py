"""A workspace with memories, vectors and files of every sort, and what a reader finds in one."""

import os
from datetime import UTC, datetime
from pathlib import Path

from signet.db import Database, ReadTx, WriteTx, vectors
from signet.domain.memory import remember
from signet.domain.memory.models import Actor, NewMemory, Rules
from signet.paths import Workspace
from support.database import fresh_database

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
ACTOR = Actor(name="nora", type="agent", session_id=None, request_id=None)
TEXTS = ("Herons ship on Fridays.", "The curlew depot is in Lund.", "Tea is green here.")
#: Files of a workspace that a backup holds; files that stay in their workspace, whatever is restored; files of this
#: machine and of caches.
OWNED = {
    "agent.yaml": "embedding: {provider: none}\n",
    "AGENTS.md": "Be kind.\n",
    "manifest.json": "a person's own file of that name\n",
    "memory/2026-05-01-notes.md": "Notes.\n",
    "skills/tidy/SKILL.md": "---\nname: tidy\n---\n",
    ".gitignore": ".secrets/\n",
    ".daemon/last-synthesis.json": "{}",
    "köttur 猫.md": "A name of any script.\n",
}
STAYS = {
    ".secrets/secrets.enc": "sealed\n",
    ".secrets/key": "the key of the vault\n",
    ".daemon/auth-secret": "0123456789abcdef0123456789abcdef",
    ".git/config": "[core]\n",
    ".git/refs/heads/main": "abcd\n",
    ".env": "TOKEN=1\n",
    "skills/tidy/.cursor/x": "hidden\n",
}
MACHINE = {
    ".daemon/pid": "1",
    ".daemon/logs/daemon-2026-05-01.log": "{}\n",
    "skills/tidy/__pycache__/x.pyc": "0",
    "memory/memories.db.bak-v3-20260101T000000Z": "old",
}


def a_workspace(root: Path) -> Workspace:
    """Return a workspace that holds `TEXTS`, three vectors with a gap before them, and files."""
    workspace = Workspace(root)
    workspace.make()
    for name, text in {**OWNED, **STAYS, **MACHINE}.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    (root / ".secrets").chmod(0o700)
    for name in ("secrets.enc", "key"):
        (root / ".secrets" / name).chmod(0o600)
    fresh_database(workspace.database)
    save(workspace, *TEXTS)
    with opened(workspace) as db:
        db.write(_fill_vectors)
    return workspace


def save(workspace: Workspace, *texts: str) -> None:
    """Remember texts, as a daemon would."""
    with opened(workspace) as db:
        for text in texts:
            new = NewMemory(content=text)
            db.write(remember.remember, new, actor=ACTOR, rules=Rules(), now=NOON)


def opened(workspace: Workspace) -> "_Opened":
    """Open the store for a block."""
    return _Opened(workspace)


class _Opened:
    def __init__(self, workspace: Workspace) -> None:
        self._db = Database(workspace.database)

    def __enter__(self) -> Database:
        return self._db

    def __exit__(self, *_: object) -> None:
        self._db.close()


def texts(workspace: Workspace) -> set[str]:
    """Return the memories that can be read; fails when the file is not sound."""
    with opened(workspace) as db:
        assert db.read(lambda tx: tx.value("PRAGMA integrity_check")) == "ok"
        return {row[0] for row in db.read(lambda tx: tx.all("SELECT content FROM memories"))}


def found(workspace: Workspace) -> dict[str, object]:
    """Return what searches answer: by words, and by the nearest vectors."""
    with opened(workspace) as db:
        return db.read(_found)


def files(workspace: Workspace) -> dict[str, str]:
    """Return the workspace's own files and links with what they hold, without `.daemon` and the database."""
    held = {}
    for folder, folders, names in os.walk(workspace.root):
        folders[:] = [name for name in folders if name not in {".daemon", "__pycache__"}]
        for name in names:
            place = Path(folder, name)
            if not name.startswith("memories.db"):
                path = str(place.relative_to(workspace.root))
                held[path] = (
                    str(place.readlink()) if place.is_symlink() else place.read_text("utf-8")
                )
    for name in (".daemon/auth-secret", ".daemon/last-synthesis.json"):
        if (workspace.root / name).exists():
            held[name] = (workspace.root / name).read_text()
    return held


def owned(workspace: Workspace) -> dict[str, str]:
    """Return those of the files that a restore exchanges."""
    return {name: text for name, text in files(workspace).items() if name not in STAYS}


def _found(tx: ReadTx) -> dict[str, object]:
    words = "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? ORDER BY rank"
    return {
        "words": [row[0] for row in tx.all(words, ("curlew OR green",))],
        "near": vectors.knn(tx, vectors.pack([0.9, 0.1, 0.0, 0.1]), 3),
    }


def _fill_vectors(tx: WriteTx) -> None:
    insert = """
        INSERT INTO embeddings (seq, id, content_hash, vector, dimensions, source_type, source_id, ordinal,
          chunk_text, model, created_at) VALUES (?, ?, ?, ?, 4, 'memory', ?, 0, '', 'm', '2026')"""
    rows = [(f"v{n}", vectors.pack([1.0 - n / 10, n / 10, 0.0, 0.1])) for n in range(6)]
    tx.many(insert, [(n + 1, id_, id_, vector, id_) for n, (id_, vector) in enumerate(rows)])
    vectors.ensure(tx, 4)
    gone = [id_ for id_, _ in rows[:3]]
    tx.run("DELETE FROM embeddings WHERE id IN ('v0', 'v1', 'v2')")
    vectors.delete(tx, gone)
