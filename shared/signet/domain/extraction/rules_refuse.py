"""Sentences that are no durable, standalone statement: refused whole, before anything is read from them.

Precision comes from here. Each pattern is a reason why a sentence would not be understood, or not be true, when
read months later by someone who was not there. Patterns match lower-case text: ignoring case costs four times as much.
"""

import re

MIN_WORDS = 2
MAX_WORDS = 55

QUESTION = re.compile(
    r"\?|^(?:what|why|how|where|who|whom|whose|which|can|could|would|will|should|shall|do(?! not)"
    r"|does|did|is|are|was|were|am|have|has|any|got)\b(?!ever)",
)

#: Who speaks to whom: requests, thanks, offers, talk about the talk.
ADDRESS = re.compile(
    r"\b(?:you|your|yours|yourself|y'all|ya|u)\b|\byou['’]|\b(?:please|pls|thanks|thank|sorry|let me"
    r"|lemme|help me|tell me|show me|give me|explain|remind me|walk me|guide me|suggest|advise"
    r"|appreciate|grateful|hello|hey|hi|welcome|congrat\w*|good luck|lol|haha\w*|wow|wonder\w*"
    r"|curious|conversation|chat|discussed|mentioned|prompt|feel free|happy to|glad to"
    r"|sounds? (?:good|great|like|fun|amazing|awesome|interesting)|look(?:s|ing) forward"
    r"|can['’]t wait|excited|advice|tips|recommendations?|suggestions?)\b",
)

HEDGE = re.compile(
    # The month is none.
    r"(?<!\d )(?<!th )(?<!in )(?<!on )(?<!by )(?<!of )(?<!since )(?<!until )(?<!from )\bmay\b(?! \d)"
    r"|\b(?:maybe|perhaps|possibly|probably|presumably|apparently|i think|i guess|i suppose"
    r"|i believe|i feel|i assume|i imagine|i hope|i wish|i bet|i mean|i doubt|not sure|unsure"
    r"|uncertain|hopefully|might|could|would|seems?|seemed|seemingly|appears? to|kind of"
    r"|kinda|sort of|sorta|supposedly|considering|thinking (?:of|about)|debating|wondering"
    r"|leaning|tempted|somehow|wish|hoping|likely|unlikely|almost|hypothetical\w*|suppose|imagine"
    r"|pretend|assuming|in case|unless|whether|as if|or something|something like|whatever|guess"
    r"|allegedly|rumou?r\w*|shall)\b|\b(?:i|we|they|he|she)['’]d\b|\.\.\.|…",
)

CONDITION = re.compile(r"\bif\b")

#: Words that point at something outside the sentence.
POINTING = re.compile(
    r"\b(?:this|these|those|here|(?:above|below)(?! \d)|following|previous|previously|latter|former|aforementioned"
    r"|therein|such a|such an|the same|the other|the others|the rest|the first one|the second one|another one"
    r"|either one|that one|that way|like that|do that|did that|doing that|does that|done that|at that|of that"
    r"|for that|about that|with that|after that|before that|besides that|from that|to that|on that|in that"
    r"|all that|that too|that part|that point|that much|that time|that day|back then|over there|there too"
    r"|both of them|all of them|one of them|each of them|mine|myself|ourselves|yours|so far|as well as that"
    r"|instead of that|the (?:above|below|next) \w+|the (?:idea|option|approach|suggestion|example|snippet"
    r"|explanation|breakdown|answer|response|question|advice|info|information|details|thing|things|stuff"
    r"|other \w+|whole thing|latest one|last one|new one|old one)|the \w+ (?:one|ones|part|thing|approach"
    r"|version|option|way))\b|\b(?:ever since|since then|until then|by then|just like|as usual)\b"
    r"|\b(?:rejected|likes?|loves?|used?|uses|using|needs?|wants?|bought|got|took|did|make|makes|making|made|chose|picked|with"
    r"|about|at|by|from|of|for|in|on|to|all|see|saw) that\b|\b(?<!no )(?<!number )one(?= (?:at|in|for|with"
    r"|that|to|on|from|which|too|and|but)\b|[.,!;]|$)|\b(?:something|as it was)\b|\babout (?:it|them)\b"
    r"|\b(?:behind|of|for|with|from|around) it[.,!;]?$|\bthat (?:stuff|thing|one)\b|\b(?!decided|agreed"
    r"|learned|noticed|reali[sz]ed|discovered|mentioned|explained|confirmed|stated|stressed|announced|proved"
    r"|showed|ensured|concluded|verified|required)\w+ed that\b|\bthat['’]s|\bthat (?:is|was|are|were|has|had"
    r"|will|can|makes|made|means|works|worked|helps|helped|sounds|looks)\b|\bthat[.,!;]?$|\b(?:it|they|them"
    r"|there)['’]",
)

#: Days and times that mean nothing without the date of the text.
RELATIVE_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|right now|just now|ago|soon|later|lately|these days"
    r"|nowadays|earlier|upcoming|at the moment|for now|a while|the other day|(?:last|this|next"
    r"|past|coming) (?:\w+ )?(?:week|weekend|month|year|quarter|sprint|night|morning|afternoon"
    r"|evening|fall|summer|spring|autumn|winter|time|few|couple|monday|tuesday|wednesday|thursday"
    r"|friday|saturday|sunday|mon|tues?|wed|thu(?:rs)?|fri|sat|sun|january|february|march|april"
    r"|june|july|august|september|october|november|december)s?)\b",
)

#: What an agent says about its own work.
NARRATION = re.compile(
    r"^(?:now|next|first|then|done|ok(?:ay)?|great|perfect|good|all|finally|fixed|updated|added"
    r"|created|let['’]s)\b|\b(?:i|i['’](?:m|ll|ve|d)|me|my|we['’]ll|let['’]s|we|our|us|step \d"
    r"|as follows|for example|e\.g\.)\b",
)

#: Last words that leave a sentence open.
_OPEN_END = re.compile(
    r"\b(?:to|of|for|the|an?|and|or|but|since|which|who|ever|from|than|because|is|are|was|were|my|i|with|if|as"
    r"|at|also|be|everything|anything|nothing|something|so|too much|a lot|some|more|much|stuff|things|about"
    r"|around|over|finer|during|while|when|after|until|within|without|into|through|between|for a bit|the topic"
    r"|the industry|the subject|the process|together|(?:\w+(?:ing|ed)|that|on|of|in|with|for|buy|try|have|has"
    r"|make|use|need|want|get|got) one)\W*$",
)
_WORD = re.compile(r"[^\W\d_][\w'’-]*")


def is_unfit(sentence: str) -> bool:
    """Say whether the form alone rules a sentence out: too short, too long, shouted, broken or a question."""
    lowered = sentence.lower()
    return (
        not MIN_WORDS <= len(_WORD.findall(sentence)) <= MAX_WORDS
        or QUESTION.search(lowered) is not None
        or sentence.endswith((":", ","))
        or _OPEN_END.search(lowered) is not None
        or sentence.count('"') % 2 == 1
        or sentence.count("(") != sentence.count(")")
        or sentence.count("`") % 2 == 1
        or _is_shouted(sentence)
    )


def is_refused(sentence: str, *, is_rule: bool = False) -> bool:
    """Say whether a sentence speaks to someone, hedges, points elsewhere or depends on its day."""
    lowered = sentence.lower()
    if not is_rule and CONDITION.search(lowered):
        return True
    return any(pattern.search(lowered) for pattern in (ADDRESS, HEDGE, POINTING, RELATIVE_TIME))


def is_narration(sentence: str) -> bool:
    """Say whether an assistant speaks of itself, or of what it is doing."""
    return NARRATION.search(sentence.lower()) is not None


def _is_shouted(sentence: str) -> bool:
    """Say whether more letters are capitals than not."""
    if sentence.islower():
        return False
    capitals = sum(map(str.isupper, sentence))
    return capitals * 2 > sum(map(str.isalpha, sentence))
