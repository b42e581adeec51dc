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
    r"(?!(?:let|it|that|what|he|she|there|here|who|where|how|when)['’])"
    r"(?:(?:the )?(?:user|team)|[^\W\d_][\w-]+(?: [A-Z][\w-]+)?)['’]s? (?!own\b)",
    re.IGNORECASE,
)
_TITLE = re.compile(r"(?:Dr|Mr|Mrs|Ms|Prof)\.? ")
_VERSION = re.compile(r" v?\d[\w.]*$")
_PERSON = re.compile(r"(?:the )?user", re.IGNORECASE)
_TEAM = re.compile(r"(?:the )?team", re.IGNORECASE)
_DETERMINED = re.compile(r"(?:the|all|every|each|a|an|no|only|both) ", re.IGNORECASE)
_JOINT = re.compile(
    r"\b(?:that|who|which|when|where|because|but|to|than|as|whose|while|and i|is|are|was|were|be"
    r"|been|has|have"
    r"|had|do|does|did|don't|doesn't|didn't|will|can|cannot|could|should|must|would|may|might"
    r"|not|never|always|so"
    r"|even|just|if|also|then|how|it|its|there|this|these)\b|[,;:!?\"“”]",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"(?:[A-Za-z][\w./-]*|`[^`]+`)(?: [a-z][\w./-]*){0,3}(?: (?:for|in|of|on|to"
    r"|from) [\w./`-]+(?: [\w./-]+)?)?"
)

_COMPLETE = re.compile(
    r" |graduated|volunteers|retired|quit|moved|practices|studied|expires|drives|retries|runs"
)
_OTHERS = (Subject.NAME, Subject.THING, Subject.PLAIN, Subject.OWNED)
_NOUN_FORM = re.compile(r"(?!is|was|has|does|consists)\w+s(?:\W*$| (?:of|and|or|are|were|have)\b)")
_ADVERBS = re.compile(rf"(?:(?:{ADVERBS})\s+){{0,2}}")
_BASE_FORM = re.compile(
    r"(?:use|work|live|rely|depend|listen|run|require|store|belong|support|consist|connect|talk"
    r"|write|read|expose|serve|own"
    r"|replace|default|point|expire|import|inherit|deploy|ship|keep|cache|host|go|hold|accept"
    r"|emit|start|end|launch|close"
    r"|open|begin|renew|are|were|have|need|want|plan|aim|hope|intend)\b"
)

#: Subjects that mean something else in every text.
_VAGUE = re.compile(
    r"(?:(?:the )?(?!\w+ (?:release|version|milestone|deadline|sprint|launch|deploy))(?:first"
    r"|second|third|last|next|same|other|basic|current|new|final|original"
    r"|given|total|whole|entire|main|best) \w+"
    r"|(?:the )?(?:code|error|function|method|issue|problem|thing|result|output|following|example"
    r"|step|question|answer|idea|goal|point"
    r"|way|part|reason|solution|approach|option|one|ones|rest|other|others|first|second|third"
    r"|last|next|former|latter|main|key|best|only"
    r"|other \w+|same|process|task|change|changes|value|values|line|lines|file|class|variable"
    r"|loop|test|case|time|day|weather|food|place"
    r"|event|story|picture|photo|painting|book|movie|game|song|name|total|sum|area|angle"
    r"|triangle|people|someone|everyone|everything"
    r"|something|anything|nothing|nobody|somebody|anyone|each|all|both|some|many|most|few|more"
    r"|less|much|several|another|others"
    r"|things|kids|guys|work|life|it|they|he|she|we|you|i|this|that|these|those|there|here|what"
    r"|who|which|not|and|or|but|so|also|then"
    r"|however|therefore|as|with|without|by|to|of|for|in|on|at|from|after|before|when|while|if"
    r"|because|since|being|having|doing"
    r"|seeing|hearing|getting|making|just|even|still|yes|no|ok|well|currently|now|overall"
    r"|finally|additionally|instead|sometimes"
    r"|once|until|during|unlike|like|including|based|given|whether|how|why|where))",
    re.IGNORECASE,
)
_VAGUE_OWN = re.compile(
    r".*\b(?:favou?rites?|fave|choice|go-to)|"
    r".*['’]s? (?:own )?(?:\w+ )?(?:question|guess|point|problem|issue|code|apolog\w+|mistake"
    r"|bad|understanding|concern|thoughts?|idea"
    r"|suggestion|next|first|last|mind|heart|way|turn|fault|error|answer|opinion|thing"
    r"|favou?rite part|day|week|weekend|pleasure|output"
    r"|feelings?|function|query|example|question|current \w+"
    r"|only \w+|main \w+|biggest \w+|hope"
    r"|advice|request|life|head|stuff|time)\b.*",
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
        if subject.lower() in lexicon.FUNCTION:
            continue
        kind = None
        for family in FAMILIES:
            verb = family.verb.match(sentence, word.start())
            if not verb or _lacks_object(sentence, verb):
                continue
            verb_at = _verb_at(sentence, word.start())
            kind = kind or kind_of(subject, speaker)
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
    if _VAGUE.fullmatch(subject):
        return None
    if _DETERMINED.match(subject):
        return Subject.THING
    first = subject.split()[0].lower()
    if _PLAIN.fullmatch(subject) and first not in lexicon.FUNCTION:
        return Subject.PLAIN
    return None
