"""What was remembered today, in the last week and in the last month."""

from collections.abc import Sequence
from datetime import datetime

from signet import clock
from signet.db import ReadTx
from signet.domain.agents import registry as agents
from signet.domain.browse import eras
from signet.domain.browse.eras import EVOLVED, STRENGTHENED, Era
from signet.domain.memory.models import Event
from signet.wire import memory as wire
from signet.wire.memory import KeyCount, MemoryEra, MemoryTimeline
from signet.wire.requests.model import Text
from signet_api.deps import Db
from signet_api.params import Agent
from signet_api.serving import serves


@serves(wire.MEMORY_TIMELINE)
async def get_memory_timeline(agent: Agent, db: Db, scope: Text = None) -> MemoryTimeline:
    """Return three eras, each within the next: counts, mean importance, and the most frequent types, authors, tags."""
    now = clock.now()
    found = await db.aread(_eras, agent, scope, now)
    widest = found[-1]
    return {
        "generatedAt": clock.to_text(now),
        "generatedFor": clock.to_text(found[0].start),
        "rangePreset": "-".join(era.key for era in found),
        "totalMemories": widest.added,
        "totalHistoryEvents": sum(widest.events.values()),
        # Every time was checked when it was stored.
        "invalidMemoryTimestamps": 0,
        "invalidHistoryTimestamps": 0,
        "buckets": [_bucket(index, era) for index, era in enumerate(found)],
    }


def _eras(tx: ReadTx, agent_id: str, scope: str | None, now: datetime) -> list[Era]:
    return eras.of(tx, reader=agents.reader(tx, agent_id, scope=scope), now=now)


def _bucket(index: int, era: Era) -> MemoryEra:
    return {
        "eraIndex": index,
        "rangeKey": era.key,
        "label": era.label,
        "start": clock.to_text(era.start),
        "end": clock.to_text(era.end),
        "memoriesAdded": era.added,
        "trackedEvents": sum(era.events.values()),
        "evolved": era.count(*EVOLVED),
        "strengthened": era.count(*STRENGTHENED),
        "recovered": era.count(Event.RECOVERED),
        "avgImportance": round(era.importance, 3),
        "pinned": era.pinned,
        "typeBreakdown": _counts(era.leaders["type"]),
        "sourceBreakdown": _counts(era.leaders["who"]),
        "topTags": _counts(era.leaders["tag"]),
    }


def _counts(leaders: Sequence[tuple[str, int]]) -> list[KeyCount]:
    return [{"key": name, "count": times} for name, times in leaders]
