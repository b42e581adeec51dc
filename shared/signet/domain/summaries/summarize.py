"""Run one `summarize` job: read the session, take notes, write their file, save the facts.

Notes are taken and written without an open transaction; then one transaction saves the facts, stores the summary and
completes the job. An earlier transaction chooses the file name and stores it with the job, so that a repeated job
writes the same file again and nothing twice.
"""

import contextlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

from signet import clock
from signet.config import Settings
from signet.config.pipeline import Significance
from signet.db import ReadTx, WriteTx, fts
from signet.domain.extraction import contradiction
from signet.domain.extraction.grounding import Grounds
from signet.domain.injections import ratings
from signet.domain.memory import dates, derived, remember
from signet.domain.memory.lookup import ValueForgotten
from signet.domain.memory.models import Actor, Draft, ExtractionStatus, Rules, Visibility
from signet.domain.summaries import distill, files, requests, sql
from signet.domain.summaries.distill import NoteTaker
from signet.domain.summaries.models import Said, Score, SummaryJob
from signet.domain.transcripts import models, stored, transcript, withheld
from signet.domain.transcripts.models import ProjectSpan
from signet.domain.transcripts.transcript import ASSISTANT, USER, Turn
from signet.errors import ProviderDown, ProviderFailed
from signet.observe import logs
from signet.queue.job_context import JobContext
from signet.wire.origin import Origin

SOURCE = derived.SESSION_END
ACTOR = Actor(name="summary-worker", type="pipeline")
#: A memory is found by the first words of a fact, and states it if it has this share of all its words (PIP-42), unless
#: they differ in a name, a number or a denial: "lives in Bergen" and "lives in Tromso" share most of their words.
LOOKED_UP = 10
WORD_CHARS = 3
SAME_SHARE = 0.7
#: Types of facts that an agent must follow.
RULES = frozenset({"rule", "constraint", "correction", "procedural"})


def new_texts(tx: ReadTx, agent_id: str, facts: Sequence[Said], project: str | None) -> list[Said]:
    """Return the facts that no active memory of the agent states in this project."""
    return [fact for fact in facts if not _is_known(tx, agent_id, fact.content, project or "")]


def says(memory: str, fact: str) -> bool:
    """Return whether a memory states a fact: most of its words, all names and numbers, the same negation."""
    grounds = Grounds(memory)
    return grounds.share(fact) >= SAME_SHARE and not grounds.changes(fact)


def save(
    tx: WriteTx,
    asked: SummaryJob,
    facts: Sequence[Said],
    *,
    held: Sequence[ProjectSpan] = (),
    model: str,
    rules: Rules,
    now: datetime,
) -> list[str]:
    """Save facts as memories and return their IDs; existing ones keep theirs.

    Skips forgotten ones. Each belongs to the repository of its message (`held`, see transcripts/models.py).
    """
    saved, readers = [], rules.of_session(asked.session.agent_id)
    for fact in facts:
        project = models.project_at(held, fact.said_at, asked.session.project or "") or None
        draft = replace(_draft(asked, fact, readers, model, now), project=project)
        with contextlib.suppress(ValueForgotten):
            saved.append(remember.save_told(tx, draft, actor=ACTOR, rules=rules, now=now).id)
    return saved


def placed(facts: Sequence[Said], text: str) -> list[Said]:
    """Return facts with the time of the turn that has most of their words; rules not by the user become plain facts."""
    turns = [(turn, contradiction.tokens(turn.text)) for turn in transcript.parse(text)]
    return [_placed(fact, turns) for fact in facts] if turns else list(facts)


def _placed(fact: Said, turns: Sequence[tuple[transcript.Turn, frozenset[str]]]) -> Said:
    words = contradiction.tokens(fact.content)
    turn, said = max(turns, key=lambda one: len(contradiction.overlap(one[1], words)))
    is_said = bool(contradiction.overlap(said, words))
    if fact.type in RULES and not (is_said and turn.role == transcript.USER):
        fact = replace(fact, type="fact")
    return fact if fact.said_at or not is_said else replace(fact, said_at=turn.at)


def _draft(asked: SummaryJob, fact: Said, readers: Visibility, model: str, now: datetime) -> Draft:
    session = asked.session
    # A clock that was ahead must not make a fact the newest for years.
    said_at = min(clock.parsed(fact.said_at or "") or asked.ended_at, now)
    day = dates.told_day(fact.content, said_at) or dates.told_day(fact.sentence, said_at)
    return Draft(
        content=fact.content,
        type=fact.type,
        importance=fact.importance,
        tags=fact.tags,
        agent_id=session.agent_id,
        visibility=readers,
        origin=Origin.INFERRED,
        who=session.harness,
        why="session-summary",
        source_type=SOURCE,
        source_id=session.key,
        project=session.project,
        session_id=session.key,
        updated_by=ACTOR.name,
        created_at=said_at,
        event_at=day,
        extraction_status=ExtractionStatus.COMPLETED,
        extraction_model=model,
    )


def _is_known(tx: ReadTx, agent_id: str, content: str, project: str) -> bool:
    words = [word for word in fts.content_words(content) if len(word) >= WORD_CHARS][:LOOKED_UP]
    return bool(words) and any(
        says(memory, content)
        for memory in tx.column(sql.LIKE, (fts.any_of(words), agent_id, project))
    )


log = logs.get("pipeline")

#: Earlier sessions that novelty is measured against, and how long before its end a session may have begun saving
#: memories.
SESSIONS_BEFORE, SESSION_DAYS = 5, 7
#: A shorter session is read by the built-in rules (PIP-36).
SHORT_CHARS = 500
#: Characters of a session for the judge of recall, and of each memory.
JUDGED_CHARS = 12_000
JUDGED_MEMORY_CHARS = 300


def run(
    job: JobContext, reader: NoteTaker | None, settings: Callable[[], Settings], root: Path
) -> None:
    """Take notes of the job's session and complete the job; `root` is the workspace.

    Without a reader the job ends and the transcript stays. Raises the providers' errors, OSError if the notes cannot be
    written, LeaseLost, Cancelled.
    """
    is_part = bool(job.lease.payload.get("is_part"))
    asked = job.db.read(sql.job_session, job.lease.job_id, is_part=is_part, now=clock.now())
    asked = asked and _as_said(asked)
    if asked is not None:
        session = asked.session
        text = job.db.read(withheld.cleaned, session.agent_id, session.text)
        asked = replace(asked, session=replace(session, text=text))
    if asked is None or not asked.session.text:
        job.commit(lambda tx: {"skipped": "session_not_found"})
    elif reader is None:
        job.commit(lambda tx: {"skipped": "no_model"})
    elif len(asked.session.text) < SHORT_CHARS:  # only what it states
        rules = distill.RuleReader()
        if rules.notes(asked, job.check).facts:
            _read(job, asked, rules, settings, root)
        else:
            job.commit(lambda tx: {"skipped": "not_significant"})
    elif not job.db.read(_is_significant, asked, settings()):
        job.commit(lambda tx: {"skipped": "not_significant"})
    else:
        _read(job, asked, reader, settings, root)


def reads_by_model(job: JobContext) -> bool:
    return not job.lease.payload.get("by_rules")


def _as_said(asked: SummaryJob) -> SummaryJob:
    """Return the session in the current stored form, without injected text, with the times of its messages."""
    text = transcript.normalize(asked.session.text)
    asked = replace(asked, session=replace(asked.session, text=text))
    spoken = transcript.spoken(text.lstrip())
    if spoken is None:
        return asked
    ended_at = min(spoken[1], asked.asked_at)
    return replace(asked, started_at=clock.to_text(spoken[0]), ended_at=ended_at)


def _is_significant(tx: ReadTx, asked: SummaryJob, settings: Settings) -> bool:
    limits, session = settings.pipeline.significance, asked.session
    owner = session.agent_id
    before = tx.column(sql.BEFORE, (HEAD_CHARS, owner, session.key, SESSIONS_BEFORE, owner))
    names = tx.column(sql.NAMES, (session.agent_id, sql.LEAST_MENTIONS, sql.MAX_NAMES))
    turns = transcript.parse(session.text)
    return is_significant(turns, session.text, names, before, limits)


def _read(
    job: JobContext,
    asked: SummaryJob,
    reader: NoteTaker,
    settings: Callable[[], Settings],
    root: Path,
) -> None:
    notes = reader.notes(asked, job.check)
    job.check()
    score = _judged(job, asked, reader)
    job.check()
    free = files.free(root, files.names(asked, notes.summary))
    path = job.progress(lambda tx: requests.reserve_path(tx, asked, free))
    files.write(root, path, notes.summary)
    said = placed(notes.facts, asked.session.text)
    news = job.db.read(new_texts, asked.session.agent_id, said, asked.session.project)
    since = asked.asked_at - timedelta(days=SESSION_DAYS)
    remembered = job.db.read(sql.remembered, asked.session, since=since)
    rules = replace(Rules.from_settings(settings()), priority=job.lease.priority)

    def keep(tx: WriteTx) -> dict[str, object]:
        now = clock.now()
        if stored.is_forgotten(tx, asked.session.agent_id, asked.session.key):
            return {"skipped": "session_forgotten"}
        held = models.parts_of_session(tx, asked.session.agent_id, asked.session.key)
        saved = save(tx, asked, news, held=held, model=reader.name, rules=rules, now=now)
        whose = asked.session
        summary = withheld.cleaned(tx, whose.agent_id, notes.summary)
        if summary != notes.summary:  # forgotten meanwhile, but still in the file
            withheld.queue(tx, whose.agent_id, is_back=False, now=now, file=path)
        if not asked.is_part:
            if notes.topic:
                stored.put_topic(tx, whose.agent_id, whose.key, notes.topic)
            _keep_summary(tx, asked, summary, [*saved, *remembered], score, now)
            distill.queue_condense(
                tx, whose.agent_id, whose.project, 0, attempts=rules.attempts, now=now
            )
        tx.run(sql.FORGET_PART, (asked.job_id,))
        _read_on(tx, asked, rules, now, by_model=reads_by_model(job))
        counts = {
            "facts": len(notes.facts),
            "saved": len(saved),
            "forgotten": len(news) - len(saved),
        }
        return {"path": path, **counts}

    job.commit(keep)
    if job.db.read(stored.is_forgotten, asked.session.agent_id, asked.session.key):
        (root / path).unlink(missing_ok=True)


def _keep_summary(
    tx: WriteTx,
    asked: SummaryJob,
    summary: str,
    memory_ids: Sequence[str],
    score: tuple[Score, int] | None,
    now: datetime,
) -> None:
    sql.put(tx, asked, summary, list(dict.fromkeys(memory_ids)), now)
    if score:
        session = asked.session
        sql.put_score(tx, session, score[0], shown=score[1], now=now)
        ratings.set_relevance(tx, session.agent_id, session.key, score[0].relevance)


def _read_on(
    tx: WriteTx, asked: SummaryJob, rules: Rules, now: datetime, *, by_model: bool
) -> None:
    """Queue the session again if more of it has arrived."""
    chars = stored.length(tx, asked.session.agent_id, asked.session.key)
    if not asked.is_part and chars > asked.chars:
        requests.of_session(
            tx,
            asked.session,
            attempts=rules.attempts,
            priority=rules.priority,
            by_model=by_model,
            now=now,
        )


def _judged(job: JobContext, asked: SummaryJob, reader: NoteTaker) -> tuple[Score, int] | None:
    """Return how well recall served the session and how much was recalled; None without a judgement."""
    if asked.is_part or not isinstance(reader, distill.ModelReader):
        return None
    shown = job.db.read(ratings.shown, asked.session.agent_id, asked.session.key)
    if not shown:
        return None
    listed = [(one, text[:JUDGED_MEMORY_CHARS]) for one, text in shown]
    try:
        score = reader.judged(listed, asked.session.text[:JUDGED_CHARS])
    except ProviderDown:
        raise
    except ProviderFailed as error:
        log.info("continuity.not_judged", reason=error.message)
        return None
    return (score, len(shown)) if score else None


#: A question and its answer count as an exchange from these lengths on.
USER_CHARS = 20
ASSISTANT_CHARS = 50
#: Novelty compares the beginnings of texts.
HEAD_CHARS = 2_000
#: Share of unknown words from which a session is all new, and up to which nothing in it is new.
ALL_NEW = 0.3
NOTHING_NEW = 0.1

_TOKEN = re.compile(r"[a-z0-9]{3,}")


def is_significant(
    turns: Sequence[Turn],
    text: str,
    names: Iterable[str],
    before: Sequence[str],
    limits: Significance,
) -> bool:
    """Return whether to read a session; `names` are known entities, `before` recent sessions."""
    return (
        not limits.enabled
        or exchanges(turns) >= limits.min_turns
        or _names_enough(text, names, limits.min_entity_overlap)
        or novelty(text, before) >= limits.novelty_threshold
    )


def exchanges(turns: Sequence[Turn]) -> int:
    """Return the number of questions and answers of some length."""
    return sum(
        (one.role, other.role) == (USER, ASSISTANT)
        and len(one.text) > USER_CHARS
        and len(other.text) > ASSISTANT_CHARS
        for one, other in pairwise(turns)
    )


def novelty(text: str, before: Sequence[str]) -> float:
    """Return the share of new words in a session, 0..1."""
    words = tokens(text)
    if not before or not words:
        return 1.0
    known = frozenset[str]().union(*map(tokens, before))
    share = len(words - known) / len(words)
    return min(max((share - NOTHING_NEW) / (ALL_NEW - NOTHING_NEW), 0.0), 1.0)


def tokens(text: str) -> frozenset[str]:
    return frozenset(_TOKEN.findall(text[:HEAD_CHARS].lower()))


def _names_enough(text: str, names: Iterable[str], least: int) -> bool:
    lowered = text.lower()
    found = 0
    for name in names:
        found += name in lowered
        if found >= least:
            return True
    return least == 0
