"""Cutting one sentence into the statements it holds, and closing its open pronouns.

A piece has a subject of its own. When a piece as a whole is refused, shorter heads of it are offered, cut only
where what is left stays true.
"""

import re
from collections.abc import Iterator

from signet.domain.extraction.rules_families import Subject
from signet.domain.extraction.rules_subjects import kind_of
from signet.domain.extraction.rules_voice import ADVERBS
from signet.domain.graph import names

_OPENER = re.compile(
    r"(?:(?:well|ok(?:ay)?|so|btw|by the way|also|actually|oh|hmm+|um+|yeah|yep|yes|no|nope|sure|right|anyway"
    r"|fyi|and|but|no wait|wait|i remember|scratch that|correction|plus|honestly|basically|ah|wow|great"
    r"|perfect|cool|nice|thanks|thank you|hey|hi|hello|absolutely|definitely|totally|exactly|of course|in fact"
    r"|as for me|for me|personally|overall|additionally|furthermore|moreover|however|therefore|thus|finally"
    r"|lately|recently|currently|today|yesterday|last \w+|this \w+|just now|for context|for reference"
    r"|for the record|just so you know|quick note|heads up|good news|update|turns out|remember|note|reminder"
    r"|important|remember that|note that|please note that|keep in mind that|(?:please )?remember that"
    r"|i decided|we agreed)(?:[,:!.]+\s+|\s+[–—-]+\s+))+",
    re.IGNORECASE,
)
_LOOSE_OPENER = re.compile(
    r"(?:so|and|but|also|actually|btw|ok|okay|well|oh|plus|basically|then)\s+(?=\S)", re.IGNORECASE
)
_WHEN = re.compile(
    r"(?:yesterday|today|recently|lately|(?:last|this) (?:week|month|year|night|morning|afternoon"
    r"|evening|weekend|summer|fall|spring|winter|autumn|\w+day))\s+(?=(?:i|we|my|our)\b)",
    re.IGNORECASE,
)
_NOTE_THAT = re.compile(r"(?:please )?(?:remember|note|keep in mind|fyi) that\s+", re.IGNORECASE)

#: A request behind a statement: the statement is worth reading without it.
_REQUEST = re.compile(
    r"(?:[,;.–—-]\s*|\s+)(?:(?:and|but|so|then)\s+)?(?:(?:can|could|would|will) (?:you|u|we|i)\b|please\b"
    r"|pls\b|how (?:can|do|should|would) (?:i|we|you)\b|should (?:i|we)\b|let me know\b|i need help\b"
    r"|what (?:are|is|should|would|do|\w+ (?:can|should|do|would|are|have|will)) (?:some|the|i|we)\b"
    r"|any (?:tips|advice|suggestions|ideas|thoughts|recommendations|chance)\b|i(?:['’]d| would) (?:like|love"
    r"|appreciate)\b|i(?:['’]m| am) (?:wondering|trying to|looking|not sure|unsure|having|struggling|curious"
    r"|hoping|thinking)\b|i (?:need|want) (?:you |your |some |to (?:know|understand|figure|make sure|ensure"
    r"|see|learn))).*$",
    re.IGNORECASE | re.DOTALL,
)
_ASKED = re.compile(
    r"(?:[,;–—-]\s*|\s+)(?:(?:and|but|so|then)\s+)?(?:what|how|why|where|which|do you|is (?:there"
    r"|it|that|this)|are there|right)\b.*\?$",
    re.IGNORECASE | re.DOTALL,
)

_OWN_SUBJECT = (
    r"(?=(?:(?:I|we|my|our)\b|(?-i:[A-Z])[\w-]+ (?-i:is|has|was|[a-z]+(?:s|ed))\b)(?!.*\?))"
)
_SPLIT = re.compile(
    rf";\s+|,?\s+(?:and|but)\s+(?=(?:i|we|my|our)\b)|,\s+(?:and|but)\s+{_OWN_SUBJECT}"
    rf"|,?\s+so\s+(?=(?:i|we)\b)|\s+[–—]\s+|\s+-\s+",
    re.IGNORECASE,
)
#: `I'm Ana, I work here` is two statements; `when I'm here, I work` is one.
_SPLICE = re.compile(r",\s+(?=(?:I|we|my|our)\b)")
_SUBORDINATE = re.compile(
    r"(?:when\w*|if|since|because|as|while|after|before|although|though|even|to|for|in|on|at|with"
    r"|without|during|until|unless|once|by|from|given|where|[a-z]+ing)\b",
    re.IGNORECASE,
)
#: `What I found: the cache is stale` says its second half.
_INTRODUCED = re.compile(r"(?:\S+\s+){2,}\S+:\s+(?=[\w`])")

#: `My wife and I went`: nobody to name for the two of them.
_JOINT_SUBJECT = re.compile(
    r"(?:[\w'’]+ ){1,3}and I\b|(?:me|[A-Z][\w-]+|my \w+(?: [A-Z]\w+)?|My \w+(?: [A-Z]\w+)?|[Tt]he \w+"
    r"|[Ss]ome \w+) and (?:my|our) |(?:My|Our)(?: [\w'’]+){1,3}, (?:who|whom|which|an?"
    r"|my)\b[^;]*?,? and I (?:have|are|were|had)\b"
)

#: Where a sentence can end early and still be true.
_CUT = re.compile(
    r",?\s+(?:because|since|but|although|though|even though|so that|especially|which|and i|and we|and it"
    r"|and that|and they|and he|and she|so i|so we|so it|as i|as we|as it|while i|hoping|just)\b"
    r"|,\s+(?:his|her|their|its|after that|and (?:i|we|it|he|she|they|so|then|now)|so|but|which|as|who|it|i|we|they"
    r"|hoping|making|only|more|anything|nothing|nobody|the|(?=(?:[\w'’-]+ ){1,4}(?:is|are|was|were|has"
    r"|have|had|can|can['’]t|will|must)\b)"
    r"|considering|especially|thanks|given|that)\b|\s+[–—-]\s+|!\s|,?\s+(?:(?:about|around|over|almost|nearly"
    r"|roughly|just|only|maybe) )?(?:yesterday|the other (?:day|week|night)|last (?:week|month|year|night"
    r"|weekend|summer|fall|spring|winter|autumn|\w+day|mon|tues?|wed|thurs?|fri|sat|sun)|(?:a few|an?|two"
    r"|three|four|five|six|\d+|some|several) \w+ ago)\b",
    re.IGNORECASE,
)

_THING_PRONOUN = re.compile(r"\b(?:it|its|itself)\b", re.IGNORECASE)
_PLURAL_PRONOUN = re.compile(r"\b(?:they|them|their|theirs|themselves)\b", re.IGNORECASE)
_PLURAL_BEFORE = re.compile(
    r"\b(?!is|was|has|does|this|us|always|ages|times|days|weeks|months|years|hours|minutes)\w{2,}[^\Wsui]s\b"
    r"|\b(?:people|children|men|women)\b"
)
_PERSON_PRONOUN = re.compile(r"\b(?:he|him|his|she|her|hers|himself|herself)\b", re.IGNORECASE)
_PLACE_PRONOUN = re.compile(
    r"\bthere\b|\b(?:a|an|new|another|good|old|little|big|different|right|some) (?:\w+ )?ones?\b",
    re.IGNORECASE,
)
_PERSON_WORD = re.compile(
    r"\b(?:wife|husband|partner|girlfriend|boyfriend|mother|father|mom|mum|dad|son|daughter"
    r"|brother|sister|friend|boss|manager|colleague|coworker|co-worker|uncle|aunt|cousin|grandma"
    r"|grandpa|grandmother|grandfather|mentor|teacher|doctor|dog|cat|puppy|kitten|baby|kid|niece"
    r"|nephew|neighbou?r|roommate|coach|therapist|fianc[eé]e?)s?\b",
    re.IGNORECASE,
)
_NOUN_BEFORE = re.compile(r"(?:\b(?:an?|the|some|two|three|\d+)|['’]s?) \w+")
_BOUNDARY = re.compile(
    r"\b(?:because|when|whenever|if|since|after|before|so|that|which|while|until|as|and|but)\b|,"
)
_LEADING = re.compile(r"(It|He|She)(?=\s+\w)")
_SUBJECT_OF = re.compile(
    rf"(?P<subject>(?:My|Our|The|[A-Z])[\w'’.-]*(?: [\w'’.-]+){{0,3}}?)\s+(?:(?:{ADVERBS})\s+)?"
    r"(?:is|was|are|were|has|had|runs|uses|lives|works|stores|listens|depends|requires|supports"
    r"|handles|serves|plays|started|joined|got|needs|makes|holds|keeps|loves|likes|teaches|moved"
    r"|replaced|replaces|writes|reads|owns|manages|leads|provides|connects)\b"
)


def without_openers(sentence: str) -> str:
    """Return the sentence without the words that only open a turn."""
    bare, before = sentence, ""
    while bare != before:
        before = bare
        for pattern in (_OPENER, _LOOSE_OPENER, _WHEN, _NOTE_THAT):
            bare = pattern.sub("", bare, count=1) if pattern.match(bare) else bare
    return bare.strip()


def pieces(sentence: str) -> list[str]:
    """Return the clauses of a sentence that have subjects of their own, without requests."""
    told = _ASKED.sub("", _REQUEST.sub("", sentence))
    if _JOINT_SUBJECT.match(told):
        return []
    parts = _SPLIT.split(told)
    if not _SUBORDINATE.match(told):
        parts = [piece for part in parts for piece in _SPLICE.split(part)]
    return [piece for part in parts if (piece := without_openers(part.strip(" ,;")))]


def heads(piece: str) -> Iterator[str]:
    """Yield the piece, then ever shorter beginnings of it, then what stands behind its colon."""
    yield piece
    for cut in reversed(list(_CUT.finditer(piece))):
        head = piece[: cut.start()].rstrip(" ,;-–—")
        if head:
            yield head
    introduced = _INTRODUCED.match(piece)
    if introduced:
        yield from heads(piece[introduced.end() :])


def resolved(sentence: str, before: str) -> str:
    """Return the sentence with its leading pronoun replaced, when the one before leaves no choice."""
    leading = _LEADING.match(sentence)
    subject = _SUBJECT_OF.match(before)
    if not leading or not subject or subject["subject"].startswith(("I ", "We ")):
        return sentence
    what, rest = subject["subject"], before[subject.end() :]
    is_person = _PERSON_WORD.search(what) is not None
    if leading[1] == "It":
        is_clear = not (is_person or names.find(rest) or _NOUN_BEFORE.search(rest))
    else:
        others = _PERSON_WORD.search(rest) or _PERSON_PRONOUN.search(before)
        is_clear = is_person and not others
    if not is_clear or kind_of(_third(what)) in (None, Subject.PERSON, Subject.TEAM):
        return sentence
    return what + sentence[leading.end() :]


def is_open(sentence: str, verb_at: int, kind: Subject) -> bool:
    """Say whether a pronoun of the sentence, told in the third person, refers to nothing in it."""
    return (
        _PLACE_PRONOUN.search(sentence) is not None
        or _misses_thing(sentence, verb_at, kind)
        or _misses_plural(sentence, verb_at, kind)
        or _misses_person(sentence, verb_at, kind)
    )


def _misses_thing(sentence: str, verb_at: int, kind: Subject) -> bool:
    pronoun = _THING_PRONOUN.search(sentence)
    if pronoun is None:
        return False
    before = sentence[verb_at : pronoun.start()]
    has_subject = kind not in (Subject.PERSON, Subject.TEAM) and pronoun.start() > verb_at
    looks_back = has_subject and _looks_back(before, pronoun)
    return not (looks_back or _NOUN_BEFORE.search(before) or names.find(before))


def _misses_plural(sentence: str, verb_at: int, kind: Subject) -> bool:
    pronoun = _PLURAL_PRONOUN.search(sentence)
    if pronoun is None:
        return False
    start = _past_verb(sentence, verb_at, kind)
    return _PLURAL_BEFORE.search(sentence[start : pronoun.start()]) is None


def _misses_person(sentence: str, verb_at: int, kind: Subject) -> bool:
    pronoun = _PERSON_PRONOUN.search(sentence)
    if pronoun is None or _PERSON_WORD.search(sentence[: pronoun.start()]):
        return False
    return kind not in (Subject.NAME, Subject.OWNED) or pronoun.start() <= verb_at


def _looks_back(before: str, pronoun: re.Match[str]) -> bool:
    """Say whether a pronoun can mean the subject: it owns something, or stands in a clause of its own."""
    return pronoun[0].lower() == "its" or _BOUNDARY.search(before) is not None


def _past_verb(sentence: str, verb_at: int, kind: Subject) -> int:
    """Return where a plural antecedent may start: the subject itself unless that is a person."""
    if kind not in (Subject.PERSON, Subject.TEAM, Subject.NAME):
        return 0
    space = sentence.find(" ", verb_at)
    return space if space > 0 else len(sentence)


def _third(subject: str) -> str:
    return re.sub(r"^My\b", "The user's", re.sub(r"^Our\b", "The team's", subject))
