"""Measure the facts that the built-in rules read from coding sessions, and the statements that session starts list.

`loadtests/statements/sessions.txt` holds 25 invented sessions. Their statements worth keeping were marked before their
author read the rules. Odd sessions are for fitting, even ones for reporting. No process is started.

| figure | what it counts |
| --- | --- |
| `found` | marked statements, without open items, of which a fact is kept |
| `good` | facts that come from a marked statement |
| `listed` | decisions, rules and open items that a session start could list |
| `listed_good` | listed texts that come from a marked statement |

A fact comes from a statement if most of its words, or of the statement's, are in the other. The notes list every fact
and listed text that does not, and every statement that is missed: a person has to read them, too.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from loadtests.report import Options, Report

FILE = Path(__file__).parent.parent / "statements" / "sessions.txt"
HALVES = ("tune", "believe")
#: The gate of the pipeline (`minFactConfidenceForWrite`).
GATE = 0.7
#: Share of the words of a text that the other has.
SHARE = 0.6
#: Kinds of statements that a session start lists; open items are listed and not stored.
LISTED = ("decision", "rule", "change", "open", "constraint")
_MARK = re.compile(r"\{(\w+): ([^{}]+)\}")
_WORD = re.compile(r"[^\W_]+")
_TOLD = frozenset(
    "the user team s a an is are we i our my to of and in it for das der die le la les".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One session as the product stores it, and its marked statements as pairs of kind and text."""

    name: str
    text: str
    marked: Sequence[tuple[str, str]]


def sessions() -> Iterator[Session]:
    """Yield the sessions of the file."""
    for part in FILE.read_text("utf-8").split("\n== ")[1:]:
        head, _, body = part.partition("\n")
        plain = _MARK.sub(r"\2", body)
        turns = plain.replace("\n> ", "\nUser: ").replace("\n< ", "\nAssistant: ")
        text = ("\n" + turns).replace("\n> ", "User: ", 1).strip()
        yield Session(name=head, text=text, marked=_MARK.findall(body))


def from_same(one: str, other: str) -> bool:
    """Return whether most words of one of two texts are in the other."""
    ours, theirs = ({*_WORD.findall(text.lower())} - _TOLD for text in (one, other))
    least = min(len(ours), len(theirs))
    return len(ours & theirs) >= max(1.0, SHARE * least)


def run(options: Options) -> Report:
    """Measure and report."""
    from signet.domain.extraction import rules
    from signet.domain.sessions import decided

    report = Report(
        ("half", "sessions", "marked", "facts", "good", "found", "listed", "listed_good")
    )
    every = list(sessions())
    for at, half in enumerate(HALVES):
        facts = good = kept = found = told = told_good = listable = listed = 0
        own = every[at::2]
        for one in own:
            name = f"{half} {one.name}"
            stored = [fact for fact in rules.extract(one.text).facts if fact.confidence >= GATE]
            starts = decided.listable(one.text)
            for fact in stored:
                is_good = any(from_same(fact.content, text) for _, text in one.marked)
                facts, good = facts + 1, good + is_good
                report.notes.append(
                    f"{name} | {'fact' if is_good else 'WRONG'} [{fact.type}] {fact.content}"
                )
            for text in starts:
                is_good = any(from_same(text, other) for _, other in one.marked)
                told, told_good = told + 1, told_good + is_good
                report.notes.append(f"{name} | {'start' if is_good else 'WRONG start'} {text}")
            for kind, text in one.marked:
                if kind != "open":
                    is_kept = any(from_same(fact.content, text) for fact in stored)
                    kept, found = kept + 1, found + is_kept
                    report.notes += [] if is_kept else [f"{name} | MISSED {kind}: {text}"]
                if kind in LISTED:
                    is_told = any(from_same(other, text) for other in starts)
                    listable, listed = listable + 1, listed + is_told
                    report.notes += [] if is_told else [f"{name} | MISSED start {kind}: {text}"]
        report.rows.append(
            (
                half,
                len(own),
                kept,
                facts,
                good / max(facts, 1),
                found / kept,
                listed / listable,
                told_good / max(told, 1),
            )
        )
        report.figures |= {
            f"{half}_good": good / max(facts, 1),
            f"{half}_found": found / kept,
            f"{half}_listed": listed / listable,
            f"{half}_listed_good": told_good / max(told, 1),
        }
    return report
