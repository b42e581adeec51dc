"""Draw facts of the built-in rules for a person to judge: standalone, and true to the text?

Reads the evaluation data as the pipeline reads sessions (one transcript each) and draws uniformly from the facts that
pass the gate, so the share of good ones is the precision. The conversations form six parts: rules are tuned on some
and judged on others. `--without` excludes facts shown in the files of earlier draws. No data is stored.

    python loadtests/rules_draw.py --data ../shared/data --parts 4 5 --seed 1 [--count 100] [--without FILE …]
    python loadtests/rules_draw.py --sets sde talk --parts 3 4 5   # engineers; talk is loadtests/talk
    python loadtests/rules_draw.py --sample                      # all facts of the sample session

Prints the number of facts and characters per set, then for each drawn fact: number, fact, type, source (set,
conversation, session, turn, speaker), and the surrounding text.
"""

import argparse
import gzip
import hashlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SETS = ("beam-100k", "lme-mini", "locomo", "sde", "talk")
#: Conversations between engineers, written for this: `User: …`, `Assistant: …`, one file each.
TALK = ROOT / "loadtests" / "talk"
PARTS = 6
#: The gate of the pipeline (`minFactConfidenceForWrite`).
GATE = 0.7
#: Characters of a turn to print before and after a fact's words.
AROUND = 280
_WORD = re.compile(r"[\w'’]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One transcript: speakers and texts, in order."""

    name: str
    set_: str
    part: int
    turns: Sequence[tuple[str, str]]

    @property
    def text(self) -> str:
        """Return the transcript as the pipeline gets it."""
        return "\n".join(f"{who.capitalize()}: {said}" for who, said in self.turns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One fact, its location and the surrounding text."""

    fact: str
    type: str
    source: str
    around: str


def sessions(data: Path, sets: Sequence[str]) -> Iterator[Session]:
    """Yield all sessions; a part contains whole conversations, in LongMemEval sessions, which are unrelated."""
    from loadtests.evidence import all_items

    if "sde" in sets:
        yield from _of_developers(data)
    if "talk" in sets:
        yield from _talk()
    for set_ in (one for one in SETS[:3] if one in sets):
        for at, (name, items) in enumerate(all_items(data, set_, "turns")):
            found: dict[str, list[tuple[str, str]]] = {}
            for item in items:
                found.setdefault(item["session"], []).append((item["who"], item["text"]))
            for place, (session, turns) in enumerate(found.items()):
                part = (place if set_ == "lme-mini" else at) % PARTS
                yield Session(name=f"{name}/{session}", set_=set_, part=part, turns=turns)


def _of_developers(data: Path) -> Iterator[Session]:
    """Yield the developers' conversations, of tasks and unrelated ones."""
    raw = json.loads(gzip.decompress((data / "sde" / "sde.json.gz").read_bytes()))
    talks = [talk["turns"] for talk in raw["decoys"]]
    talks += [talk for task in raw["tasks"] for talk in task["conversations"]]
    for at, talk in enumerate(talks):
        turns = [(turn["role"], turn["text"]) for turn in talk]
        yield Session(name=f"sde/{at}", set_="sde", part=at % PARTS, turns=turns)


def _talk() -> Iterator[Session]:
    """Yield our own conversations."""
    from signet.domain.transcripts import transcript

    for at, file in enumerate(sorted(TALK.glob("*.txt"))):
        turns = [(turn.role, turn.text) for turn in transcript.parse(file.read_text("utf-8"))]
        yield Session(name=f"talk/{file.stem}", set_="talk", part=at % PARTS, turns=turns)


def sample() -> Session:
    """Return the sample session."""
    from signet.domain.transcripts import transcript

    log = ROOT / "shared" / "signet" / "templates" / "quickstart-session.jsonl"
    turns = [(turn.role, turn.text) for turn in transcript.parse(log.read_text(encoding="utf-8"))]
    return Session(name="sample", set_="sample", part=0, turns=turns)


def kept(session: Session) -> Iterator[Kept]:
    """Yield the facts that pass the gate."""
    from signet.domain.extraction import rules

    for fact in rules.extract(session.text).facts:
        if fact.confidence >= GATE:
            place, around = _context(fact.content, session.turns)
            who = session.turns[place][0]
            source = f"{session.name}#{place} {who}"
            yield Kept(fact=fact.content, type=fact.type, source=source, around=around)


def _context(fact: str, turns: Sequence[tuple[str, str]]) -> tuple[int, str]:
    """Return the turn that shares the longest run of words with a fact, and the surrounding text."""
    words = _WORD.findall(re.sub(r"\bthe (?:user|team)(?:'s)?\b", "", fact, flags=re.IGNORECASE))
    for length in range(len(words), 0, -1):
        for start in range(len(words) - length + 1):
            run = re.compile(r"\W+".join(map(re.escape, words[start : start + length])))
            for place, (_, said) in enumerate(turns):
                if found := run.search(said):
                    begin, end = max(found.start() - AROUND, 0), found.end() + AROUND
                    return place, " ".join(said[begin:end].split())
    return 0, ""


def drawn(pool: Sequence[Kept], seed: int) -> list[Kept]:
    """Shuffle the facts by a hash, so that changed rules only add and remove facts."""
    return sorted(pool, key=lambda one: hashlib.sha256(f"{seed} {one}".encode()).digest())


def main() -> int:
    """Print the draw."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--sample", action="store_true", help="the shipped session, all facts")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--parts", type=int, nargs="+", default=list(range(PARTS)))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--without", type=Path, nargs="*", default=[], help="earlier draws")
    asked = parser.parse_args()
    every = [sample()] if asked.sample else list(sessions(asked.data, asked.sets))
    read = [session for session in every if session.part in asked.parts]
    found = {session.name: list(kept(session)) for session in read}
    for set_ in sorted({session.set_ for session in read}):
        own = [session for session in read if session.set_ == set_]
        counts = {
            "sessions": len(own),
            "characters": sum(len(session.text) for session in own),
            "facts": sum(len(found[session.name]) for session in own),
        }
        print(json.dumps({"set": set_} | counts))
    seen = "".join(file.read_text(encoding="utf-8") for file in asked.without)
    pool = [one for facts in found.values() for one in facts if f" {one.fact} [" not in seen]
    order = pool if asked.sample else drawn(pool, asked.seed)[: asked.count]
    for number, one in enumerate(order, 1):
        print(f"\n{number}. {one.fact} [{one.type}]\n   {one.source}: {one.around}")
    return 0


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "shared")]
    sys.exit(main())
