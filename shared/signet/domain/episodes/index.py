"""One `index_session` job: keep the chunks of a session, and their vectors, in step with its transcript."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.domain.embeddings import embed as embedding
from signet.domain.episodes import split, sql
from signet.domain.episodes.models import Chunk, Source, SourceType
from signet.domain.memory import forget
from signet.domain.transcripts import erased, stored, transcript
from signet.domain.transcripts.withheld import Statement
from signet.providers.ports import Embedder
from signet.queue import BULK
from signet.queue.job_context import JobContext

#: Chunks that one job embeds and writes; a longer session takes several, so that no write is long.
BATCH = 100
#: Sessions that are queued at once for what was said before there was an index.
BACKFILL = 100
#: Texts that are embedded between two looks at whether the job is still ours.
AT_ONCE = 10


def run(job: JobContext, embedder: Embedder | None) -> None:
    """Index what is new of the job's session and complete the job.

    Raises what the embedder raises, LeaseLost, Cancelled.
    """
    agent_id, key = job.lease.agent_id or "", str(job.lease.payload.get("session_key"))
    _leave_out(job, agent_id, key)
    found = job.db.read(stored.whole, agent_id, key)
    if found is None:
        job.commit(lambda tx: {"skipped": "session_not_found"})
        return
    source = Source(type=SourceType.SESSION, id=key, agent_id=agent_id, project=found.project or "")
    model = embedder.model if embedder else None
    wanted = _chunks(found.content, found.created_at)
    stale, missing = job.db.read(_differences, source, wanted, model)
    batch = missing[:BATCH]
    vectors = vectors_of(job, embedder, [chunk.content for chunk in batch])

    def write(tx: WriteTx) -> dict[str, object]:
        if stored.is_forgotten(tx, agent_id, key):
            return {"skipped": "session_forgotten"}
        sql.move(tx, source)
        # What is replaced goes with the batch that replaces it.
        sql.delete(tx, source, [*stale, *(chunk.position for chunk in batch)])
        sql.insert(tx, source, list(zip(batch, vectors, strict=True)), model)
        if len(missing) > BATCH or stored.length(tx, agent_id, key) != len(found.content):
            stored.queue_index(tx, agent_id, key, priority=BULK, now=clock.now())
        return {"chunks": len(batch), "removed": len(stale)}

    job.commit(write)


def clean(job: JobContext, known: Mapping[str, Sequence[Statement]]) -> int:
    """Remove the chunks that say what was erased, of a commit all, and index sessions anew; return how many.

    Commits are read anew, without it, when a session next begins in their project.
    """
    removed = 0
    for found in erased.saying(job, sql.CHUNK_TEXTS, known):
        job.db.write(_remove, [one.rowid for one in found], clock.now())
        removed += len(found)
    return removed


def count(tx: ReadTx, agent_id: str, key: str) -> int:
    """Return how many chunks of a session there are."""
    return sql.count_session(tx, agent_id, key)


def forget_session(tx: WriteTx, agent_id: str, key: str) -> None:
    """Delete the chunks of a session."""
    sql.delete_session(tx, agent_id, key)


def _remove(tx: WriteTx, chunks: Sequence[int], now: datetime) -> None:
    for agent_id, key in sql.sessions_of(tx, chunks):
        stored.queue_index(tx, agent_id, key, priority=BULK, now=now)
    sql.remove_commits(tx, chunks)
    sql.remove(tx, chunks)


def _leave_out(job: JobContext, agent_id: str, key: str) -> None:
    """Take what was erased out of a transcript that was handed over again."""
    known = job.db.read(erased.of).get(agent_id, [])
    if erased.clean_transcripts(job, {agent_id: known} if known else {}, key):
        job.db.write(forget.rewrite_later, now=clock.now())


def find(tx: ReadTx, *, model: str | None) -> list[str]:
    """Return the stored sessions without chunks, newest first, then those without vectors of this model.

    Every session queues its own indexing; this finds those that came in another way: with an upgrade, an import, or
    while nobody made vectors. Each is named so that `fill` knows it.
    """
    found = sql.unindexed(tx, model=model, limit=BACKFILL)
    return [f"{agent_id}\n{key}" for agent_id, key in found]


def fill(tx: WriteTx, found: Sequence[str], *, now: datetime) -> None:
    """Queue the indexing of the sessions that `find` found."""
    for name in found:
        agent_id, _, key = name.partition("\n")
        stored.queue_index(tx, agent_id, key, priority=BULK, now=now)


def _chunks(text: str, created_at: str) -> list[Chunk]:
    """Return the chunks of a transcript; a single empty one, so that it is known, where nobody says anything."""
    found: list[tuple[str, str | None]] = [*split.chunks(transcript.parse(text))] or [("", None)]
    return [
        Chunk(position=position, content=piece, said_at=said_at or created_at)
        for position, (piece, said_at) in enumerate(found)
    ]


def _differences(
    tx: ReadTx, source: Source, wanted: Sequence[Chunk], model: str | None
) -> tuple[list[int], list[Chunk]]:
    """Return positions that are there no more, and the chunks that are new, changed or lack a vector of the model."""
    known = {row.position: row for row in sql.stored(tx, source)}

    def is_stored(chunk: Chunk) -> bool:
        row = known.get(chunk.position)
        if row is None or row.content != chunk.content:
            return False
        return model is None or row.model == model

    stale = [position for position in known if position >= len(wanted)]
    return stale, [chunk for chunk in wanted if not is_stored(chunk)]


def vectors_of(
    job: JobContext, embedder: Embedder | None, texts: Sequence[str]
) -> list[bytes | None]:
    """Return the vectors of texts, None for each without an embedder; raises what the embedder raises, Cancelled."""
    if embedder is None:
        return [None] * len(texts)
    found: list[bytes | None] = []
    for start in range(0, len(texts), AT_ONCE):
        found += embedding.embedded(embedder, texts[start : start + AT_ONCE])
        job.check()
    return found
