"""Find statements that change the meaning of their source, although they use its words (PIP-64).

Each part of a statement is compared with the parts of the source that share most of its words. It is changed if those
deny it, doubt it, have another subject, connect its names and numbers with other words, or reverse it. The comparison
is lexical, so it errs on the side of a review. It covers English, and the negations of other languages.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from signet.domain.extraction.contradiction import NEGATIONS
from signet.domain.graph.lexicon import PLAIN, words

#: A name or number counts as much as this many other words.
NAME_WEIGHT = 3
#: A shorter part belongs to the previous one, like the items of a list.
LEAST_WORDS = 3

#: Words at the beginning of a part that name its subject.
SUBJECT_WORDS = 2
#: Words of a part whose order is compared.
MOST_TURNED = 16

#: Denials in one word that a rewording may replace by `not`.
_SOFT = words(
    "stop stopped quit avoid avoids avoided hate hates dislike dislikes refuse refuses refused banned forbidden dropped"
    " removed abandoned rejected against nobody nothing nor aren't hadn't"
)
_PEOPLE = words(
    "sister brother mother father mum mom dad parents wife husband partner spouse friend friends colleague colleagues"
    " coworker boss manager son daughter kids child children neighbour neighbor roommate flatmate cousin uncle aunt"
    " girlfriend boyfriend grandmother grandfather client customer teacher doctor"
    " schwester bruder mutter vater frau mann sohn tochter kollege kollegin chef chefin freund freundin"
)
SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+|(?<=[。！？])")
_BULLET = re.compile(r"^[\s>*•+#-]*(?:\d{1,2}[.)]\s+)?[*_]*")
_PART = re.compile(
    r"[,;:]\s+|(?<!\s)\s+(?=(?:and|but|while|whereas|because|before|after|which|who|und|aber|et|mais|y|pero)\s)",
    re.IGNORECASE,
)
_JOINT = words("and but while whereas und aber et mais y pero or")
_RANGE = re.compile(r"\b(?:between|both|zwischen)\b[^,]*$", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?(?:[.:/@+#-][^\W_]+)*")
_UNSURE = re.compile(
    r"\?|\b\w+['’]d\b|\b(?:previous|former|formerly|want(?:s|ed)? to|wish(?:es|ed)?|hop(?:e|es|ed|ing)|going to"
    r"|plan(?:s|ned|ning)?|intend(?:s|ed|ing)?|dream(?:s|ed|ing)?|if|unless|would|could|might|maybe|perhaps|possibly|consider(?:s|ed|ing)?|suggest(?:s|ed|ing)?"
    r"|propos(?:e|es|ed|ing)|recommend(?:s|ed|ing)?|claim(?:s|ed|ing)?|rumou?rs?|thought (?:about|of)"
    r"|think(?:ing)? (?:about|of)|used to|wonder(?:s|ed|ing)?|imagine|suppose[sd]?|for example|wrong|wenn|falls"
    r"|vielleicht|würden?|könnten?|möchten?)\b",
    re.IGNORECASE,
)
#: How a statement renders such a source.
_WEIGHED = re.compile(
    r"\b(?:want|wants|wanted|prefers?|likes?|should|may|plans?|asked|asks)\b", re.IGNORECASE
)
#: A statement with these words names an old value on purpose.
_OLD = re.compile(r"\b(?:instead|rather|no longer|not|formerly|previously|away)\b", re.IGNORECASE)
_NO_DENIAL = re.compile(
    r"\b(?:do not|don['’]t|never) forget\b|\bnot only\b|\bno problem\b|\bno, ", re.IGNORECASE
)
_ABOUT_USER = re.compile(
    r"(?:the )?user\b(?!['’])|I\b|(?:der|die) (?:be)?nutzer(?:in)?\b", re.IGNORECASE
)
_OF_USER = re.compile(r"(?:the )?user['’]s\b|my\b", re.IGNORECASE)
_OWN = re.compile(r"\b(?:I|we|ich|wir|je|nous|yo)\b|\b(?:I|we)['’]", re.IGNORECASE)
_MINE = re.compile(r"\b(?:my|our|me|us|mein\w*|unser\w*)\b", re.IGNORECASE)
_OTHERS = re.compile(
    rf"\b(?:he|she)\b|\b(?:my|our|his|her|their|the|an?|mein\w*|unser\w*)\s+(?:\w+\s+)?(?:{'|'.join(sorted(_PEOPLE))})\b",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(r"\b(?:it|they|them|him|this|these|those)\b", re.IGNORECASE)
#: A part that continues with a verb.
_ELIDED = re.compile(
    r"(?:and|but|und|aber)\s+(?:\w+ed|is|are|was|were|has|have|had|can|must|will|do|does|runs|uses|works|lives|likes"
    r"|listens|keeps|needs|wants|goes|takes|eats|drinks|owns|writes|reads|sends|hat|ist)\b",
    re.IGNORECASE,
)
_THING = re.compile(r"(?:and |but )?(?:the|an?)\s+(?!user\b)", re.IGNORECASE)
_PRONOUN = re.compile(
    r"(?:(?:and|but)\s+)?(?:it|its|they|their|this|that|these|those|there|which|who|whose|where|he|she|his|her|i|we|my|our"
    r"|you|er|sie|es)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence: its words in order, and what the previous words reveal about its subject."""

    text: str
    terms: tuple[str, ...]
    particulars: frozenset[str]
    #: Return whether it contains a word or another form of it.
    has: Callable[[str], bool]
    #: Whether its subject may be the speaker, whether it is about the user, or about something of the user.
    is_own: bool
    is_about_user: bool
    is_users: bool
    is_by_assistant: bool
    #: Whether its subject is in the part before.
    is_elided: bool
    is_unsure: bool


#: Returns whether one word is a form of another.
AreForms = Callable[[str, str], bool]


def parts(
    text: str,
    terms: Callable[[str], Sequence[str]],
    particulars: Callable[[str], Collection[str]],
    words_of: Callable[[str], Callable[[str], bool]],
    *,
    is_by_assistant: bool = False,
) -> list[Clause]:
    """Return the parts of a text; the functions return content words, names and numbers, and the lookup of a text.

    Statements of an assistant are never the user's statements about himself.
    """
    found: list[Clause] = []
    for sentence in (_BULLET.sub("", one) for one in SENTENCE.split(text)):
        named = frozenset(particulars(sentence)) | _first_name(sentence, terms)
        is_about_user = _ABOUT_USER.match(sentence) is not None
        is_own = True
        subject: tuple[str, ...] = ()
        for piece in _pieces(sentence):
            is_own = _is_own(piece, is_own)
            held = tuple(terms(piece))
            is_elided = _ELIDED.match(piece) is not None
            subject = subject if is_elided else held[:SUBJECT_WORDS]
            here = frozenset(one for one in held if one in named) | (
                frozenset(particulars(piece)) & named
            )
            found.append(
                Clause(
                    text=piece,
                    terms=held,
                    particulars=here,
                    has=words_of(" ".join((piece, *subject))),
                    is_elided=is_elided,
                    is_own=is_own and not is_by_assistant,
                    is_users=_OF_USER.match(sentence) is not None,
                    is_by_assistant=is_by_assistant,
                    is_about_user=is_about_user and _OTHERS.search(piece) is None,
                    is_unsure=_UNSURE.search(piece) is not None,
                )
            )
    return found


def is_changed(statement: Clause, source: Sequence[Clause], same: AreForms) -> bool:
    """Return whether the nearest parts of the source say something else."""
    near = _nearest(statement, source)
    return bool(near) and (
        all(_differs(statement, part, same) for part in near)
        or any(_is_moved(one, statement, source) for one in statement.particulars)
    )


def _differs(statement: Clause, part: Clause, same: AreForms) -> bool:
    return (
        _denials_differ(statement.text, part.text)
        or (part.is_unsure and not (statement.is_unsure or _WEIGHED.search(statement.text)))
        or (statement.is_about_user and not part.is_own)
        or (statement.is_users and part.is_by_assistant)
        or _roles_differ(statement, part)
        or _is_turned(statement, part, same)
        or _counts_differ(statement, part)
    )


def _pieces(sentence: str) -> list[str]:
    found: list[str] = []
    for piece in _PART.split(sentence):
        low = [word.lower() for word in _WORD.findall(piece)]
        telling = [word for word in low if word not in _JOINT]
        is_denial = bool(telling) and telling[0] in NEGATIONS
        is_short = len(telling) < LEAST_WORDS and not is_denial
        if found and (is_short or _RANGE.search(found[-1]) or _is_label(found[-1])):
            found[-1] = f"{found[-1]} {piece}"
        elif telling:
            found.append(piece)
    return found


def _is_label(piece: str) -> bool:
    return len(_WORD.findall(piece)) < LEAST_WORDS


def _is_own(piece: str, before: bool) -> bool:
    """Return whether a part may be about the user; one without a subject inherits the previous subject."""
    if _OWN.search(piece):
        return _OTHERS.search(piece) is None or _first(_OWN, piece) < _first(_OTHERS, piece)
    if _OTHERS.search(piece):
        return False
    first = _WORD.search(piece)
    is_named = first and first[0][0].isupper() and first[0].lower() not in PLAIN
    if is_named or _THING.match(piece):
        return _MINE.search(piece) is not None
    return before


def _first_name(sentence: str, terms: Callable[[str], Sequence[str]]) -> frozenset[str]:
    """Return the first word of a sentence if it is no ordinary word: then it is a name."""
    first = _WORD.search(sentence)
    is_name = first is not None and first[0][0].isupper() and first[0].lower() not in PLAIN
    return frozenset(terms(first[0])) if first and is_name else frozenset()


def _first(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.search(text)
    return found.start() if found else len(text)


def _nearest(statement: Clause, source: Sequence[Clause]) -> list[Clause]:
    """Return the parts that share most of a statement's words."""
    shares = [_weight(statement.terms, part, statement.particulars) for part in source]
    most = max(shares, default=0)
    return [part for part, share in zip(source, shares, strict=True) if share == most and share]


def _weight(terms: Collection[str], part: Clause, named: Collection[str]) -> int:
    return sum(NAME_WEIGHT if one in named else 1 for one in terms if part.has(one))


def _is_moved(one: str, statement: Clause, source: Sequence[Clause]) -> bool:
    """Return whether the source connects the statement's other words with another number or name."""
    rest = [term for term in statement.terms if term != one]
    named, is_number = statement.particulars, has_digit(one)
    hosts = [part for part in source if part.has(one)]
    if any(_POINTS_BACK.search(part.text) for part in hosts):
        return False
    most = max((_weight(rest, part, named) for part in hosts), default=0)
    subject = next(iter(rest), "")
    is_hosted = any(part.has(subject) for part in hosts)
    return any(
        _weight(rest, part, named) > most
        for part in source
        if not part.has(one)
        and (part.has(subject) or not is_hosted)
        and any(has_digit(o) == is_number for o in part.particulars - named)
    ) or (bool(hosts) and all(_has_other_subject(statement, part, source) for part in hosts))


def _has_other_subject(statement: Clause, part: Clause, source: Sequence[Clause]) -> bool:
    """Return whether a part begins with a subject that the statement lacks, and lacks the statement's."""
    if not statement.terms or not part.terms or part.is_elided or _PRONOUN.match(part.text):
        return False
    subject, other = statement.terms[0], part.terms[0]
    return (
        not part.has(subject)
        and not statement.has(other)
        and any(one.has(subject) for one in source)
    )


def has_digit(word: str) -> bool:
    """Return whether a word is a number, or contains one."""
    return any(map(str.isdigit, word))


def _denials_differ(statement: str, part: str) -> bool:
    (is_plain, is_any), (_, is_said) = _denies(statement), _denies(part)
    return (is_said and not is_any) or (is_plain and not is_said)


def _denies(text: str) -> tuple[bool, bool]:
    """Return whether a text contains a plain denial, and whether it contains one or a verb that denies."""
    spoken = {word.lower().replace("’", "'") for word in _WORD.findall(_NO_DENIAL.sub(" ", text))}
    hard = any(word.endswith("n't") or word.replace("'", "") in NEGATIONS for word in spoken)
    return hard, hard or not spoken.isdisjoint(_SOFT)


def _roles(part: Clause) -> dict[str, str]:
    """Return the preposition in front of each word that has one."""
    spoken = [word.lower() for word in _WORD.findall(part.text)]
    return {
        word: before
        for before, word in pairwise(spoken)
        if before in ("from", "to", "over", "than", "by")
    }


def _roles_differ(statement: Clause, part: Clause) -> bool:
    ours, theirs = _roles(statement), _roles(part)
    if not _OLD.search(statement.text) and any(
        role == "from" and "to" in theirs.values() and statement.has(one) and ours.get(one) != role
        for one, role in theirs.items()
    ):
        return True
    if any({ours[one], theirs[one]} == {"from", "to"} for one in ours.keys() & theirs.keys()):
        return True
    if statement.terms[:1] == part.terms[:1] and any(
        statement.has(one)
        and part.has(one)
        and (ours.get(one) == "by") != (theirs.get(one) == "by")
        for one in (ours.keys() | theirs.keys()) & statement.particulars
    ):
        return True
    spoken = {word.lower() for word in _WORD.findall(part.text)}
    turned = [one for one, role in ours.items() if role in ("over", "than") and one in spoken]
    return any(theirs.get(one) != ours[one] for one in turned) and bool(theirs)


def _counts_differ(statement: Clause, part: Clause) -> bool:
    """Return whether a part counts something that a statement counts, with other numbers only."""
    ours, theirs = _counted(statement.text), _counted(part.text)
    return any(word in theirs and not numbers <= theirs[word] for word, numbers in ours.items())


def _counted(text: str) -> dict[str, set[str]]:
    """Return the numbers in front of each word."""
    found: dict[str, set[str]] = {}
    for number, word in pairwise(_WORD.findall(text.lower())):
        if has_digit(number) and word.isalpha():
            found.setdefault(word, set()).add(number)
    return found


def _is_turned(statement: Clause, part: Clause, same: AreForms) -> bool:
    """Return whether two words change sides of a third: "A calls B", "B calls A" and not "B is called by A"."""
    if "by" in {word.lower() for word in _WORD.findall(f"{statement.text} {part.text}")}:
        return False
    places = [
        next((at for at, other in enumerate(part.terms) if same(one, other)), None)
        for one in statement.terms
    ]
    held = [(at, one) for at, one in zip(places, statement.terms, strict=True) if at is not None]
    return any(
        a > b > c and part.terms[b] == middle and middle not in NEGATIONS
        for (a, _), (b, middle), (c, _) in combinations(held[:MOST_TURNED], 3)
    )
