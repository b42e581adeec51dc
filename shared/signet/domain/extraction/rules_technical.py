"""Talk about code that is worth nothing later: what somebody saw or ran, what the code does, what a language can do.

The code and its history say that themselves, and better. Of technical talk there remain decisions, rules, causes,
people, dates, places and settings. Judged on sentences told in the third person; notes are not judged, because
whoever writes something down means to keep it.
"""

import re

from signet.domain.extraction import rules_reference
from signet.domain.extraction.rules_families import Subject
from signet.domain.extraction.rules_subjects import Statement
from signet.domain.graph.lexicon import words
from signet.domain.transcripts import transcript

#: An identifier: code in backticks, a call, a dotted or snake_case name, a commit.
_CODE = re.compile(
    r"`|\w\(\)|\b[a-z]\w*_\w+|\b\w+\.(?:py|js|ts|rs|go|java|rb|cpp|h)\b|\b[0-9a-f]{7,40}\b"
)
_DATE = re.compile(
    r"\b(?:on|in|by|since|until|from) (?:\d{1,2}(?:st|nd|rd|th)? )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov"
    r"|Dec)[a-z]*\b|\b\d{4}-\d\d"
)
#: What is true of a program at some commit only.
_PART_OF_CODE = words(
    "function functions method methods class classes argument arguments parameter parameters module modules import "
    "imports decorator check checks parsing handling implementation logic call calls loop branch wrapper helper "
    "helpers variable constant attribute property signature docstring design interface algorithm approach pattern "
    "fix change commit refactor refactoring clause clauses mock mocks fixture fixtures statement statements block "
    "exception exceptions iterator generator instance object objects"
)
#: A setting or a place may be told of code: a number, a path, an address.
_SETTING = re.compile(r"\d|\w/\w|://|@")
#: What all the world can look up.
_PUBLIC = words(
    "python cpython javascript typescript java kotlin swift rust golang ruby php perl scala haskell bash sql json yaml "
    "toml xml html css http https utf-8 unicode ascii linux unix windows macos git github gitlab docker kubernetes npm "
    "pip unittest asyncio numpy pandas jit gc regex oauth jwt rest graphql"
)
#: A thing that has no name, and of which nothing is said: `the bug`, `the target`.
_BARE = re.compile(r"(?:[Tt]he|[Aa]n?) [a-z]+")
#: What an assistant has counted is different tomorrow.
_COUNTED = re.compile(r"(?:has|have|takes?|contains?|is|are|holds?) (?:about |around |only )?\d")
#: Statements of being: they need a subject that says what it is.
_WEAK = 0.75
#: What an assistant says of these it has read somewhere.
_PRODUCTS = words("postgres postgresql mysql sqlite mongodb redis kafka react vue django flask")
#: An amount is worth keeping when somebody has set it; measured, it is different tomorrow.
_MEASURED = re.compile(r"(?:is|are) (?:about |at (?:most|least) )?\d[\d.,]* ?(?!\d|bit\b)\w+")
_SET = re.compile(
    r"\b(?:limit|budget|timeout|maximum|minimum|max|min|quota|cap|threshold|deadline|window|interval|retention|rate"
    r"|size|ttl|sla|target|goal|period|price|fee|rent|salary|term|length|capacity)s?\b",
    re.IGNORECASE,
)
#: How good somebody finds something.
_JUDGED = (
    r"(?:tricky|wrong|broken|inconsistent|weird|odd|messy|ugly|robust|reliable|fundamental|crucial|essential|subtle"
    r"|solid|reasonable|fine|okay|ok|complex|complicated|interesting|useful|straightforward|handy|tough|flaky|noisy"
    r"|brittle|elegant|neat|clever|confusing|slow|fast|sane|sensible|annoying|painful|terrible|awful|horrible|red"
    r"|green|done|ready|correct|incorrect|clean|careful|powerful|flexible|efficient|cleaner|safer|faster|simpler"
    r"|easier|better|worse|key|important|critical|vital|smooth|stable|known|minor|major|rare|common|hard|easy)"
)
_OPINION = re.compile(
    rf"\b(?:is|are|was|were|be|remains?|stays?|feels?|looks?|keeps?|gets?|has been) (?:\w+ )?(?:\w+ly |more |less "
    rf"|quite |pretty |a bit |very |too |so |an? )?{_JUDGED}\b(?! \w+[:.]\w| (?:on|in|by) [A-Z])|\bhelps?\b"
    rf"|\b(?:have|has) (?:\w+ )?{_JUDGED} \w+\W*$|\bquite a (?:bit|few|lot)\b|\bsome (?:older|other|deeply|of)\b"
    r"|\ba bunch of\b|\bin general\b|\bleans? towards?\b|\bagain\W*$|\bdeals? with\b|\btakes? care of\b",
    re.IGNORECASE,
)
#: How something is at the moment, or what anybody would do about it.
_MOMENT = re.compile(
    r"\b(?:currently|now|at present|just|still|simply|basically|by default|should(?! (?:never|always)))\b"
)
#: A step of the work, whatever it was done to.
_STEP = re.compile(
    r"(?:has |have )?(?:just |also |already |recently )*(?:ran into|came across|stumbled|hit|tested|measured"
    r"|reproduced|profiled|benchmarked|bisected|traced|debugged|committed(?! to)|pushed|merged|rebased|reran)\b"
)
#: Code that is more than a name: a call, a path inside a program.
_EXPRESSION = re.compile(r"`[^`]*[(.\[_=][^`]*`")
#: What fails today and is mended tomorrow.
_TRANSIENT = _PART_OF_CODE | words("test tests build builds pod pods job jobs pipeline run runs")
#: What somebody perceived, or did a moment ago.
_PERCEIVED = re.compile(
    r"(?:has |have )?(?:just |also |already |recently |only )*(?:saw|seen|noticed|spotted|looked|checked|ran|run|tested"
    r"|tried|debugged|pushed|pulled|rebased|merged|reran|opened|closed|read|found|hit|got|grepped|skimmed|verified|confirmed)\b"
)
#: What somebody or a program says of a fault, and a number that stays where it is: whose it is stands elsewhere.
_REPORTS = re.compile(
    r"\b(?:(?:complain|grumbl|whin|moan|yell)(?:e?s|e?d|ing)? (?:about|that|at)"
    r"|stay(?:s|ed)? (?:at|below|under|above|around) \d)"
)
_WORKING = re.compile(
    r"is (?:\w+ )?(?:using `\w+[._(]|testing|debugging|looking|working|writing|adding|refactoring|reading)\b"
)


def is_passing(told: str, found: Statement, role: str) -> bool:
    """Say whether a statement of technical talk is a remark that nobody needs when the talk is over."""
    predicate = told[found.verb_at :]
    kind = found.family.type
    if _REPORTS.search(told):
        return True
    if found.kind is Subject.PERSON:
        is_step = _STEP.match(predicate) is not None and not _DATE.search(predicate)
        return is_step or _is_deed_on_code(predicate, kind)
    if found.kind is Subject.OWNED and _EXPRESSION.search(predicate):
        return True
    if (
        found.kind is Subject.TEAM
        and kind in ("episodic", "fact")
        and _is_deed_on_code(predicate, kind)
    ):
        return True
    if kind == "rationale":
        is_bare = _BARE.fullmatch(found.subject) is not None and not _CODE.search(predicate)
        return is_bare or found.subject.lower().split()[-1] in _TRANSIENT
    if kind in ("decision", "preference"):
        return False
    is_technical = _is_technical(told, found)
    if is_technical and (_OPINION.search(told) or _MOMENT.search(told)):
        return True
    if kind == "procedural":
        return False
    if role == transcript.ASSISTANT and (
        _COUNTED.match(predicate) or found.subject.lower() in _PRODUCTS
    ):
        return True
    if _MEASURED.match(predicate) and not _SET.search(found.subject):
        return True
    is_weak = found.family.confidence <= _WEAK and _BARE.fullmatch(found.subject) is not None
    if is_weak and not rules_reference.is_of_project(found.subject):
        return True
    return _is_of_the_code(found, predicate)


def _is_deed_on_code(predicate: str, kind: str) -> bool:
    """Say whether somebody did something to code, or looked at it, at no date."""
    if kind not in ("episodic", "fact", "semantic") or _DATE.search(predicate):
        return False
    if not _CODE.search(predicate):
        return False
    return (
        kind == "episodic"
        or _PERCEIVED.match(predicate) is not None
        or _WORKING.match(predicate) is not None
    )


def _is_technical(told: str, found: Statement) -> bool:
    """Say whether a statement is about a program or a thing of the team's, not about people."""
    is_teams = found.subject.lower().startswith(("the team's", "the team’s"))
    return (
        is_teams or found.kind in (Subject.THING, Subject.PLAIN) or _CODE.search(told) is not None
    )


def _is_of_the_code(found: Statement, predicate: str) -> bool:
    """Say whether a statement tells what code does, or what everybody can look up, and no setting of it."""
    if _SETTING.search(predicate):
        return False
    subject = found.subject.lower().removeprefix("the ").split()
    if subject[0] in _PUBLIC:
        return True
    is_code = subject[-1].endswith(("`", "()")) or (len(subject) == 1 and "." in subject[0])
    return subject[-1] in _PART_OF_CODE or is_code
