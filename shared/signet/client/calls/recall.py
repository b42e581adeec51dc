"""Search memories by question, words or similarity."""

from collections.abc import Sequence

from signet.client.call import Call, ask, only
from signet.client.method import asks, method
from signet.wire import recall as wire


def _values(column: str, agent_id: str | None) -> Call[list[str]]:
    call = ask(wire.SEARCH, distinct=column, agent_id=agent_id)
    return only(wire.Values, call).picking(lambda found: found["values"])


class RecallCalls:
    """Search memories by question, words or similarity."""

    @asks(wire.RECALL, is_safe=True)
    def recall(
        self,
        query: str,
        *,
        limit: int = 10,
        keyword_query: str | None = None,
        type: str | None = None,
        tags: str | Sequence[str] | None = None,
        who: str | None = None,
        project: str | None = None,
        pinned: bool = False,
        importance_min: float | None = None,
        min_score: float | None = None,
        since: str | None = None,
        until: str | None = None,
        as_of: str | None = None,
        now: str | None = None,
        timezone: str | None = None,
        expand: bool = False,
        explain: bool = False,
        why_not: str | None = None,
        touch: bool | None = None,
        entities: bool = False,
        cards: bool = False,
        scope: str | None = None,
        agent_id: str | None = None,
        session_key: str | None = None,
    ) -> wire.Recalled:
        """Return the answers to a question, best first, under `results`.

        Times in the question ("last week") are interpreted relative to `now`, with days of `timezone` (an IANA name;
        both default to the daemon's). `as_of` answers with the state of that time. Times are ISO-8601 or YYYY-MM-DD.
        `expand` adds the results' transcripts under `sources`, `explain` explains each result's rank, `why_not` (an
        ID) why that memory is not a result. With `touch` False the results do not count as used. `entities` and
        `cards` describe the entities in the question.
        """

    @asks(wire.CONTEXT, kind=wire.ContextAnswer, is_safe=True)
    def context(
        self,
        prompt: str,
        *,
        limit: int | None = None,
        max_chars: int | None = None,
        project: str | None = None,
        min_score: float | None = None,
        scope: str | None = None,
        agent_id: str | None = None,
        session_key: str | None = None,
    ) -> wire.ContextAnswer:
        """Return the context for a prompt as one text, with its sources."""

    @asks(wire.CONTEXT, kind=wire.EpisodePage, is_safe=True)
    def episode(self, id: str, *, page: int = 1, agent_id: str | None = None) -> wire.EpisodePage:
        """Return one page of a source in a context, by its ID (`session:abc`).

        Raises NotFound for an unknown or foreign one.
        """

    @asks(
        wire.SEARCH, kind=wire.FoundMany, pick=lambda found: found["results"], names={"query": "q"}
    )
    def search(
        self,
        query: str | None = None,
        *,
        limit: int | None = None,
        type: str | None = None,
        tags: str | Sequence[str] | None = None,
        who: str | None = None,
        pinned: bool = False,
        importance_min: float | None = None,
        since: str | None = None,
        agent_id: str | None = None,
    ) -> list[wire.Found]:
        """Return memories that contain the words, best first; without words, those that pass the filters.

        `recall` understands questions; this matches only words.
        """

    @method
    def authors(self, *, agent_id: str | None = None) -> Call[list[str]]:
        """Return every author, in alphabetical order."""
        return _values("who", agent_id)

    @method
    def types(self, *, agent_id: str | None = None) -> Call[list[str]]:
        """Return every type in use, in alphabetical order."""
        return _values("type", agent_id)

    @asks(wire.SIMILAR, pick=lambda found: found["results"], names={"memory_id": "id"})
    def similar(
        self, memory_id: str, *, k: int = 10, type: str | None = None, agent_id: str | None = None
    ) -> list[wire.Found]:
        """Return the most similar memories, best first; raises NotFound for a memory without a vector."""
