"""Gather the contents of a session start from one snapshot, each part separately.

A part that fails is skipped and named in `failed`; the others are used (HK-36).
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeVar

from signet import clock
from signet.config import Settings
from signet.db import ReadTx, fts, visibility
from signet.db.driver import sqlite
from signet.db.visibility import Reader
from signet.domain.episodes import brief, fence, search
from signet.domain.episodes.models import SourceType, statement_name
from signet.domain.graph import changes, traversal, voice
from signet.domain.graph.changes import Dated
from signet.domain.graph.traversal import EntityRule, Traversal, TraversalBounds
from signet.domain.injections.models import TOKEN_CHARS, Item, ItemKind, Reason
from signet.domain.learning import influence, worth
from signet.domain.memory import dates
from signet.domain.sessions import (
    candidates,
    checkpoints,
    decided,
    models,
    prompt_text,
    standing_rules,
    start_text,
)
from signet.domain.sessions.candidates import StartCandidate
from signet.domain.sessions.decided import Decided
from signet.domain.sessions.identity_files import Identity, introduced
from signet.domain.sessions.models import Trigger
from signet.domain.sessions.sql import every, memories, states
from signet.domain.sessions.start_text import Part, Section
from signet.domain.synthesis import run as synthesis
from signet.domain.transcripts import withheld
from signet.domain.transcripts.withheld import Statement
from signet.errors import SignetError
from signet.text import plural
from signet.wire.sessions import SessionCheckpoint

T = TypeVar("T")

#: Kinds of facts that hold in every session.
_STANDING = frozenset({"preference", "rule", "constraint", "correction"})

#: Best candidates compared with each other and with the statements of sessions.
COMPARED = 60
#: Share of a rule's words in a listed statement of its session from which the statement says the rule.
SAID = 0.8
#: Most omitted memories listed in the record.
MOST_LEFT = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class StartQuery:
    """A session start: its reader, key, project and context."""

    reader: Reader
    key: str | None = None
    project: str | None = None
    context: str = ""
    #: The text of MEMORY.md.
    memory: str = ""
    #: The results of recall for the context, by ID.
    recalled: Mapping[str, float] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class StartMaterial:
    """Stored material for a session start."""

    candidates: Sequence[StartCandidate] = ()
    project: str | None = None
    #: The rules that hold here, and the other chosen memories.
    rules: Sequence[StartCandidate] = ()
    others: Sequence[StartCandidate] = ()
    since: str = ""
    walk: Traversal = field(default_factory=Traversal)
    constraints: Sequence[EntityRule] = ()
    aspects: Sequence[str] = ()
    #: Statements of the project's sessions.
    decided: Sequence[Decided] = ()
    recovery: str = ""
    #: MEMORY.md without forgotten and outdated statements.
    memory: str = ""
    #: The forgotten statements, those replaced by words, the memories that no longer hold, and the texts that do.
    withheld: Sequence[Statement] = ()
    replaced: Sequence[Statement] = ()
    over: Collection[str] = ()
    texts: Sequence[Dated] = ()
    #: The session receives no memories; those it would have received are among the candidates.
    is_held_out: bool = False
    #: Parts that could not be read.
    failed: list[str] = field(default_factory=list)

    @property
    def told(self) -> list[StartCandidate]:
        return [*self.rules, *self.others]


def gather(tx: ReadTx, asked: StartQuery, settings: Settings, *, now: datetime) -> StartMaterial:
    found = StartMaterial()
    reader, start = asked.reader, settings.hooks.session_start
    found.withheld = withheld.statements(tx, reader.agent_id)
    found.since = _try(found, "since", lambda: since(tx, reader, now=now), "")
    found.decided = _try(
        found,
        "decided",
        lambda: decided.find(tx, reader=reader, project=asked.project or "", but=asked.key),
        [],
    )
    found.rules = _try(found, "rules", lambda: _rules(tx, found, reader), [])
    _try(found, "focus", lambda: _walk(tx, found, asked, settings), None)
    known: list[StartCandidate] = _try(
        found,
        "memories",
        lambda: candidates.find(
            tx,
            reader,
            pool=max(start.candidate_pool_limit, 3 * start.recall_limit),
            decay_rate=settings.memory.decay_rate,
            reached=found.walk.memories,
            recalled=asked.recalled,
            known=lambda ids: _try(
                found, "worth", lambda: worth.by_id(tx, ids, agent_id=reader.agent_id), {}
            ),
            now=now,
        ),
        [],
    )
    found.project = asked.project
    ruled = {one.id for one in found.rules}
    known = [*found.rules, *(one for one in known if one.id not in ruled)]
    found.candidates = candidates.ranked(known, asked.project)
    _try(found, "over", lambda: _leave_over(found, now), None)
    if asked.memory:
        found.memory = _try(found, "memory", lambda: _current(tx, found, asked, now), "")
    known = found.candidates
    found.candidates = _try(found, "covered", lambda: _uncovered(tx, found, known), known)
    told = {one.id for one in found.candidates}
    found.rules = [one for one in found.rules if one.id in told]
    found.others = _others(found, settings)
    _try(found, "learned", lambda: _learn(tx, found, asked, settings), None)
    project = asked.project
    if project and not asked.context:
        more: list[StartCandidate] = _try(
            found,
            "words",
            lambda: _uncovered(
                tx, found, candidates.by_project_words(tx, reader, project, given=found.told)
            ),
            [],
        )
        more = [one for one in more if one.id not in found.over]
        new = {one.id for one in more} - {one.id for one in found.candidates}
        found.others = [*found.others, *more]
        found.candidates = [*found.candidates, *(one for one in more if one.id in new)]
    continuity = settings.pipeline.continuity
    if continuity.enabled:
        found.recovery = _try(
            found,
            "recovery",
            lambda: recovered_text(
                tx,
                reader,
                key=asked.key,
                project=asked.project,
                most=continuity.recovery_budget_chars,
                now=now,
            ),
            "",
        )
        found.recovery = withheld.without(found.recovery, found.withheld)
    return found


def _leave_over(found: StartMaterial, now: datetime) -> None:
    """Drop what ended, such as "until 5 May", and what a later statement replaces by its words; pinned ones stay."""
    compared: list[StartCandidate | Decided] = [*found.candidates[:COMPARED], *found.decided]
    certain = {
        at: one
        for at, one in changes.find([one.dated for one in compared]).items()
        if one.is_certain
    }
    found.replaced = [withheld.outdated(one.old, one.new) for one in certain.values()]
    gone = {compared[at] for at in certain}
    listed: list[StartCandidate | Decided] = [*compared, *found.candidates[COMPARED:]]
    gone.update(one for one in listed if _is_over(one.dated, one.dated.said_at, now))
    left = [one for one in found.candidates if one.is_pinned or one not in gone]
    found.over = {one.id for one in found.candidates} - {one.id for one in left}
    found.candidates = left
    found.rules = [one for one in found.rules if one.id not in found.over]
    found.decided = [one for one in found.decided if one not in gone]
    found.texts = [one.dated for one in left[:COMPARED]]
    found.texts += [one.dated for one in found.decided]


def _is_over(one: Dated, since: str, now: datetime) -> bool:
    return dates.is_over(one.text, clock.parsed(since) or now, now)


def _current(tx: ReadTx, found: StartMaterial, asked: StartQuery, now: datetime) -> str:
    """Return MEMORY.md without statements that were forgotten, edited, replaced, or ended since it was written."""
    unwanted = (*found.withheld, *synthesis.outdated(tx, asked.reader), *found.replaced)
    text = withheld.without(asked.memory, unwanted)
    since = synthesis.read_at(tx, asked.reader.agent_id)
    lines = [one for one in text.split("\n") if one.startswith("- ")] if since else []
    listed = [Dated(text=one[2:], said_at=since, distance=1) for one in lines]
    newer = [one for one in found.texts if one.said_at > since]
    changed = changes.find([*listed, *newer], older=len(listed)) if newer else {}
    gone = {lines[at] for at, one in changed.items() if one.is_certain}
    gone.update(line for line, one in zip(lines, listed, strict=True) if _is_over(one, since, now))
    return start_text.without_items(text, gone)


def _rules(tx: ReadTx, found: StartMaterial, reader: Reader) -> list[StartCandidate]:
    """Return the rules of this place, without those among the statements of its sessions."""
    said = prompt_text.comparable(*(one.text for one in found.decided))
    rules = candidates.rules(tx, reader)
    return [one for one in rules if prompt_text.comparable(one.content) not in said]


def _uncovered(
    tx: ReadTx, found: StartMaterial, some: Sequence[StartCandidate]
) -> list[StartCandidate]:
    """Drop facts from sessions whose own statements are listed; rules and standing facts only if one contains them."""
    said: defaultdict[str, list[Collection[str]]] = defaultdict(list)
    for one in found.decided:
        told = f"{one.text} {voice.third_person(one.text, voice.USER)}"
        said[one.session].append(prompt_text.words(told))
    roots = search.roots(tx, [one.id for one in some]) if said else {}
    ruled = {one.id for one in found.rules}

    def is_kept(one: StartCandidate) -> bool:
        told = said.get(roots.get(one.id) or "", ())
        stands = one.id in ruled or one.type in _STANDING
        return not told or (stands and not _is_said(prompt_text.words(one.content), told))

    return [one for one in some if is_kept(one)]


def _is_said(words: Collection[str], said: Sequence[Collection[str]]) -> bool:
    """Return whether a statement contains nearly all words of a rule."""
    return any(len({*words}.intersection(one)) >= SAID * len(words) for one in said)


def held_out(found: StartMaterial) -> StartMaterial:
    """Return the material for a held-out session: rules, and all parts without memories."""
    return replace(found, others=(), decided=(), recovery="", memory="", is_held_out=True)


def without(found: StartMaterial, given: Collection[str]) -> StartMaterial:
    """Drop items that the first prompts already received: harnesses may run both hooks at once."""
    if not given:
        return found
    constraints = [one for one in found.constraints if statement_name(one.text) not in given]
    return replace(
        found,
        rules=[one for one in found.rules if one.id not in given],
        others=[one for one in found.others if one.id not in given],
        decided=[one for one in found.decided if one.name not in given],
        constraints=constraints,
    )


def _learn(tx: ReadTx, found: StartMaterial, asked: StartQuery, settings: Settings) -> None:
    """Let the learned ranking choose some candidates, while it is in use."""
    is_enabled = settings.pipeline.predictor.enabled and asked.key is not None
    if not is_enabled or all(one.factor == 1 for one in found.candidates):
        return
    if influence.is_on(tx, asked.reader.agent_id):
        kept = worth.protected(tx, [one.id for one in found.told])
        found.candidates = candidates.interleaved(
            found.candidates, asked.project, kept=kept, seed=str(asked.key)
        )
        found.others = _others(found, settings)


def _others(found: StartMaterial, settings: Settings) -> list[StartCandidate]:
    most, chars = settings.hooks.session_start.recall_limit, settings.memory.session_budget_chars
    return candidates.chosen(found.candidates, most=most, chars=chars, given=found.rules)


def since(tx: ReadTx, reader: Reader, *, now: datetime) -> str:
    """Return the line about changes since the last session, empty before the first."""
    asked = {"agent": reader.agent_id, "project": reader.project}
    last = tx.value(every.LAST_AT, asked)
    at = clock.parsed(last)
    if last is None or at is None:
        return ""
    # Memories carry the time of the message they were extracted from: those of the last session are new, too.
    began = min(last, tx.value(every.BEGAN_AT, asked) or last)
    seen = visibility.readable(reader)
    new = int(tx.value(memories.COUNT_SINCE.format(where=seen.sql), (began, *seen.params)))
    last_active = prompt_text.ago(at, now.astimezone())
    return f"[since last session: {plural.count(new, 'new memory')}, last active {last_active}]"


def inject(
    found: StartMaterial,
    identity: Identity,
    who: Mapping[str, str],
    secrets: Sequence[str],
    settings: Settings,
    *,
    notice: str,
    local: datetime | None,
) -> tuple[str, list[Item]]:
    """Return the start text and its items. Pure.

    `local` is the current time in the reader's zone, None for a text that is read on another day; `notice` is a message
    about Signet itself, empty for none.
    """
    sections = _sections(found, identity, who, secrets, settings, notice=notice, local=local)
    start = settings.hooks.session_start
    most = (
        start.max_inject_tokens * TOKEN_CHARS
        if start.max_inject_tokens is not None
        else start.max_inject_chars
    )
    text = start_text.assemble(sections, most=most)
    return text, [*_memories(found, text), *_statements(found, text), *_parts(sections, text)]


def _memories(found: StartMaterial, text: str) -> Iterator[Item]:
    """Yield the memories for the record: the injected ones, then the best omitted ones."""
    told = [one for one in found.told if one.line in text]
    ids = {one.id for one in told}
    others = [one for one in [*found.told, *found.candidates] if one.id not in ids]
    said = prompt_text.comparable(text)
    for one in [*told, *{other.id: other for other in others}.values()][: len(told) + MOST_LEFT]:
        is_told = one.id in ids
        is_said = not is_told and prompt_text.comparable(one.content) in said
        left = Reason.HELD_OUT if found.is_held_out else Reason.BUDGET
        yield Item(
            kind=ItemKind.MEMORY,
            id=one.id,
            reason=_reason(one, found) if is_told else Reason.SAID if is_said else left,
            is_given=is_told,
            text=one.content,
            chars=len(one.line) if is_told else 0,
            score=round(one.score, 3),
            said_at=one.created_at,
            ranked=candidates.compared(one, found.project),
        )


def _reason(one: StartCandidate, found: StartMaterial) -> Reason:
    if one in found.rules:
        return Reason.RULE
    known = {"ka_traversal": Reason.LINKED, "fts_only": Reason.PROJECT_WORDS}
    return known.get(one.source, Reason.PINNED if "pinned" in one.source else Reason.IMPORTANT)


def _statements(found: StartMaterial, text: str) -> Iterator[Item]:
    """Yield the listed statements as parts of the sessions that they are from."""
    for one in found.decided:
        if one.line in text:
            yield Item(
                kind=ItemKind.SESSION,
                id=one.session,
                reason=Reason.LINKED,
                text=one.text,
                chars=len(one.line),
                said_at=one.said_at,
            )


def _parts(sections: Sequence[Section], text: str) -> Iterator[Item]:
    """Yield the sections that list no items, as the record tells them; one that was cut is partly there."""
    for one in sections:
        body = one.text.strip()
        if not (text and body) or one.part in (Part.RULES, Part.MEMORIES, Part.DECIDED):
            continue
        start = text.find(body)
        if start < 0:  # cut: its beginning is the end of the kept text
            start = text.find(body.splitlines()[0])
        chars = min(len(body), len(text) - start) if start >= 0 else 0
        yield Item(
            kind=ItemKind.SECTION,
            id=one.part.name.lower(),
            reason=Reason.STANDING if start >= 0 else Reason.BUDGET,
            is_given=start >= 0,
            text=text[start : start + chars] if start >= 0 else "",
            chars=chars,
        )


def _sections(
    found: StartMaterial,
    identity: Identity,
    who: Mapping[str, str],
    secrets: Sequence[str],
    settings: Settings,
    *,
    notice: str,
    local: datetime | None,
) -> list[Section]:
    start, walked = settings.hooks.session_start, settings.pipeline.traversal
    constraints = start_text.constraint_lines(
        found.constraints, most=walked.constraint_budget_chars
    )
    own = [prompt_text.words(one.text) for one in found.decided]
    own += [prompt_text.words(one.content) for one in found.rules]
    memory = start_text.without_said(identity.memory, own) if own else identity.memory
    working = (
        start_text.titled(Part.MEMORY, "Working Memory", fence.quoted(memory), start_text.MEMORY)
        if start.include_recent_context
        else Section(Part.MEMORY, "")
    )
    statements = [one.line for one in found.decided]
    constrained = prompt_text.comparable(*(one.text for one in found.constraints))
    rules = [
        one.line for one in found.rules if prompt_text.comparable(one.content) not in constrained
    ]
    said = prompt_text.comparable(
        working.text, *(one.text for one in found.constraints), *(one.text for one in found.decided)
    )
    others = [prompt_text.words(found.recovery), *own]
    memories = [
        one.line
        for one in found.others
        if prompt_text.comparable(one.content) not in said
        and not any(prompt_text.is_said(one.content, words) for words in others)
    ]
    sections = [
        Section(Part.MARK, start_text.MEMORY_LINE),
        Section(Part.SINCE, found.since),
        Section(Part.DATE, "" if local is None else prompt_text.today(local)),
        _listed(Part.RULES, standing_rules.HEADING, rules),
        _listed(
            Part.DECIDED, "## The user's decisions, and what is open in this project", statements
        ),
        _listed(Part.MEMORIES, "## Relevant Memories", memories),
        Section(Part.STATUS, f"## Signet Status\n{notice}" if notice else ""),
        _listed(Part.SECRETS, "## Available Secrets", [f"- {name}" for name in secrets]),
        _listed(Part.CONSTRAINTS, "## Active Constraints", constraints),
        Section(
            Part.RECOVERY,
            f"## Session Recovery Context\n{fence.quoted(brief.unsteered(found.recovery, SourceType.DOCUMENT))}"
            if found.recovery
            else "",
        ),
        working,
    ]
    if start.include_identity:
        sections += _files(identity, who)
    return sections


def _files(identity: Identity, who: Mapping[str, str]) -> list[Section]:
    instructions = start_text.titled(
        Part.INSTRUCTIONS, "Agent Instructions", identity.instructions, start_text.INSTRUCTIONS
    )
    introduction = introduced(who, identity)
    text = "\n\n".join(filter(None, (introduction, instructions.text)))
    return [
        Section(Part.INSTRUCTIONS, text),
        start_text.titled(Part.SOUL, "Soul", identity.soul, start_text.SOUL),
        start_text.titled(Part.IDENTITY, "Identity", identity.identity, start_text.IDENTITY),
        start_text.titled(Part.USER, "About Your User", identity.user, start_text.USER),
    ]


def _walk(tx: ReadTx, found: StartMaterial, asked: StartQuery, settings: Settings) -> None:
    """Traverse the graph from the session's topic, and collect the constraints found."""
    rules = settings.pipeline.traversal
    if not rules.enabled:
        return
    words = fts.content_words(asked.context) if asked.context else []
    start = traversal.session_focus(tx, asked.reader, project=asked.project, words=words)
    until = clock.monotonic_ms() + rules.timeout_ms
    bounds = TraversalBounds(memories=rules.max_traversal_paths)
    found.constraints = traversal.constraints(tx, asked.reader, start)
    found.aspects = traversal.top_aspects(tx, start)
    found.walk = traversal.traverse(
        tx, start, bounds=bounds, expired=lambda: clock.monotonic_ms() > until
    )


def _listed(part: Part, heading: str, lines: Sequence[str]) -> Section:
    return Section(part, "\n".join([heading, *lines]) if lines else "")


def _try(found: StartMaterial, part: str, work: Callable[[], T], otherwise: T) -> T:
    try:
        return work()
    except (SignetError, sqlite.DatabaseError, ValueError):
        found.failed.append(part)
        return otherwise


#: An older checkpoint of the project is no longer relevant.
RECENT = timedelta(hours=4)
#: A session active this recently still runs, and its checkpoint is its own (two in one folder are common).
AT_WORK = timedelta(minutes=10)
#: Checkpoints of a project that are considered.
RECOVERED = 20


def recovered_text(
    tx: ReadTx, reader: Reader, *, key: str | None, project: str | None, most: int, now: datetime
) -> str:
    """Return the digest of the newest checkpoint of the session, else of its project; empty for none.

    A session that is at work or has ended properly needs no recovery.
    """
    own = (
        checkpoints.of_session(tx, key, agent_id=reader.agent_id, project=reader.project)
        if key
        else []
    )
    found = own[0] if own else _of_project(tx, reader, project, now=now)
    if found is None:
        return ""
    return prompt_text.cut(models.for_session(found["digest"]), most)


def _of_project(
    tx: ReadTx, reader: Reader, project: str | None, *, now: datetime
) -> SessionCheckpoint | None:
    if project is None:
        return None
    called_since = clock.to_text(now - AT_WORK)
    finished = set(tx.column(states.AT_WORK, (reader.agent_id, called_since)))
    for row in checkpoints.of_project(tx, project, agent_id=reader.agent_id, limit=RECOVERED):
        if (clock.parsed(row["created_at"]) or now) < now - RECENT:
            return None
        if row["trigger"] == Trigger.SESSION_END:
            finished.add(row["session_key"])
        allowed = reader.project is None or row["project"] == reader.project
        if allowed and row["session_key"] not in finished:
            return row
    return None
