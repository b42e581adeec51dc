"""One actor for each kind of job: the function of that name."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from itertools import chain

from signet import clock
from signet.db import WriteTx, remains
from signet.db.rewrite import rewrite
from signet.domain.backfill import jobs as backfill_jobs
from signet.domain.backup import create
from signet.domain.connectors import sync
from signet.domain.documents import ingest, records
from signet.domain.documents.records import DocumentRules
from signet.domain.embeddings import vectors
from signet.domain.episodes import commits
from signet.domain.episodes import index as episodes
from signet.domain.episodes import vectors as chunk_vectors
from signet.domain.extraction import corrections
from signet.domain.extraction import pipeline as extraction
from signet.domain.extraction.distill import ModelDistiller
from signet.domain.extraction.models import Mode, mode_of
from signet.domain.graph import classify, communities, contradictions, feedback, link, traversal
from signet.domain.hints import write as hints
from signet.domain.injections import record, trace
from signet.domain.learning import worth as label_sessions
from signet.domain.maintenance import cycle
from signet.domain.memory import derived, forget
from signet.domain.memory import marks as memory_vectors
from signet.domain.memory.derived import Change
from signet.domain.memory.derived import ChangeKind as FollowKind
from signet.domain.memory.models import Actor
from signet.domain.projection import project
from signet.domain.projection.models import MapView
from signet.domain.projects import registry
from signet.domain.repair import run as repairs
from signet.domain.retention import purge
from signet.domain.retention.purge import Swept, Windows
from signet.domain.sessions import checkpoints, decided
from signet.domain.skills import jobs
from signet.domain.skills.models import SkillRules
from signet.domain.summaries import distill as condensing
from signet.domain.summaries import files
from signet.domain.summaries import summarize as summaries
from signet.domain.summaries.distill import RuleReader
from signet.domain.synthesis import run as synthesis
from signet.domain.synthesis.plan import Plan
from signet.domain.tasks.run import perform
from signet.domain.transcripts import withheld
from signet.domain.updates import install
from signet.errors import NotNow, ProviderTooLong
from signet.ids import DEFAULT_AGENT
from signet.observe import logs
from signet.queue import BULK, PERIODIC, NewJob, enqueue
from signet.queue.job_context import JobContext
from signet_worker import job_model, processors
from signet_worker.context import Context

Run = Callable[[JobContext, Context], None]

#: Stored answers of a model to jobs that were cancelled or deleted.
ANSWERS_KEPT = timedelta(days=7)
#: A sweep ends well within its job's time limit; another one continues.
MOST_SWEEP_MS = 200_000


def actor_of(kind: str) -> Run:
    actor: Run = globals()[kind]
    return actor


def backup(job: JobContext, context: Context) -> None:
    """Create the daily backup, unless an earlier run of this job has."""
    now = clock.now()
    path = create.daily(
        context.workspace,
        keep=context.settings.backup.keep,
        now=now,
        tell=lambda done, total: job.check(),
        erases=lambda: job.db.read(create.erases, now),
    )
    job.commit(lambda tx: {"path": str(path)})


def backfill(job: JobContext, context: Context) -> None:
    """Read the newest waiting session of a harness."""
    backfill_jobs.run_job(job, lambda: context.settings)


def cluster_entities(job: JobContext, context: Context) -> None:
    """Recompute the communities of the named agent, or of all."""
    if "action" in job.lease.payload:
        repair(job, context)
    else:
        communities.run(job)


def condense(job: JobContext, context: Context) -> None:
    """Condense several summaries into one; waits while nothing may be changed."""
    if not context.may_write():
        raise NotNow
    attempts = context.settings.pipeline.worker.max_retries
    condensing.run_condense(job, context.note_taker(job), attempts=attempts)


def connector_sync(job: JobContext, context: Context) -> None:
    """Synchronise a connector's documents with its folder."""
    sync.run(job, DocumentRules.from_settings(context.settings), context.workspace)


def document_ingest(job: JobContext, context: Context) -> None:
    """Fetch a document's text and split it into memories."""
    ingest.run(job, DocumentRules.from_settings(context.settings), context.workspace)


def embed(job: JobContext, context: Context) -> None:
    """Embed the job's memory if there is an embedder; otherwise it is found later as a gap."""
    embedder = context.embedder()
    if embedder is None or not context.settings.pipeline.enabled:
        return _skip(job, "embeddings_off")
    memory_vectors.run_embedding(job, embedder)


def embed_chunks(job: JobContext, context: Context) -> None:
    """Embed the chunks of a session, or of a project's commits."""
    chunk_vectors.run(job, context.embedder())


def extract(job: JobContext, context: Context) -> None:
    """Extract facts from the job's memory."""
    distiller = context.distiller(job)
    if distiller is None or mode_of(context.settings) is Mode.DISABLED:
        return _skip(job, "extraction_off")
    extraction.run(job, distiller, context.embedder(), lambda: context.settings)
    job_model.drop(context.workspace, job.lease.job_id)


def clean_texts(job: JobContext, context: Context) -> None:
    """Remove forgotten and outdated statements from MEMORY.md, forgotten ones from session notes; restore others."""
    agent_id, is_back = job.lease.agent_id or DEFAULT_AGENT, bool(job.lease.payload.get("is_back"))
    job_model.drop_all(context.workspace)
    known, old = found = job.db.read(synthesis.unwanted, agent_id)
    notes = files.run_files(job, context.workspace.root, known)
    changed = synthesis.clean(context.workspace, [*known, *old], backups=False)

    def keep(tx: WriteTx) -> dict[str, object]:
        # A change meanwhile found this job still queued.
        if synthesis.unwanted(tx, agent_id) != found:
            withheld.queue(tx, agent_id, is_back=is_back, now=clock.now())
        if is_back:
            synthesis.again(tx, agent_id, now=clock.now())
        return {"notes": notes, "files": changed}

    job.commit(keep)


def follow_memory(job: JobContext, context: Context) -> None:
    """Hide or restore the next derived memories; the rest becomes another job."""
    asked, root_id = job.lease.payload, job.lease.memory_id or ""
    change = Change(
        kind=FollowKind(str(asked["kind"])),
        actor=Actor(name=str(asked["actor"])),
        reason=str(asked["reason"]),
        at=clock.now(),
        is_asked=asked.get("isAsked") is True,
    )
    job.commit(lambda tx: {"followed": derived.follow(tx, root_id, change)})


def graph_upkeep(job: JobContext, context: Context) -> None:
    """Decay weights, and remove attributes without a source or that were superseded."""
    pipeline, now = context.settings.pipeline, clock.now()
    structural = pipeline.structural
    sweeps = structural.supersession_enabled and structural.supersession_sweep_enabled
    if sweeps and context.may_write():
        contradictions.sweep(
            job,
            supersede=corrections.supersede_attributes,
            least=structural.supersession_min_confidence,
            now=now,
        )
    feedback.run_upkeep(job, pipeline.feedback, now=now)


def file_projects(job: JobContext, context: Context) -> None:
    """Assign everything stored under a folder to the repository it belongs to."""
    registry.refile(job)


def index_commits(job: JobContext, context: Context) -> None:
    """Index a project's commit messages for later prompts."""
    masks = context.settings.memory.mask_secrets
    commits.run(job, model=context.vector_model(), masks=masks)


def index_session(job: JobContext, context: Context) -> None:
    """Index a session for later prompts."""
    episodes.run(job, model=context.vector_model(), decisions=decided.texts)


def label_session(job: JobContext, context: Context) -> None:
    """Label the memories that a session received."""
    label_sessions.run_label(job, settings=context.settings.pipeline.predictor)


def maintenance(job: JobContext, context: Context) -> None:
    """Run one maintenance cycle, unless disabled meanwhile."""
    if not cycle.is_on(context.settings):
        return _skip(job, "maintenance_off")
    done = cycle.tick(job.db, context.settings, context.workspace, context, check=job.check)
    job.commit(lambda tx: done.as_dict())


def prospective_index(job: JobContext, context: Context) -> None:
    """Ask the model for questions that the job's memory answers, if hints are enabled."""
    settings = context.settings.pipeline
    wanted = settings.hints.enabled and context.may_write()
    model = context.language_model(job, yields=True) if wanted else None
    if model is None:
        return _skip(job, "hints_off")
    _if_it_fits(job, lambda: hints.run(job, model, settings.hints))


def repair(job: JobContext, context: Context) -> None:
    """Run a requested repair in small steps."""
    repairs.in_worker(job, context.settings, context.workspace, context)


def retention_sweep(job: JobContext, context: Context) -> None:
    """Delete expired rows, and report their number."""
    settings, now = context.settings.retention, clock.now()
    job_model.drop_old(context.workspace, (now - ANSWERS_KEPT).timestamp())
    ends_at = clock.monotonic_ms() + MOST_SWEEP_MS

    def expired() -> bool:
        job.check()
        return clock.monotonic_ms() >= ends_at

    swept = purge.sweep(
        job.db,
        windows=Windows.from_settings(context.settings),
        now=now,
        limit=settings.batch_limit,
        expired=expired,
    )
    job.commit(lambda tx: _swept(tx, swept, now))


def rewrite_store(job: JobContext, context: Context) -> None:
    """Remove every trace of erased statements from the database file."""
    job_model.drop_all(context.workspace)
    known = job.db.read(withheld.erased_statements)
    said = list(chain.from_iterable(known.values()))
    gone = (
        forget.erase_said_elsewhere(job, known, now=clock.now())
        + withheld.clean_transcripts(job, known)
        + episodes.clean(job, known)
        + files.erase(job, known)
        + checkpoints.erase(job, known)
        + record.erase(job, known)
        + records.erase(job, known)
        + synthesis.clean(context.workspace, said, backups=True)
        + remains.clean(job.db, partial(withheld.without, statements=said), job.check)
    )
    if job.lease.payload.get("if_said") and not gone:
        return _skip(job, "nothing_said")
    # It is written some time after an answer, so its names may be deleted.
    context.db.write(traversal.drop)
    context.db.write(link.erase_left)
    rewrite(context.workspace.database)
    job.commit(lambda tx: None)


def skill_embed(job: JobContext, context: Context) -> None:
    """Embed the job's skill, if there is an embedder."""
    embedder = context.embedder()
    if embedder is None:
        return _skip(job, "embeddings_off")
    jobs.embed(job, embedder)


def skill_enrich(job: JobContext, context: Context) -> None:
    """Let a model add missing metadata to the job's skill, if enrichment is enabled."""
    rules = SkillRules.from_settings(context.settings)
    model = context.language_model(job) if rules.enabled and rules.enrich else None
    if model is None:
        return _skip(job, "enrichment_off")
    seconds = context.settings.pipeline.extraction.timeout_ms / 1000
    _if_it_fits(
        job,
        lambda: jobs.enrich(
            job, model, lambda: SkillRules.from_settings(context.settings), seconds=seconds
        ),
    )


def skill_entities(job: JobContext, context: Context) -> None:
    """Link the job's skill to entities in its text, if there is a model and the graph is enabled."""
    rules = SkillRules.from_settings(context.settings)
    model = context.language_model(job) if rules.enabled and rules.entities else None
    if model is None:
        return _skip(job, "entities_off")
    reader = ModelDistiller(model, context.settings)
    jobs.tie_entities(job, lambda text: reader.extract(text, lambda digest: False).triples)


def structural_classify(job: JobContext, context: Context) -> None:
    """Assign the job's fact and those waiting with it to aspects, if enabled and there is a model."""
    wanted = context.settings.pipeline.structural.enabled and context.may_write()
    model = context.language_model(job, yields=True) if wanted else None
    if model is None:
        return _skip(job, "structure_off")
    _if_it_fits(
        job,
        lambda: classify.run_classify(
            job,
            model,
            lambda: context.settings.pipeline.structural,
            supersede=corrections.supersede_attributes,
        ),
    )


def structural_dependency(job: JobContext, context: Context) -> None:
    """Find the dependencies of an entity in the job's fact and those waiting with it, if enabled."""
    settings = context.settings.pipeline.structural
    wanted = settings.enabled and context.may_write()
    model = context.language_model(job, yields=True) if wanted else None
    if model is None:
        return _skip(job, "structure_off")
    _if_it_fits(job, lambda: classify.run_dependencies(job, model, settings))


def summarize(job: JobContext, context: Context) -> None:
    """Turn the job's session into notes and facts; it waits while nothing may be changed (JOB-20)."""
    if not context.may_write():
        raise NotNow
    reader = context.note_taker(job)
    if reader is not None and not summaries.reads_by_model(job):
        reader = RuleReader()
    summaries.run(job, reader, lambda: context.settings, context.workspace.root)
    job_model.drop(context.workspace, job.lease.job_id)


def synthesize(job: JobContext, context: Context) -> None:
    """Write the MEMORY.md of the job's agent."""
    plan = Plan.from_settings(context.settings)
    synthesis.run(job, context.synthesis_model(job), plan, context.workspace)


def task_run(job: JobContext, context: Context) -> None:
    """Run a scheduled task's prompt in its harness and wait for the end."""
    with processors.whole():
        perform(job, context.settings, context.workspace)


def trace_use(job: JobContext, context: Context) -> None:
    """Find what a session used of its injections."""
    trace.run(job)


def umap_projection(job: JobContext, context: Context) -> None:
    """Draw the requested map."""
    project.run(job, MapView.from_payload(job.lease.payload))


def update_check(job: JobContext, context: Context) -> None:
    """Check the index for a new version; install it if enabled and not major."""
    with processors.whole():
        done = install.automatically(context.workspace, context.settings.updates, now=clock.now())
    if done is not None:
        event = "update.installed" if done.success else "update.failed"
        logs.get("update").info(event, detail=done.message)
    job.commit(lambda tx: {"message": done.message if done else "nothing to install"})


def vector_index(job: JobContext, context: Context) -> None:
    """Create the index in the dimensions of current vectors."""
    vectors.reindex(job, dimensions=context.settings.embedding.dimensions)


def _if_it_fits(job: JobContext, ask: Callable[[], None]) -> None:
    """Run a job that only enriches a memory; skip it when its request is too long for the model."""
    try:
        ask()
    except ProviderTooLong:
        _skip(job, "too_long_for_the_model")


def _skip(job: JobContext, why: str) -> None:
    job.commit(lambda tx: {"skipped": why})


def _swept(tx: WriteTx, swept: Swept, now: datetime) -> dict[str, object]:
    """Return the result of a sweep; the rest is the next job's."""
    if not swept.is_finished:
        enqueue(tx, NewJob(kind="retention_sweep", dedupe_key=PERIODIC, priority=BULK), now=now)
    return dict(swept.counts) | ({"held": swept.held} if swept.held else {})
