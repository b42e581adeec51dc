"""`signet recall`: search memories, sessions and commits."""

import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated

from signet import ids
from signet.cli import entry, identify, output, when
from signet.cli.command import Output, arg, command, opt
from signet.cli.entry import ID_CHARS, ListEntry
from signet.cli.options import (
    AgentOption,
    FullOption,
    MemoryFilters,
    NearestOption,
    PinnedOption,
    ProjectOption,
    check_type,
)
from signet.cli.output import Ink
from signet.client import PlainSignet
from signet.wire.origin import Origin, Review

if TYPE_CHECKING:
    from signet.client.answers import (
        Channel,
        Explanation,
        OmittedMemory,
        Recalled,
        RecallResult,
        Stage,
    )

#: Result kinds: a passage of a session or commit, and a session's ID prefix.
EPISODE, SESSION = "episode", "session"
TYPES = (SESSION, "commit")
#: Results with a lower score are shown as less likely: the default of `search.floor`.
LIKELY = 0.4


@command(pages=True)
def recall(
    signet: PlainSignet,
    filters: MemoryFilters,
    query: Annotated[str, arg("Question or keywords; - reads standard input.")],
    limit: NearestOption = 10,
    as_of: Annotated[
        str | None,
        opt(
            "Answer from the memories of this time; a date means its end.",
            metavar="TIME",
            parser=when.last,
        ),
    ] = None,
    project: ProjectOption = None,
    keyword_query: Annotated[str | None, "Use these words for the keyword search instead."] = None,
    pinned: PinnedOption = False,
    importance_min: Annotated[float | None, opt("Minimum importance (0–1).", min=0, max=1)] = None,
    min_score: Annotated[
        float | None, opt("Drop results scored below this (0–1).", min=0, max=1)
    ] = None,
    expand: Annotated[bool, "Add the conversations of the results."] = False,
    explain: Annotated[bool, "Explain the rank of each result."] = False,
    why_not: Annotated[
        str | None, opt("Explain why this memory is not among the results.", metavar="ID")
    ] = None,
    full: FullOption = False,
    agent: AgentOption = None,
) -> Output:
    """Search memories, earlier sessions and commits for the answer to a question, best match first.

    Examples: signet recall "tabs or spaces" · signet recall deploys -t decision --since 2026-01-01 --json
    """
    answer = signet.recall(
        sys.stdin.read() if query == "-" else query,
        **filters._asdict(),
        limit=limit,
        as_of=as_of,
        project=project,
        keyword_query=keyword_query,
        pinned=pinned,
        importance_min=importance_min,
        min_score=min_score,
        expand=expand,
        highlights=True,
        explain=explain,
        why_not=None if why_not is None else identify.whole(signet, why_not, agent=agent),
        agent_id=agent,
    )
    if not answer["results"] and filters.type not in TYPES:
        check_type(signet, filters.type, agent=agent)
    yield answer["results"]
    yield from _lines(answer, output.ink(sys.stdout), full=full)
    said = [*answer["results"], *([answer["nearest"]] if "nearest" in answer else [])]
    if key := next((one["source_id"] for one in said if one["id"].startswith(f"{SESSION}:")), None):
        import shlex

        output.hint(
            f"The whole session: signet sessions show {shlex.quote(output.plain(ids.short(key)))}"
        )
    if answer.get("incomplete"):
        output.hint("New texts are not searched by meaning yet. Ask again in a few seconds")
    for stage in answer.get("degraded", ()):
        output.hint(_without(stage, answer.get("degraded_reasons", {}).get(stage, "")))


def _without(stage: str, reason: str) -> str:
    """Return the text for a search stage that failed."""
    if stage != "vector":
        return f"This stage was skipped: {stage}"
    said = output.plain(reason) or "the embedding model gave no vector"
    return f"Keyword results only: {said} (see: signet status)"


def _lines(answer: "Recalled", ink: Ink, *, full: bool) -> Iterator[str]:
    yield from time_lines(answer, ink)
    if "nearest" in answer:
        nearest = answer["nearest"]
        yield "Nothing relevant found. The most similar:"
        yield from entry.lines(_entry(nearest), ink, full=full)
        yield f"  left out: {output.plain(nearest['left_out'])}"
    elif not answer["results"]:
        yield "No memories found"
    is_likely = True
    for hit in answer["results"]:
        if is_likely and hit["score"] < LIKELY:
            is_likely = False
            yield ink.dim("Less likely:")
        yield from entry.lines(_entry(hit), ink, full=full)
        yield from _parts(hit, ink, full=full)
        if "explain" in hit:
            yield from why_lines(hit["explain"], ink)
    if "why_not" in answer:
        yield f"\n{answer['why_not']['id'][:ID_CHARS]} {_standing(answer['why_not'])}"
        if "explain" in answer["why_not"]:
            yield from why_lines(answer["why_not"]["explain"], ink)
    for source, text in answer.get("sources", {}).items():
        yield f"\n{ink.bold(f'From {output.plain(source)}')}"
        yield from (f"  {line}" for line in output.paragraphs(text, 2))


def _standing(found: "OmittedMemory") -> str:
    if "place" in found:
        return f"is result {found['place']}"
    return f"was left out: {output.plain(found['left_out'])}"


def _parts(hit: "RecallResult", ink: Ink, *, full: bool) -> Iterator[str]:
    """Yield the merged parts of a result: one line, with `full` one per part."""
    if "more" in hit:
        yield ink.dim(f"  {hit['more']}" + ("" if full else " (--full shows them)"))
    for part in hit.get("parts", ()) if full else ():
        room = output.width() - 6 - ID_CHARS
        begin, *rest = output.wrapped(output.plain(part["content"]), room) or [""]
        yield f"    {part['id'][:ID_CHARS]} {begin}{' …' if rest else ''}"


def _origin(hit: "RecallResult") -> Iterator[str]:
    """Yield the origin of a result that is not the user's words, and whether it waits for review."""
    words = hit.get("origin", Origin.USER)
    if words != Origin.USER:
        yield f"origin: {words}"
    if hit.get("review") == Review.WAITING:
        yield "waits for review"
    if "shared" in hit:
        yield f"shared by {output.plain(hit['shared']['by'])} in {hit['shared']['space']}"


def _short(id_: str) -> str:
    kind, colon, key = id_.partition(":")
    return f"{kind}:{ids.short(key)}" if colon else id_


def _entry(hit: "RecallResult") -> ListEntry:
    facts = [output.plain(hit["says"]), *_origin(hit)]
    facts += [output.path(hit["project"])] if hit["project"] else []
    if "superseded_by" in hit:
        until = f" {output.day(hit['valid_to'])}" if "valid_to" in hit else ""
        facts.append(f"corrected{until} by {hit['superseded_by'][:ID_CHARS]}")
    elif "newer" in hit:
        newer = hit["newer"]
        until = f"until {output.day(newer['since'])}{' in part' if newer['is_part'] else ''}"
        facts.append(f"{until}, replaced by {output.plain(newer['id'])[:ID_CHARS]}")
    return ListEntry(
        id=output.plain(_short(hit["id"])),
        content=hit["content"],
        created_at=hit["created_at"],
        event_at=hit.get("event_at"),
        score=hit["score"],
        pinned=hit["pinned"],
        tags=hit["tags"],
        facts=tuple(facts),
        highlights=hit.get("highlights", ()),
        title=hit.get("title"),
    )


#: Smaller score changes are invisible in two decimals.
_VISIBLE = 0.005
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def why_lines(why: "Explanation", ink: Ink) -> Iterator[str]:
    """Yield how one result was found, and how each stage changed its score."""
    yield f"    found by {_channels(why['channels'])}"
    for stage in why["stages"]:
        if abs(stage["after"] - stage["before"]) >= _VISIBLE:
            yield f"    {stage['after']:.2f} {_moved(stage, ink)}"
    if helped := why.get("helped"):
        yield f"    helped {helped['times']} of {helped['of']} times"


def time_lines(answer: "Recalled", ink: Ink) -> Iterator[str]:
    """Yield the time range that was read from the question."""
    time = answer.get("time")
    if time is None:
        return
    spans = [_asked_span(one) for one in time["intervals"]]
    anchor = f" ({time['relation']} {time['anchor']})" if "anchor" in time else ""
    yield ink.dim(f"Asked about {' and '.join(spans)}{anchor}")


def _channels(channels: "Mapping[str, Channel]") -> str:
    by = [
        f"{one['says']} ({_ordinal(one['rank'])}, {one['score']:.2f})"
        for one in channels.values()
        if "rank" in one
    ]
    beside = [
        f"{one['says']} ({one['score']:.2f})" for one in channels.values() if "rank" not in one
    ]
    weighed = f"; other votes: {', '.join(beside)}" if beside else ""
    return (" and ".join(by) or "its neighbours") + weighed


def _moved(stage: "Stage", ink: Ink) -> str:
    if stage["before"] == 0:
        return f"  {stage['says']}"
    mark = ink.good("▲") if stage["after"] >= stage["before"] else ink.warn("▼")
    return f"{mark} {stage['says']}"


def _asked_span(interval: Mapping[str, str | None]) -> str:
    start, end = interval["from"], interval["to"]
    if start and end:
        first, last = output.day(start), output.last_day(end)
        return first if first == last else f"{first} to {last}"
    return (
        f"the time from {output.day(start)}" if start else f"the time before {output.day(str(end))}"
    )


def _ordinal(rank: int) -> str:
    ending = "th" if 10 <= rank % 100 <= 20 else _ENDINGS.get(rank % 10, "th")
    return f"{rank}{ending}"
