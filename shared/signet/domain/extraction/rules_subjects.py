"""What a sentence in the third person is about, and by which verb: the step from words to a statement."""

import re
from dataclasses import dataclass

from signet.domain.extraction.rules_families import FAMILIES, Family, Subject
from signet.domain.extraction.rules_voice import ADVERBS
from signet.domain.graph import lexicon, names


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A sentence that was recognised: what it is about, by which verb, as what."""

    subject: str
    kind: Subject
    verb_at: int
    family: Family


#: A verb stands at most so many words behind the start of its subject.
_MAX_SUBJECT_WORDS = 7

_WORD = re.compile(r"\S+")
_OWNED = re.compile(
    r"(?!(?:let|it|that|what|he|she|there|here|who|where|how|when)['’])(?:(?:the )?(?:user|team)"
    r"|[^\W\d_][\w-]+(?: [A-Z][\w-]+)?)['’]s? (?!own\b)",
    re.IGNORECASE,
)
_TITLE = re.compile(r"(?:Dr|Mr|Mrs|Ms|Prof)\.? ")
_VERSION = re.compile(r" v?\d[\w.]*$")
_PERSON = re.compile(r"(?:the )?user", re.IGNORECASE)
_TEAM = re.compile(r"(?:the )?team", re.IGNORECASE)
_DETERMINED = re.compile(r"(?:the|all|every|each|a|an|no|only|both) ", re.IGNORECASE)
_JOINT = re.compile(
    r"\b(?:that|who|which|when|where|because|but|to|than|as|whose|while|and i|is|are|was|were|be"
    r"|been|has|have|had|do|does|did|don't|doesn't|didn't|will|can|cannot|could|should|must|would"
    r"|may|might|not|never|always|so|even|just|if|also|then|how|it|its|there|this|these)\b"
    r"|[,;:!?\"“”]",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"(?:[A-Za-z][\w./-]*|`[^`]+`)(?: [a-z][\w./-]*){0,3}"
    r"(?: (?:for|in|of|on|to|from|above|below|with|without) \S+(?: [\w./-]+)?)?"
)

_COMPLETE = re.compile(r" |volunteers|retired|expires|retries")
_OTHERS = (Subject.NAME, Subject.THING, Subject.PLAIN, Subject.OWNED)
_NOUN_FORM = re.compile(r"(?!is|was|has|does|consists)\w+s(?:\W*$| (?:of|and|or|are|were|have)\b)")
_ADVERBS = re.compile(rf"(?:(?:{ADVERBS})\s+){{0,2}}")
_BASE_FORM = re.compile(
    r"(?:use|work|live|rely|depend|listen|run|require|store|belong|support|consist|connect|talk"
    r"|write|read|expose|serve|own|replace|default|point|expire|import|inherit|deploy|ship|keep"
    r"|cache|host|go|hold|accept|emit|start|end|launch|close|open|begin|renew|are|were|have|need"
    r"|want|plan|aim|hope|intend)\b"
)
#: One thing with its article: its verb has an s.
_PERSONAL = re.compile(r"the (?:user|team$)", re.IGNORECASE)
_MODIFIER = re.compile(r"(?!read\b)" + _BASE_FORM.pattern)
_SINGULAR = re.compile(r"(?:the|an?|this|each|every) (?:\S+ )*\S*[^s\s]", re.IGNORECASE)

#: Subjects that mean something else in every text.
_VAGUE = lexicon.words(
    "code error function method issue problem thing things result output following example step "
    "question answer idea goal point way part reason solution approach option rest former latter "
    "main key best process task change changes value values line lines file class variable loop "
    "test case time day weather food place event story picture photo painting book movie game "
    "song name total sum area angle triangle people someone everyone everything something "
    "anything nothing nobody somebody anyone kids guys work life like including based given "
    "being having doing seeing hearing getting making yes ok well overall finally additionally "
    "instead once one ones"
)
#: Of these there are many, and only the talk tells which: `the direct method`.
_METHODS = lexicon.words(
    "method approach formula technique strategy example problem exercise solution"
)
_RELATIVE = lexicon.words(
    "first second third last next same other basic current new final original given total whole "
    "entire main best"
)
#: Of these there is one first or next for everybody.
_COUNTED = lexicon.words("release version milestone deadline sprint launch deploy")

_VAGUE_OWN = re.compile(
    r".*\b(?:favou?rites?|fave|choice|go-to)|.*['’]s? (?:own )?(?:\w+ )?(?:question|guess|point|problem|issue"
    r"|code|apolog\w+|task|use case|scenario|mistake|bad|understanding|concern|thoughts?|idea|suggestion|next|first"
    r"|last|mind|heart|way|turn|fault|error|answer|opinion|thing|favou?rite part|day|week|weekend|accuracy|aim"
    r"|motivation|love for .*|passion|hard work|efforts?|score|progress|pleasure|output|feelings?|function|query"
    r"|example|question|current \w+|only \w+|main \w+|biggest \w+|hope|advice|request|life|head|stuff|time)\b.*",
    re.IGNORECASE,
)


def recognise(sentence: str, speaker: str | None) -> Statement | None:
    """Return what a sentence in the third person states, None when no family knows it.

    `speaker` is the name that stands for the first person, if that is not `The user`.
    """
    for count, word in enumerate(_WORD.finditer(sentence)):
        if count == 0:
            continue
        if count > _MAX_SUBJECT_WORDS:
            return None
        subject = sentence[: word.start()].rstrip()
        if subject.lower() in lexicon.FUNCTION or subject.endswith(("'s", "’s")):
            continue
        if _is_modifier(sentence, word.start(), subject):
            continue
        kind = None
        for family in FAMILIES:
            verb = family.verb.match(sentence, word.start())
            if not verb or _lacks_object(sentence, verb):
                continue
            verb_at = _verb_at(sentence, word.start())
            kind = kind or kind_of(subject, speaker)
            if kind is Subject.NAME and _is_plural(subject, sentence, verb_at):
                kind = Subject.PLAIN
            if kind is None or _is_noun(sentence, verb_at, kind):
                return None
            if kind in family.subjects:
                return Statement(subject=subject, kind=kind, verb_at=verb_at, family=family)
    return None


def _lacks_object(sentence: str, verb: re.Match[str]) -> bool:
    """Say whether a verb that needs an object ends the sentence: `Signet uses.`"""
    phrase = sentence[_verb_at(sentence, verb.start()) : verb.end()]
    return not sentence[verb.end() :].strip(" .!") and _COMPLETE.search(phrase) is None


def _verb_at(sentence: str, at: int) -> int:
    """Return where the verb itself starts, behind its adverbs."""
    adverbs = _ADVERBS.match(sentence, at)
    return adverbs.end() if adverbs else at


def _is_plural(subject: str, sentence: str, verb_at: int) -> bool:
    """Say whether what begins a sentence like a name is several things: `Ghosts are limited to 3 per track`."""
    return (
        re.search(r"[^s]s$", subject) is not None
        and _BASE_FORM.match(sentence, verb_at) is not None
    )


def _is_modifier(sentence: str, at: int, subject: str) -> bool:
    """Say whether what looks like a plural verb goes on with the noun of one thing: `the ERP import mangled`."""
    is_one = _SINGULAR.fullmatch(subject) is not None and _PERSONAL.match(subject) is None
    return is_one and _MODIFIER.match(sentence, at) is not None


def _is_noun(sentence: str, verb_at: int, kind: Subject) -> bool:
    """Say whether what looks like a verb is none: `Thrift store items`, `the uses of salt`, `free stores`."""
    if kind is Subject.NAME and _BASE_FORM.match(sentence, verb_at):
        return True
    return kind in _OTHERS and _NOUN_FORM.match(sentence, verb_at) is not None


def kind_of(subject: str, speaker: str | None = None) -> Subject | None:
    """Return what kind of subject some words are, None when they are none that stands alone."""
    if _PERSON.fullmatch(subject) or subject == speaker:
        return Subject.PERSON
    if _TEAM.fullmatch(subject):
        return Subject.TEAM
    if _JOINT.search(subject):
        return None
    if _OWNED.match(subject):
        return None if _VAGUE_OWN.fullmatch(subject) else Subject.OWNED
    untitled = _VERSION.sub("", _TITLE.sub("", subject))
    found = names.find(f"{untitled} is")
    if found and found[0].start == 0 and found[0].end == len(untitled):
        return Subject.NAME
    if _is_vague(subject.lower().removeprefix("the ").split()):
        return None
    if _DETERMINED.match(subject):
        return Subject.THING
    first = subject.split()[0].lower()
    if _PLAIN.fullmatch(subject) and first not in lexicon.FUNCTION:
        return Subject.PLAIN
    return None


def _is_vague(words: list[str]) -> bool:
    """Say whether a subject, without its article, could mean anything: `error`, `other file`, `second die`."""
    if words[-1] in _METHODS:
        return True
    if len(words) == 1:
        return words[0] in _VAGUE or words[0] in lexicon.FUNCTION
    return len(words) == 2 and words[0] in _RELATIVE and words[1] not in _COUNTED
