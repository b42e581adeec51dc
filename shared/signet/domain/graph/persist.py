"""From a model's triples to rows: entities, relations, edges and mentions (spec/pipeline.md §9).

Runs in a transaction of its own after the facts are written. Triples whose ends are no names are passed over:
models report units, dates, file paths and labels as if they were things.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from functools import partial

from signet import clock
from signet.db import WriteTx
from signet.domain.graph import names, store
from signet.domain.graph.lexicon import words
from signet.domain.graph.models import Triple

#: A name outside this is no name (spec/knowledge.md §1); two letters are enough for `Go`.
NAME_CHARS = range(2, names.MAX_NAME_CHARS + 1)
_LEFT, _RIGHT = "*_`#>- \t\r\n", "*_`>- \t\r\n"  # Markdown marks; the last sign of `C#` is none
_LABELS = words(
    "current status summary result results update updates note notes todo overview details context unknown n/a"
    " user assistant none null it this that they he she we you"
)
_UNITS = (
    "ms|s|sec|secs|seconds?|min|mins|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?|b|kb|mb|gb|tb|kib|mib"
    "|gib|px|em|rem|pt|nm|mm|cm|m|km|mg|g|kg|lbs?|hz|khz|mhz|ghz|w|kw|mw|fps|rps|qps|usd|eur|gbp|percent|x"
)
_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_NO_NAME = re.compile(
    r"[\W\d_]*"  # no letter: numbers, clock times, dates in digits
    rf"|[\W\d_]*(?:{_UNITS})"  # a number with its unit, or the unit alone
    rf"|{_DAY} {_MONTH}(?:,? \d{{4}})?|{_MONTH} {_DAY}(?:,? \d{{4}})?|{_MONTH} \d{{4}}"
    r"|\d{4}-\d\d-\d\dt.*"
    r"|[a-z][a-z0-9+.-]*://.*"
    r"|(?:~|\.{1,2}|[a-z]:)?[/\\].*|[\w.-]+(?:/[\w.-]+)+\.\w{1,5}",  # a path of a file
    re.IGNORECASE,
)


def triples(
    tx: WriteTx,
    memory_id: str,
    found: Sequence[Triple],
    *,
    facts: Sequence[tuple[str, str]] = (),
    agent_id: str,
    now: datetime,
) -> int:
    """Write the triples found in a memory and return how many were kept.

    Both ends are mentioned by the memory, and by each derived fact, given as (id, text), that names them.
    """
    at = clock.to_text(now)
    kept = 0
    for triple in found:
        source, target = name(triple.source), name(triple.target)
        relationship = names.canonical(triple.relationship)
        if not (source and target and relationship):
            continue
        if names.canonical(source) == names.canonical(target):
            continue
        source_id = _mention(tx, memory_id, facts, triple, source, triple.source_type, agent_id, at)
        target_id = _mention(tx, memory_id, facts, triple, target, triple.target_type, agent_id, at)
        store.relate(
            tx,
            source_id,
            target_id,
            type=relationship,
            confidence=triple.confidence,
            reason=f"{source} {relationship} {target}",
            agent_id=agent_id,
            at=at,
        )
        kept += 1
    return kept


def name(raw: str) -> str | None:
    """Return the name without Markdown marks; None when it cannot be the name of a thing."""
    text = _plain(raw)
    return text if _refused(text) is None else None


def flaw(raw: str) -> str | None:
    """Say what is wrong with a name that is there already, None when nothing is."""
    text = _plain(raw)
    return _refused(text) or ("Markdown marks" if text != " ".join(raw.split()) else None)


def _plain(raw: str) -> str:
    return " ".join(raw.lstrip(_LEFT).rstrip(_RIGHT).split())


def _refused(text: str) -> str | None:
    """Say why a text cannot be the name of a thing, None when it can."""
    if len(text) not in NAME_CHARS:
        return "too short" if len(text) < NAME_CHARS.start else "too long"
    if text.lower() in _LABELS:
        return "a label, no name"
    return "a number, date, unit, address or path" if _NO_NAME.fullmatch(text) else None


def _mention(
    tx: WriteTx,
    memory_id: str,
    facts: Sequence[tuple[str, str]],
    triple: Triple,
    found: str,
    type: str,
    agent_id: str,
    at: str,
) -> str:
    """Mention one end of a triple in the facts that name it and in their source; return the entity's id."""
    canonical = names.canonical(found)
    mention = partial(
        store.mention,
        tx,
        name=found,
        canonical=canonical,
        type=type,
        text=found,
        confidence=triple.confidence,
        agent_id=agent_id,
        at=at,
    )
    word = re.compile(rf"(?<!\w){re.escape(canonical)}(?!\w)")
    for fact_id, text in facts:
        if word.search(names.canonical(text)):
            mention(fact_id)
    return mention(memory_id)
