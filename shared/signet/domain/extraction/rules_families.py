"""The verbs that make a statement worth keeping.

A family is a set of verb phrases in the third person, with a fact type, a confidence and the kinds of subject it may
have. Below 0.7 a statement is true but weak, and the confidence gate of the pipeline drops it.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from signet.domain.extraction.rules_voice import ADVERBS


class Subject(StrEnum):
    """Who or what a sentence is about, as far as its first words tell."""

    PERSON = "person"  # the user, or the speaker
    TEAM = "team"
    OWNED = "owned"  # the user's dog, Alice's team
    NAME = "name"
    THING = "thing"  # the billing service
    PLAIN = "plain"  # feature branches


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Verb phrases that make one sort of statement."""

    type: str
    confidence: float
    subjects: frozenset[Subject]
    verb: re.Pattern[str]
    needs_detail: bool


def _family(
    type: str, confidence: float, subjects: str, verb: str, *, needs_detail: bool = False
) -> Family:
    return Family(
        type=type,
        confidence=confidence,
        subjects=frozenset(Subject(name) for name in subjects.split()),
        verb=re.compile(rf"(?:(?:{ADVERBS})\s+){{0,2}}(?:{verb})(?![\w'’])"),
        needs_detail=needs_detail,
    )


_ANYTHING = "person team owned name thing plain"
_THINGS = "owned name thing plain"
_TECH_STATE = (
    "stored|hosted|deployed|written|built|located|kept|defined|configured|generated|managed|owned"
    "|maintained|served|backed"
    "|exposed|installed|scheduled|cached|based|implemented|called|named|encrypted|signed|limited|capped"
    "|pinned|versioned"
    "|tested|indexed|partitioned|replicated|retried|rotated|mounted|compiled|bundled|published|released"
    "|licensed|run"
    "|done|made|sent|sized|refreshed|triggered|measured|billed|refused|rejected|skipped|frozen|wiped|approved"
    "|handled|merged|squashed|reviewed|logged|exported|imported|read|loaded|disabled|enabled|protected|blocked"
)

#: `must have been fun` binds nobody.
_BINDING = (
    r"(?!must (?:have|feel|be (?:so|very|really|quite|great|nice|amazing|hard|tough|fun|proud"
    r"|exciting)))(?:must|needs? to|has to|have to|cannot|can['’]t|can only)(?: not| never| always"
    r"| only)? (?:be |have )?\w+|(?:is|are) (?:not|never|always|only)? ?(?:allowed|forbidden"
    r"|required|permitted|mandatory|prohibited)|(?:never|always) \w+"
)

#: The order decides: the first family whose verb phrase stands at the earliest place wins.
FAMILIES = (
    _family(
        "decision",
        0.9,
        "person team owned name",
        r"(?:has |have )?(?:decided (?:to|on|against|that|not to)|ch(?:ose|osen|ooses)|picked(?! (?:up|on|out"
        r"|at))|settled on|went with|opted (?:for|to|out)|agreed (?:(?:with [\w ]{2,30}? )?(?:to|on|that)\b)"
        r"|committed to|standardi[sz]ed on|ended up (?:using|choosing|going with)|rejected|ruled out"
        r"|stopped (?:using|shipping|supporting)|dropped(?= [A-Z`])"
        r"|switched (?:\w+ ){0,3}?(?:from|to)|migrated (?:\w+ ){0,4}?(?:from|to|away|off)"
        r"|upgraded (?:\w+ ){0,3}?(?:from|to)|adopted(?! (?:a|an|two|three|her|him|the)\b)|replaced|deprecated"
        r"|dropped support)|will (?:use|go with|stick with|switch to|migrate to|adopt|drop|deprecate)"
        r"|is (?:going|sticking) with",
    ),
    _family(
        "preference",
        0.9,
        "person team owned name",
        r"prefer(?:s|red)?|favou?rs|(?:dis)?likes|loves|hates|enjoys|avoids|(?:doesn['’]t|does not) (?:like"
        r"|enjoy|use|eat|drink|want (?:to (?:use|eat|drink|work|move)\b|(?!to\b)))|can['’]t stand|cannot stand"
        r"|is (?:a )?(?:big |huge |total )?(?:fan of|fond of|into|passionate about)|insists on",
    ),
    _family("preference", 0.9, "person", r"(?:always|never|usually|mostly|typically) (?:[a-z]+s)"),
    _family(
        "rationale",
        0.85,
        _THINGS,
        r"(?:was|were|is|are|has been) (?:caused by|due to|triggered by|(?:re)?solved by"
        r"|fixed (?:by|with|in)|the result of)|(?:fail(?:s|ed)?|broke|breaks|crash(?:es|ed)"
        r"|leak(?:s|ed)|happen(?:s|ed)|timed out|hung|hangs|stopped) (?:\w+ ){0,6}?(?:because"
        r"|due to|since|when|whenever)|turned out to be|came from|stemmed from|(?:root )?cause was",
    ),
    _family(
        "fact",
        0.85,
        "person team owned name",
        r"works? (?:at|for|as|in|on|with|from|remotely)|(?:has )?worked (?:at|for|as)|lives? (?:in|with|near"
        r"|on)|lived in|is from|is based in|was (?:born|raised)|grew up|graduated|studie[sd] (?!hard)\w+"
        r"|majored|speaks|is (?:married|engaged|divorced|allergic|vegan|vegetarian|single|retired|pregnant"
        r"|colou?r ?blind|left-handed|diabetic|lactose)|is \d+ years old|(?:has|have) (?:never \w+"
        r"|been (?!doing|feeling|thinking|wanting|having|keeping|getting (?!into)|going"
        r"|working (?:really )?hard|dealing|struggling|looking|missing|experiencing)(?:\w+ing|married|vegan"
        r"|vegetarian|sober|retired|self-employed|friends|a|an)\b|a (?:dog|cat|son|daughter|brother|sister"
        r"|degree|wife|husband|partner|kid|child|baby|background|team|pet|house|car|phd|ph\.d|master|bachelor"
        r"|twin|budget)|an? \w+[- ](?:year|month)[- ]old|(?:\w+ ){0,2}?(?:two|three|four|five|six"
        r"|\d+) (?:\w+ )?(?:kids|children|sons|daughters|brothers|sisters|siblings|dogs|cats|pets|jobs|degrees"
        r"|cars|houses|grandchildren|nieces|nephews|years|months|employees|people|engineers|developers))|owns"
        r"|teaches|manages|leads|maintains|founded|co-founded|runs an?|reports to|is responsible for"
        r"|is in charge of|is called|is named|moved (?:to|from)|is retiring|celebrates|volunteers|plays"
        r"|practi[cs]es|drives|earns|collects|named (?:his|her|the|their)",
    ),
    _family(
        "fact",
        0.85,
        "person team owned",
        # What happens at fixed times.
        r"(?!is|has|was|does|says|thinks|gets|wants|needs|seems|feels|hopes"
        r"|goes over)[a-z]+s(?= (?:\S+ ){0,6}?(?:every (?:day|morning|evening|night|week|weekend|month|year"
        r"|\w+day|second|other|\d)|(?:once|twice|\w+ times) an? \w+|on (?:Mon|Tues|Wednes|Thurs|Fri|Satur"
        r"|Sun)days)\b)|has (?:an? (?:\w+ )?allergy to|(?:type \d )?diabetes|asthma|ADHD|dyslexia|c(?:o)?eliac"
        r"|migraines|arthritis|autism|epilepsy|insomnia)|is (?:moving|relocating|flying|travell?ing) to"
        r"|is on(?= [A-Z]\w* \d)|is getting married|is on (?:parental |sick |maternity |paternity )?leave",
    ),
    _family(
        "fact",
        0.8,
        "person team",
        r"(?:plans?|intends?|needs?|ha(?:s|ve)) to(?! (?:decide|choose|know|understand|be|figure|get"
        r"|make)\b)(?= [^,;]*\b(?:in|on|by|before|until) (?:\d{1,2}(?:st|nd|rd|th)? )?(?:January"
        r"|February|March|April|May|June|July|August|September|October|November|December|20\d\d)\b)",
    ),
    _family(
        "fact",
        0.85,
        "name",
        r"(?:is|was) the (?:user|team)['’]s (?:\w+ ){0,2}?(?:sister|brother|mother|father|mom|mum|dad|wife"
        r"|husband|partner|son|daughter|aunt|uncle|cousin|niece|nephew|friend|boss|manager|colleague|mentor"
        r"|designer|engineer|developer|architect|lead|owner|maintainer|contact|reviewer|sponsor|tester|analyst|accountant|lawyer|doctor|dentist"
        r"|therapist|landlord|neighbou?r|roommate|client|customer|supplier|supervisor|teacher|coach|dog|cat)",
    ),
    _family(
        "fact",
        0.85,
        "person",
        r"is (?:an? (?!bit|little|lot|fan|big fan|few|huge|mess|tad|total|good|great|bad)\w+"
        r"|(?=[A-Z])\w+,|[A-Z]\w+(?: [A-Z]\w+)?$)",
    ),
    _family(
        "fact",
        0.8,
        "person team owned name",
        r"is (?:currently |also )?(?:building|developing|working on|writing|creating|maintaining"
        r"|designing|learning|studying|planning|training for|preparing|researching|implementing"
        r"|migrating|refactoring|rewriting|organi[sz]ing|managing|leading|running|restoring"
        r"|renovating|teaching|using|testing|hosting|saving|recovering|deploying|integrating"
        r"|adding|applying)",
    ),
    # A time that is set: `We freeze deployments from December 18 until January 6.`
    _family(
        "fact",
        0.85,
        "team",
        r"(?!is|was|has|does|wants|needs|hopes|plans|sees|thinks)[a-z]+s(?: \w+){0,4}? (?:(?:on|in|at|from|until|before"
        r"|every|within)(?= (?:[A-Z][a-z]+ ?\d|\d|the (?:first|second|third|last) [A-Z]))|within(?= (?:one|two|three"
        r"|four|five) ))|has(?= [A-Z]\w+ (?:with|for|in|on|as) )",
    ),
    _family("procedural", 0.8, "team", rf"{_BINDING}|should (?:never|always|not)"),
    _family("procedural", 0.8, _THINGS, rf"{_BINDING}|(?:should|may)(?: not)? (?:be )?\w+"),
    _family(
        "fact",
        0.85,
        "owned name thing plain",
        r"(?:is|are|was|were) (?:due|scheduled (?:for|on|to)|planned for|set for|expected (?:on|by|in)|(?:on"
        r"|by) (?:[A-Z]\w+ \d+|\d{1,2}(?:st|nd|rd|th)? (?:of )?[A-Z]\w+)|in (?:\w+ )?\d{4}|at \d)|(?:starts?"
        r"|ends?|launch(?:es)?|ships?|expires?|closes?|opens?|begins?|renews?) (?:on|at|by|in|every) ",
    ),
    _family(
        "fact",
        0.85,
        _ANYTHING,
        r"(?:is|are|was|were|gets?|has been) (?:\w+ly )?(?:"
        + _TECH_STATE
        + r")(?: \w+){0,2}? (?:in|on|at|by|with|to|from|as|under|via"
        r"|every|behind|through|for|after|before|only|into)|(?:is|are) (?:"
        + _TECH_STATE
        + r")$|uses?"
        r"|(?:doesn['’]t|does not|don['’]t) (?:support|allow)|targets?|allows?|(?:is|are) (?:called"
        r"|named)(?= [`\"“A-Z]| \w+-\w)|needs?(?= [`A-Z])|runs?(?= [A-Z`])|relies on|rely on|depends? on|listens? on"
        r"|runs? (?:on|in|with|as|under|at|every|from|only|behind|inside|through|via|after|before)|requires?"
        r"|stores?|lives? (?:under|at|on|in)|belongs? to|supports?|consists? of|connects? to|talks? to"
        r"|writes? to|reads? from|exposes?|serves?|owns?|replaces?|defaults? to|points? to|expires?|imports?"
        r"|inherits? from|extends|wraps|inter?faces with|integrates with|deploys? (?:to|with|from|via|on|every"
        r"|only)|ships? with|keeps?|caches?|hosts?|goes? through|has \d+|have \d+|holds?|accepts?|emits?"
        r"|publishes|subscribes to|retries|times out after|takes \d",
    ),
    _family(
        "preference",
        0.85,
        "name",
        r"(?:is|are) (?:one of )?(?:the user|[A-Z]\w+)'s (?:\w+ ){0,2}?favou?rites?",
    ),
    _family(
        "semantic",
        0.75,
        "name",
        r"(?:is|are|was) (?:an?|the|one of) [\w-]+ [\w-]+|stands for|refers to|is short for"
        r"|means that|was (?:founded|created|released|invented|developed|introduced"
        r"|designed) (?:by|in|to|as)",
    ),
    _family(
        "fact",
        0.8,
        "owned",
        r"(?:is|are|was|were) (?!not|a bit|just|so|very|really|too|doing|going|coming|getting"
        r"|being|looking|feeling|having|amazing|great|awesome|incredible|super)\S+|(?:has|have"
        r"|had) \S+",
    ),
    _family(
        "fact",
        0.75,
        "thing plain",
        r"(?:is|are) (?:at (?:most|least) )?\d[\d.,]* ?\w+|go(?:es)? to(?= [A-Z`])",
    ),
    _family(
        "procedural",
        0.8,
        "thing plain",
        r"needs? (?:an? )?(?:approval|sign-off|permission|reviews?) (?:from|by|of)",
    ),
    _family(
        "decision",
        0.85,
        "name",
        r"(?:was|were|has been|got) (?:dropped|removed|replaced|deprecated|retired) (?:in|because|by|for|since|from)",
    ),
    _family(
        "fact", 0.75, "thing", r"(?:is|are) (?:`\S+`|the \w+|an? \w+|[\w./:-]*\d[\w./:-]*|[A-Z]\w+)"
    ),
    _family(
        "episodic",
        0.75,
        "person team owned name",
        r"(?:has )?(?:joined|bought|adopted|finished|completed|started|launched|published|visited|attended"
        r"|signed up|enrolled|won|quit|founded|volunteered|earned|received|sold|passed|ran|built|wrote|painted"
        r"|got (?:an? (?!decision|question|list|function|lot|bit|few|problem|issue|error|chance|feeling|story"
        r"|no\b|great|good|ton|surge|sense|boost|rush|glimpse|taste)\w+|married|engaged|promoted|hired)|became"
        r"|created|learned|learnt|discovered|implemented|set up|fixed|hired|met|lost|released|shipped|upgraded"
        r"|introduced|organi[sz]ed|donated|performed|trained|helped|retired|stopped|gave up|grew|opened"
        r"|registered|booked|scheduled|submitted|renovated|designed|developed|deployed|moved|travell?ed to"
        r"|went (?:to|on|hiking|camping|swimming|skiing|surfing))",
    ),
    _family(
        "episodic",
        0.7,
        "person owned",
        r"(?:has |have )?(?!noticed|wanted|needed|loved|liked|enjoyed|hoped|wished|seemed|looked|wondered"
        r"|asked|worried|missed|realized|remembered|talked|called|heard|failed|happened|agreed|compensated"
        r"|responded|reacted|felt|struggled|worked|stayed|turned|supposed|based|used|tried|managed"
        r"|had)(?:[a-z]+ed|wrote|drew|swam|taught|cut|spent|read|saw|seen|made|took|paid|gave|built|led)"
        r"|has an? (?:[\w'-]+ ){1,8}?(?:on|for|by|at|from) (?:[A-Z]\w+ )?\d",
        needs_detail=True,
    ),
    _family(
        "fact",
        0.6,
        "person team owned name",
        r"wants? (?:to|an?)|plans? (?:to|on)|aims? (?:to|for)|hopes? to|intends? to|needs? \w+"
        r"|tries to|is trying to|is looking for|is going to|will \w+|has trouble|struggles with",
    ),
)
