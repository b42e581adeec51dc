"""Find the sessions that harnesses have stored here, and the new ones among them."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from signet import clock
from signet.db import Database, ReadTx
from signet.domain.backfill import sql
from signet.domain.backfill.models import FoundSession, UserHome, WantedSessions
from signet.domain.backfill.places import PLACES
from signet.domain.projects import registry
from signet.domain.transcripts import readings
from signet.errors import Invalid
from signet.ids import DEFAULT_AGENT, agent_of_session
from signet.text.controls import encodable
from signet.wire import backfill as wire

#: A log that is this much newer than the stored session was continued without Signet.
GROWN = timedelta(hours=1)
#: What one log takes, and each MB of it, until all that follows is done: 60 logs of 42 MB took all programs 206 s of
#: processor time, prompted once a second and killed three times (`loadtests/run.py backfill --count 60 --rounds 3`).
SECONDS_PER_SESSION, SECONDS_PER_MB = 2.0, 2.0
MB = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """An existing session, its agent, and whether it is new or partly stored."""

    agent_id: str
    found: FoundSession
    is_new: bool
    is_stored: bool


def find(home: UserHome, wanted: WantedSessions) -> list[FoundSession]:
    """Return the wanted sessions, newest first; reads the disk. Raises Invalid."""
    if unknown := [one for one in wanted.harnesses if one not in PLACES]:
        raise Invalid(f"Unknown harness: {', '.join(unknown)}. Known: {', '.join(PLACES)}")
    chosen = [place for place in PLACES.values() if place.harness in (wanted.harnesses or PLACES)]
    every = (one for place in chosen for one in place.find(home))
    held = (one for one in every if _is_storable(one) and wanted.holds(one))
    newest = sorted(held, key=lambda one: one.changed_at, reverse=True)
    return [*{(one.harness, one.key): one for one in reversed(newest)}.values()][::-1]


def _is_storable(found: FoundSession) -> bool:
    names = (found.key, found.path, found.project or "")
    return bool(found.key) and all(
        isinstance(one, str) and "\0" not in one and encodable(one) == one for one in names
    )


def owner(found: FoundSession, agent_id: str, *, has_others: bool) -> str:
    """Return the agent of a session: with several agents the one in its key, as for hooks."""
    named = agent_of_session(found.key)
    return named if named and has_others else agent_id or DEFAULT_AGENT


def compared(
    tx: ReadTx, found: Sequence[FoundSession], agent_id: str, *, has_others: bool
) -> list[Seen]:
    """Return the sessions with their stored state, without those that must not be stored."""
    owners = [owner(one, agent_id, has_others=has_others) for one in found]
    keys = [[who, one.key] for who, one in zip(owners, found, strict=True)]
    known = tx.rows(sql.KnownSession, sql.KNOWN, (json.dumps(keys),))
    seen = []
    for one, row in zip(found, known, strict=True):
        if not row.is_unkept:
            is_stored = row.stored_until is not None
            is_new = _is_new(one, row)
            seen.append(Seen(agent_id=row.agent_id, found=one, is_new=is_new, is_stored=is_stored))
    return seen


def _is_new(found: FoundSession, row: sql.KnownSession) -> bool:
    if row.stored_until is not None and row.reader < readings.READER:
        return True
    if row.log_bytes is not None:
        return found.bytes > row.log_bytes
    if row.state in ("read", "known"):
        return (row.bytes, row.changed_at) != (found.bytes, clock.to_text(found.changed_at))
    until = clock.parsed(row.stored_until or "")
    return until is None or found.changed_at - until > GROWN


def repositories(db: Database, seen: Iterable[Seen]) -> dict[tuple[str, str], str]:
    """Return the folders of each agent's projects that are repositories; reads the disk."""
    folders = {(one.agent_id, one.found.project) for one in seen if one.found.project}
    places = ((who, registry.find(db, path)) for who, path in folders if path)
    return {(who, one.project): one.root for who, one in places if one.is_repository}


def survey(seen: Sequence[Seen], repositories: int) -> wire.BackfillSurvey:
    new = [one for one in seen if one.is_new]
    return {
        "sessions": len(seen),
        "newSessions": len(new),
        "bytes": sum(one.found.bytes for one in new),
        "repositories": repositories,
        "seconds": seconds(len(new), sum(one.found.bytes for one in new)),
        "harnesses": [*_by_harness(seen)],
        "projects": _by_project(new),
    }


def seconds(sessions: int, bytes: int) -> int:
    return round(sessions * SECONDS_PER_SESSION + bytes / MB * SECONDS_PER_MB)


def _by_harness(seen: Sequence[Seen]) -> Iterator[wire.BackfillHarness]:
    for place in PLACES.values():
        held = [one for one in seen if one.found.harness == place.harness]
        times: list[datetime] = [one.found.changed_at for one in held]
        if held:
            yield {
                "harness": place.harness,
                "name": place.name,
                "sessions": len(held),
                "newSessions": sum(one.is_new for one in held),
                "bytes": sum(one.found.bytes for one in held if one.is_new),
                "oldest": clock.to_text(min(times)),
                "newest": clock.to_text(max(times)),
            }


def _by_project(new: Sequence[Seen]) -> list[wire.BackfillProject]:
    counts: dict[str | None, int] = {}
    for one in new:
        counts[one.found.project] = counts.get(one.found.project, 0) + 1
    most = sorted(counts.items(), key=lambda item: (-item[1], item[0] or ""))
    return [{"project": project, "sessions": count} for project, count in most]
