"""One `index_session` job: update the chunks of a session to its transcript; vectors follow (vectors.py)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import groupby

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.domain.episodes import overview, search, split, sql, vectors
from signet.domain.episodes.models import Chunk, Source, SourceType
from signet.domain.memory import forget
from signet.domain.transcripts import models, stored, tool_lines, transcript, withheld
from signet.domain.transcripts.models import ProjectSpan
from signet.domain.transcripts.transcript import Turn
from signet.domain.transcripts.withheld import Statement
from signet.queue import BULK
from signet.queue.job_context import JobContext

#: Chunks that one job writes; a longer session takes several, so that each write is short.
BATCH = 100
#: Sessions without an index that are queued at once.
BACKFILL = 100


def run(
    job: JobContext,
    *,
    model: str | None,
    decisions: Callable[[str, bool], Iterable[str]] = lambda chunk, is_first: (),
) -> None:
    """Index the new part of the job's session, queue its vectors of `model`, and complete the job.

    Also stores the session's overview; `decisions` finds those of a chunk, given whether it is the first one. Without a
    model there are no vectors. Raises LeaseLost, Cancelled.
    """
    agent_id, key = job.lease.agent_id or "", str(job.lease.payload.get("session_key"))
    _leave_out(job, agent_id, key)
    found = job.db.read(stored.whole, agent_id, key)
    if found is None:
        job.commit(lambda tx: {"skipped": "session_not_found"})
        return
    source = Source(type=SourceType.SESSION, id=key, agent_id=agent_id, project=found.project or "")
    held = job.db.read(models.parts_of_session, agent_id, key)
    turns = [*_worth(transcript.parse(found.content, with_tools=True))]
    wanted = _chunks(turns, found.created_at, held, source.project)
    decided = [one for chunk in wanted for one in decisions(chunk.content, chunk.position == 0)]
    shown = job.db.read(
        lambda tx: overview.overview_of(turns, decided, partial(search.holders, tx))
    )
    stale, missing, moved = job.db.read(_differences, source, wanted)
    batch = missing[:BATCH]

    def write(tx: WriteTx) -> dict[str, object]:
        if stored.is_forgotten(tx, agent_id, key):
            return {"skipped": "session_forgotten"}
        sql.move(tx, source, moved)
        # Replaced chunks are deleted in the batch that replaces them.
        sql.delete(tx, source, [*stale, *(chunk.position for chunk in batch)])
        sql.insert(tx, source, batch)
        stored.put_overview(tx, agent_id, key, shown)
        vectors.ask(tx, source, model, priority=job.lease.priority)
        if len(missing) > BATCH or stored.length(tx, agent_id, key) != len(found.content):
            stored.queue_index(tx, agent_id, key, priority=BULK, now=clock.now())
        return {"chunks": len(batch), "removed": len(stale)}

    job.commit(write)


def clean(job: JobContext, known: Mapping[str, Sequence[Statement]]) -> int:
    """Delete chunks with erased statements, and all chunks of such commits; reindex; return their number.

    The next session start in a project reads its commits again, without the erased statements.
    """
    removed = 0
    for found in withheld.saying(job, sql.CHUNK_TEXTS, known):
        job.db.write(_remove, [one.rowid for one in found], clock.now())
        removed += len(found)
    return removed


def count(tx: ReadTx, agent_id: str, key: str) -> int:
    return sql.count_session(tx, agent_id, key)


def forget_session(tx: WriteTx, agent_id: str, key: str) -> None:
    sql.delete_session(tx, agent_id, key)


def _remove(tx: WriteTx, chunks: Sequence[int], now: datetime) -> None:
    for agent_id, key in sql.sessions_of(tx, chunks):
        stored.queue_index(tx, agent_id, key, priority=BULK, now=now)
    sql.remove_commits(tx, chunks)
    sql.remove(tx, chunks)


def _leave_out(job: JobContext, agent_id: str, key: str) -> None:
    """Remove erased statements from a transcript that was delivered again."""
    known = job.db.read(withheld.erased_statements).get(agent_id, [])
    if withheld.clean_transcripts(job, {agent_id: known} if known else {}, key):
        job.db.write(forget.rewrite_later, now=clock.now())


def find(tx: ReadTx, *, model: str | None) -> list[str]:
    """Return stored sessions without chunks, newest first, then those without vectors of this model.

    Every session queues its own indexing; this finds those from an upgrade, an import, or a time without a model.
    `fill` accepts the returned names.
    """
    found = sql.unindexed(tx, model=model, limit=BACKFILL)
    return [f"{agent_id}\n{key}" for agent_id, key in found]


def fill(tx: WriteTx, found: Sequence[str], *, now: datetime) -> None:
    """Queue the indexing of the sessions that `find` returned."""
    for name in found:
        agent_id, _, key = name.partition("\n")
        stored.queue_index(tx, agent_id, key, priority=BULK, now=now)


def _worth(turns: Iterable[Turn]) -> Iterator[Turn]:
    """Yield the messages, and of tools the commands and errors."""
    for turn in turns:
        if turn.role != transcript.TOOL:
            yield turn
        elif text := tool_lines.worth(turn.text):
            yield replace(turn, text=text)


def _chunks(
    turns: Sequence[Turn], created_at: str, held: Sequence[ProjectSpan], project: str
) -> list[Chunk]:
    """Return the chunks of a transcript; a single empty one for an empty transcript, to mark it as indexed.

    No chunk contains messages of two repositories.
    """
    groups = groupby(turns, key=lambda turn: models.project_at(held, turn.at, project))
    found: list[tuple[str, str | None, str]] = [
        (piece, said_at, where) for where, some in groups for piece, said_at in split.chunks(some)
    ]
    return [
        Chunk(position=position, content=piece, said_at=said_at or created_at, project=where)
        for position, (piece, said_at, where) in enumerate(found or [("", None, project)])
    ]


def _differences(
    tx: ReadTx, source: Source, wanted: Sequence[Chunk]
) -> tuple[list[int], list[Chunk], list[Chunk]]:
    """Return the positions to delete, the new or changed chunks, and those whose project changed."""
    known = {row.position: row for row in sql.stored(tx, source)}
    stale = [position for position in known if position >= len(wanted)]
    same = [
        one
        for one in wanted
        if one.position in known and known[one.position].content == one.content
    ]
    moved = [one for one in same if known[one.position].project != one.project]
    return stale, [one for one in wanted if one not in same], moved
