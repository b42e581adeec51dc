"""Index contents for other nouns: texts of sources, sessions of memories, word frequencies."""

from collections.abc import Sequence

from signet.db import ReadTx
from signet.db.visibility import Reader
from signet.domain.episodes import brief, sql
from signet.domain.episodes.models import Source, SourceType
from signet.domain.transcripts import withheld

#: More pieces than any source has.
_LAST = 1_000_000


def whole(tx: ReadTx, type: SourceType, id: str, reader: Reader) -> str:
    """Return the text of a source that a reader may see, empty if none; `id` may be a long memory's group."""
    if type in (SourceType.SESSION, SourceType.COMMIT):
        return withheld.cleaned(tx, reader.agent_id, sql.whole(tx, reader.agent_id, type, id))
    source = Source(type=type, id=id, agent_id=reader.agent_id)
    return brief.around(tx, source, 0, _LAST, reader=reader)


def roots(tx: ReadTx, memory_ids: Sequence[str]) -> dict[str, str | None]:
    """Return the session from which each memory was distilled, None for no session."""
    return sql.roots(tx, memory_ids)


def count(tx: ReadTx, agent_id: str) -> int:
    return sql.sources(tx, agent_id)


def count_holding(tx: ReadTx, agent_id: str, words: str, *, but: Sequence[str], most: int) -> int:
    """Count the sources that match a full-text expression, except those in `but`; at most `most`."""
    return sql.holding(tx, agent_id, words, but=but, most=most)
