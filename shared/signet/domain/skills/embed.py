"""One embedding job of a skill, and the search for those that are missing (SK-32)."""

import hashlib
from collections.abc import Sequence
from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.domain.embeddings import embed as embedding
from signet.domain.embeddings import vectors as embeddings
from signet.domain.embeddings.models import SourceType
from signet.domain.skills import node, sql
from signet.domain.skills.enrich import node_of
from signet.domain.skills.models import Node, Rules
from signet.ids import DEFAULT_AGENT
from signet.providers.ports import Embedder
from signet.queue import enqueue
from signet.queue.job_context import JobContext

#: Characters of a skill's text that are embedded; a model reads about as many.
READ_CHARS = 2_000


def run(job: JobContext, embedder: Embedder) -> None:
    """Embed the job's skill and complete the job; raises what the provider raises, LeaseLost, Cancelled."""
    known = node_of(job)
    if known is None or not job.db.read(_is_missing, known, embedder.model):
        job.commit(lambda tx: {"skipped": "nothing_to_embed"})
        return
    [vector] = embedding.embedded(embedder, [known.text[:READ_CHARS]])
    job.check()
    attempts = job.lease.max_attempts
    job.commit(lambda tx: _store(tx, known, vector, embedder.model, attempts=attempts))


def missing(
    tx: ReadTx, *, model: str | None, now: datetime, agent_id: str = DEFAULT_AGENT
) -> list[str]:
    """Return the skills without a vector of their text and this model that no job looks after."""
    return [
        found.entity_id
        for found in sql.nodes(tx, agent_id)
        if _is_missing(tx, found, model)
        and not tx.value(
            sql.BUSY,
            (node.job(node.EMBED, found.entity_id).unique_key, now.timestamp() - sql.REST_SECONDS),
        )
        is not None
    ]


def fill(tx: WriteTx, entity_ids: Sequence[str], *, rules: Rules, now: datetime) -> None:
    """Queue the embedding of skills."""
    for entity_id in entity_ids:
        enqueue(tx, node.job(node.EMBED, entity_id), now=now, max_attempts=rules.attempts)


def digest(text: str) -> str:
    """Return the first 16 hex digits of the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _is_missing(tx: ReadTx, known: Node, model: str | None) -> bool:
    return sql.vector(tx, known.entity_id) != (digest(known.text), model)


def _store(
    tx: WriteTx, read: Node, vector: bytes, model: str, *, attempts: int
) -> dict[str, object]:
    known, now = sql.by_ids(tx, [read.entity_id]).get(read.entity_id), clock.now()
    if known is None:
        return {"skipped": "nothing_to_embed"}
    if known.text != read.text:
        # The change of the text could not queue its embedding, because this job was still open.
        again = node.job(node.EMBED, known.entity_id)
        enqueue(tx, again, now=now, max_attempts=attempts)
        return {"skipped": "skill_changed"}
    embeddings.replace(
        tx,
        known.entity_id,
        digest(known.text),
        [(known.text, vector)],
        model,
        now,
        source_type=SourceType.SKILL,
    )
    return {"passages": 1}
