"""Whether a later statement replaces an earlier one, in everyday language: "we moved from Fly to Hetzner". Pure.

`claims.py` judges plain English sentences, and its findings are stored. This compares a few texts with each other, in
several languages, and stores nothing: the older one is shown behind the newer one, with a date. A wrong pair marks a
true statement, so questions, plans, doubts and reports of earlier times replace nothing. A later statement replaces an
earlier one if

- it ends something that the earlier one names: "Splunk is gone", "pnpm instead of yarn" (`ended`);
- it permits what the earlier one forbids: "you may use tabs again" (`ended`);
- it says that something moved or changed, and both have a value of one kind, such as a time or a name (`moved`);
- they differ in one value of which there can be only one at a time (`value`);
- it is a commit with another amount for what a talk in its project agreed on (`commit`); or
- it is a talk in which a setting has another value (`setting`).

`statements/language.toml` contains the words.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain, pairwise, product

from signet import clock
from signet.db import fts
from signet.domain.graph import assertions, values
from signet.domain.graph.assertions import (
    LEADS,
    PLACES,
    PREPOSITIONS,
    UNTYPED,
    Assertion,
    Term,
    stem_of,
    stems_of,
)
from signet.domain.statements.language import alternatives, listed

#: Characters of what marks a replaced statement.
MARK_CHARS = len(" [until 2026-01-01]")
#: Share of an earlier statement's words that a later one must contain to end it without naming a value of it.
COVERED = 0.5
#: Share that it must contain in any case, and most words of either.
LEAST, MOST_WORDS = 0.25, 14
#: Most words of a value.
VALUE_WORDS = 2
#: Most words in which two statements with another value may differ.
MOST_VALUE_WORDS = 4
#: Most digits of a number that distinguishes things of a kind.
LABEL_DIGITS = 3
#: A word in more than this share of the compared texts is no evidence, from MANY texts on.
COMMON, MANY = 0.25, 12
#: Most texts that one statement about an end or a move replaces.
MOST_ENDED = 2
_ASKS_PAST, _ASKED_PAST = (re.compile(alternatives(part)) for part in ("asks_past", "asked_past"))
#: A word with an underscore, a digit, a mark or an inner capital between its letters.
_IDENTIFIER = re.compile(
    r"(?<![\w./:])[^\W\d_](?:[a-z]{1,40}[A-Z]|\w{0,40}[\d_]|\w{1,40}[./:]\w)[\w./:]*"
)
_KIN = frozenset(map(stem_of, listed("single", "kin")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    """A text with its time (ISO) and project; `is_talk` marks lines of speakers ("User: …").

    `distance` is that of its origin (`wire/origin.py`).
    """

    text: str
    said_at: str
    project: str | None = None
    is_talk: bool = False
    is_commit: bool = False
    distance: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """A replacement: the index of the newer text, both statements, and the reason (see above).

    `is_part`: other statements of the older text may still hold.
    """

    by: int
    old: str
    new: str
    why: str
    is_part: bool
    #: Share of the older statement's words that the newer one names.
    near: float

    @property
    def is_value(self) -> bool:
        """Return whether a value changed among many of a talk: it concerns questions that share a word with `new`."""
        return self.why in ("commit", "setting")

    @property
    def is_certain(self) -> bool:
        """Return whether the older text may be left out: the newer says that something changed, or is the same but for
        one value, which is no number of a thing ("room 42").
        """
        if self.is_part or self.why != "value" or assertions.announces(self.new):
            return not self.is_part
        before, after = map(assertions.tokens, (self.old.lower(), self.new.lower()))
        gone = [one for one in before if one not in after]
        came = [at for at, one in enumerate(after) if one not in before]
        if len(gone) != 1 or len(came) != 1:
            return False
        value, lead = after[came[0]], after[came[0] - 1] if came[0] else ""
        is_label = value.isdigit() and len(value) <= LABEL_DIGITS
        return not is_label or lead in PREPOSITIONS | LEADS


def find(texts: Sequence[Dated], older: int | None = None) -> dict[int, Replacement]:
    """Map the index of each replaced text (of the first `older`, by default all) to its newest replacement.

    Texts of other projects or less trusted origins replace nothing. Quadratic: 30 texts take about 1 ms.
    """
    read = [assertions.statements(one.text, one.is_talk) for one in texts]
    stems = [stems_of(one.text, one.is_talk) for one in texts]
    common = _common(stems)
    held = [values.settings(one.text) if one.is_talk else {} for one in texts]
    found: dict[int, Replacement] = {}
    for newer, other in enumerate(texts):
        changes: dict[int, Replacement] = {}
        for number, one in enumerate(texts[:older]):
            if one.said_at >= other.said_at:
                continue
            done, why = None, "setting"
            if other.is_commit and one.project == other.project and not one.is_commit:
                done, why = (
                    values.by_commit(one.text, one.said_at, other.text, other.said_at),
                    "commit",
                )
            elif held[newer] and held[number] and one.project == other.project:
                done = values.by_setting(held[number], held[newer])
            if done:
                changes[number] = Replacement(
                    by=newer, old=done.old, new=done.new, why=why, is_part=True, near=done.near
                )
            if done or why == "commit":
                continue
            if stems[newer].isdisjoint(stems[number]):
                continue
            is_here = not one.project or not other.project or one.project == other.project
            if is_here and other.distance <= one.distance:
                change = _between(newer, read[number], read[newer], common)
                if change:
                    changes[number] = change
        for number in _nearest(changes) if changes else ():
            known = found.get(number)
            if known is None or texts[known.by].said_at < other.said_at:
                found[number] = changes[number]
    return found


def _common(stems: Sequence[frozenset[str]]) -> frozenset[str]:
    """Return stems that occur in too many texts to distinguish them."""
    if len(stems) < MANY:
        return frozenset()
    held = Counter(chain.from_iterable(stems))
    return frozenset([stem for stem, count in held.items() if count > COMMON * len(stems)])


def _nearest(changes: Mapping[int, Replacement]) -> list[int]:
    """Return the texts closest to a statement, and all that differ in one value."""
    ended = [older for older, change in changes.items() if change.why not in ("value", "setting")]
    ended.sort(key=lambda older: changes[older].near, reverse=True)
    return [*(changes.keys() - ended), *ended[:MOST_ENDED]]


def marked(text: str, replaced: str, since: str) -> str:
    """Insert the date of replacement after a replaced statement; it takes `MARK_CHARS`."""
    return text.replace(replaced, f"{replaced} [until {clock.local_day(since)}]", 1)


def is_lifted(rule: str, by: str) -> bool:
    """Return whether a text takes back a rule."""
    every = product(assertions.statements(by), assertions.statements(rule))
    return any(new.lifted and _is_lifted(new, old) for new, old in every)


def is_about(question: str, text: str, later: str, change: Replacement) -> bool:
    """Return whether a question is about the replaced statement of a text rather than its rest.

    That is so if it shares a word with the statement or none with the rest, or if a value changed. A question with an
    identifier, or of one word, that the later text lacks is about the earlier one.
    """
    words = question.split()
    names = {one.lower() for one in (_IDENTIFIER.findall(question) if words[1:] else words)}
    if any(one in text.lower() and one not in later.lower() for one in names):
        return False
    asked, old = ({*map(stem_of, fts.content_words(one))} for one in (question, change.old))
    rest = {*map(stem_of, fts.content_words(text.replace(change.old, " ")))}
    return change.is_value or not asked.isdisjoint(old) or asked.isdisjoint(rest)


def asks_past(question: str, change: Replacement) -> bool:
    """Return whether a question is about the time before a change.

    The past tense is enough for something that ended; "which port did we choose" is about the current one.
    """
    low = question.lower()
    is_past = change.why == "ended" and _ASKED_PAST.search(low) is not None
    return is_past or _ASKS_PAST.search(low) is not None


def _between(
    newer: int, old: Sequence[Assertion], new: Sequence[Assertion], common: Set[str]
) -> Replacement | None:
    for later in new:
        for earlier in old:
            shared = later.stems & earlier.stems
            why = ""
            if shared and len(shared) >= LEAST * len(earlier.stems):
                why = _replaces(later, earlier, shared, common)
            if why:
                return Replacement(
                    by=newer,
                    old=earlier.text,
                    new=later.text,
                    why=why,
                    is_part=bool(earlier.whole) or sum(not one.whole for one in old) > 1,
                    near=len(shared) / len(earlier.stems),
                )
    return None


def _replaces(new: Assertion, old: Assertion, shared: Set[str], common: Set[str]) -> str:
    """Return why a statement replaces an earlier one; empty if both may hold."""
    most = max(len(new.stems), len(old.stems))
    if new.lifted and _is_lifted(new, old):
        return "ended"
    is_change = new.moves or new.is_new or not new.ends.isdisjoint(shared)
    is_near = most - len(shared) <= MOST_VALUE_WORDS and _may_differ(new, old)
    if most > MOST_WORDS or not (is_change or is_near):
        return ""
    ours, theirs = new.others(shared), old.others(shared)
    why = ""
    if new.ends & shared and _is_ended(new, old, shared, common):
        why = "ended"
    elif (new.moves or new.is_new) and _is_moved(new, old, shared - common, ours, theirs):
        why = "moved"
    elif ours and theirs and shared - common and _is_same_but_value(new, old, ours, theirs):
        why = "" if new.adds else "value"
    if not why or not new.is_sure or not old.is_sure:
        return ""
    is_apart = any(new.apart.get(name, line) != line for name, line in old.apart.items())
    return "" if is_apart else why


def _is_lifted(new: Assertion, old: Assertion) -> bool:
    """Return whether a permission names an earlier rule: two thirds of its words, and at least two."""
    if not old.forbids or old.lifted or not old.is_sure:
        return False
    about = len(new.lifted & old.stems)
    is_same = about >= min(2, len(new.lifted)) and 3 * about >= 2 * len(new.lifted)
    return is_same and new.apart.items() <= old.apart.items()  # not only on staging


def _may_differ(new: Assertion, old: Assertion) -> bool:
    """Return whether two statements may be the same but for a value: a quick test before `_is_same_but_value`."""
    return bool(
        new.kinds & old.kinds
        or new.names & old.names
        or new.slots & old.slots
        or new.relates & old.relates
        or (new.is_at and old.is_at)
    )


def _values(words: Sequence[Term], *, is_named: bool) -> dict[str, set[int]]:
    """Return the groups of values by kind; with `is_named`, names in any position count.

    Without a name, plain words after a preposition count as one.
    """
    found: dict[str, set[int]] = {}
    for word in words:
        is_there = word.before in PLACES or word.before in LEADS
        is_there = is_there or (word.kind == "name" and word.before in ("a", "an"))
        if word.kind not in UNTYPED:
            found.setdefault(word.kind, set()).add(word.group)
        elif is_there or (is_named and word.kind):
            found.setdefault("name" if word.kind else "", set()).add(word.group)
    plain = found.pop("", None)
    return {"name": plain} | found if plain else found


def _is_ended(new: Assertion, old: Assertion, shared: Set[str], common: Set[str]) -> bool:
    """Return whether a statement ends the matter of an earlier one, not only its subject."""
    ended = [word for word in new.words if word.stem in new.ends]
    kinds = {word.kind for word in ended if word.stem not in shared} - {""}
    if any(word.kind in kinds for word in old.others(shared)):
        return False
    both = (new.ends & shared) - common
    if any(_is_evidence(word) for word in (*ended, *old.words) if word.stem in both):
        return True
    if old.words[0].stem in both and (new.ends <= shared or new.named == old.named != ""):
        return True
    is_covered = len(shared - common) >= 2 and len(shared) >= COVERED * len(old.stems)
    return is_covered and not any(word.kind == "name" for word in old.others(shared))


def _is_evidence(word: Term) -> bool:
    """Return whether two statements about an end that share this word alone are about the same."""
    is_time = word.kind in ("day", "date", "time")
    return word.kind not in ("", "number") and not (is_time and word.before in PLACES)


def _is_moved(
    new: Assertion, old: Assertion, shared: Set[str], ours: Sequence[Term], theirs: Sequence[Term]
) -> bool:
    """Return whether a statement of a move is about the subject of an earlier one, which has one value."""
    after, before = _values(ours, is_named=False), _values(theirs, is_named=True)
    kinds = (after.keys() & before.keys()) - ({"name"} if new.scales else set())
    if not new.moves:
        kinds &= {"number"}
    if "number" in kinds and not _labels(new).isdisjoint(_labels(old)):
        return True
    if not kinds or min(len(one.get("name", ())) for one in (after, before)) > 1:
        return False
    if new.moved and new.moved.isdisjoint(shared):
        return False
    if kinds == {"name"} and new.slots.isdisjoint(old.slots):
        is_place = any(word.before in PLACES for word in theirs)
        if not (new.relocates and old.is_located and is_place):
            return False
    firsts = {new.words[0].stem in shared, old.words[0].stem in shared}
    is_subject = firsts == {True} or (True in firsts and kinds != {"name"})
    return is_subject or len(shared) > 1


def _labels(one: Assertion) -> set[str]:
    return {word.stem for word, after in pairwise(one.words) if after.kind == "number"}


def _is_same_but_value(
    new: Assertion, old: Assertion, ours: Sequence[Term], theirs: Sequence[Term]
) -> bool:
    """Return whether two statements differ only in one value that a thing has once."""
    if _has_other_value(new, old, ours, theirs):
        return True
    typed = {word.kind for word in ours if word.kind not in UNTYPED}
    kinds = typed & {word.kind for word in theirs}
    shared = new.stems & old.stems
    if len(kinds) == 1:
        return _is_same_but_number(new, old, ours, theirs, kinds.pop())
    if typed or max(len(ours), len(theirs)) > MOST_VALUE_WORDS:
        return False
    named = [word for word in old.words if word.kind == "name" and word.stem in shared]
    if not _KIN.isdisjoint(shared) and not named:
        return False
    if new.is_new and len(shared) > 1:  # it may omit known words
        theirs = [word for word in theirs if word.group == theirs[-1].group]
    is_place = ours[0].before in PLACES and theirs[0].before in PLACES
    is_told = new.is_new and new.has_copula and all(word.kind for word in ours)
    is_one = (
        not shared.isdisjoint(new.names & old.names)
        or (is_place and not shared.isdisjoint(new.relates & old.relates))
        or (is_place and (is_told or (new.is_at and old.is_at)))
        or (is_told and old.has_copula and all(word.kind for word in theirs))
    )
    # "Ana is the lead" and "the lead is Ben": the value is on the other side of the verb.
    is_turned = (ours[0] is new.words[0]) != (theirs[0] is old.words[0])
    is_long = len(shared) > 1 and not is_turned
    is_long = is_long or (new.has_copula and old.has_copula)
    return is_one and is_long and _is_value(ours, new) and _is_value(theirs, old)


def _has_other_value(
    new: Assertion, old: Assertion, ours: Sequence[Term], theirs: Sequence[Term]
) -> bool:
    """Return whether two sentences fill the same slot with different values: "the address is …"."""
    if (new.stems & old.stems).isdisjoint(new.slots & old.slots):
        return False
    for one, words in ((new, ours), (old, theirs)):
        is_end = words[0].at == one.words[-len(words)].at
        is_value = one.has_copula and one.is_predicate(words[0])
        if not is_end or not is_value or len(words) > MOST_VALUE_WORDS:
            return False
    return True


def _is_same_but_number(
    new: Assertion, old: Assertion, ours: Sequence[Term], theirs: Sequence[Term], kind: str
) -> bool:
    """Return whether two statements differ only in a number, day or time of one kind."""
    if kind == "number" and not _is_single_number(new, old):
        return False
    more, less = ([word for word in words if word.kind != kind] for words in (ours, theirs))
    if more and less:
        return False
    if new.is_new and not more and len(new.stems & old.stems) > 1:
        return True
    one = new if more else old
    kinds = [word.kind for word in one.words]
    place = kinds.index(kind)
    # Words before the value name the thing; "port 80" is one value.
    labels = one.words[place - 1 : place] if kind == "number" else ()
    at = one.words[place].at
    rest = more or less
    return not [word for word in rest if word.kind or (word.at < at and word not in labels)]


def _is_single_number(new: Assertion, old: Assertion) -> bool:
    """Return whether a thing has one such number: "Node 22", "8 lines" or a port, but not "trip 22"."""
    counted = [{word.stem for word in one.words if word.before[:1].isdigit()} for one in (new, old)]
    versions = [
        {word.stem for word, after in pairwise(one.words) if after.kind == "number" and word.kind}
        for one in (new, old)
    ]
    single = (new.names | new.relates) & (old.names | old.relates)
    values = [[word.before for word in one.words if word.kind == "number"] for one in (new, old)]
    if all(LEADS.issuperset(befores) for befores in values):  # "the code is 4471"
        return True
    is_same = any(not one.isdisjoint(other) for one, other in (counted, versions))
    return is_same or bool(single) or (new.is_at and old.is_at)


def _is_value(words: Sequence[Term], one: Assertion) -> bool:
    """Return whether some words are one value at the start or end of a statement."""
    places = [one.words.index(word) for word in words]
    is_run = places[-1] - places[0] == len(places) - 1
    is_short = len(words) <= VALUE_WORDS or len({word.group for word in words}) == 1
    is_end = places[-1] == len(one.words) - 1 and one.is_predicate(words[0])
    return is_run and is_short and (places[0] == 0 or is_end)
