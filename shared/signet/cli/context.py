"""`signet why`: show a session's injections, their sources and reasons, and what was used."""

import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from signet.cli import output
from signet.cli.command import Output, arg, command, opt
from signet.cli.entry import ID_CHARS
from signet.cli.options import AgentOption
from signet.cli.output import Ink
from signet.client import Signet
from signet.client.answers import ContextInjection, ContextItem, SessionContext
from signet.errors import NotFound

#: How to correct what a session received.
CORRECT = (
    "Correct a memory: signet edit ID --type fact (not a rule)",
    "  or --project . (only here), --pin (prefer); signet forget ID",
)
LATEST = "latest"
#: Items shown per injection, used ones first; `--prompt` shows all.
MOST_SHOWN = 5
SIGNS = {
    "named": "named",
    "quoted": "quoted",
    "values": "its values appear there",
    "words": "its rare words appear there",
}
STATES = {"changed": "changed since", "forgotten": "forgotten since", "gone": "deleted since"}
PHASES = {"start": "Session start", "compaction": "Before compaction", "recall": "Recall"}


@command()
def why(
    signet: Signet,
    session: Annotated[
        str | None,
        arg("Session key, or its first characters; default: the newest of this folder.", "SESSION"),
    ] = None,
    prompt: Annotated[
        int | None, opt("Show the texts injected with this prompt; 0: the session start.", min=0)
    ] = None,
    agent: AgentOption = None,
) -> Output:
    """Show what was injected into a session, why, and what was used.

    Without SESSION, shows the newest session of this folder. Changes nothing.

    Examples: signet why · signet why 3f2a91c0 · signet why 3f2a91c0 --prompt 2 · signet why --json
    """
    folder = str(Path.cwd())
    answer = signet.session_context(
        session or LATEST, project=None if session else folder, agent_id=agent
    )
    if prompt is not None:
        answer["injections"] = [one for one in answer["injections"] if one["prompt"] == prompt]
        if not answer["injections"]:
            last = answer["totals"]["prompts"]
            raise NotFound(f"This session has {output.count(last, 'prompt')}; there is no {prompt}")
    yield answer
    ink = output.ink(sys.stdout)
    if session is None:
        output.say(ink.dim(f"The newest session of {output.path(folder)}"))
    yield from _head(answer, ink)
    for one in answer["injections"]:
        yield from _texts(one, ink) if prompt is not None else summary_lines(one, ink)
    key = output.plain(answer["sessionKey"])
    if prompt is None:
        if (number := _worth_reading(answer["injections"])) is not None:
            output.hint(f"Texts: signet why {shlex.quote(key)} --prompt {number}")
    elif any(one["bestScore"] is not None for one in answer["injections"]):
        output.hint("Explain the ranking: signet recall QUESTION --explain")
    memories = (item for one in answer["injections"] for item in one["given"])
    if any(item["kind"] == "memory" for item in memories):
        for line in CORRECT:
            output.hint(line)


def _worth_reading(injections: Sequence[ContextInjection]) -> int | None:
    """Return the first prompt with an injection, else the first one with anything to show, else None."""
    given = [one for one in injections if one["given"]]
    prompts = [one for one in given if one["phase"] == "prompt"]
    shown = [*prompts, *given, *(one for one in injections if one["leftOut"])]
    return shown[0]["prompt"] if shown else None


def _head(answer: SessionContext, ink: Ink) -> Iterator[str]:
    facts = [
        output.plain(answer["harness"]) or "unknown harness",
        output.path(answer["project"]) if answer["project"] else "no project",
        output.local(answer["startedAt"]),
        "ended" if answer["isOver"] else "still running",
    ]
    yield ink.bold(f"Session {output.plain(answer['sessionKey'])}")
    yield " · ".join(facts)
    sums = answer["totals"]
    use = [f"{sums['used']} used", f"{sums['notUsed']} not used"]
    if sums["unknown"]:
        use.append(f"{sums['unknown']} not known yet")
    yield (
        f"{output.count(sums['prompts'], 'prompt')} · {sums['given']} injected: {', '.join(use)}"
        f" · {sums['leftOut']} left out · about {sums['tokens']:,} tokens"
    )


def _title(one: ContextInjection, ink: Ink) -> str:
    name = PHASES.get(one["phase"], f"Prompt {one['prompt']}")
    cost = f"about {one['tokens']:,} tokens" if one["chars"] else "nothing"
    return f"\n{ink.bold(name)}  {output.local(one['at'])[11:]}  {cost}"


def summary_lines(one: ContextInjection, ink: Ink) -> Iterator[str]:
    yield _title(one, ink)
    yield from _message(one, ink)
    sections = [item for item in one["given"] if item["kind"] == "section"]
    others = [item for item in one["given"] if item["kind"] != "section"]
    others.sort(key=lambda item: item["use"] != "used")
    for item in others[:MOST_SHOWN]:
        yield f"  {_use(item, ink)}  {_name(item)}, {item['says']}"
        if text := item["text"] or STATES.get(item["state"], ""):
            yield ink.dim(f"            {output.short(text, output.width() - 12)}")
    if len(others) > MOST_SHOWN:
        rest = others[MOST_SHOWN:]
        used = sum(item["use"] == "used" for item in rest)
        yield f"            and {len(rest)} more" + (f", {used} of them used" if used else "")
    if sections:
        names = ", ".join(item["says"] for item in sections)
        room = output.width() - 12
        lines = output.wrapped(f"standing parts: {names}", room)
        yield from (ink.dim(f"            {line}") for line in lines)
    if one["leftOut"]:
        counts = Counter(item["says"] for item in one["leftOut"])
        reasons = "; ".join(f"{count} {reason}" for reason, count in counts.most_common())
        first, *more = output.wrapped(f"{reasons}{_nearest(one)}", output.width() - 12)
        yield f"  left out  {first}"
        yield from (f"            {line}" for line in more)
    elif not one["given"]:
        yield f"  nothing was similar enough{_nearest(one)}"


def _message(one: ContextInjection, ink: Ink) -> Iterator[str]:
    if one["message"]:
        yield ink.dim(f'  "{output.short(one["message"], output.width() - 4)}"')


def _nearest(one: ContextInjection) -> str:
    best, floor = one["bestScore"], one["floor"]
    if best is None or floor is None or best >= floor:
        return ""
    return f" (nearest memory {best:.2f} of {floor:.2f})"


def _use(item: ContextItem, ink: Ink) -> str:
    """Return the use of an item in a column of eight."""
    use = {"used": "used", "not used": "not used", "not known yet": "?"}.get(item["use"] or "", "")
    text = f"{use:<8}"
    return ink.good(text) if use == "used" else ink.dim(text)


def _name(item: ContextItem, *, whole: bool = False) -> str:
    id_ = output.plain(item["id"])
    name = id_ if whole or item["kind"] == "section" else id_[:ID_CHARS]
    day = f" of {output.day(item['saidAt'])}" if item["saidAt"] else ""
    return f"{item['kind']} {name}{day}"


def _texts(one: ContextInjection, ink: Ink) -> Iterator[str]:
    """Yield an injection with its texts and all excluded items."""
    yield _title(one, ink)
    yield from _message(one, ink)
    for item in one["given"]:
        yield f"\n{ink.bold(_name(item, whole=True))}"
        yield f"  {'; '.join(_facts(item))}"
        if item["text"]:
            yield from (f"    {line}" for line in output.paragraphs(item["text"], 4))
    if one["leftOut"]:
        yield f"\n{ink.bold('Left out')}{_nearest(one)}"
        for item in one["leftOut"]:
            yield f"  {_name(item)}: {item['says']}"
            if item["text"]:
                yield ink.dim(f"    {output.short(item['text'], output.width() - 4)}")


def _facts(item: ContextItem) -> Sequence[str]:
    facts = [item["says"], f"about {item['tokens']:,} tokens"]
    if item["usedBy"] and item["usedIn"] is not None:
        tool = item["usedIn"].get("tool")
        place = f"a call of {output.plain(tool)}" if tool else "an answer"
        turn = item["usedIn"].get("turn", 0) + 1
        facts.append(f"used in {place} ({SIGNS[item['usedBy']]}), message {turn}")
    elif item["use"]:
        facts.append(item["use"])
    if item["state"] in STATES:
        facts.append(STATES[item["state"]])
    if item["sourceId"]:
        source = f"{item['sourceType'] or 'source'} {item['sourceId']}"
        facts.append(f"from {output.plain(source)}")
    return facts
