"""The table of periodic work, and the search for due beats."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from signet.config import Settings
from signet.config.pipeline import MaintenanceMode
from signet.db import Database, ReadTx, WriteTx, schedule
from signet.domain.backfill import jobs
from signet.domain.embeddings import vectors
from signet.domain.episodes import index as episodes
from signet.domain.graph import classify, communities
from signet.domain.maintenance import cycle
from signet.domain.memory import lookup
from signet.domain.sessions import session_end
from signet.domain.synthesis import run as synthesis
from signet.domain.transcripts import readings
from signet.domain.updates import check as updates
from signet.observe import record
from signet.observe.record import TelemetryKind
from signet.queue import BULK, PERIODIC, NewJob, enqueue

#: Every save queues its own vector; the beat `embedding_gaps` finds those saved while embeddings were off, or with
#: another model. A search costs a few per cent of a core at a million memories, so it does not run every `pollMs`,
#: except while more than one batch is missing.
MINUTE_MS, DAY_MS = 60_000, 24 * 3_600_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A due beat: the settings, its interval's number, the time, and its search result."""

    settings: Settings
    slot: str
    now: datetime
    found: Sequence[str]


Start = Callable[[WriteTx, Due], None]


class Beat(NamedTuple):
    """Periodic work: its interval, its search, which runs before the transaction, and what it queues."""

    name: str
    every_ms: Callable[[Settings], int]
    look: Callable[[ReadTx, Settings, datetime], Sequence[str]]
    start: Start


def _job(kind: str) -> Start:
    """Return the start of one job of a kind, if the search found something."""

    def start(tx: WriteTx, due: Due) -> None:
        if due.found:
            enqueue(tx, NewJob(kind=kind, dedupe_key=PERIODIC, priority=BULK), now=due.now)

    return start


def _always(tx: ReadTx, settings: Settings, now: datetime) -> Sequence[str]:
    return ("all",)


def _maintenance_ms(settings: Settings) -> int:
    return settings.pipeline.autonomous.maintenance_interval_ms


def _find_backup(tx: ReadTx, settings: Settings, now: datetime) -> Sequence[str]:
    return ("all",) if settings.backup.daily and lookup.is_any(tx) else ()


def _tracks(settings: Settings) -> bool:
    pipeline = settings.pipeline
    is_on = pipeline.enabled and pipeline.embedding_tracker.enabled
    return is_on and settings.embedding.provider != "none"


def _find_gaps(tx: ReadTx, settings: Settings, now: datetime) -> Sequence[str]:
    return (
        vectors.find_gaps(tx, model=settings.embedding.model, now=now) if _tracks(settings) else ()
    )


def _fill_gaps(tx: WriteTx, due: Due) -> None:
    if _tracks(due.settings):
        vectors.queue_reindex(tx, dimensions=due.settings.embedding.dimensions, now=due.now)
        vectors.fill_gaps(
            tx, due.found, attempts=due.settings.pipeline.worker.max_retries, now=due.now
        )


def _keeps_graph(settings: Settings) -> bool:
    upkeep = settings.pipeline.autonomous
    is_free = upkeep.enabled and not upkeep.frozen and not settings.pipeline.mutations_frozen
    return is_free and upkeep.maintenance_mode is MaintenanceMode.EXECUTE


def _find_graph(tx: ReadTx, settings: Settings, now: datetime) -> Sequence[str]:
    return communities.agents(tx)[:1] if _keeps_graph(settings) else ()


def _keep_graph(tx: WriteTx, due: Due) -> None:
    for kind in ("graph_upkeep", "cluster_entities") if due.found else ():
        enqueue(tx, NewJob(kind=kind, dedupe_key="every agent", priority=BULK), now=due.now)


def _find_grown(tx: ReadTx, settings: Settings, now: datetime) -> Sequence[str]:
    return communities.outgrown(tx)[:1] if _keeps_graph(settings) else ()


def _regroup(tx: WriteTx, due: Due) -> None:
    if due.found:
        job = NewJob(kind="cluster_entities", dedupe_key="every agent", priority=BULK)
        enqueue(tx, job, now=due.now)


def _find_maintenance(tx: ReadTx, settings: Settings, now: datetime) -> Sequence[str]:
    return (cycle.KIND,) if cycle.is_on(settings) else ()


def _maintain(tx: WriteTx, due: Due) -> None:
    if due.found:
        cycle.ask(tx, due.slot, now=due.now)


def _find_synthesis(tx: ReadTx, settings: Settings, now: datetime) -> Sequence[str]:
    return synthesis.due(tx, settings, now=now)


def _synthesize(tx: WriteTx, due: Due) -> None:
    for agent_id in due.found:
        synthesis.queue(tx, agent_id, now=due.now)


def _find_silent(tx: ReadTx, settings: Settings, now: datetime) -> Sequence[str]:
    return [state.key for state in session_end.silent_sessions(tx, settings, now=now)]


def _end_silent(tx: WriteTx, due: Due) -> None:
    for state in session_end.end_silent(tx, due.settings, now=due.now) if due.found else ():
        record.event(TelemetryKind.SESSION_END, harness=state.harness)


def _find_unindexed(tx: ReadTx, settings: Settings, now: datetime) -> Sequence[str]:
    makes_vectors = settings.embedding.provider != "none"
    return episodes.find(tx, model=settings.embedding.model if makes_vectors else None)


def _index_sessions(tx: WriteTx, due: Due) -> None:
    episodes.fill(tx, due.found, now=due.now)


def _find_top_entity(tx: ReadTx, settings: Settings, now: datetime) -> Sequence[str]:
    wanted = settings.pipeline.structural
    is_on = settings.pipeline.enabled and wanted.enabled and wanted.synthesis_enabled
    return (classify.next_entity(tx, wanted) or ()) if is_on else ()


def _look_at_top_entity(tx: WriteTx, due: Due) -> None:
    if due.found:
        entity_id, agent_id = due.found
        attempts = due.settings.pipeline.worker.max_retries
        classify.queue_synthesis(tx, entity_id, agent_id, attempts=attempts, now=due.now)


def _find_update(tx: ReadTx, settings: Settings, now: datetime) -> Sequence[str]:
    return ("all",) if updates.is_allowed(settings.updates) else ()


def _find_old(tx: ReadTx, settings: Settings, now: datetime) -> Sequence[str]:
    is_old = not settings.pipeline.mutations_frozen and readings.is_stale(tx)
    return ("all",) if is_old else ()


def _read_again(tx: WriteTx, due: Due) -> None:
    if due.found:
        jobs.read_again(tx, now=due.now)


BEATS = (
    Beat("retention", lambda s: s.retention.interval_ms, _always, _job("retention_sweep")),
    # Finds rows of earlier versions, and those saved before a folder was in a repository.
    Beat("projects", lambda s: DAY_MS, _always, _job("file_projects")),
    Beat("backup", lambda s: DAY_MS, _find_backup, _job("backup")),
    Beat("embedding_gaps", lambda s: MINUTE_MS, _find_gaps, _fill_gaps),
    Beat("graph", _maintenance_ms, _find_graph, _keep_graph),
    # So that an import need not wait for the upkeep of its graph.
    Beat("communities", lambda s: MINUTE_MS, _find_grown, _regroup),
    Beat("maintenance", _maintenance_ms, _find_maintenance, _maintain),
    Beat("synthesis", lambda s: MINUTE_MS, _find_synthesis, _synthesize),
    Beat("silent_sessions", lambda s: MINUTE_MS, _find_silent, _end_silent),
    Beat("episodes", lambda s: MINUTE_MS, _find_unindexed, _index_sessions),
    Beat("old_transcripts", lambda s: s.retention.interval_ms, _find_old, _read_again),
    Beat(
        "top_entities",
        lambda s: s.pipeline.structural.synthesis_interval_ms,
        _find_top_entity,
        _look_at_top_entity,
    ),
    Beat(
        "updates",
        lambda s: s.updates.check_interval_seconds * 1000,
        _find_update,
        _job("update_check"),
    ),
)


def due(last_runs: Mapping[str, int], settings: Settings, *, now_ms: int) -> Iterator[Beat]:
    """Yield the beats whose interval has passed; a last run in the future also counts as due.

    (After the clock was set back, the beat would otherwise stop until the old time.)
    """
    for beat in BEATS:
        last = last_runs.get(beat.name)
        if last is None or last > now_ms or now_ms - last >= beat.every_ms(settings):
            yield beat


def run(db: Database, beat: Beat, settings: Settings, now: datetime) -> int:
    """Start a beat and record it in one transaction; does nothing if another scheduler was faster.

    Returns the start of its next interval in ms since 1970: now, or earlier if more remains to be
    found, which schedules it again after the tracker's `pollMs`.
    """
    found = db.read(beat.look, settings, now)
    now_ms = int(now.timestamp() * 1000)
    soon = settings.pipeline.embedding_tracker.poll_ms
    early = beat.every_ms(settings) - soon if len(found) >= vectors.BATCH else 0
    db.write(_start, beat, settings, now, found, now_ms - early)
    return now_ms - early


def _start(
    tx: WriteTx,
    beat: Beat,
    settings: Settings,
    now: datetime,
    found: Sequence[str],
    counts_from_ms: int,
) -> None:
    now_ms = int(now.timestamp() * 1000)
    if beat not in due(schedule.last_runs(tx), settings, now_ms=now_ms):
        return
    slot = str(now_ms // beat.every_ms(settings))
    beat.start(tx, Due(settings=settings, slot=slot, now=now, found=found))
    schedule.record_run(tx, beat.name, counts_from_ms, slot)
