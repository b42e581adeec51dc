"""What a person has erased is taken out of the texts that said it; forgetting alone leaves them as they are.

Which sentences say it is decided in `withheld.py`. The bytes go when the file is written anew (`memory/forget.py`).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from signet.db import ReadTx, WriteTx
from signet.domain.transcripts import sql, withheld
from signet.domain.transcripts.withheld import Statement
from signet.queue.job_context import JobContext

#: Of one word nobody knows what it says, so that no line is deleted for it.
LEAST_WORDS = 2
#: Texts that are read, and written, at once.
BATCH = 20


class Texts(NamedTuple):
    """Texts of a table: how a batch of them is read (rowid, agent, text) behind a rowid, and how one is written.

    `write` takes the new text, the rowid and the old text, so that nothing is lost that came meanwhile.
    """

    read: str
    write: str


class Cleaned(NamedTuple):
    """A text that says less now."""

    rowid: int
    before: str
    after: str


def of(tx: ReadTx) -> Mapping[str, list[Statement]]:
    """Return the erased statements that may be known again, by agent."""
    found: dict[str, list[Statement]] = {}
    for agent_id, *row in tx.tuples(sql.ERASED):
        one = withheld.read(*row)
        if len(one.words) >= LEAST_WORDS:
            found.setdefault(agent_id, []).append(one)
    return found


def clean(
    job: JobContext, texts: Texts, known: Mapping[str, Sequence[Statement]], *more: object
) -> int:
    """Take the statements out of the texts of a table and return how many changed. Raises LeaseLost, Cancelled.

    `more` are further parameters of its `read`.
    """
    changed = 0
    for found in saying(job, texts.read, known, *more):
        job.db.write(_write, texts, found)
        changed += len(found)
    return changed


def saying(
    job: JobContext, read: str, known: Mapping[str, Sequence[Statement]], *more: object
) -> Iterator[list[Cleaned]]:
    """Yield the texts of a table that say one of the statements, some at a time. Raises LeaseLost, Cancelled."""
    last = -1
    while known and (rows := job.db.read(_rows, read, (last, BATCH, *more))):
        job.check()
        last = rows[-1][0]
        found = [
            Cleaned(rowid, text, left)
            for rowid, agent_id, text in rows
            if (left := withheld.without(text, known.get(agent_id, ()))) != text
        ]
        if found:
            yield found


def clean_transcripts(
    job: JobContext, known: Mapping[str, Sequence[Statement]], session_key: str | None = None
) -> int:
    """Take statements out of the stored transcripts, or one of them; return how many changed."""
    clean(job, Texts(sql.OVERVIEW_TEXTS, sql.CLEAN_OVERVIEW), known, session_key)
    return clean(job, Texts(sql.TEXTS, sql.CLEAN), known, session_key)


def _rows(tx: ReadTx, read: str, asked: tuple[object, ...]) -> list[tuple[int, str, str]]:
    return [(row[0], row[1], row[2]) for row in tx.tuples(read, asked)]


def _write(tx: WriteTx, texts: Texts, found: Sequence[Cleaned]) -> None:
    tx.many(texts.write, [(one.after, one.rowid, one.before) for one in found])
