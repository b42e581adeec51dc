"""The scheduler keeps harnesses in step with the workspace, and reads what they write down."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from harnesses.home import CLAUDE_MD, a_home
from signet import config
from signet.domain.harnesses import registry
from signet.domain.harnesses.models import Site
from signet.process.settings_reload import LiveSettings
from signet_scheduler import watch
from signet_scheduler.notes import NoteWatch
from signet_scheduler.sync import KINDS, QUIET_SECONDS, HarnessSync
from signet_scheduler.watch import Debounce
from worker.home import Home, Tree

SETTINGS: Tree = {"embedding": {"provider": "none"}, "agents": {"roster": [{"name": "helm"}]}}


@dataclass
class Kept:
    """A home whose harnesses are kept in step by hand: each `look` is at an instant of its own."""

    home: Home
    person: Path
    at: float = 1_000.0
    registry: HarnessSync = field(init=False)
    notes: NoteWatch = field(init=False)

    def __post_init__(self) -> None:
        self.home.configure(SETTINGS)
        live = LiveSettings(self.home.workspace, config.load(self.home.workspace, {}))
        self.sync = HarnessSync(live, self.home.workspace, home=self.person)
        self.notes = NoteWatch(self.home.db, live, self.home.workspace, home=self.person)

    def write(self, name: str, content: str) -> Path:
        path = self.home.workspace.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
        return path

    def poll(self, after: float = 0.0) -> None:
        self.at += after
        self.sync.poll(self.at)

    def read_notes(self, after: float = 1.0) -> None:
        """Look twice, so that what has changed has stood still."""
        for step in (0.0, after):
            self.at += step
            self.notes.poll(self.at)

    @property
    def generated(self) -> str:
        path = self.home.workspace.root / "agents/helm/workspace/AGENTS.md"
        return path.read_text("utf-8") if path.exists() else ""


@pytest.fixture
def kept(home: Home, tmp_path: Path) -> Kept:
    made = Kept(home, a_home(tmp_path).path)
    made.write("AGENTS.md", "First.\n")
    return made


def serve(kept: Kept) -> None:
    kept.home.run(
        "INSERT INTO processes (owner, kind, pid, started_at, beat_ms) VALUES ('a', 'api', 1, '', 0)"
    )


def test_the_start_syncs_at_once_and_a_change_two_seconds_after_the_last(kept: Kept) -> None:
    kept.poll()
    assert "First." in kept.generated
    kept.write("AGENTS.md", "Second try.\n")
    kept.poll(1.0)
    kept.write("AGENTS.md", "Third and last.\n")
    kept.poll(1.9)
    kept.poll(1.9)
    assert "First." in kept.generated
    kept.poll(0.2)
    assert "Third and last." in kept.generated


def test_a_change_while_a_sync_is_on_leads_to_one_more(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.poll()
    runs: list[str] = []
    run = registry.sync_workspace

    def slow(*given: Any, **more: Any) -> registry.Synced:
        done = run(*given, **more)
        runs.append(kept.generated)
        if len(runs) == 1:
            kept.write("AGENTS.md", "Said while the sync ran.\n")
        return done

    monkeypatch.setattr(registry, "sync_workspace", slow)
    kept.write("AGENTS.md", "Second.\n")
    for _ in range(8):
        kept.poll(QUIET_SECONDS / 2)
    assert len(runs) == 2 and "Said while the sync ran." in kept.generated


def test_a_file_that_is_deleted_as_soon_as_it_is_written_comes_back(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, written = registry.sync_workspace, kept.home.workspace.root / registry.ARCHITECTURE

    def hindered(*given: Any, **more: Any) -> registry.Synced:
        monkeypatch.setattr(registry, "sync_workspace", run)
        done = run(*given, **more)
        written.unlink()
        return done

    monkeypatch.setattr(registry, "sync_workspace", hindered)
    kept.poll()
    assert not written.exists()
    kept.poll(QUIET_SECONDS)
    assert written.exists()


def test_what_a_sync_writes_starts_no_other(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[int] = []
    run = registry.sync_workspace

    def counted(*given: Any, **more: Any) -> registry.Synced:
        runs.append(1)
        return run(*given, **more)

    monkeypatch.setattr(registry, "sync_workspace", counted)
    kept.write("agents/helm/SOUL.md", "Calm.\n")
    for _ in range(6):
        kept.poll(QUIET_SECONDS)
    assert len(runs) == 1


def test_the_explanation_of_the_memory_comes_back(kept: Kept) -> None:
    kept.poll()
    path = kept.home.workspace.root / "SIGNET-ARCHITECTURE.md"
    path.unlink()
    kept.poll(0.5)
    kept.poll(QUIET_SECONDS)
    assert path.is_file()


@pytest.mark.parametrize("harnesses", [[], ["claude-code", "opencode", "openclaw", "codex"]])
def test_a_day_of_looks_makes_nothing_in_a_home_that_connected_nothing(
    home: Home, tmp_path: Path, harnesses: list[str]
) -> None:
    person = a_home(tmp_path)
    person.write(".claude/CLAUDE.md", CLAUDE_MD)
    person.write(".config/opencode/AGENTS.md", CLAUDE_MD)
    before = person.whole()
    kept = Kept(home, person.path)
    home.configure({**SETTINGS, "harnesses": harnesses})
    live = LiveSettings(home.workspace, config.load(home.workspace, {}))
    assert list(live.settings.harnesses) == harnesses
    kept.sync = HarnessSync(live, home.workspace, home=person.path)
    for hour in range(24):
        kept.write("AGENTS.md", f"Rules of hour {hour}.\n")
        kept.write("skills/reef/SKILL.md", f"---\nname: reef\n---\n{hour}\n")
        for _ in range(4):
            kept.poll(QUIET_SECONDS)
            kept.read_notes()
        kept.at += 3_600
        assert f"hour {hour}" in kept.generated
        assert person.whole() == before


def test_at_the_start_connections_are_mended_and_what_was_taken_out_stays_out(kept: Kept) -> None:
    plain = Site(workspace=kept.home.workspace, home=kept.person, environ={"PATH": ""})
    site = registry.with_programs(plain)
    for harness in ("claude-code", "codex"):
        assert registry.connect(site, harness).success
    claude, codex = kept.person / ".claude/settings.json", kept.person / ".codex/hooks.json"
    whole = claude.read_text()
    claude.write_text(whole.replace('"timeout": 15', '"timeout": 15000'))
    codex.write_text("{}")
    kept.poll()
    assert (claude.read_text(), codex.read_text()) == (whole, "{}")


def test_only_what_belongs_to_somebody_is_seen(kept: Kept) -> None:
    workspace, person = kept.home.workspace, kept.person
    for name in (
        "agents/helm/SOUL.md",
        "agents/helm/workspace/AGENTS.md",
        "agents/helm/memory/MEMORY.backup-2026-01-01T00-00-00.md",
        "agents/helm/notes.db-wal",
        "agents/.git/HEAD",
        "memory/2026-05-01.md",
        "memory/MEMORY.md",
        "memory/MEMORY.backup-2026-01-01T00-00-00.md",
        "memory/deep/x.md",
        ".secrets/x.md",
    ):
        kept.write(name, "x")
    note = person / ".claude/projects/-work-boat/memory/MEMORY.md"
    note.parent.mkdir(parents=True)
    note.write_text("x")
    every = (*KINDS, watch.notes, watch.claude_notes)
    found = watch.seen(workspace, *every, home=person)
    names = {
        str(
            Path(path).relative_to(
                workspace.root if path.startswith(str(workspace.root)) else person
            )
        )
        for path in found
    }
    assert names == {
        "agent.yaml",
        "AGENTS.md",
        "agents/helm/SOUL.md",
        "memory/2026-05-01.md",
        ".claude/projects/-work-boat/memory/MEMORY.md",
    }


def test_what_goes_away_is_a_change_too() -> None:
    debounce = Debounce(1.0)
    both, one = {"a": (1, 1, 1), "b": (2, 2, 2)}, {"a": (1, 1, 1)}
    assert debounce.is_due(both, 0.0)
    debounce.handled(both)
    assert [debounce.is_due(found, at) for found, at in ((both, 5.0), (one, 6.0), (one, 7.0))] == [
        False,
        False,
        True,
    ]


def test_notes_become_memories_once_and_only_what_is_new_later(kept: Kept) -> None:
    kept.write(
        "memory/2026-05-01.md",
        "The harbour opens at six.\n\n# Boat\n\nThe mast is made of spruce.\n\n# Crew\n\nMina steers.\n",
    )
    note = kept.person / ".claude/projects/-work-boat/memory/MEMORY.md"
    note.parent.mkdir(parents=True)
    note.write_text("# Build\n\nThe boat is built with make.\n")
    kept.read_notes()
    assert kept.home.rows("SELECT 1 FROM memories") == []
    serve(kept)
    kept.read_notes()
    rows = kept.home.rows(
        "SELECT content, importance, who, source_type, tags, project FROM memories ORDER BY rowid"
    )
    found = {row["content"]: (row["importance"], row["who"], row["source_type"]) for row in rows}
    assert found == {
        "The harbour opens at six.": (0.55, "openclaw-memory", "openclaw-memory-log"),
        "# Boat\n\nThe mast is made of spruce.": (0.65, "openclaw-memory", "openclaw-memory-log"),
        "# Crew\n\nMina steers.": (0.65, "openclaw-memory", "openclaw-memory-log"),
        "# Build\n\nThe boat is built with make.": (0.65, "claude-code", "claude-project-memory"),
    }
    tags = {row["content"].splitlines()[0]: set(json.loads(row["tags"])) for row in rows}
    day = {"openclaw", "memory-log", "2026-05-01", "2026-05-01.md"}
    assert tags["The harbour opens at six."] == {*day, "paragraph"}
    assert tags["# Boat"] == {*day, "hierarchical-section"}
    assert tags["# Build"] == {"project:-work-boat"}
    kept.write(
        "memory/2026-05-01.md", "# Crew\n\nMina steers.\n\n# Dog\n\nThe dog is called Tau.\n"
    )
    kept.read_notes()
    count = kept.home.value("SELECT count(*) FROM memories WHERE is_deleted = 0")
    assert count == 5
    again = Kept(kept.home, kept.person)
    again.read_notes()
    assert kept.home.value("SELECT count(*) FROM memories") == 5


def test_a_link_among_the_notes_reads_no_keys(kept: Kept, tmp_path: Path) -> None:
    """A program that may write here, such as a sandboxed agent or a git remote, may not read what the daemon can."""
    notes = kept.home.workspace.memory_dir
    notes.mkdir(parents=True, exist_ok=True)
    for name, target in (
        ("id", ".ssh/id_x"),
        ("own", "dotfiles/own.md"),
    ):
        path = tmp_path / target
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# Boat\n\nText of {target}.\n", "utf-8")
        (notes / f"{name}.md").symlink_to(path)
    serve(kept)
    kept.read_notes()
    [memory] = kept.home.rows("SELECT content FROM memories")
    assert "dotfiles/own.md" in memory["content"]


def test_notes_of_an_unchanged_file_are_not_read_again_after_a_restart(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.write("memory/ideas.md", "# Sail\n\nTry the red sail first.\n")
    serve(kept)
    kept.read_notes()
    [row] = kept.home.rows("SELECT tags FROM memories")
    assert "named" in json.loads(row["tags"])

    def never(*given: object, **more: object) -> int:
        raise AssertionError("it was read again")

    monkeypatch.setattr("signet.domain.harnesses.notes.ingest", never)
    Kept(kept.home, kept.person).read_notes()


def test_what_the_worker_wrote_about_a_session_is_not_read_back(kept: Kept) -> None:
    kept.write("memory/2026-05-01-boat.md", "## Boat\n\nWe spoke of the mast.\n")
    kept.home.run(
        "INSERT INTO summary_jobs (id, harness, result_path, created_at)"
        " VALUES ('a', 'codex', 'memory/2026-05-01-boat.md', '')"
    )
    serve(kept)
    kept.read_notes()
    kept.home.run("DELETE FROM summary_jobs")
    Kept(kept.home, kept.person).read_notes()
    assert kept.home.rows("SELECT 1 FROM memories") == []


def test_frozen_memories_wait_for_the_thaw(kept: Kept) -> None:
    kept.write("memory/ideas.md", "Try the red sail first.\n")
    serve(kept)
    frozen: Tree = {
        "memory": {"pipelineV2": {"mutationsFrozen": True}},
        "embedding": {"provider": "none"},
    }
    kept.home.configure(frozen)
    live = LiveSettings(kept.home.workspace, config.load(kept.home.workspace, {}))
    kept.notes = NoteWatch(kept.home.db, live, kept.home.workspace, home=kept.person)
    kept.read_notes()
    assert kept.home.rows("SELECT 1 FROM memories") == []
    kept.home.configure({"embedding": {"provider": "none"}})
    live.poll()
    kept.read_notes()
    assert len(kept.home.rows("SELECT 1 FROM memories")) == 1
