"""Definite things that only the talk had introduced: `the movie` that was chosen, `the sides` of some triangle.

A definite noun stands alone when it is closer described (`the history of Oslo`), holds a name or a number, or means
the same to everybody (`the piano`) or to everybody in a project (`the database`).
"""

import re

from signet.domain.graph.lexicon import FUNCTION, words

#: One of its kind for everybody, or a habit of language.
_COMMON = words(
    "piano guitar violin cello drums flute saxophone trumpet clarinet harp bass gym beach park mall office "
    "kitchen "
    "garden yard mountains mountain outdoors ocean sea sky sun moon stars rain snow world internet web "
    "cloud future "
    "past present environment climate planet countryside suburbs community government army navy military "
    "police law news press public economy market morning mornings evening evenings afternoon afternoons "
    "night nights "
    "weekends day summer winter spring fall autumn holidays hospital dentist doctor vet theater theatre cinema "
    "movies opera museum library bank bus train subway metro car plane dishwasher stairs phone radio tv "
    "computer "
    "command terminal shell keyboard browser left right north south east west poor elderly homeless arts "
    "sciences humanities"
)
#: Of these a project has one.
_OF_A_PROJECT = words(
    "api cli ui gui backend frontend server servers client clients database db schema worker workers queue "
    "scheduler "
    "parser linter compiler repo repository codebase branch trunk pipeline build builds tests deploy deploys "
    "deployment release releases staging production cache logs log config configuration service services "
    "platform "
    "team group department company product products website site docs documentation monorepo cluster "
    "network firewall "
    "dashboard app infrastructure stack router gateway broker index"
)
#: Parts of a project, when it is said which.
_PARTS = words(
    "code module modules component components subsystem library package table tables plugin endpoint "
    "endpoints route "
    "routes script scripts"
)
_KNOWN = _COMMON | _OF_A_PROJECT
#: Habits of language that name no thing: `for the first time`.
_IDIOM = re.compile(
    r"\bthe (?:(?:first|second|third|fourth|last|same) (?:time|year|week|day)|(?:past|last|first) \w+"
    r" (?:days|weeks|months|years)|way\b(?! (?:of|to|that))|(?:chance|opportunity|courage|ability|habit"
    r"|process) (?:to|of))\b"
)

#: A date says when, not which: `the contract on May 23`, `the July 25 workshop`.
_DATE = re.compile(
    r"(?:\b(?:on|in|by|since|until|from|at) )?\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mon|Tues|Wednes"
    r"|Thurs|Fri|Satur|Sun)(?:uary|ruary|ch|il|e|y|ust|t|tember|ober|ember|day)?s?\b\.?(?: \d{1,2}(?:st|nd|rd|th)?)?"
    r"(?:,? \d{4}\b)?"
)
#: A noun has at most so many words; what goes on longer holds a verb.
_MAX_WORDS = 4

_THE = re.compile(r"\b[Tt]he\s+(?!user['’]s|team['’]s)(?=\S)")
_WORD = re.compile(r"\S+")
_MARKED = re.compile(r"[A-Z0-9`\"“‘'/$_]")
#: What may follow a noun and say which one it is.
_SAYS_WHICH = re.compile(
    r"(?:of|that|who|which|where|called|named|between|entitled|titled) \S|(?:in|at|by|on|for|from|with|about"
    r"|behind|near|under|along|around|against) (?:(?:the|an?) (?=[A-Z])|the (?:user|team)['’]s|[A-Z`\"“])"
    r"|(?:the user|[A-Z][\w-]+|he|she|they) (?:\w+)"
)


def is_open(predicate: str, *, most: int = _MAX_WORDS) -> bool:
    """Say whether a predicate, told in the third person, holds a definite thing that is not known.

    With fewer `most` words a longer noun is known, and a plural: a rule may speak of `the ledger migration` and `the
    sources`, and not of `the mismatch`.
    """
    bare = _DATE.sub("", _IDIOM.sub("once", predicate))
    return any(not _is_known(bare[the.end() :], most) for the in _THE.finditer(bare))


def is_of_project(subject: str) -> bool:
    """Say whether a subject is something that a project has one of: `the app`."""
    return subject.lower().split()[-1] in _OF_A_PROJECT


def _is_known(rest: str, most: int) -> bool:
    """Judge the noun at the start of a text, from behind its article."""
    noun: list[str] = []
    for word in _WORD.finditer(rest):
        bare = word.group().strip(".,;:!?)(").lower()
        if noun and _SAYS_WHICH.match(rest, word.start()):
            return True
        if noun and bare in FUNCTION:
            break
        if _MARKED.match(word.group()):
            return True
        noun.append(bare)
        if word.group()[-1] in ".,;:!?)" or len(noun) == _MAX_WORDS:
            break
    if most < _MAX_WORDS and (len(noun) > most or "".join(noun).endswith("s")):
        return True
    if len(noun) > 1 and noun[-1] in _PARTS:
        return True
    is_followed = len(noun) > 1 and noun[-1].endswith(("s", "ed", "ly")) and noun[-2] in _KNOWN
    return is_followed or (noun != [] and noun[-1] in _KNOWN)
