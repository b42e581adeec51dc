"""How far a session is, and when and how that is written down. Pure."""

import re
from dataclasses import replace
from datetime import datetime, timedelta

from signet import clock
from signet.config.pipeline import ContinuitySettings as Settings
from signet.domain.sessions.models import Checkpoint, Continuity, State, Trigger
from signet.observe.redact import redact

#: How much of a session a checkpoint holds (CP-5).
MAX_QUERIES = 20
MAX_REMEMBERS = 10
MAX_SNIPPETS = 10
#: Of each prompt, query and remembered text so much is kept, and of the latter two so much is told.
KEPT_CHARS = 200
TOLD_CHARS = 120
#: Of what a harness says itself before a compaction so much is told.
CONTEXT_CHARS = 4_000

_TITLES = {
    Trigger.PRE_COMPACTION: "## Pre-Compaction Checkpoint",
    Trigger.SESSION_END: "## Session End Checkpoint",
}

#: What a digest begins with, and what was looked for in a session, which tells a later one nothing.
_TITLE = re.compile(r"\A## .*\n")
_QUERIES = re.compile(r"\n\n### Memory Activity\nQueries:(?:\n- .*)*")


def begun(now: datetime) -> Continuity:
    """Return the continuity of a session that begins now."""
    at = clock.to_text(now)
    return Continuity(started_at=at, checkpoint_at=at)


def prompted(found: Continuity, prompt: str, query: str) -> Continuity:
    """Return it after a prompt; `query` is what was looked for, empty for nothing."""
    return replace(
        found,
        prompts=found.prompts + 1,
        total=found.total + 1,
        snippets=(*found.snippets, _kept(prompt))[-MAX_SNIPPETS:],
        queries=asked(found, query).queries,
    )


def asked(found: Continuity, query: str) -> Continuity:
    """Return it after something was looked for."""
    if not query.strip():
        return found
    return replace(found, queries=(*found.queries, _kept(query))[-MAX_QUERIES:])


def remembered(found: Continuity, content: str) -> Continuity:
    """Return it after something was remembered."""
    return replace(found, remembers=(*found.remembers, _kept(content))[-MAX_REMEMBERS:])


def is_due(found: Continuity, settings: Settings, *, now: datetime) -> bool:
    """Return whether a checkpoint is due at a prompt: after so many of them, or after so long."""
    since = clock.parsed(found.checkpoint_at) or now
    late = now - since >= timedelta(milliseconds=settings.time_interval_ms)
    return found.prompts >= settings.prompt_interval or (found.prompts > 0 and late)


def checkpointed(found: Continuity, *, now: datetime) -> Continuity:
    """Return it after a checkpoint; what a later one tells anew is kept."""
    return replace(found, prompts=0, checkpoint_at=clock.to_text(now))


def checkpoint(
    state: State, found: Continuity, trigger: Trigger, *, now: datetime, context: str = ""
) -> Checkpoint:
    """Return what is written down of a session; at its end all its prompts count."""
    count = found.total if trigger is Trigger.SESSION_END else found.prompts
    return Checkpoint(
        agent_id=state.agent_id,
        session_key=state.key,
        harness=state.harness,
        project=state.project,
        trigger=trigger,
        digest=digest(state, found, trigger, now=now, context=context),
        prompt_count=count,
        at=now,
        queries=found.queries,
        remembers=found.remembers,
        focal_entity_ids=found.focal_ids,
        focal_entity_names=found.focal_names,
        active_aspect_ids=found.aspect_ids,
        constraint_count=found.constraints,
        traversal_count=found.traversed,
    )


def digest(
    state: State,
    found: Continuity,
    trigger: Trigger,
    *,
    now: datetime,
    context: str = "",
) -> str:
    """Return what is written down of where a session stood (HK-80): its structure first."""
    lasted = duration(now - (clock.parsed(found.started_at) or now))
    lines = [_TITLES.get(trigger, "## Session Checkpoint")]
    if state.project:
        lines.append(f"Project: {state.project}")
    lines.append(f"Duration: {lasted} | Prompts: {found.total}")
    if found.focal_names:
        lines += ["", "### Structure", f"Focus: {', '.join(found.focal_names)}"]
    if found.constraints:
        lines.append(f"Constraints: {found.constraints}")
    if found.traversed:
        lines.append(f"Memories reached: {found.traversed}")
    if context.strip():
        lines += ["", "### Where It Stood", context.strip()[:CONTEXT_CHARS]]
    if found.snippets:
        lines += ["", "### Recent Prompts", *(f"- {one}" for one in found.snippets)]
    if found.queries or found.remembers:
        lines += ["", "### Memory Activity"]
        lines += _listed("Queries:", found.queries)
        lines += _listed("Remembered:", found.remembers)
    return "\n".join(lines)


def told(digest: str) -> str:
    """Return a digest as a later session is told it, under a heading of its own."""
    return _QUERIES.sub("", _TITLE.sub("", digest, count=1), count=1)


def duration(lasted: timedelta) -> str:
    """Return a length of time as `12m` or `2h 5m`."""
    hours, minutes = divmod(max(0, int(lasted.total_seconds() // 60)), 60)
    return f"{hours}h {minutes}m" if hours else f"{minutes}m"


def _listed(title: str, texts: tuple[str, ...]) -> list[str]:
    return [title, *(f"- {text[:TOLD_CHARS]}" for text in texts)] if texts else []


def _kept(text: str) -> str:
    """Return the beginning of a text in one line, without what may be a secret."""
    return redact(" ".join(text[: 4 * KEPT_CHARS].split()))[:KEPT_CHARS]
