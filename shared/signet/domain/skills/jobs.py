"""Jobs of a skill: enrich it with a model, link its entities, and embed it."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from signet import clock
from signet.db import Database, ReadTx, WriteTx
from signet.domain.embeddings import vectors as embeddings
from signet.domain.embeddings.models import VectorSource
from signet.domain.graph import skill_nodes
from signet.domain.graph.models import Triple
from signet.domain.skills import files, node, sql
from signet.domain.skills.files import Identity
from signet.domain.skills.models import FILE, SkillFile, SkillNode, SkillRules
from signet.domain.skills.node import NodeChange
from signet.errors import SignetError
from signet.ids import DEFAULT_AGENT
from signet.observe import logs
from signet.providers import answers, asking
from signet.providers.asking import TEXT, an_object, ask_model, list_of
from signet.providers.ports import Embedder, LanguageModel
from signet.queue import enqueue
from signet.queue.job_context import JobContext

BODY_CHARS = 3_000
MAX_TOKENS = 512
MAX_DESCRIPTION_CHARS = 500
MAX_TRIGGERS, MAX_TAGS = 8, 5
_ITEM_CHARS = 80

_TASK = """\
A skill is a page of instructions for an agent. Say what this one is for, so that it is found when it is needed. Return
one JSON object and nothing else:
{"description": "...", "triggers": ["..."], "tags": ["..."]}
- description: one or two sentences: what the skill does and when to use it.
- triggers: 3 to 8 short phrases that a person might say who needs it; no commands.
- tags: 2 to 5 words for its field, in small letters.
"""

_SHAPE = an_object(description=TEXT, triggers=list_of(TEXT), tags=list_of(TEXT))


@dataclass(frozen=True, slots=True, kw_only=True)
class Enriched:
    """A model's answer; omitted parts are empty."""

    description: str = ""
    triggers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


def enrich(
    job: JobContext, model: LanguageModel, rules: Callable[[], SkillRules], *, seconds: float
) -> None:
    """Enrich the job's skill and complete the job; raises the provider's errors, LeaseLost, Cancelled."""
    known = node_of(job)
    skill = readable(known)
    if known is None or skill is None or not node.is_thin(skill, rules()):
        job.commit(lambda tx: skipped(tx, job, known, "nothing_to_enrich"))
        return
    found = ask_model(
        model,
        enrich_request(skill),
        parse_enriched,
        shape=_SHAPE,
        timeout_seconds=seconds,
        max_tokens=MAX_TOKENS,
    )
    job.check()
    if found is None:
        job.commit(lambda tx: skipped(tx, job, known, "no_usable_answer"))
        return
    job.commit(lambda tx: _write_enriched(tx, job, known, skill, found, rules()))


def enrich_request(skill: SkillFile) -> str:
    text = f"name: {skill.title}\ndescription: {skill.description}\n\n{skill.body[:BODY_CHARS]}"
    return f"{_TASK}{asking.fenced('skill', text)}"


def parse_enriched(raw: str) -> Enriched | None:
    """Parse an answer; None if it has neither a purpose nor triggers."""
    for answer in answers.objects(raw):
        purpose = " ".join(answers.text(answer, "description").split())
        found = Enriched(
            description=purpose[:MAX_DESCRIPTION_CHARS],
            triggers=_texts(answer.get("triggers"), MAX_TRIGGERS),
            tags=tuple(tag.lower() for tag in _texts(answer.get("tags"), MAX_TAGS)),
        )
        if found.description or found.triggers:
            return found
    return None


def node_of(job: JobContext) -> SkillNode | None:
    entity_id = str(job.lease.payload.get("entityId", ""))
    return job.db.read(sql.by_ids, [entity_id]).get(entity_id)


def readable(known: SkillNode | None) -> SkillFile | None:
    """Return the file of a node; None if it is deleted or has changed."""
    if known is None:
        return None
    try:
        skill = files.load(Path(known.fs_path).parent.parent, known.name)
    except (SignetError, OSError):
        return None
    return skill if skill.fingerprint == known.fingerprint else None


def is_current(tx: ReadTx, known: SkillNode) -> bool:
    current = sql.by_ids(tx, [known.entity_id]).get(known.entity_id)
    return current is not None and current.fingerprint == known.fingerprint


def skipped(
    tx: WriteTx, job: JobContext, known: SkillNode | None, reason: str
) -> dict[str, object]:
    """Return the result of a job that did nothing, and queue it again if its skill has changed.

    The change could not queue it, because the job was still open.
    """
    if known is None or is_current(tx, known):
        return {"skipped": reason}
    if known.entity_id in sql.by_ids(tx, [known.entity_id]):
        again, attempts = node.job(job.lease.kind, known.entity_id), job.lease.max_attempts
        enqueue(tx, again, now=clock.now(), max_attempts=attempts)
    return {"skipped": "skill_changed"}


def _write_enriched(
    tx: WriteTx,
    job: JobContext,
    known: SkillNode,
    skill: SkillFile,
    found: Enriched,
    rules: SkillRules,
) -> dict[str, object]:
    if not is_current(tx, known):
        return skipped(tx, job, known, "skill_changed")
    entity_id, now = known.entity_id, clock.now()
    thin = len(skill.description) < rules.min_description
    description = (found.description if thin else "") or skill.description
    triggers = skill.triggers or found.triggers
    tags = skill.tags or found.tags
    tx.run(sql.ENRICH, (sql.json_list(triggers), sql.json_list(tags), entity_id))
    skill_nodes.describe(tx, entity_id, description, now=now)
    if rules.embed:
        enqueue(tx, node.job(node.EMBED, entity_id), now=now, max_attempts=rules.attempts)
    return {"triggers": len(triggers), "tags": len(tags)}


def _texts(value: object, most: int) -> tuple[str, ...]:
    items: Sequence[object] = value if isinstance(value, list) else ()
    found = (" ".join(item.split())[:_ITEM_CHARS] for item in items if isinstance(item, str))
    return tuple(dict.fromkeys(item for item in found if item))[:most]


def tie_entities(job: JobContext, read: Callable[[str], Sequence[Triple]]) -> None:
    """Link the job's skill to the entities in its text and complete the job.

    `read` asks a model; raises what the provider raises, LeaseLost, Cancelled.
    """
    known = node_of(job)
    skill = readable(known)
    if known is None or skill is None:
        job.commit(lambda tx: skipped(tx, job, known, "nothing_to_read"))
        return
    triples = read(skill.body)
    job.check()
    job.commit(lambda tx: _write_entities(tx, job, known, triples))


def _write_entities(
    tx: WriteTx, job: JobContext, known: SkillNode, triples: Sequence[Triple]
) -> dict[str, object]:
    if not is_current(tx, known):
        return skipped(tx, job, known, "skill_changed")
    tied = skill_nodes.mention(
        tx, known.entity_id, triples, skill=known.name, agent_id=known.agent_id, now=clock.now()
    )
    return {"entities": tied}


#: Characters of a skill's text that are embedded; a model reads about as many.
READ_CHARS = 2_000


def embed(job: JobContext, embedder: Embedder) -> None:
    """Embed the job's skill and complete the job; raises the provider's errors, LeaseLost, Cancelled."""
    known = node_of(job)
    if known is None or not job.db.read(_is_missing, known, embedder.model):
        job.commit(lambda tx: {"skipped": "nothing_to_embed"})
        return
    [vector] = embeddings.embedded(embedder, [known.text[:READ_CHARS]])
    job.check()
    attempts = job.lease.max_attempts
    job.commit(lambda tx: _store_vector(tx, known, vector, embedder.model, attempts=attempts))


def missing_parts(tx: ReadTx, *, model: str | None, now: datetime) -> list[str]:
    """Return the skills without a current vector and without a job for one."""
    since = now.timestamp() - sql.REST_SECONDS

    def is_busy(entity_id: str) -> bool:
        key = node.job(node.EMBED, entity_id).unique_key
        return tx.value(sql.BUSY, (key, since)) is not None

    nodes = (one for one in sql.nodes(tx, DEFAULT_AGENT) if _is_missing(tx, one, model))
    return [one.entity_id for one in nodes if not is_busy(one.entity_id)]


def fill(tx: WriteTx, entity_ids: Sequence[str], *, rules: SkillRules, now: datetime) -> None:
    for entity_id in entity_ids:
        enqueue(tx, node.job(node.EMBED, entity_id), now=now, max_attempts=rules.attempts)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _is_missing(tx: ReadTx, known: SkillNode, model: str | None) -> bool:
    return sql.vector(tx, known.entity_id) != (digest(known.text), model)


def _store_vector(
    tx: WriteTx, read: SkillNode, vector: bytes, model: str, *, attempts: int
) -> dict[str, object]:
    known, now = sql.by_ids(tx, [read.entity_id]).get(read.entity_id), clock.now()
    if known is None:
        return {"skipped": "nothing_to_embed"}
    if known.text != read.text:
        # The change of the text could not queue its embedding, because this job was still open.
        again = node.job(node.EMBED, known.entity_id)
        enqueue(tx, again, now=now, max_attempts=attempts)
        return {"skipped": "skill_changed"}
    hash_, pieces, kind = digest(known.text), [(known.text, vector)], VectorSource.SKILL
    embeddings.replace(tx, known.entity_id, hash_, pieces, model, now, source_type=kind)
    return {"passages": 1}


log = logs.get("reconciler")


@dataclass(slots=True)
class Counts:
    installed: int = 0
    updated: int = 0
    removed: int = 0

    def add(self, change: NodeChange | None) -> None:
        if change is not None:
            setattr(self, change.value, getattr(self, change.value) + 1)


@dataclass(slots=True)
class Reconciler:
    """Compares the folder with the graph, and remembers which files it has read."""

    db: Database
    folder: Path
    #: The last read state of each file; without a node it has no fingerprint.
    _seen: dict[str, tuple[Identity, str | None]] = field(default_factory=dict)

    def run(self, found: Mapping[str, Identity], *, rules: SkillRules, now: datetime) -> Counts:
        """Update the graph to the found files; return the changes."""
        counts = Counts()
        self._seen = {name: read for name, read in self._seen.items() if name in found}
        there = self.db.read(_known)
        # First, because a folder that was renamed only in its capitals is one name in the graph.
        for name in there.keys() - found.keys():
            counts.add(self.db.write(node.remove, name, now=now))
        for name, identity in found.items():
            skill = self._changed(name, identity)
            _, wanted = self._seen[name]
            if wanted is None or there.get(name) == (wanted, str(self.folder / name / FILE)):
                continue
            self._put(name, skill, counts, rules, now)
        return counts

    def fill(self, *, rules: SkillRules, now: datetime) -> int:
        if not rules.embed:
            return 0
        missing = self.db.read(missing_parts, model=rules.embedding_model, now=now)
        if missing:
            self.db.write(fill, missing, rules=rules, now=now)
        return len(missing)

    def _changed(self, name: str, identity: Identity) -> SkillFile | None:
        """Return a skill whose file has changed since it was read; warn if it is invalid (SK-1)."""
        if self._seen.get(name, (None, None))[0] == identity:
            return None
        skill = None
        try:
            skill = files.load(self.folder, name)
            problem = skill.problem
        except (SignetError, OSError) as error:
            problem = str(error)
        if problem is not None:
            log.warning("skill.unusable", skill=name, detail=problem)
        self._seen[name] = identity, skill.fingerprint if skill and not problem else None
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
