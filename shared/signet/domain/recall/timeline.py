"""Answer questions about a time alone ("what did I do yesterday"): its sessions, commits and memories, newest first.

No text says that something happened yesterday, so words and meaning find nothing, and the page is a timeline.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from signet.db import fts, languages
from signet.domain.episodes import search
from signet.domain.recall import gather, said, time_lookup, topics
from signet.domain.recall.explain import Trail
from signet.domain.recall.models import ScoreStep
from signet.domain.recall.page import Page, without_copies
from signet.domain.recall.run import Run
from signet.domain.recall.sql import reading
from signet.domain.recall.time_query import Span

#: Words that only ask for what happened, in the languages whose times are understood.
IDLE = fts.STOP_WORDS.union(*(one.stops for one in languages.BY_SPACES)) | frozenset(
    """
    work worked working do did done doing make made happen happened decide decided decision decisions talk talked
    discuss discussed session sessions commit commits change changed changes get got new anything everything busy
    settle settled agree agreed finish finished merge merged ship shipped fix fixed recap summary standup
    went push pushed touch touched add added build built write wrote start started continue continued leave left
    progress files give show tell list remind catch overview tldr quick short brief important interesting far since
    please pls plz thanks thx iets hab habe est-ce hicimos trabajamos woran gab gibt
    machen gemacht machte arbeiten gearbeitet passiert geschehen entschieden besprochen tun getan
    fait faire travaille travaillé passé decidé décidé hice hecho trabajé trabajado pasó decidimos decidí
    fatto lavorato successo deciso gedaan gewerkt werkten gebeurd besloten feito fiz fizemos trabalhei trabalhámos
    aconteceu decidimos co robiłam robiłem robiliśmy zrobiłam zrobiłem zrobiliśmy pracowaliśmy stało
    """.split()
)
#: Source types that a question can name.
_NAMED = {name: one for one in said.TYPES for name in (one.value, f"{one.value}s")}
_WHY = ScoreStep("time", 0.0, 1.0)


def _asked(run: Run) -> Sequence[str] | None:
    """Return the other words of a question about a time alone, None for any other question."""
    spans = run.when.spans
    if not (run.words and spans and all(one.start for one in spans)):
        return None
    if not said.may_answer(run.query) or run.query.min_score is not None:
        return None
    words = [word for word in fts.content_words(run.when.bare) if fts.shown(word) not in IDLE]
    return words if len(words) <= 1 else None


def page(run: Run) -> tuple[Run, Page] | None:
    """Return the page of the time in question, limited to a project it names, with its run.

    Returns None for other questions, and if the store has nothing of that time.
    """
    words = _asked(run)
    if words is None:
        return None
    run = replace(run, when=replace(run.when, spans=_closed(run)))
    wanted = {_NAMED[word] for word in fts.words(run.when.bare) if word in _NAMED}
    passages = {-n: row for n, row in enumerate(said.within(run, wanted), start=1)}
    seqs = [
        seq
        for span in (() if wanted else run.when.spans)
        for seq in time_lookup.within(run.tx, span, run.where, run.pool)
    ]
    rows = reading.rows(run.tx, seqs, run.where)
    known = {
        **{
            seq: (row["event_at"] or row["created_at"], row["project"] or "", row["content"])
            for seq, row in rows.items()
        },
        **{number: (row.said_at, row.project, row.content) for number, row in passages.items()},
    }
    named = [seq for seq in known if words and _name(known[seq][1]) == fts.shown(words[0])]
    found = named or [seq for seq in known if _holds(known[seq][2], words)]
    if not found:
        return None
    # Without another word, list a session instead of the facts that were read from it.
    is_of_all = bool(named) or not words
    sessions = {row.source_id for number, row in passages.items() if is_of_all and number in found}
    roots = search.roots(run.tx, [rows[seq]["id"] for seq in found if seq in rows])
    found = [seq for seq in found if seq < 0 or roots.get(rows[seq]["id"]) not in sessions]
    of_it = replace(
        run,
        words=[] if named else list(words),
        said={number: row for number, row in passages.items() if number in found},
        allowed=run.view.allowed({seq for seq in found if seq > 0}),
        trail=Trail(steps={seq: [_WHY] for seq in found}),
    )
    of_it.replaced = gather.replaced(of_it)
    of_it.allowed |= said.allowed(of_it, of_it.said)
    order = sorted(found, key=lambda seq: known[seq][0], reverse=True)
    of_it.scores = {seq: -place for place, seq in enumerate(order)}
    return of_it, _laid_out(of_it, order)


def _closed(run: Run) -> tuple[Span, ...]:
    """Return the times in question; one without an end ends now."""
    return tuple([replace(span, end=span.end or run.now) for span in run.when.spans])


def _laid_out(run: Run, order: Sequence[int]) -> Page:
    """Return candidates as sayings in their order, with equal relevance."""
    all_alike = dict.fromkeys(order, 0.0)
    places = {seq: place for place, seq in enumerate(order)}
    every = sorted(topics.sayings_of(run, order, all_alike), key=lambda saying: places[saying.best])
    shown = without_copies(run, every, run.query.size)
    for saying in shown:
        saying.score = 1.0
    members = [seq for saying in shown for seq in saying.members]
    return Page(
        sayings=shown,
        relevance=dict.fromkeys(members, 1.0),
        beyond_limit=len(order) - len(members),
        is_timeline=True,
    )


def _name(project: str) -> str:
    return PurePath(project).name.lower()


def _holds(text: str, words: Sequence[str]) -> bool:
    held = set(fts.words(text))
    return all(any(fts.stands_for(term, word) for word in held) for term in words)
