"""Messages between agents as a session reads them: without what was forgotten."""

from collections.abc import Mapping, Sequence

from signet.db import ReadTx
from signet.domain.agents import messages
from signet.domain.agents.messages import Inbox, Message
from signet.domain.transcripts import erased, withheld
from signet.domain.transcripts.withheld import Statement
from signet.queue.job_context import JobContext


def read(
    tx: ReadTx, whose: Inbox, *, since: str | None = None, after: int = 0, limit: int = 100
) -> list[Message]:
    """Return messages as `messages.inbox` does, without what is withheld from their reader."""
    found = messages.inbox(tx, whose, since=since, after=after, limit=limit)
    texts = withheld.all_cleaned(tx, whose.agent, [one.content for one in found])
    pairs = zip(found, texts, strict=True)
    return [one._replace(content=text) for one, text in pairs if text.strip()]


def erase(job: JobContext, known: Mapping[str, Sequence[Statement]]) -> int:
    """Take what was erased out of the messages that its agent has sent or got; return of how many."""
    return sum(erased.clean(job, erased.Texts(*texts), known) for texts in messages.TEXTS)
