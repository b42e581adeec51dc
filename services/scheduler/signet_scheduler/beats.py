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


Look = Callable[[ReadTx, Settings, datetime], Sequence[str]]
Start = Callable[[WriteTx, Due], object]


class Beat(NamedTuple):
    """Periodic work: its interval, its search, which runs before the transaction, and what it queues.

    It queues nothing if the search has found nothing, unless it `starts_empty`.
    """

    name: str
    every_ms: Callable[[Settings], int]
    look: Look
    start: Start
    starts_empty: bool = False


def _job(*kinds: str, key: str = PERIODIC) -> Start:
    """Return the start of one job of each kind."""

    def start(tx: WriteTx, due: Due) -> None:
        for kind in kinds:
            enqueue(tx, NewJob(kind=kind, dedupe_key=key, priority=BULK), now=due.now)

    return start


def _always(tx: ReadTx, settings: Settings, now: datetime) -> Sequence[str]:
    return ("all",)


def _if(is_on: Callable[[ReadTx, Settings], bool]) -> Look:
    """Return the search that finds one thing while a condition holds."""
    return lambda tx, settings, now: ("all",) if is_on(tx, settings) else ()


def _maintenance_ms(settings: Settings) -> int:
    return settings.pipeline.autonomous.maintenance_interval_ms


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


def _synthesize(tx: WriteTx, due: Due) -> None:
    for agent_id in due.found:
        synthesis.queue(tx, agent_id, now=due.now)


def _find_silent(tx: ReadTx, settings: Settings, now: datetime) -> Sequence[str]:
    return [state.key for state in session_end.silent_sessions(tx, settings, now=now)]


def _end_silent(tx: WriteTx, due: Due) -> None:
    for state in session_end.end_silent(tx, due.settings, now=due.now):
        record.event(TelemetryKind.SESSION_END, harness=state.harness)


def _find_unindexed(tx: ReadTx, settings: Settings, now: datetime) -> Sequence[str]:
    makes_vectors = settings.embedding.provider != "none"
    return episodes.find(tx, model=settings.embedding.model if makes_vectors else None)


def _find_top_entity(tx: ReadTx, settings: Settings, now: datetime) -> Sequence[str]:
    wanted = settings.pipeline.structural
    is_on = settings.pipeline.enabled and wanted.enabled and wanted.synthesis_enabled
    return (classify.next_entity(tx, wanted) or ()) if is_on else ()


def _look_at_top_entity(tx: WriteTx, due: Due) -> None:
    entity_id, agent_id = due.found
    attempts = due.settings.pipeline.worker.max_retries
    classify.queue_synthesis(tx, entity_id, agent_id, attempts=attempts, now=due.now)


BEATS = (
    Beat("retention", lambda s: s.retention.interval_ms, _always, _job("retention_sweep")),
    # Finds rows of earlier versions, and those saved before a folder was in a repository.
    Beat("projects", lambda s: DAY_MS, _always, _job("file_projects")),
    Beat(
        "backup",
        lambda s: DAY_MS,
        _if(lambda tx, s: s.backup.daily and lookup.is_any(tx)),
        _job("backup"),
    ),
    # Its start also checks whether the index must be created again, so it runs without gaps, too.
    Beat("embedding_gaps", lambda s: MINUTE_MS, _find_gaps, _fill_gaps, starts_empty=True),
    Beat(
        "graph",
        _maintenance_ms,
        _if(lambda tx, s: _keeps_graph(s) and bool(communities.agents(tx))),
        _job("graph_upkeep", "cluster_entities", key="every agent"),
    ),
    # So that an import need not wait for the upkeep of its graph.
    Beat(
        "communities",
        lambda s: MINUTE_MS,
        _if(lambda tx, s: _keeps_graph(s) and bool(communities.outgrown(tx))),
        _job("cluster_entities", key="every agent"),
    ),
    Beat(
        "maintenance",
        _maintenance_ms,
        _if(lambda tx, s: cycle.is_on(s)),
        lambda tx, due: cycle.ask(tx, due.slot, now=due.now),
    ),
    Beat(
        "synthesis",
        lambda s: MINUTE_MS,
        lambda tx, s, now: synthesis.due(tx, s, now=now),
        _synthesize,
    ),
    Beat("silent_sessions", lambda s: MINUTE_MS, _find_silent, _end_silent),
    Beat(
        "episodes",
        lambda s: MINUTE_MS,
        _find_unindexed,
        lambda tx, due: episodes.fill(tx, due.found, now=due.now),
    ),
    Beat(
        "old_transcripts",
        lambda s: s.retention.interval_ms,
        _if(lambda tx, s: not s.pipeline.mutations_frozen and readings.is_stale(tx)),
        lambda tx, due: jobs.read_again(tx, now=due.now),
    ),
    Beat(
        "top_entities",
        lambda s: s.pipeline.structural.synthesis_interval_ms,
        _find_top_entity,
        _look_at_top_entity,
    ),
    Beat(
        "updates",
        lambda s: s.updates.check_interval_seconds * 1000,
        _if(lambda tx, s: updates.is_allowed(s.updates)),
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
    if found or beat.starts_empty:
        beat.start(tx, Due(settings=settings, slot=slot, now=now, found=found))
    schedule.record_run(tx, beat.name, counts_from_ms, slot)
