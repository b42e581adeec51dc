"""One `embed_chunks` job: compute the exchange vectors of a session's or a project's commit chunks.

Words find chunks immediately. A separate job computes vectors, so that a missing model or a provider
outage does not delay that.
"""

from itertools import islice

from signet import clock
from signet.db import WriteTx
from signet.domain.embeddings.vectors import embedded
from signet.domain.episodes import split, sql
from signet.domain.episodes.models import Source, SourceType
from signet.providers.ports import Embedder
from signet.queue import BULK, NewJob, enqueue
from signet.queue.job_context import JobContext

KIND = "embed_chunks"
#: Chunks that one job embeds; more take several jobs, so that each write is short.
BATCH = 100
#: Texts embedded between two checks that the job is still ours.
AT_ONCE = 10


def ask(tx: WriteTx, source: Source, model: str | None, *, priority: int = BULK) -> None:
    """Queue the missing vectors of a source, unless queued; of a commit, those of its whole project.

    Does nothing without a model.
    """
    if model is None or not sql.lacking(tx, source, model, most=1):
        return
    job = NewJob(
        kind=KIND,
        dedupe_key=f"{source.type}:{source.agent_id}:{_group(source)}",
        agent_id=source.agent_id,
        payload={"type": source.type, "id": source.id, "project": source.project},
        priority=priority,
    )
    enqueue(tx, job, now=clock.now())


def run(job: JobContext, embedder: Embedder | None) -> None:
    """Embed the chunks of the job's source that lack a vector of this model, and complete the job.

    Raises the embedder's errors, LeaseLost, Cancelled.
    """
    if embedder is None:
        job.commit(lambda tx: {"skipped": "no_vectors_wanted"})
        return
    given, model = job.lease.payload, embedder.model
    source = Source(
        type=SourceType(str(given.get("type"))),
        id=str(given.get("id")),
        agent_id=job.lease.agent_id or "",
        project=str(given.get("project")),
    )
    batch = job.db.read(sql.lacking, source, model, most=BATCH)
    texts = [split.exchanges(one.content, source.type) for one in batch]
    every = [text for some in texts for text in some]
    found: list[bytes] = []
    for start in range(0, len(every), AT_ONCE):
        found += embedded(embedder, every[start : start + AT_ONCE])
        job.check()
    made = iter(found)
    pairs = [(row, list(islice(made, len(some)))) for row, some in zip(batch, texts, strict=True)]

    def write(tx: WriteTx) -> dict[str, object]:
        sql.give_vectors(tx, pairs, model)
        ask(tx, source, model)
        return {"embedded": len(pairs)}

    job.commit(write)


def _group(source: Source) -> str:
    """Return the group that is embedded together."""
    return source.project if source.type is SourceType.COMMIT else source.id
