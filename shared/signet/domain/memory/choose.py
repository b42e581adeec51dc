"""Choose memories to forget together, and confirm the choice.

A preview shows the candidates and a token of their set. Forgetting many requires that token, so that a set which has
changed since needs a new preview.

Words decide (`meant.py`). With an embedding model, memories near in meaning follow: those with a form of each
word and nothing against them are selected, the others only shown, because a model cannot tell a walnut from a nut.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from signet.db import ReadTx, fts, script
from signet.db.dialect import as_list
from signet.db.visibility import Where
from signet.domain.agents import registry as agents
from signet.domain.memory import filters, meant
from signet.domain.memory.meant import Interpretation
from signet.domain.memory.sql import search as sql
from signet.domain.memory.sql.search import SearchRow
from signet.errors import Invalid
from signet.wire.requests.model import SAFE_INTEGER

#: Memories of one batch, the default limit, and the number from which a batch needs a token.
MAX_CANDIDATES = 200
DEFAULT_LIMIT = 20
CONFIRM_ABOVE = 25

#: Memories with some of the words that are compared if none has all; and memories that are only shown.
MAX_NEARLY = 500
MAX_SIMILAR = 20

#: Memories compared in meaning, and those of them that are shown.
MAX_NEAR, MAX_SHOWN = 40, 8
#: The cosine of a memory counts from that of the tenth nearest, which is about something else, and from this value on.
BACKGROUND_PLACE, BACKGROUND = 9, 0.2
#: How much more is needed of a memory that is shown, and of one that is selected. Fitted on `loadtests/forgetting.txt`
#: and on half of `loadtests/forgetting_meant.txt`.
SHOWN_GAP, SELECTED_GAP = 0.05, 0.1

#: Returns the cosines of at most this many memories, those nearest to a vector, best first.
Nearest = Callable[[ReadTx, bytes, Where, int], Mapping[int, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which memories to forget: by ID, by words and by filters, all of which must match. `all` ignores the limit.

    Times are in stored form.
    """

    agent_id: str = "default"
    ids: tuple[str, ...] = ()
    query: str = ""
    type: str | None = None
    tags: tuple[str, ...] = ()
    who: str | None = None
    project: str | None = None
    pinned: bool | None = None
    source_type: str | None = None
    since: str | None = None
    until: str | None = None
    scope: str | None = None
    limit: int | None = None
    offset: int = 0
    all: bool = False
    #: The name of the person who asks, if known: "my" is also theirs.
    user: str = ""

    @property
    def size(self) -> int:
        """Return the maximum number of memories: every named one, unless the limit is lower (MEM-31)."""
        if self.all:
            return SAFE_INTEGER
        return min(self.limit or len(self.ids) or DEFAULT_LIMIT, MAX_CANDIDATES)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetCandidate:
    """A memory that would be forgotten, and why; the score is 0..1, and 0 without words."""

    id: str
    score: float
    pinned: bool
    version: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A page of the memories that would be forgotten, their number, and similar ones."""

    page: list[ForgetCandidate]
    total: int
    similar: list[ForgetCandidate]


class Unconfirmed(Invalid, code="confirmation_required"):
    """Forgetting this many memories requires the confirm_token of a preview of the same set."""


def subjects(query: str) -> list[str]:
    """Return the texts whose vectors `candidates` compares."""
    return [text for part in meant.parts(query) if (text := meant.subject(part))]


def candidates(
    tx: ReadTx,
    choice: Choice,
    vectors: Mapping[str, bytes | None] | None = None,
    nearest: Nearest | None = None,
) -> Chosen:
    """Return the chosen active memories that the caller may change; `vectors` are those of the `subjects`.

    Raises Invalid for an empty choice, and words that name nothing.
    """
    passing = filters.passing(choice)
    if not (choice.ids or choice.query.strip() or passing.params):
        raise Invalid("ids, query or a filter is required")
    ours = agents.changeable(tx, choice.agent_id, scope=choice.scope, any_scope=bool(choice.ids))
    where = Where("m.is_deleted = 0") & ours & passing
    query = fts.encodable(choice.query).strip()
    if not all(map(script.is_picture, fts.words(query))):
        return _by_words(tx, choice, where, query, vectors or {}, nearest)
    if query:
        where &= filters.holds(query)
    why = f"holds {query}" if query else "chosen by ID" if choice.ids else "passes the filters"
    if choice.ids:
        rows = tx.rows(
            sql.SearchRow, sql.NAMED + where.sql + sql.BY_ID, (as_list(_ids(choice)), *where.params)
        )
        page, total = rows[choice.offset :][: choice.size], len(rows)
    else:
        page = sql.passing(tx, where, choice.size, choice.offset, newest_first=bool(query))
        total = sql.count(tx, where)
    return Chosen(page=[_candidate(row, why) for row in page], total=total, similar=[])


def confirm_token(ids: Iterable[str]) -> str:
    """Return the token of a set of memories: 32 hex digits of its SHA-256 (MEM-34)."""
    return hashlib.sha256("|".join(sorted(set(ids))).encode()).hexdigest()[:32]


def needs_confirmation(found: Sequence[ForgetCandidate]) -> bool:
    return len(found) > CONFIRM_ABOVE


def confirm(found: Sequence[ForgetCandidate], token: str | None) -> None:
    """Raise Unconfirmed for many memories without their token, and for any number with the token of another set."""
    if token and token == confirm_token(one.id for one in found):
        return
    if needs_confirmation(found):
        raise Unconfirmed(success=False, requiresConfirm=True, count=len(found))
    if token:
        raise Unconfirmed(
            "The confirm_token is of other memories than these: look at them again with a preview",
            success=False,
            requiresConfirm=True,
            count=len(found),
        )


def last_change(tx: ReadTx, ids: Iterable[str]) -> str:
    """Return when any of these memories last changed, as stored; empty without memories."""
    return tx.value(sql.LAST_CHANGE, (as_list(list(ids)),)) or ""


def _by_words(
    tx: ReadTx,
    choice: Choice,
    where: Where,
    query: str,
    vectors: Mapping[str, bytes | None],
    nearest: Nearest | None,
) -> Chosen:
    found, similar = dict[str, ForgetCandidate](), dict[str, ForgetCandidate]()
    for part in meant.parts(query):
        readings = meant.readings(part, choice.user)
        if not readings:
            raise Invalid("query names nothing to look for: name ids, a filter or a subject")
        taken, alike = _meant(tx, where, readings)
        if not taken:
            shorter = meant.without_verbs(
                part,
                lambda word: any(
                    sql.matching(tx, fts.any_of([one]), where, 1) for one in fts.words(word)
                ),
            )
            sure = [one for one in meant.readings(shorter, choice.user) if one.is_specific]
            taken, alike = _meant(tx, where, sure) if sure else (taken, alike)
        if not taken and (named := _named(tx, where, part, choice.user)):
            taken, alike = _meant(tx, where, meant.readings(named, choice.user))
        vector = vectors.get(meant.subject(part))
        if nearest and vector and readings[0].words:
            near, close = _near(tx, where, readings, nearest(tx, vector, where, MAX_NEAR))
            taken, alike = [*taken, *near], [*alike, *close]
        for one in taken:
            found.setdefault(one.id, one)
        for one in alike:
            similar.setdefault(one.id, one)
    shown = [one for id_, one in similar.items() if id_ not in found]
    if choice.ids:
        found = {id_: found[id_] for id_ in _ids(choice) if id_ in found}
        shown = []
    page = list(found.values())[choice.offset :][: choice.size]
    return Chosen(page=page, total=len(found), similar=shown[:MAX_SIMILAR])


def _near(
    tx: ReadTx, where: Where, readings: Sequence[Interpretation], cosines: Mapping[int, float]
) -> tuple[list[ForgetCandidate], list[ForgetCandidate]]:
    """Return the memories to select and to show of those clearly nearer than the background, nearest first."""
    background = max([BACKGROUND, *[*cosines.values()][BACKGROUND_PLACE:][:1]])
    rows = sql.numbered(tx, [*cosines], where)
    taken, shown = list[ForgetCandidate](), list[ForgetCandidate]()
    for seq in filter(rows.get, cosines):
        gap, row = cosines[seq] - background, rows[seq]
        held = meant.compare(readings[0], row.content, is_near=True)
        is_sure = held and held.is_meant and held.is_same and not held.full_name
        if gap >= SELECTED_GAP and held and is_sure and not readings[0].is_vague:
            taken.append(_candidate(row, held.why))
        elif gap >= SHOWN_GAP:
            why = f"; {held.why}" if held else ""
            shown.append(_candidate(row, f"near in meaning{why}"))
    return taken, shown[:MAX_SHOWN]


def _named(tx: ReadTx, where: Where, part: str, user: str) -> str:
    """Return a request with the name of "my wife", if the memories give exactly one."""
    found = meant.relation(part)
    rows = sql.matching(tx, fts.any_of([found[2].lower()]), where, MAX_NEARLY) if found else []
    names = {one for row in rows if found and (one := meant.person(found, user, row.content))}
    return part.replace(found[0], names.pop(), 1) if found and len(names) == 1 else ""


def _meant(
    tx: ReadTx, where: Where, readings: Sequence[Interpretation]
) -> tuple[list[ForgetCandidate], list[ForgetCandidate]]:
    """Return the candidates of the first interpretation with any, and memories that resemble them."""
    chosen: dict[str, ForgetCandidate] = {}
    similar: dict[str, ForgetCandidate] = {}
    long = [one for one in readings if len(one.words) >= meant.SEVERAL_WORDS]
    for limit, some in ((-1, readings), (MAX_NEARLY, long)):
        for reading in some:
            is_over = bool(chosen)
            if is_over and (reading.words or limit > 0):
                continue  # its identifier alone: other spellings of it are still shown
            rows = sql.matching(tx, reading.match(nearly=limit > 0), where, limit)
            found = [(row, one) for row in rows if (one := meant.compare(reading, row.content))]
            # With two people named Tobias, "Tobias" alone is ambiguous.
            is_clear = all(one.is_same is not False for _, one in found)
            names = [one.full_name for _, one in found if one.is_meant]
            is_vague = reading.is_vague and len(names) > 1
            for row, one in found:
                takes = one.is_meant and (one.is_same or is_clear) and not is_over
                why = one.why
                if takes and (is_vague or (one.full_name and len(set(names)) > 1)):
                    takes, why = False, f"holds {one.full_name}" if one.full_name else why
                (chosen if takes else similar).setdefault(row.id, _candidate(row, why))
    return list(chosen.values()), [one for one in similar.values() if one.id not in chosen]


def _candidate(row: SearchRow, why: str) -> ForgetCandidate:
    return ForgetCandidate(
        id=row.id, score=_score(row.bm25), pinned=bool(row.pinned), version=row.version, why=why
    )


def _ids(choice: Choice) -> list[str]:
    return list(dict.fromkeys(id_.strip() for id_ in choice.ids))


def _score(bm25: float | None) -> float:
    return round(1 / (1 + abs(bm25)), 3) if bm25 is not None else 0.0
