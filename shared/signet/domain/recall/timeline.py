"""Questions about a time alone ("what did I do yesterday"): the sessions, commits and memories of it, newest first.

No text says that something happened yesterday, so words and meaning find nothing: the page is a timeline.
"""

from collections.abc import Sequence
from pathlib import PurePath

from signet.db import fts
from signet.domain.episodes.models import FoundRow, SourceType
from signet.domain.recall import said, time_lookup
from signet.domain.recall.models import Hit, Source, Step, Why
from signet.domain.recall.run import Run
from signet.domain.recall.sql import reading

#: Words that only ask what there was, in the languages whose times are understood.
IDLE = fts.STOP_WORDS | frozenset(
    """
    work worked working do did done doing make made happen happened decide decided decision decisions talk talked
    discuss discussed session sessions commit commits change changed changes
    machen gemacht machte arbeiten gearbeitet passiert geschehen entschieden besprochen tun getan
    fait faire travaille travaillé passé decidé décidé hice hecho trabajé trabajado pasó decidimos decidí
    """.split()
)
#: What a question asks for by name.
_NAMED = {
    "commit": SourceType.COMMIT,
    "commits": SourceType.COMMIT,
    "session": SourceType.SESSION,
    "sessions": SourceType.SESSION,
}
_WHY = Why(channels={}, steps=(Step("time", 0.0, 1.0),))


def _asked(run: Run) -> Sequence[str] | None:
    """Return the words that a question about a time alone adds to it, None for any other question."""
    spans = run.when.spans
    if not (run.words and spans and all(one.start and one.end for one in spans)):
        return None
    if not said.may_answer(run.query) or run.query.min_score is not None:
        return None
    words = [word for word in fts.content_words(run.when.bare) if fts.shown(word) not in IDLE]
    return words if len(words) <= 1 else None


def find(run: Run) -> list[Hit]:
    """Return what there is of the time in question, of a project that it names; nothing for other questions."""
    words = _asked(run)
    if words is None:
        return []
    wanted = {_NAMED[word] for word in fts.words(run.when.bare) if word in _NAMED}
    rows = said.within(run, wanted)
    found = [(row.said_at, row.project, _passage(run, row)) for row in rows]
    if not wanted:
        seqs = [
            seq
            for span in run.when.spans
            for seq in time_lookup.within(run.tx, span, run.where, run.query.size)
        ]
        memories = reading.rows(run.tx, seqs, run.where).values()
        found += [
            (
                row["event_at"] or row["created_at"],
                row["project"] or "",
                reading.hit(row, score=1.0, source=Source.KEYWORD, why=_WHY),
            )
            for row in memories
        ]
    named = [one for one in found if words and PurePath(one[1]).name.lower() == fts.shown(words[0])]
    order = sorted(named or found, key=lambda one: one[0], reverse=True)
    hits = [hit for _, _, hit in order if hit and _holds(hit, () if named else words)]
    return said.without_repeats(run, hits)[: run.query.size]


def _passage(run: Run, row: FoundRow) -> Hit | None:
    return said.passage(row, (), chars=run.settings.truncate_chars, score=1.0, why=_WHY)


def _holds(hit: Hit, words: Sequence[str]) -> bool:
    held = set(fts.words(hit.content))
    return all(any(fts.stands_for(term, word) for word in held) for term in words)
