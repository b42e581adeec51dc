"""The answer for clients (REC-22, REC-23). Pure.

`results`, `query` and `method` are the contract; other published clients read `memories`, `count`, `stats` and some
fields of a result.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import cast

from signet import ids
from signet.db import highlight
from signet.domain.recall import explain
from signet.domain.recall.models import FoundBy, Hit, PartKind, Result, Why, WhyNot
from signet.text import words as said
from signet.wire import recall as wire
from signet.wire.recall import Recalled

#: Follows a truncated text.
CUT = " [truncated]"
#: Precedes a text that begins at a query word.
BEFORE = "[…] "

#: Characters shown of a part, enough for a line, and most parts of a result.
PART_CHARS = 160
MAX_PARTS = 10

_NAMES = (
    (PartKind.PASSAGE, "more passage", "more passages"),
    (PartKind.FACT, "fact", "facts"),
    (PartKind.COPY, "copy", "copies"),
)


def body(result: Result, *, highlights: bool = False) -> Recalled:
    """Return the JSON body of an answer; with `highlights`, long texts are cut around the query words."""
    marked = result.words if highlights else None
    results = [row(hit, truncate_chars=result.truncate_chars, words=marked) for hit in result.hits]
    answer: Recalled = {
        "results": results,
        "query": result.query,
        "method": result.method,
        "memories": results,
        "count": len(results),
        "stats": {"total": len(results), "searchTime": round(result.took_ms, 2)},
    }
    if result.nearest is not None:
        nearest = row(result.nearest.hit, truncate_chars=result.truncate_chars, words=marked)
        answer["nearest"] = {**nearest, "left_out": result.nearest.why}
    rest = {
        "entities": result.entities,
        "sources": result.sources,
        "time": result.time,
        "explain": result.account,
        "degraded": result.degraded or None,
        "why_not": _why_not(result.why_not) if result.why_not else None,
    }
    return cast(Recalled, {**answer, **_known(rest)})


def _known(fields: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None}


def _why_not(found: WhyNot) -> wire.OmittedMemory:
    rest = {
        "place": found.place,
        "score": None if found.score is None else round(found.score, 2),
        "explain": _explained(found.why) if found.why else None,
    }
    return cast(wire.OmittedMemory, {"id": found.id, "left_out": found.left_out, **_known(rest)})


def row(hit: Hit, *, truncate_chars: int, words: Sequence[str] | None = None) -> wire.RecallResult:
    """Return one result, truncating a longer text; with `words`, cut around these, with their positions."""
    if hit.source is FoundBy.EPISODE:  # a passage was cut when it was chosen
        truncate_chars = len(hit.content)
    is_long = len(hit.content) > truncate_chars
    start, end = 0, min(truncate_chars, len(hit.content))
    if words and is_long:
        places = highlight.ranges(hit.content, words)
        start, end = highlight.window(hit.content, places, truncate_chars)
    shown = f"{BEFORE if start else ''}{hit.content[start:end]}"
    marked = None if words is None else [[*one] for one in highlight.ranges(shown, words)]
    fields: wire.RecallResult = {
        "id": hit.id,
        "content": shown + CUT if is_long else shown,
        "says": said.memory(hit.type, hit.who, hit.source_type, hit.origin),
        "content_length": len(hit.content),
        "truncated": is_long,
        "score": round(hit.score, 2),
        "source": hit.source,
        "type": hit.type,
        "tags": hit.tags,
        "pinned": hit.pinned,
        "importance": hit.importance,
        "who": hit.who,
        "project": hit.project,
        "created_at": hit.created_at,
        "source_type": hit.source_type,
        "source_id": hit.source_id,
        "accessCount": hit.access_count,
        "lastAccessed": hit.last_accessed,
    }
    if hit.parts:
        fields["more"] = more([part.kind for part in hit.parts])
        fields["parts"] = [
            {"id": part.id, "kind": part.kind, "content": part.content[:PART_CHARS]}
            for part in hit.parts[:MAX_PARTS]
        ]
    shared = ids.shared_by(hit.agent_id, hit.visibility)
    others = {
        "origin": hit.origin,
        "review": hit.review,
        "shared": shared and {"by": shared[0], "space": shared[1]},
        "event_at": hit.event_at,
        "valid_from": hit.valid_from,
        "valid_to": hit.valid_to,
        "superseded": hit.superseded_by and True,
        "superseded_by": hit.superseded_by,
        "newer": hit.newer,
        "supplementary": hit.supplementary or None,
        "highlights": marked,
        "explain": _explained(hit.why) if hit.why else None,
    }
    return cast(wire.RecallResult, {**fields, **_known(others)})


def more(kinds: Sequence[PartKind]) -> str:
    """Return the line below a result: "and 2 more passages, 1 fact"."""
    counts = Counter(kinds)
    told = [
        f"{counts[kind]} {many if counts[kind] > 1 else one}"
        for kind, one, many in _NAMES
        if counts[kind]
    ]
    return f"and {', '.join(told)}"


def _explained(why: Why) -> wire.Explanation:
    found: wire.Explanation = {
        "channels": {name: _channel(name, said, why) for name, said in why.channels.items()},
        "stages": [
            {
                "stage": step.stage,
                "before": round(step.before, 4),
                "after": round(step.after, 4),
                "says": explain.stage(step.stage, step.before, step.after),
            }
            for step in why.steps
        ],
    }
    if why.neighbours:
        found["neighbours"] = list(why.neighbours)
    if why.path:
        found["path"] = list(why.path)
    if why.helped:
        found["helped"] = {"times": why.helped[0], "of": why.helped[1]}
    return found if why.relevance is None else {"relevance": round(why.relevance, 4), **found}


def _channel(name: str, said: Mapping[str, float], why: Why) -> wire.Channel:
    channel: wire.Channel = {"score": said["score"], "says": explain.channel(name)}
    if "rank" in said:
        channel["rank"] = int(said["rank"])
    if "bm25" in said:
        channel["bm25"], channel["words"] = said["bm25"], int(said["words"])
        channel["matched"] = {word: round(bm25, 4) for word, bm25 in why.matched.items()}
    return channel
