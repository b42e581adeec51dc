"""One actor per job kind, in a file of that name."""

from collections.abc import Callable, Mapping

import dramatiq

from signet.queue.job_context import JobContext
from signet.queue.kinds import queue_of
from signet_worker.actors.backup import backup
from signet_worker.actors.cluster_entities import cluster_entities
from signet_worker.actors.condense import condense
from signet_worker.actors.connector_sync import connector_sync
from signet_worker.actors.document_ingest import document_ingest
from signet_worker.actors.embed import embed
from signet_worker.actors.extract import extract
from signet_worker.actors.graph_upkeep import graph_upkeep
from signet_worker.actors.index_commits import index_commits
from signet_worker.actors.index_session import index_session
from signet_worker.actors.maintenance import maintenance
from signet_worker.actors.prospective_index import prospective_index
from signet_worker.actors.repair import repair
from signet_worker.actors.retention_sweep import retention_sweep
from signet_worker.actors.skill_embed import skill_embed
from signet_worker.actors.skill_enrich import skill_enrich
from signet_worker.actors.skill_entities import skill_entities
from signet_worker.actors.structural_classify import structural_classify
from signet_worker.actors.structural_dependency import structural_dependency
from signet_worker.actors.summarize import summarize
from signet_worker.actors.synthesize import synthesize
from signet_worker.actors.task_run import task_run
from signet_worker.actors.trace_use import trace_use
from signet_worker.actors.umap_projection import umap_projection
from signet_worker.actors.update_check import update_check
from signet_worker.actors.vector_index import vector_index
from signet_worker.context import Context
from signet_worker.dramatiq_adapter import JobsBroker

Actor = Callable[[JobContext, Context], None]

ACTORS: Mapping[str, Actor] = {
    "backup": backup,
    "cluster_entities": cluster_entities,
    "connector_sync": connector_sync,
    "condense": condense,
    "document_ingest": document_ingest,
    "embed": embed,
    "extract": extract,
    "graph_upkeep": graph_upkeep,
    "index_commits": index_commits,
    "index_session": index_session,
    "maintenance": maintenance,
    "prospective_index": prospective_index,
    "repair": repair,
    "retention_sweep": retention_sweep,
    "skill_embed": skill_embed,
    "skill_enrich": skill_enrich,
    "skill_entities": skill_entities,
    "structural_classify": structural_classify,
    "structural_dependency": structural_dependency,
    "summarize": summarize,
    "synthesize": synthesize,
    "task_run": task_run,
    "trace_use": trace_use,
    "umap_projection": umap_projection,
    "update_check": update_check,
    "vector_index": vector_index,
}


def declare(broker: JobsBroker, context: Context) -> None:
    """Declare every actor on the broker."""
    for kind, actor in ACTORS.items():
        declared = dramatiq.actor(actor_name=kind, queue_name=queue_of(kind), broker=broker)
        declared(_bound(actor, context))


def _bound(actor: Actor, context: Context) -> Callable[[JobContext], None]:
    def run(job: JobContext) -> None:
        actor(job, context)

    return run
