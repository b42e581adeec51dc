"""Take notes of a session, with the built-in rules or a model.

All model calls of summaries happen here; they raise the errors of `signet.providers.ports`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from signet import clock, ids
from signet.config import Settings
from signet.db import WriteTx
from signet.domain.extraction import rules
from signet.domain.extraction.grounding import Grounds
from signet.domain.extraction.models import Fact
from signet.domain.memory.wording import one_line
from signet.domain.summaries import prompt, sql
from signet.domain.summaries.files import project_name
from signet.domain.summaries.models import (
    MAX_FACTS,
    MAX_PART_FACTS,
    Notes,
    Said,
    Score,
    Summary,
    SummaryJob,
)
from signet.domain.transcripts import transcript, withheld
from signet.errors import ProviderDown, ProviderFailed, ProviderTooLong
from signet.providers import track
from signet.providers.asking import ask_model as ask
from signet.providers.ports import LanguageModel, Shape
from signet.queue import BULK, NewJob, enqueue
from signet.queue.job_context import JobContext

#: Maximum tokens of notes and of a judgement.
NOTES_TOKENS = 4_096
JUDGE_TOKENS = 1_024
#: A smaller part is not sent if the model's context is too small.
LEAST_CHARS = 1_000
#: Time for condensing (PIP-43).
CONDENSE_SECONDS = 90.0
#: The beginnings of the first requests, shown by the rules in addition to the facts.
SHOWN_REQUESTS = 8
REQUEST_CHARS = 160
#: Headings of kinds of facts without a plural.
TITLES = {"rationale": "Reasons", "procedural": "Procedures"}
#: Characters of each condensed summary that the rules keep.
CONDENSED_CHARS = 600


class NoteTaker(Protocol):
    """Takes notes of sessions."""

    @property
    def name(self) -> str: ...

    def notes(self, asked: SummaryJob, check: Callable[[], None]) -> Notes:
        """Return the notes of a session; `check` is called between the steps and may raise."""
        ...

    def condensed(self, summaries: Sequence[Summary]) -> str:
        """Return one shorter text for several."""
        ...


class RuleReader:
    """The built-in rules: the same session always gives the same notes and facts."""

    name = "rules"

    def notes(self, asked: SummaryJob, check: Callable[[], None]) -> Notes:
        """Return the facts found by the rules, as a list by kind, below the user's request.

        A long session is read in parts, because the time of the rules may grow faster than the text.
        """
        text = asked.session.text
        parts = prompt.parts(text)
        most = MAX_FACTS if len(parts) == 1 else MAX_PART_FACTS
        found: list[Said] = []
        for part in parts:
            check()
            found += _surest(rules.extract(part).facts, most)
        facts = prompt.distinct(found)
        requests = [
            f"- {_beginning(turn.text)}"
            for turn in transcript.parse(text)
            if turn.role == transcript.USER
        ]
        sections = [_section("Requests", requests[:SHOWN_REQUESTS])]
        for kind in dict.fromkeys(fact.type for fact in facts):
            listed = [f"- {one_line(fact.content)}" for fact in facts if fact.type == kind]
            sections.append(_section(TITLES.get(kind, f"{kind.capitalize()}s"), listed))
        topic = project_name(asked.session.project)
        sections.insert(0, f"## {topic}" if topic else "")
        body = "\n\n".join(section for section in sections if section)
        return Notes(summary=prompt.headed(body, asked.day), facts=tuple(facts))

    def condensed(self, summaries: Sequence[Summary]) -> str:
        """Return the beginnings of the summaries, oldest first."""
        first, last = summaries[0].earliest_at[:10], summaries[-1].latest_at[:10]
        shown = [f"## {one.latest_at[:10]}\n\n{_body(one.content)}" for one in summaries]
        return "\n\n".join((f"# {first} to {last}", *shown))


class ModelReader:
    def __init__(self, model: LanguageModel, settings: Settings) -> None:
        self._model = model
        self._timeout = settings.pipeline.synthesis.timeout_ms / 1000

    @property
    def name(self) -> str:
        return self._model.name

    def notes(self, asked: SummaryJob, check: Callable[[], None]) -> Notes:
        """Ask for notes; for a long session part by part, and then for one combined set (PIP-38).

        The rules read what the model gives no usable notes of.
        """
        text, day = asked.session.text, asked.day
        parts = prompt.parts(text)
        if len(parts) == 1:
            try:
                return self._whole(asked, prompt.notes_prompt(text, day=day), MAX_FACTS, check)
            except ProviderTooLong:
                parts = prompt.parts(text, len(text) // 2)
        read: list[Notes] = []
        for number, part in enumerate(parts, 1):
            read += self._part(asked, part, f"part {number} of {len(parts)}", check)
        check()
        return self._combined(read, day)

    def _whole(
        self, asked: SummaryJob, request: str, most: int, check: Callable[[], None]
    ) -> Notes:
        """Return the model's notes of the whole session, or those of the rules if they are unusable."""
        grounds = Grounds(asked.session.text, prompt.INSTRUCTIONS)
        return self._read(request, asked.day, most, grounds) or RuleReader().notes(asked, check)

    def _part(
        self, asked: SummaryJob, text: str, place: str, check: Callable[[], None]
    ) -> Sequence[Notes]:
        """Read one part; halve it if the model's context is too small, and use the rules below `LEAST_CHARS`."""
        check()
        part = replace(asked, session=replace(asked.session, text=text))
        request = prompt.part_notes(text, day=asked.day, place=place)
        try:
            return [self._whole(part, request, MAX_PART_FACTS, check)]
        except ProviderTooLong:
            if len(text) < LEAST_CHARS:
                return [RuleReader().notes(part, check)]
        halves = prompt.parts(text, len(text) // 2)
        return [one for half in halves for one in self._part(asked, half, place, check)]

    def condensed(self, summaries: Sequence[Summary]) -> str:
        """Ask for one text; use the rules if it is unusable, or the summaries are too long."""
        texts = [one.content for one in summaries]
        try:
            answer = self._model.generate(
                prompt.condense_prompt(texts),
                timeout_seconds=CONDENSE_SECONDS,
                max_tokens=NOTES_TOKENS,
            )
        except ProviderTooLong:
            return RuleReader().condensed(summaries)
        grounds = Grounds("\n".join(texts), prompt.CONDENSE)
        usable = None if answer.is_cut else prompt.read_condensed(answer.text, grounds)
        track.judged(self.name, is_usable=usable is not None)
        return usable or RuleReader().condensed(summaries)

    def judged(self, memories: Sequence[tuple[str, str]], text: str) -> Score | None:
        """Return the usefulness of memories (ID and text) to a session, None if the model gives none."""
        shown = [memory_id for memory_id, _ in memories]
        return ask(
            self._model,
            prompt.judged(memories, text),
            lambda raw: prompt.score(raw, shown),
            shape=prompt.JUDGED_SHAPE,
            timeout_seconds=self._timeout,
            max_tokens=JUDGE_TOKENS,
        )

    def _combined(self, read: Sequence[Notes], day: str) -> Notes:
        facts = prompt.distinct([fact for notes in read for fact in notes.facts])
        summaries = [notes.summary for notes in read]
        request = prompt.combined(summaries, facts, day=day)
        grounds = Grounds("\n".join(summaries), prompt.INSTRUCTIONS)
        try:
            whole = self._read(request, day, MAX_FACTS, grounds, shape=prompt.COMBINED_SHAPE)
        except ProviderDown:
            raise
        except ProviderFailed:
            whole = None
        summary = whole.summary if whole else "\n\n---\n\n".join(summaries)
        return Notes(summary=summary, topic=whole.topic if whole else None, facts=tuple(facts))

    def _read(
        self,
        request: str,
        day: str,
        most: int,
        grounds: Grounds,
        *,
        shape: Shape = prompt.NOTES_SHAPE,
    ) -> Notes | None:
        return ask(
            self._model,
            request,
            lambda raw: prompt.read_notes(raw, day=day, most=most, grounds=grounds),
            shape=shape,
            timeout_seconds=self._timeout,
            max_tokens=NOTES_TOKENS,
        )


def _surest(facts: Sequence[Fact], most: int) -> list[Said]:
    kept = sorted(range(len(facts)), key=lambda at: -facts[at].confidence)[:most]
    return [
        Said(content=fact.content, type=fact.type, said_at=fact.said_at, sentence=fact.sentence)
        for fact in (facts[at] for at in sorted(kept))
    ]


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= REQUEST_CHARS else line[:REQUEST_CHARS].rsplit(" ", 1)[0] + " …"


def _section(title: str, lines: Sequence[str]) -> str:
    return "\n".join((f"### {title}", "", *lines)) if lines else ""


def _body(summary: str) -> str:
    """Return the first whole lines of a summary, without its headings."""
    lines = [line for line in summary.splitlines() if line.strip() and not line.startswith("#")]
    kept, room = [], CONDENSED_CHARS
    for line in lines:
        if len(line) > room:
            break
        kept.append(line)
        room -= len(line) + 1
    return "\n".join(kept)


KIND = "condense"


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """How many summaries of one depth are condensed, and the name of the result."""

    children: int
    kind: str


LEVELS = {0: Level(children=8, kind="arc"), 1: Level(children=4, kind="epoch")}


def queue_condense(
    tx: WriteTx, agent_id: str, project: str | None, depth: int, *, attempts: int, now: datetime
) -> None:
    """Queue the condensing of a project's summaries of a depth if there are enough."""
    level = LEVELS.get(depth)
    if level is None:
        return
    found = tx.rows(Summary, sql.OPEN, (agent_id, project, depth, level.children))
    if len(found) == level.children:
        job = NewJob(
            kind=KIND,
            dedupe_key=f"{agent_id}:{depth}:{project or ''}",
            agent_id=agent_id,
            payload={"project": project, "depth": depth},
            priority=BULK,
        )
        enqueue(tx, job, now=now, max_attempts=attempts)


def run_condense(job: JobContext, reader: NoteTaker | None, *, attempts: int) -> None:
    """Condense the job's summaries and complete the job; raises the providers' errors.

    Follow-up jobs may make `attempts` attempts.
    """
    agent_id = job.lease.agent_id or "default"
    project, depth = job.lease.payload.get("project"), int(job.lease.payload.get("depth", 0))
    level = LEVELS[depth]
    children = job.db.read(
        lambda tx: tx.rows(Summary, sql.OPEN, (agent_id, project, depth, level.children))
    )
    if reader is None or len(children) < level.children:
        job.commit(lambda tx: {"skipped": "nothing_to_condense" if reader else "no_model"})
        return
    said = job.db.read(withheld.all_cleaned, agent_id, [one.content for one in children])
    condensed = reader.condensed(
        [one._replace(content=text) for one, text in zip(children, said, strict=True)]
    )

    def keep(tx: WriteTx) -> dict[str, object]:
        now = clock.now()
        still = tx.rows(Summary, sql.OPEN, (agent_id, project, depth, level.children))
        if [one.id for one in still] != [one.id for one in children]:
            # A continued session has moved after others: the next job takes those that are oldest then.
            queue_condense(tx, agent_id, project, depth, attempts=attempts, now=now)
            return {"skipped": "summaries_changed"}
        # A statement may have been forgotten while the model wrote.
        content = withheld.cleaned(tx, agent_id, condensed)
        parent_id = ids.new_id()
        span = (min(one.earliest_at for one in children), max(one.latest_at for one in children))
        size = len(content) // sql.TOKEN_CHARS
        row = (
            parent_id,
            project,
            depth + 1,
            level.kind,
            content,
            size,
            *span,
            agent_id,
            clock.to_text(now),
        )
        tx.run(sql.PARENT, row)
        tx.many(sql.CHILD, ((parent_id, child.id, place) for place, child in enumerate(children)))
        queue_condense(tx, agent_id, project, depth, attempts=attempts, now=now)
        queue_condense(tx, agent_id, project, depth + 1, attempts=attempts, now=now)
        return {"id": parent_id, "kind": level.kind}

    job.commit(keep)
