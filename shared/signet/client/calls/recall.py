"""Finding memories: by a question, by words, by nearness."""

from collections.abc import Sequence

from signet.client.call import Call, ask, one_or_more, only
from signet.client.method import method
from signet.wire import recall as wire
from signet.wire.recall import ContextAnswer, EpisodePage, Found, FoundMany, Recalled, Values


def _listed(tags: str | Sequence[str] | None) -> str | None:
    return tags if tags is None or isinstance(tags, str) else ",".join(tags)


def _values(column: str, agent_id: str | None) -> Call[list[str]]:
    call = ask(wire.SEARCH, distinct=column, agent_id=agent_id)
    return only(Values, call).picking(lambda found: found["values"])


class RecallCalls:
    """Finding memories: by a question, by words, by nearness."""

    @method
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
        entities: bool = False,
        cards: bool = False,
        scope: str | None = None,
        agent_id: str | None = None,
        session_key: str | None = None,
    ) -> Call[Recalled]:
        """Return what answers a question, best first, under `results`.

        Time in the question ("last week") is understood, measured from `now` and with days of `timezone` (an IANA name;
        both are the daemon's otherwise). `as_of` answers with what was believed at that time. Times are ISO-8601 or
        YYYY-MM-DD. `expand` adds the transcripts that results come from under `sources`, `explain` says for each result
        why it is where it is, `entities` and `cards` tell what is known about the names in the question.
        """
        body = {
            "query": query,
            "limit": limit,
            "keywordQuery": keyword_query,
            "type": type,
            "tags": one_or_more(tags),
            "who": who,
            "project": project,
            "pinned": pinned or None,
            "importance_min": importance_min,
            "min_score": min_score,
            "since": since,
            "until": until,
            "as_of": as_of,
            "now": now,
            "timezone": timezone,
            "expand": expand or None,
            "explain": explain or None,
            "entities": entities or None,
            "cards": cards or None,
            "scope": scope,
            "agentId": agent_id,
            "sessionKey": session_key,
        }
        return ask(wire.RECALL, body=body, is_safe=True)

    @method
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
    ) -> Call[ContextAnswer]:
        """Return what is remembered about a prompt as one text, with what is in it."""
        body = {
            "prompt": prompt,
            "limit": limit,
            "maxChars": max_chars,
            "project": project,
            "minScore": min_score,
            "scope": scope,
            "agentId": agent_id,
            "sessionKey": session_key,
        }
        return only(ContextAnswer, ask(wire.CONTEXT, body=body, is_safe=True))

    @method
    def episode(self, id: str, *, page: int = 1, agent_id: str | None = None) -> Call[EpisodePage]:
        """Return one page of all of an episode in a context, by the id of its source (`session:abc`).

        Raises NotFound for one that is unknown or another agent's.
        """
        body = {"id": id, "page": page, "agentId": agent_id}
        return only(EpisodePage, ask(wire.CONTEXT, body=body, is_safe=True))

    @method
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
    ) -> Call[list[Found]]:
        """Return memories that hold the words, best first; without words, those that pass the filters.

        `recall` understands questions; this looks for words alone.
        """
        call = ask(
            wire.SEARCH,
            q=query,
            limit=limit,
            type=type,
            tags=_listed(tags),
            who=who,
            pinned=pinned or None,
            importance_min=importance_min,
            since=since,
            agent_id=agent_id,
        )
        return only(FoundMany, call).picking(lambda found: found["results"])

    @method
    def authors(self, *, agent_id: str | None = None) -> Call[list[str]]:
        """Return everybody who ever said something, in alphabetical order."""
        return _values("who", agent_id)

    @method
    def types(self, *, agent_id: str | None = None) -> Call[list[str]]:
        """Return every type that a memory has, in alphabetical order."""
        return _values("type", agent_id)

    @method
    def similar(
        self, memory_id: str, *, k: int = 10, type: str | None = None, agent_id: str | None = None
    ) -> Call[list[Found]]:
        """Return the memories nearest to one, nearest first; raises NotFound when it has no vector."""
        call = ask(wire.SIMILAR, id=memory_id, k=k, type=type, agent_id=agent_id)
        return call.picking(lambda found: found["results"])
