"""Statements that are whole sentences and yet say nothing to who was not there.

A choice without what was chosen, some things of some kind, an amount of nothing, praise. Judged on sentences told in
the third person; patterns match lower-case text.
"""

import re

from signet.domain.extraction.rules_families import Subject
from signet.domain.extraction.rules_subjects import Statement
from signet.domain.graph.lexicon import FUNCTION, words

_SOME = (
    r"(?:some|different|various|several|certain|other|a (?:mix|lot|couple|bunch|variety|range|number) of|a few"
    r"|so many|such)"
)
_THINGS = (
    r"(?:types?|kinds?|sorts?|methods?|things?|ways?|people|options?|stuff|ideas?|approach(?:es)?|strateg(?:y"
    r"|ies)|tools?|resources?|techniques?|activit(?:y|ies)|changes?|issues?|problems?|factors?|areas?|aspects?"
    r"|items?|topics?|places?|progress|challenges?|steps?|tasks?|points?|goals?|research|work)"
)

#: Some of some kind, or all of them.
_QUANTITY = (
    rf"\b{_SOME} (?:\w+ )?{_THINGS}\b(?! (?:of|such as|like|including|on|for|about|named|called|in)\b)"
    r"|\b(?:everything|anything)\b|\b(?:a few|several|stuff)\W*$|\bmore (?!\w+ly\b)\w+\W*$"
    r"|\ball the user['’]s \w+\W*$|\b(?<!one )another\b|\bboth \w+(?!.* and )|\ban events?\W*$|\ba similar\b"
    r"|\beach (?:approach|option|way)\b|\blots of\b|\bothers (?:don['’]t|do|are|aren['’]t)\b"
)
#: An amount, a time or a share without what it is of.
_MEASURE = (
    r"\b(?:completed|finished|solved|did|answered) \d+ \w+(?:\W*$| and got\b)|\b(?:limit|average|score|total"
    r"|maximum|minimum|target) of [$\d]\S*(?: \w+){0,2}\W*$|\bin mind\b|\ban? (?!(?:\w+ )?(?:deadline|date"
    r"|birthday))\w+ (?:\w+ )?of (?:january|february|march|april|may|june|july|august|september|october"
    r"|november|december) \d|\b(?:has |have )?(?:improved|increased|decreased|dropped|grown|risen) by\b"
    # A time without its day, a day without its month.
    r"|\b(?:scheduled|set|planned|due) (?:for|at) \d{1,2}(?::\d\d)? ?[ap]\.?m\.?\W*$"
    r"|\bon the \d{1,2}(?:st|nd|rd|th)\b(?! of)|\bin (?:a few|a couple of|\w+) (?:days|weeks|months)\W*$"
)
#: A numbered part of an unnamed whole, a share gained on what is nobody's, all of some.
_PART = (
    r"\b(?:scenes?|chapters?|steps?|sprints?|sections?|questions?|parts?|phases?|levels?|exercises?|problems?"
    r"|tasks?|rows?|columns?|lines?|pages?|slides?) \d+\b(?!(?: and \d+)? (?:of|in)\b)|\ball (?:of )?\d+ \w"
    r"|\b(?:boosted|increased|improved|reduced|cut|decreased|raised|lowered|saw|seen) (?!.*(?:the user['’]s"
    r"|the team['’]s|[\"“`]))(?:[^,]* by \d+ ?%|a \d+ ?% )"
)
#: A deed without its object, a work without its title, a bare place.
_OBJECT = (
    r"\b(?<!is )(?<!are )(?:completed|finished|bought|built|received|sold|submitted|booked|scheduled) (?:by|on|before"
    r"|after) "
    r"|\b(?:gathering|collecting|doing|seeking|gathered|collected|did) (?:\w+ )?(?:information|info|research"
    r"|data|feedback|ideas|inspiration|resources)\b(?! (?:on|about|for|from|of|into)\b)|\bstarted by \w+ing\b"
    r"|\bset up\W*$|\bthing(?:y|ies)\b|\bnew (?:material|things?|ideas?|content|ways?)\W*$|\b\w+ to (?:submit"
    r"|go|do|finish|complete|read|write)\W*$|\bgot an? (?:\w+ )?(?:story|question|idea|problem|surprise)\W*$"
    r"|\b(?:working on|doing|started|finished|building|planning) (?:an? |the user['’]s )(?:\w+ )?(?:project"
    r"|task|problem|thing|issue|assignment|case|draft|outline)\W*$|\b(?:learned|tried|discovered"
    r"|did) an? (?:\w+ )?(?:skill|thing|place|activity|technique|trick)s?\W*$|\b(?:read|watched|saw|heard"
    r"|found|bought|got|wrote|made|started|finished|reading|watching|attended|took"
    r"|tried) an? (?:\w+ ){0,2}(?:book|novel|movie|film|song|show|series|article|podcast|video|recipe|game"
    r"|talk|course|class|quote)(?! (?:by|about|called|named|on|titled|from|of|for|with|in|at|to)\b)(?!.*[\"“])"
    r"|\b(?:organi[sz]ed|updated|finished|reviewed|tracking|improved|started|tracked"
    r"|sorted) the user['’]s (?:\w+ )?(?:collection|list|conflict|work|schedule|plan|draft|results?|scores?"
    r"|progress|skills?|goals?)\b(?!.*\d)|\bbooked an? (?:room|table|seat|hotel|ticket)\b(?!.*\b(?:at|in"
    r"|to)\b)|\ba (?:place|spot) (?:that|where|which)\b|\bwent on an? (?:\w+ )?(?:tour|trip|walk|hike|drive"
    r"|journey)\b(?! (?:to|in|through|around|of|at|with|along|across)\b)|\baccordingly\b"
)
#: Praise and moods.
_OPINION = (
    r"\b(?:is|are|was|were|has been|have been) (?:an? )?(?:(?:very|so|really|super|such|truly|quite) )?(?:big"
    r"|great|huge|significant|nice|good|solid|fantastic|amazing|wonderful|incredible|encouraging|inspiring"
    r"|supportive|awesome|perfect|helpful|fun)\b|\b(?:is|are|was|were|feels?) like\b|\bpay(?:ing|s) off\b"
    r"|\bno-brainer\b|\bhad an? (?:blast|(?:good|great|nice|tough|rough|hard|bad|difficult) (?:time|day"
    r"|week))\b|\bis the best\W*$|\b(?:cool|fun|great|nice|special|amazing) (?:event|place|time|day"
    r"|experience)\W*$|\bmakes? for an?\b|\bmiss(?:ing)? out\b|\bso much\b|\bbetter(?: overall)?\W*$"
    r"|\bwon['’]t\b|\blikes? the .{0,40}\b(?:themes?|options?|ideas?|concepts?|suggestions?|designs?|styles?"
    r"|looks?|names?|approach(?:es)?)\b"
)
#: Resolutions that everybody has.
_RESOLVE = (
    r"\bkeep(?:s|ing)? (?:on )?(?:pushing|working hard|going|reaching|trying|striving|moving|growing|fighting|believing"
    r"|learning|improving|dreaming)(?: (?:forward|ahead|on|up|harder?|for (?:new|more|bigger|higher) \w+))?\W*$"
    r"|\bdo the user['’]s (?:very )?best\W*$|\b(?:stay|keep|remain) (?:informed|positive|focused|motivated|strong)\W*$"
    r"|\b(?:never|not|n['’]t) give up\W*$|\b(?:is|are) (?:an? )?must-(?:visit|see|try|read|have|watch)\b"
)
#: What passes within the hour.
_PASSING = (
    r"\bkeeps? (?:getting|seeing|having|running into|hitting|trying)\b|\b\w+ing away\W*$"
    r"|\btook an? (?:[\w-]+ ){0,2}(?:break|nap|walk|look|shower)\b|\b(?:goes|comes) to (?:relax|unwind"
    r"|think|feel)\b"
)
_VAGUE = re.compile("|".join((_QUANTITY, _MEASURE, _PART, _OBJECT, _OPINION, _RESOLVE, _PASSING)))
#: A subordinate clause at the end whose main clause was cut off: `, and since it was cheap`.
_DANGLING = re.compile(
    r"(?:,? and it was|,? which (?:is|was)) (?:so |really |very )?(?:amazing|great|awesome|fun|nice|wonderful"
    r"|incredible|fantastic|cool|exciting|helpful|weird|beautiful)[.!]*$|,? but (?:as of|as for|since) \w+.*$"
    r"|,? and (?:now )?(?:since|given|because|although|while)\b.*$|, and as an? .*$"
    r"|,? and with (?:the user['’]s|that|all|[A-Z]\w+ \d).*$"
)
#: One among some that the talk had named, for what it does not say: `chose Diana`.
_PICKED = re.compile(r"(?:has |have )?(?:chose|chosen|picked) [\w-]+[.!]?")
_CHOSEN = re.compile(r"(?:agreed|decided|opted|committed) (?:not )?to (?=[a-z])")
_NUMBER = re.compile(r"\d")
#: Stands before the verb itself: `has saved`.
_HAS = re.compile(r"(?:has|have) (?=got |been |\w+ed |\w+en )")
#: With these a number alone says enough: `is 34 years old`, `turned 40`.
_TELLING = words("is was turned weighs costs runs uses listens")
_CONTENT = re.compile(r"`[^`]+`|[^\W\d_][\w'’-]{2,}|\b(?!AM|PM)[A-Z][a-z+#]+")
#: Words that only measure, or say when: a number with nothing but these is a number of nothing.
_UNITS = words(
    "dollars euros pounds percent minutes minute hours hour days weeks week months month years slots slot blocks block"
    " sessions session times points problems questions exercises pages guests people experience deadline date time"
    " anchor meeting call appointment total extra set meet weekly daily monthly yearly annually starting ending"
    " jan feb mar apr jun jul aug sep sept oct nov dec mondays tuesdays wednesdays thursdays fridays weekdays"
)
#: Words that are no object of a choice.
_NO_OBJECT = words(
    "the and over instead for from with that this user user's team starting until not noon midnight "
    "january february"
    " march april may june july august september october november december monday tuesday wednesday "
    "thursday friday"
    " saturday sunday"
)


def without_dangling(told: str) -> str:
    """Return the sentence without a last clause that has lost its main clause."""
    return _DANGLING.sub("", told)


def is_vague(told: str, found: Statement) -> bool:
    """Say whether a statement needs its conversation to mean anything."""
    predicate = told[found.verb_at :]
    if _VAGUE.search(told.lower()) or _is_bare_number(predicate, found.kind):
        return True
    if found.family.type != "decision":
        return False
    return not says_what(predicate) or (
        found.kind is Subject.PERSON and _PICKED.fullmatch(predicate) is not None
    )


def _is_bare_number(predicate: str, kind: Subject) -> bool:
    """Say whether somebody did a number of nothing: `saved 5 hours by May 3`."""
    if kind not in (Subject.PERSON, Subject.TEAM) or not _NUMBER.search(predicate):
        return False
    verb, _, rest = _HAS.sub("", predicate).partition(" ")
    told = {word.lower() for word in _CONTENT.findall(rest)}
    return verb not in _TELLING and not told - _UNITS - _NO_OBJECT - FUNCTION


def says_what(choice: str) -> bool:
    """Say whether a choice, from its verb on, tells what was chosen: a deed wants an object as well."""
    deed = _CHOSEN.match(choice)
    rest = choice[deed.end() :] if deed else choice.partition(" ")[2]
    content = {word.lower() for word in _CONTENT.findall(rest)} - _NO_OBJECT
    return len(content) >= (2 if deed else 1)
