"""The built-in extractor: durable statements of a text, told in the third person, without any model.

Precise rather than greedy: what cannot be understood alone, hedges, asks, points elsewhere or has an unclear subject
is left out. The same text always gives the same facts in the same order.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from signet.domain.extraction import (
    rules_clauses,
    rules_frames,
    rules_reference,
    rules_refuse,
    rules_sentences,
    rules_technical,
    rules_triples,
    rules_vague,
    rules_voice,
)
from signet.domain.extraction.models import (
    MAX_FACT_CHARS,
    MAX_FACTS,
    MAX_INPUT_CHARS,
    MIN_FACT_CHARS,
    Extraction,
    Fact,
)
from signet.domain.extraction.rules_families import Subject
from signet.domain.extraction.rules_subjects import Statement, recognise
from signet.domain.graph import lexicon, names
from signet.domain.memory import normalize
from signet.domain.transcripts import transcript

#: Statements a machine may make for others: what is, what was decided, what caused what.
_ASSISTANT_TYPES = frozenset(("fact", "decision", "rationale"))
_ASSISTANT_SUBJECTS = frozenset((Subject.NAME, Subject.THING))
_ASSISTANT_CONFIDENCE = 0.85
_PLAIN_ROLES = (transcript.USER, transcript.ASSISTANT, transcript.NOTE)
_GENERIC = re.compile(r"(?:an?|each|every|all|any|no) ", re.IGNORECASE)
#: What only the code before it shows, unless a cause is told: `the column`.
_BARE = re.compile(r"the [a-z]+", re.IGNORECASE)
_TEAM_TYPES = frozenset(("decision", "procedural", "fact", "preference"))

_FIRST_PERSON = re.compile(r"\b(?:I|i|me|my|mine|we|We|us|our|Our|My)\b")
_PLURAL = re.compile(r"\b(?:we|us|our|ours)\b", re.IGNORECASE)
_TEAM_INSIDE = re.compile(r"\bthe team\b(?!['’]s)")
_AND_I = re.compile(r"\band I\b|\b(?:me|I) and\b|\bI(?:['’]d)\b")
_PRIVATE = re.compile(
    r"\b(?:husband|wife|partner|kids?|children|wedding|married|baby|honeymoon|family|vacation|boyfriend"
    r"|girlfriend|friends?|mom|dad|house|home|dog|cat|trip|dinner|birthday|camping|hiking|beach|hike|concert"
    r"|movies?|films?|books?|novels?|caf[eé]|restaurant|lunch|brunch|party|church|holidays?|grandma|grandpa"
    r"|apartment|college|school|neighbou?rs?)\b",
    re.IGNORECASE,
)
#: A speaker who tells of `the user` of some program cannot be called that.
_OTHER_USER = re.compile(r"\bthe users?\b|\buser['’]s\b", re.IGNORECASE)
#: `I asked Ana and we agreed`: the two of them.
_AND_SOMEONE = re.compile(r"\b(?:I|my)\b.*\s(?!I\b)[A-Z][a-z]+\b.*\b(?:we|our)\b")
_TEAM_WORD = re.compile(r"\b(?:team|company|colleagues?|coworkers?)\b")
_OF_TEAM = re.compile(r"\bthe team\b", re.IGNORECASE)
_DEFINITE_TASTE = re.compile(
    r"\b(?:like|love|hate|enjoy|prefer|dislike)[sd]? (?:the (?![A-Z])|how|when|where|what|seeing"
    r"|hearing|to hear|to see|it\b|them\b|all\b|being able|getting to|every)",
)

_RULE = re.compile(
    r"(?:Always|Never|Don['’]t ever|Do not ever)\s+(?!mind|a\b|the\b|\w+(?:ed|ing)\b|(?!\w*ss\b)\w+s\b|happy"
    r"|been|had|say never|thought|heard|seen|knew|by\b)[a-z][\w-]*\s+\S+",
    re.IGNORECASE,
)
#: What makes a request a rule; the request is what follows.
_ASKED_OF_ALWAYS = re.compile(r"please\s+(?=(?:always|never)\b)", re.IGNORECASE)
_FROM_NOW_ON = re.compile(
    r"from now on,?\s+(?:please\s+)?(?=(?:use|write|answer|run|put|keep|store|name|format|commit|avoid|prefer"
    r"|call|skip|stick|do not|don['’]t|never|always)\s\w+\s\S)",
    re.IGNORECASE,
)
_NOTED_RULE = re.compile(
    r"(?:Do not|Don['’]t|Avoid|Make sure|Ensure|Must not|Prefer|Keep)\s+(?!worry|forget|be\b|it\b|up\b|on\b"
    r"|in\b|going|you)[a-z`]+ \S+",
    re.IGNORECASE,
)
_PROCEDURE = re.compile(
    r"To [a-z]+[^,]{0,80}, (?:first )?[a-z`]+ \S+|(?:Run|Use|Restart|Execute|Call|Set|Start"
    r"|Deploy|Build|Install|Rebase|Squash|Bump|Copy|Rotate|Back up|Test|Commit|Tag|Publish"
    r"|Release|Wait|Update) .{3,120}?\b(?:before|after|when|instead of|to|for|with|every|until"
    r"|from|on|in)\b \S+|(?:Before|After|When) [a-z]+ing [^,]{2,80}, [a-z]+ \S+",
)
_MUST = re.compile(
    r"(?:must|has to|have to|can['’]t|cannot|can only|is never|are never|is always|are always)\b"
)
#: What nobody says in passing.
_FIRM = re.compile(
    r"must (?:not|never|always|only)\b|(?:is|are) (?:never|forbidden)\b|may (?:not|only)\b"
)
#: A command and when it is to be run; people say such a thing once.
_COMMAND = re.compile(
    r"(?:Run|Use|Call|Execute|Start|Restart|Rebuild|Regenerate)\s[^`]{0,20}`[^`]+`.*\b(?:before|after|when|whenever"
    r"|every|each time|instead of|to)\b \S+"
)
_WORD = re.compile(r"`[^`]+`|[^\W\d_][\w'’-]{2,}")
_MANNER = lexicon.words(
    "always never don't don’t ever please not the and either any all just again"
)
_DESCRIBES = re.compile(r" (?:with|that|which|where) ")
#: When a rule holds; it may speak of what will be said then.
_OCCASION = re.compile(r"\s(?:when(?:ever)?|if|before|after) (?:I|we|you)\s.*$")
_LETS = re.compile(
    r"(?:let['’]?s|let us)\s+(go with|use|stick with|stay with|switch to|adopt|keep using)\s+",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(decision|decided|rule|preference|constraint|fact|convention|policy|lesson|gotcha)\s*:\s+",
    re.IGNORECASE,
)
#: A rule may have conditions; other statements may not.
_BINDING = re.compile(r"\b(?:must|never|always)\b")
_REASON = re.compile(r",?\s+(?:because|since|due to|so that)\s", re.IGNORECASE)
_TAIL = re.compile(
    r"(?:[\s.!,;:]+(?:too|either|as well|from now on|though|also|now|recently|lately|anyway|btw|by the way|lol|and"
    r"|but|so|or|and so|but now|and now|actually|really|already))+[\s.!,;:]*$",
    re.IGNORECASE,
)
_QUOTED_COMMA = re.compile(r",([\"”])$")
_SPECIFIC = re.compile(r"\d|`|\b\w+[./_]\w+|\b[a-z]+-[a-z]+|\b[A-Z]{2,}\b|\b[A-Z][a-z]+days?\b")


def extract(text: str) -> Extraction:
    """Return the facts and triples of a memory, a transcript or notes."""
    turns = transcript.parse(text)
    facts: dict[str, Fact] = {}
    for fact in (fact for turn in rules_frames.meant(turns) for fact in _turn(turn)):
        facts.setdefault(normalize.content_hash(fact.content), fact)
    spoken = sum(len(turn.text) for turn in turns)
    kept = _best(list(facts.values()), limit=MAX_FACTS * (spoken // MAX_INPUT_CHARS + 1))
    return Extraction(facts=kept, triples=rules_triples.read(kept))


def _best(facts: list[Fact], *, limit: int) -> tuple[Fact, ...]:
    """Return the surest facts, in the order of the text."""
    ranked = sorted(range(len(facts)), key=lambda at: -facts[at].confidence)[:limit]
    return tuple(facts[at] for at in sorted(ranked))


def _turn(turn: transcript.Turn) -> Iterator[Fact]:
    is_pasted, shows_code = rules_frames.is_pasted(turn), rules_frames.shows_code(turn)
    for said, whole in _sentences(turn):
        if turn.role == transcript.USER and rules_frames.asks_for_a_text(whole):
            return
        if is_pasted and not _FIRST_PERSON.search(whole):
            continue
        is_private = turn.role == transcript.USER and _is_private(whole)
        pieces = rules_clauses.pieces(whole)
        for piece, fact in ((one, fact) for one in pieces for fact in _piece(one, turn.role)):
            is_proposal = shows_code and fact.type != "rationale"
            if not (is_proposal or (is_private and _OF_TEAM.search(fact.content))):
                yield replace(fact, said_at=turn.at, sentence=said if len(pieces) == 1 else piece)


def _is_private(whole: str) -> bool:
    """Say whether `we` are others than a team: family and friends, or the speaker and somebody he names."""
    if _PRIVATE.search(whole):
        return True
    return _AND_SOMEONE.search(whole) is not None and _TEAM_WORD.search(whole) is None


def _sentences(turn: transcript.Turn) -> Iterator[tuple[str, str]]:
    """Yield what is said, and that without opening words, pronouns resolved where there is no choice."""
    for sentences in rules_sentences.paragraphs(turn.text):
        before = ""
        for sentence in sentences:
            before = rules_clauses.resolved(rules_clauses.without_openers(sentence), before)
            yield sentence, before


def _piece(piece: str, role: str) -> Iterator[Fact]:
    """Yield what the longest acceptable beginning of a piece states."""
    for head in rules_clauses.heads(piece):
        facts = list(_directive(head, role)) or list(_statement(head, role))
        if facts:
            yield from facts
            return


def _directive(text: str, role: str) -> Iterator[Fact]:
    """Yield rules, procedures and decisions in the imperative; only people may give them."""
    if role not in (transcript.USER, transcript.NOTE) or rules_refuse.is_unfit(text):
        return
    label = _LABEL.match(text) if role == transcript.NOTE else None
    bare = _ASKED_OF_ALWAYS.sub("", text[label.end() :] if label else text)
    if lasting := _FROM_NOW_ON.match(bare):
        yield from _fact(bare[lasting.end() :], "procedural", 0.85)
        return
    lets = _LETS.match(bare)
    if lets:
        if rules_vague.says_what(bare[lets.end(1) - 1 :]):
            yield from _fact(f"The team decided to {bare[lets.start(1) :]}", "decision", 0.85)
    elif _RULE.match(bare):
        if role == transcript.NOTE or _says_enough(bare):
            yield from _fact(bare, "procedural", 0.85)
    elif _is_command(bare) or (role == transcript.NOTE and _NOTED_RULE.match(bare)):
        yield from _fact(bare, "procedural", 0.8)
    elif role == transcript.NOTE and _PROCEDURE.match(bare):
        yield from _fact(bare, "procedural", 0.75)
    elif label and label[1].lower() in ("decision", "decided") and re.match(r"[a-z]+ \S+", bare):
        yield from _fact(f"The team decided to {bare}", "decision", 0.85)


def _is_command(text: str) -> bool:
    """Say whether a text names a command and when it is to be run."""
    return _COMMAND.match(text) is not None and not rules_reference.is_open(text, most=1)


def _says_enough(rule: str) -> bool:
    """Say whether a rule names what it is about, and not only a deed or what the talk was about."""
    rule = _TAIL.sub("", rule)
    content = [
        word
        for word in _WORD.findall(rule.lower())
        if word not in _MANNER and not word.endswith("ly")
    ]
    return len(content) > 1 and not rules_reference.is_open(rule, most=1)


def _fact(text: str, kind: str, confidence: float) -> Iterator[Fact]:
    """Yield a directive as a fact, unless it leans on something outside of it."""
    if rules_refuse.is_refused(_OCCASION.sub("", text), is_rule=True):
        return
    told = rules_voice.third_person(text, rules_voice.USER)
    if not rules_clauses.is_open(told, 0, Subject.PERSON):
        yield from _finished(told, kind, confidence)


def _statement(text: str, role: str) -> Iterator[Fact]:
    speaker = _speaker(role)
    if rules_refuse.is_unfit(text) or not _may_speak(text, role):
        return
    if rules_refuse.is_refused(text, is_rule=_BINDING.search(text) is not None):
        return
    told = rules_vague.without_dangling(_TAIL.sub("", rules_voice.third_person(text, speaker)))
    found = recognise(told, None if speaker is rules_voice.USER else speaker.name)
    if found is None or rules_vague.is_vague(told, found) or not _is_allowed(told, found, role):
        return
    if role != transcript.NOTE and rules_technical.is_passing(told, found, role):
        return
    family = found.family
    reason = _REASON.search(told, found.verb_at)
    is_own_matter = role == transcript.NOTE and found.kind is not Subject.PERSON
    if not is_own_matter and _leans_on_talk(told[: reason.start() if reason else None], found):
        return
    if reason and family.type in ("decision", "preference"):
        bare = told[: reason.start()]
        if rules_vague.is_vague(bare, found):
            return
        yield from _finished(bare, family.type, family.confidence)
        yield from _finished(told, "rationale", family.confidence)
    else:
        yield from _finished(told, family.type, family.confidence)


def _leans_on_talk(told: str, found: Statement) -> bool:
    """Say whether a statement holds a definite thing that only the talk had named; a cause may.

    What is preferred in general may be described by such: `prefers commits with the number in the scope`.
    """
    predicate = told[found.verb_at :]
    if predicate.startswith(("prefers ", "prefer ")):
        predicate = _DESCRIBES.split(predicate, maxsplit=1)[0]
    return found.family.type != "rationale" and rules_reference.is_open(predicate)


def _speaker(role: str) -> rules_voice.Person:
    return rules_voice.USER if role in _PLAIN_ROLES else rules_voice.Person(role)


def _may_speak(text: str, role: str) -> bool:
    """Say whether this role can be believed when it speaks of itself like this."""
    if _AND_I.search(text) or _DEFINITE_TASTE.search(text):
        return False
    if _FIRST_PERSON.search(text) and _OTHER_USER.search(text):
        return False
    if role == transcript.ASSISTANT:
        return not (_FIRST_PERSON.search(text) or rules_refuse.is_narration(text))
    if _PLURAL.search(text):
        return role in (transcript.USER, transcript.NOTE) and not _PRIVATE.search(text)
    return True


def _is_allowed(told: str, found: Statement, role: str) -> bool:
    """Say whether this role may state this, and whether it stands without what was said around it."""
    if rules_clauses.is_open(told, found.verb_at, found.kind):
        return False
    family = found.family
    if _TEAM_INSIDE.search(told) and found.kind not in (Subject.TEAM, Subject.OWNED):
        return False
    if found.kind is Subject.TEAM and family.type not in _TEAM_TYPES:
        return False
    is_plan_of_team = found.kind is Subject.TEAM and family.type == "fact"
    if (family.needs_detail or is_plan_of_team) and not _is_specific(told, found):
        return False
    is_common = found.kind in (Subject.THING, Subject.PLAIN)
    if role == transcript.ASSISTANT and not _is_matter_of_fact(told, found):
        return False
    if role not in _PLAIN_ROLES:
        return not is_common
    if role == transcript.NOTE or not is_common or _is_specific(told, found):
        return True
    if _FIRM.match(told, found.verb_at) and len(found.subject.split()) > 1:
        return True
    is_of_project = rules_reference.is_of_project(found.subject)
    return is_of_project and _MUST.match(told, found.verb_at) is not None


def _is_matter_of_fact(told: str, found: Statement) -> bool:
    """Say whether an assistant may be believed: results, causes, decisions and facts with a clear subject."""
    return (
        found.kind in _ASSISTANT_SUBJECTS
        and found.family.type in _ASSISTANT_TYPES
        and found.family.confidence >= _ASSISTANT_CONFIDENCE
        and not _GENERIC.match(found.subject)
        and (found.family.type == "rationale" or not _BARE.fullmatch(found.subject))
        and (found.kind is Subject.NAME or found.family.type == "rationale" or _is_marked(told))
    )


def _is_specific(told: str, found: Statement) -> bool:
    """Say whether a sentence names something, besides its subject, that tells it from others."""
    rest = told[found.verb_at :]
    is_marked = _is_marked(told if found.kind is not Subject.NAME else rest)
    return is_marked or any(name.is_certain for name in names.find(f"x {rest}"))


def _is_marked(text: str) -> bool:
    """Say whether a text holds a number, code, a path or an acronym."""
    return _SPECIFIC.search(text) is not None


def _finished(told: str, kind: str, confidence: float) -> Iterator[Fact]:
    bare = _TAIL.sub("", normalize.one_line(told)).rstrip(".!,;: ")
    content = _QUOTED_COMMA.sub(r"\1", bare) + "."
    if MIN_FACT_CHARS <= len(content) <= MAX_FACT_CHARS:
        yield Fact(content=content, type=kind, confidence=confidence)
