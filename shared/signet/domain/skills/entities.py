"""One job of what a skill's text speaks of: the things in it become entities that the skill is tied to (§5, step 4)."""

from collections.abc import Callable, Sequence

from signet import clock
from signet.db import WriteTx
from signet.domain.graph import names
from signet.domain.graph import store as graph
from signet.domain.graph.models import Triple
from signet.domain.skills import store
from signet.domain.skills.enrich import is_current, node_of, readable, skipped
from signet.domain.skills.models import Node
from signet.queue.job_context import JobContext

MENTIONS = "mentions"
#: Things that one skill is tied to.
MOST = 30


def run(job: JobContext, read: Callable[[str], Sequence[Triple]]) -> None:
    """Tie the job's skill to what its text speaks of and complete the job.

    `read` asks a model; raises what the provider raises, LeaseLost, Cancelled.
    """
    known = node_of(job)
    skill = readable(known)
    if known is None or skill is None:
        job.commit(lambda tx: skipped(tx, job, known, "nothing_to_read"))
        return
    triples = read(skill.body)
    job.check()
    job.commit(lambda tx: _write(tx, job, known, triples))


def _write(
    tx: WriteTx, job: JobContext, known: Node, triples: Sequence[Triple]
) -> dict[str, object]:
    if not is_current(tx, known):
        return skipped(tx, job, known, "skill_changed")
    entity_id, agent_id = known.entity_id, known.agent_id
    at = clock.to_text(clock.now())
    before = store.spoken_of(tx, entity_id)
    store.drop_edges(tx, entity_id, origin=store.BODY)
    tied = 0
    for name, type, confidence in _things(triples)[:MOST]:
        target = store.thing(tx, name, names.canonical(name), type, agent_id=agent_id, at=at)
        if target != entity_id:
            store.relate(
                tx,
                entity_id,
                target,
                MENTIONS,
                confidence=confidence,
                reason=f"the text of {known.name} speaks of {name}",
                agent_id=agent_id,
                at=at,
            )
            tied += 1
    graph.drop_orphans(tx, store.unrelated(tx, before))
    return {"entities": tied}


def _things(triples: Sequence[Triple]) -> list[tuple[str, str, float]]:
    """Return the named things of triples, each once, as (name, type, confidence)."""
    found: dict[str, tuple[str, str, float]] = {}
    for triple in triples:
        ends = ((triple.source, triple.source_type), (triple.target, triple.target_type))
        for raw, type in ends:
            name = names.clean(raw)
            if name is not None:
                found.setdefault(names.canonical(name), (name, type, triple.confidence))
    return list(found.values())
