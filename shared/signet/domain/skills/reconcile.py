"""Keeping the graph equal to the folder of skills.

A pass reads only files whose identity has changed since they were last read, and writes only nodes whose fingerprint
is another: a second pass over the same files does nothing at all (SK-31). One bad skill does not stop it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from signet.db import Database, ReadTx
from signet.domain.skills import files, jobs, node, sql
from signet.domain.skills.files import Identity
from signet.domain.skills.models import FILE, SkillFile, SkillRules
from signet.domain.skills.node import NodeChange
from signet.errors import SignetError
from signet.ids import DEFAULT_AGENT
from signet.observe import logs

log = logs.get("reconciler")


@dataclass(slots=True)
class Counts:
    """What one pass has changed."""

    installed: int = 0
    updated: int = 0
    removed: int = 0

    def add(self, change: NodeChange | None) -> None:
        """Count one change."""
        if change is not None:
            setattr(self, change.value, getattr(self, change.value) + 1)


@dataclass(frozen=True, slots=True)
class _ReadSkill:
    """The last read state of a file; without a node it has no fingerprint."""

    identity: Identity
    fingerprint: str | None


@dataclass(slots=True)
class Reconciler:
    """Compares the folder with the graph, and remembers what it has read."""

    db: Database
    folder: Path
    _seen: dict[str, _ReadSkill] = field(default_factory=dict)

    def run(self, found: Mapping[str, Identity], *, rules: SkillRules, now: datetime) -> Counts:
        """Bring the graph up to the files that were found; return what was changed."""
        counts = Counts()
        self._seen = {name: read for name, read in self._seen.items() if name in found}
        there = self.db.read(_known)
        # First, because a folder that was renamed only in its capitals is one name in the graph.
        for name in there.keys() - found.keys():
            counts.add(self.db.write(node.remove, name, now=now))
        for name, identity in found.items():
            skill = self._changed(name, identity)
            wanted = self._seen[name].fingerprint
            if wanted is None or there.get(name) == (wanted, str(self._path(name))):
                continue
            self._put(name, skill, counts, rules, now)
        return counts

    def fill(self, *, rules: SkillRules, now: datetime) -> int:
        """Queue the vectors that are missing and return how many (SK-32)."""
        if not rules.embed:
            return 0
        missing = self.db.read(jobs.missing, model=rules.embedding_model, now=now)
        if missing:
            self.db.write(jobs.fill, missing, rules=rules, now=now)
        return len(missing)

    def _path(self, name: str) -> Path:
        return self.folder / name / FILE

    def _changed(self, name: str, identity: Identity) -> SkillFile | None:
        """Return a skill whose file is another than when it was last read; warn when it cannot be one (SK-1)."""
        before = self._seen.get(name)
        if before is not None and before.identity == identity:
            return None
        skill = None
        try:
            skill = files.load(self.folder, name)
            problem = skill.problem
        except (SignetError, OSError) as error:
            problem = str(error)
        if problem is not None:
            log.warning("skill.unusable", skill=name, detail=problem)
        fingerprint = skill.fingerprint if skill and not problem else None
        self._seen[name] = _ReadSkill(identity, fingerprint)
        return skill

    def _put(
        self, name: str, skill: SkillFile | None, counts: Counts, rules: SkillRules, now: datetime
    ) -> None:
        try:
            current = skill or files.load(self.folder, name)
            counts.add(self.db.write(node.put, current, rules=rules, now=now))
        except (SignetError, OSError) as error:
            if skill is not None:
                log.warning("skill.not_in_graph", skill=name, detail=str(error))


def _known(tx: ReadTx) -> dict[str, tuple[str | None, str]]:
    nodes = sql.nodes(tx, DEFAULT_AGENT)
    return {one.name: (one.fingerprint, one.fs_path) for one in nodes}
