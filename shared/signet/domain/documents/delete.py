"""Deleting a document: its own chunks are forgotten, what others need stays."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from signet import clock
from signet.db import WriteTx
from signet.db.dialect import as_list
from signet.domain.auth import caller
from signet.domain.documents import lookup, sql
from signet.domain.documents.models import Deleted, Rules
from signet.domain.memory.forget import forget, rewrite_later
from signet.domain.memory.models import Actor
from signet.domain.transcripts import erased
from signet.domain.transcripts.withheld import Statement
from signet.errors import Frozen, Invalid
from signet.ids import DEFAULT_AGENT
from signet.queue import transitions
from signet.queue.job_context import JobContext


def delete(
    tx: WriteTx,
    document_id: str,
    *,
    reason: str,
    actor: Actor,
    rules: Rules,
    now: datetime,
    agent_id: str = DEFAULT_AGENT,
) -> Deleted:
    """Delete a document of the caller's that the agent may read, as a person asks for it.

    Deleting again changes nothing. Raises Frozen, NotFound, ScopeDenied for another owner's, and Invalid without a
    reason.
    """
    if not reason.strip():
        raise Invalid("reason query parameter is required")
    if rules.frozen:
        raise Frozen
    document = lookup.get(tx, document_id, agent_id=agent_id)
    caller.current().check_row(agent=document["agent_id"])
    return remove(tx, document_id, reason=reason, actor=actor, now=now)


def remove(tx: WriteTx, document_id: str, *, reason: str, actor: Actor, now: datetime) -> Deleted:
    """Mark a document deleted, cancel its jobs and forget the chunks that only it holds (DOC-1, DOC-2).

    What it says of what was erased is erased with it by a job.
    """
    if not tx.run(sql.MARK_DELETED, (reason, clock.to_text(now), document_id)):
        return Deleted(memories_removed=0)
    for job_id in tx.column(sql.OPEN_JOBS, (document_id,)):
        transitions.cancel(tx, job_id, now=now)
    linked = tx.column(sql.LINKED, (document_id,))
    loose = tx.column(sql.LOOSE, (as_list(linked), document_id))
    tx.run(sql.UNLINK, (document_id, as_list(set(linked) - set(loose))))
    for memory_id in loose:
        forget(tx, memory_id, actor=actor, reason=f"Document deleted: {reason}", now=now)
    if erased.of(tx):
        rewrite_later(tx, now=now, if_said=True)
    return Deleted(memories_removed=len(loose))


def erase(job: JobContext, known: Mapping[str, Sequence[Statement]]) -> int:
    """Delete the texts of deleted documents that say what was erased; return of how many."""
    return erased.clean(job, erased.Texts(sql.DELETED_TEXTS, sql.DROP_TEXT), known)


def unlink_memories(tx: WriteTx, memory_ids: Sequence[str]) -> None:
    """Untie memories that are deleted from their documents."""
    tx.run(sql.UNLINK_MEMORIES, (as_list(memory_ids),))
