"""Offer earlier sessions during setup, and recall something from them."""

import shlex
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from signet.cli import output
from signet.cli.output import Ink, Passing
from signet.client import Signet
from signet.db import fts
from signet.domain.backfill import look
from signet.domain.backfill.look import Seen
from signet.domain.backfill.models import UserHome, WantedSessions
from signet.domain.episodes import outcome, split
from signet.domain.transcripts import transcript
from signet.errors import SignetError
from signet.ids import DEFAULT_AGENT
from signet.wire.backfill import BackfillSurvey

#: Seconds setup waits for the first fact, and between checks; the newest session is read within seconds.
WAIT_SECONDS, LOOK_SECONDS = 20.0, 0.5
#: Preferred fact types for an example.
_BEST = ("decision", "rule", "preference", "procedural", "fact")
#: Words of too many facts to search for.
_OF_ALL = frozenset(("team", "user", "users", "decided", "prefers", "wants", "uses"))
#: Words per query, and facts to try.
WORDS, FACTS = 4, 50
#: Without facts: sessions and lines to try.
SESSIONS, LINES = 3, 2
SHOWN_CHARS = 160


@dataclass(frozen=True, slots=True)
class PastMemory:
    """A question about the past, and recall's first result."""

    question: str
    answer: str
    at: str


def here() -> BackfillSurvey:
    """Return the sessions of harnesses on this machine, known or not."""
    found = look.find(UserHome(path=Path.home()), WantedSessions(agent_id=DEFAULT_AGENT))
    seen = (Seen(agent_id=DEFAULT_AGENT, found=one, is_new=True, is_stored=False) for one in found)
    return look.survey([*seen], 0)


def begin(signet: Signet, *, reads: bool | None) -> BackfillSurvey | None:
    """Start the backfill, or only survey it; None if that fails, so that setup continues."""
    try:
        return signet.backfill(dry_run=not reads)
    except SignetError:
        return None


def recalled(signet: Signet, *, quiet: bool) -> PastMemory | None:
    """Return something from the past, as recall finds it; None if nothing is found in time."""
    until = time.monotonic() + WAIT_SECONDS
    with Passing(quiet=quiet) as passing:
        while time.monotonic() < until:
            if passing.is_live:
                passing.show("Reading your newest sessions …")
            is_over = signet.backfill_status()["state"] in ("none", "done")
            found = _recalled(signet)
            if found is not None or is_over:
                return found or _session_example(signet)
            time.sleep(LOOK_SECONDS)
    return None


def _recalled(signet: Signet) -> PastMemory | None:
    facts = [
        one
        for one in signet.memories(limit=FACTS)["memories"]
        if one["source_type"] == "session_end" and one["type"] in _BEST
    ]
    for fact in sorted(facts, key=lambda one: _BEST.index(one["type"])):
        words = [one.partition("*")[0] for one in fts.content_words(fact["content"])]
        if found := _asked(signet, [one for one in words if one not in _OF_ALL][:WORDS]):
            return found
    return None


def _session_example(signet: Signet) -> PastMemory | None:
    """Return a decision from a session without facts, as recall finds it."""
    for one in signet.all_sessions(limit=SESSIONS)["sessions"]:
        turns = transcript.parse(signet.transcript(one["key"])["content"])
        said = [line for turn in turns for line in split.sentences(turn.text)]
        for line in sorted(said, key=_weight, reverse=True)[:LINES]:
            words = [word.partition("*")[0] for word in fts.content_words(line)]
            longest = sorted(words, key=len, reverse=True)[:WORDS]
            if found := _asked(signet, [word for word in words if word in longest]):
                return found
    return None


def _asked(signet: Signet, words: Sequence[str]) -> PastMemory | None:
    """Ask recall for these words, and return the sentence of the first result with most of them."""
    question = " ".join(words)
    hits = signet.recall(question, limit=1)["results"] if question else []
    if not hits:
        return None
    shown = split.sentences(hits[0]["content"]) or [hits[0]["content"]]
    best = max(shown, key=lambda text: sum(word in text.lower() for word in words))
    return PastMemory(question, best, hits[0]["created_at"])


def _weight(line: str) -> tuple[bool, int]:
    """Rank a line as an example: decisions first."""
    return outcome.decides(line), outcome.rules(line)


def lines(found: PastMemory, at: str, ink: Ink) -> Iterator[str]:
    yield f"Your past: {ink.bold(f'signet recall {shlex.quote(found.question)}{at}')}"
    yield f"  {output.day(found.at)}  {output.short(output.plain(found.answer), SHOWN_CHARS)}"
