"""Statements that are whole sentences and yet say nothing to who was not there.

A choice without what was chosen, some things of some kind, a place that only the talk had named. Judged on sentences
told in the third person; patterns match lower-case text.
"""

import re

from signet.domain.extraction.rules_subjects import Statement
from signet.domain.graph.lexicon import words

_SOME = (
    r"(?:some|different|various|several|certain|other|a (?:mix|lot|couple|bunch|variety|range|number) of|a few"
    r"|so many|such)"
)
_THINGS = (
    r"(?:types?|kinds?|sorts?|methods?|things?|ways?|people|options?|stuff|ideas?|approach(?:es)?|strateg(?:y|ies)|tools?"
    r"|resources?|techniques?|activit(?:y|ies)|changes?|issues?|problems?|factors?|areas?|aspects?|items?|topics?"
    r"|places?|progress|challenges?|steps?|tasks?|points?|goals?|research|work)"
)
_VAGUE = re.compile(
    rf"\b{_SOME} (?:\w+ )?{_THINGS}\b(?! (?:of|such as|like|including|on|for|about|named|called|in)\b)"
    r"|\baccordingly\b|\bmiss(?:ing)? out\b|\bothers (?:don['’]t|do|are|aren['’]t)\b|\bso much\b"
    # What only the talk had named.
    r"|\bthe (?:city|town|area|place|event|trip|call|item|deal|offer|game|party|store|shop|restaurant|movie|show|class"
    r"|session|meeting|appointment|match|race|weekend|magazine|book|article|series|podcast|video|film|song|blog)\W*$"
    r"|\bgot an? (?:\w+ )?(?:story|question|idea|problem|surprise)\W*$"
    r"|\ba (?:place|spot) (?:that|where|which)\b|\bin (?:a few|a couple of|\w+) (?:days|weeks|months)\W*$"
    r"|\bbooked an? (?:room|table|seat|hotel|ticket)\b(?!.*\b(?:at|in|to)\b)"
    r"|\b(?:goes|comes) to (?:relax|unwind|think|feel)\b"
    r"|\ban events?\W*$|\bmore (?:problems|exercises|questions|work|time)\W*$|\bbetter(?: overall)?\W*$"
    r"|\ball the user['’]s \w+\W*$"
    # A deed without its object.
    r"|\b(?:completed|finished|bought|built|received|sold|submitted|booked|scheduled) (?:by|on|before|after) "
    # Praise for what was said before.
    r"|\bis an? (?:very )?(?:big|great|huge|significant|nice|good|solid|key|fantastic)"
    r" (?:improvement|step|start|idea|way|choice|option|approach|plan|achievement|milestone|question|point)\b"
    r"|\b\w+ to (?:submit|go|do|finish|complete|read|write)\W*$|\bstuff\W*$|\bboth \w+(?!.* and )"
    r"|\bwent on an? (?:\w+ )?(?:tour|trip|walk|hike|drive|journey)\b"
    r"(?! (?:to|in|through|around|of|at|with|along|across)\b)"
    r"|\b(?:cool|fun|great|nice|special|amazing) (?:event|place|time|day|experience)\W*$"
    r"|\bis the best\W*$|\b\w+ing away\W*$|\ba similar\b|\bmakes? for an?\b"
    r"|\banother (?:trip|event|book|project|course|class|job)\W*$|\bhad an? (?:blast|(?:good|great|nice) time)\b"
    r"|\b(?:completed|finished|solved|did|answered) \d+ \w+\W*$"
    r"|\b(?:has |have )?(?:improved|increased|decreased|dropped|grown|risen) by\b|\bwon['’]t\b"
    # A time without its day, a day without its month.
    r"|\b(?:scheduled|set|planned|due) (?:for|at) \d{1,2}(?::\d\d)? ?[ap]\.?m\.?\W*$"
    r"|\bon the \d{1,2}(?:st|nd|rd|th)\b(?! of)"
)
#: What happened with a thing that only the talk had named: `shared ideas with the magazine`.
_UNNAMED = re.compile(
    r"\b(?:with|at|to|from|about|during|\w{2,}ed) the (?:[a-z]+ )?[a-z]+\W*$", re.IGNORECASE
)
#: A subordinate clause at the end whose main clause was cut off: `, and since it was cheap`.
_DANGLING = re.compile(
    r"(?:,? and it was|,? which was) (?:so |really |very )?"
    r"(?:amazing|great|awesome|fun|nice|wonderful|incredible|fantastic|cool)[.!]*$|,? but (?:as of|as for|since) \w+.*$"
    r"|,? and (?:now )?(?:since|given|because|although|while)\b.*$|, and as an? .*$"
    r"|,? and with (?:the user['’]s|that|all|[A-Z]\w+ \d).*$"
)
_CHOSEN = re.compile(r"(?:agreed|decided|opted|committed) (?:not )?to (?=[a-z])")
_CONTENT = re.compile(r"`[^`]+`|[^\W\d_][\w'’-]{2,}|\b(?!AM|PM)[A-Z][a-z+#]+")
#: Words that are no object of a choice.
_NO_OBJECT = words(
    "the and over instead for from with that this user user's team starting until not noon midnight january february"
    " march april may june july august september october november december monday tuesday wednesday thursday friday"
    " saturday sunday"
)


def without_dangling(told: str) -> str:
    """Return the sentence without a last clause that has lost its main clause."""
    return _DANGLING.sub("", told)


def is_vague(told: str, found: Statement) -> bool:
    """Say whether a statement needs its conversation to mean anything."""
    if _VAGUE.search(told.lower()):
        return True
    if found.family.type == "episodic" and _UNNAMED.search(told[found.verb_at :]):
        return True
    return found.family.type == "decision" and not says_what(told[found.verb_at :])


def says_what(choice: str) -> bool:
    """Say whether a choice, from its verb on, tells what was chosen: a deed wants an object as well."""
    deed = _CHOSEN.match(choice)
    rest = choice[deed.end() :] if deed else choice.partition(" ")[2]
    content = {word.lower() for word in _CONTENT.findall(rest)} - _NO_OBJECT
    return len(content) >= (2 if deed else 1)
