"""Choose the title and the outcome of a session: the lines with its rarest words (HK-122).

A line is a sentence as a person reads it: no code, log, path, command or secret. A word counts more if few passages of
other sessions contain it and several messages of this one do.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice

from signet.db import fts
from signet.domain.episodes import search
from signet.domain.transcripts.models import Overview
from signet.domain.transcripts.transcript import ASSISTANT, USER, Turn
from signet.text import controls
from signet.text.masking import mask

#: Maximum characters of a title or an outcome, and of a decision.
LINE_CHARS, DECISION_CHARS = 80, 160
#: First messages of the user that are read, characters and lines of each, and decisions of a session: 0.2 s at most.
MOST_MESSAGES, MESSAGE_CHARS, MOST_LINES, MOST_DECISIONS = 100, 1_500, 5, 8
#: Different words whose number of passages is looked up, and words of a line that count.
MOST_WORDS, COUNTED = 250, 8
#: The first request names the task, and the first sentence of an answer its result.
FIRST = 1.7
#: Last agent messages searched for the outcome.
LAST_ANSWERS = 3
#: Share of letters in a line of prose.
LETTERS = 0.6

_FENCED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|<(\w[\w-]*)\b[^>\n]*>.*?</\1>", re.DOTALL)
#: Lines that no person types as a sentence: quotes, commands, logs, stack frames, diffs, tables, data, notices.
_NO_PROSE = re.compile(
    r"\s*(?:[>$%|{}<@]|/[\w-]+(?:\s|$)|[+-]{3}|[#*-]{3}|\[[^\]\n]{0,40}\]|\t| {4}\S.*[(){};=]|\(?\d{4}-\d\d-\d\d[T ]\d"
    r"|\[?\d\d:\d\d:\d\d|(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|FAILED|PASSED|CRITICAL)\b"
    r"|(?:Caveat|Traceback|Stack trace|npm (?:ERR|WARN)|error(?:\[\w+\])?|fatal|warning|panic|note|usage"
    r"|Exception)\b ?[!:(]"
    r"|at [\w.$<>/]+ ?\(|File \"|\w*(?:Error|Exception): |\w+@\S+[:$#]"
    r"|(?:sudo|curl|git|npm|pip|cd|ls|cat|docker) [\w./-]+$"
    r"|Base directory for this skill|This session is being continued)"
)
_MARKS = re.compile(
    r"^\s*(?:#{1,6}\s+|[-*+•]\s+|\d{1,3}[.)]\s+|\[[ xX]\]\s+)+|(?<!\w)[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}(?!\w)"
)
_RUN = re.compile(r"[\w+/=-]{40}", re.ASCII)
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_ADDRESS = re.compile(
    r"\b[a-z][a-z\d+.-]*://\S+|(?<!\S)(?:~|\.{1,2}|[A-Za-z]:)?[\\/](?:[\w.@ -]+[\\/])+([\w.@-]*)"
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
#: How people begin a request; without it the task comes first.
_OPENING = re.compile(
    r"(?:(?:hi|hello|hey|hallo|moin|bonjour|salut|hola|(?:good )?morning|ok(?:ay)?|a+h|oh|hm+|yes|no|ja|nein|so|well"
    r"|now|and|but|also|aber|then|thanks|thank you|great|perfect|please|pls|bitte|danke|merci|gracias|por favor"
    r"|s['’]il (?:te|vous) pla[iî]t)\b(?: (?:there|again))?[\s,.!:–-]*)+",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"(?:can|could|would|will) (?:you|we) (?:please )?|i(?:['’]d| would) like (?:you )?to |i (?:want|need) (?:you )?to "
    r"|let['’]s ",
    re.IGNORECASE,
)
#: Announcements and offers of an agent are no outcomes.
_OFFER = re.compile(
    r"\?$|^(?:let me|i['’]ll|i will|i can|would you|should i|shall i|do you|want me|feel free|if you|tell me|sure"
    r"|you['’]re)\b"
    r"|^(?:soll ich|möchtest du|ich (?:werde|kann)|voulez|je (?:vais|peux)|quieres|puedo)\b",
    re.IGNORECASE,
)
_SECRET = re.compile(
    r"\[masked: |\b(?:passwor[dt]|passphrase|mot de passe|contraseña|пароль|secret|token|api[ -]?key)\b\W{0,3}"
    r"(?:(?:is|ist|est|es)\W{1,3})?(?=\S*\d)\S{5}|密码|パスワード",
    re.IGNORECASE,
)
#: A sign that belongs to the one before it: accents, joiners, selectors, skin tones, the second half of a flag.
_JOINED = re.compile(
    r"[\u0300-\u036f\u200d\ufe00-\ufe0f\u20d0-\u20f0\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
_FLAG = re.compile(r"[\U0001f1e6-\U0001f1ff]")

#: Returns how many passages contain each word, and the number of passages.
Holders = Callable[[Sequence[str]], tuple[list[int], int]]


def overview_of(turns: Sequence[Turn], decisions: Iterable[str], holders: Holders) -> Overview:
    """Return the overview of a session."""
    asked = [turn.text for turn in turns if turn.role == USER][:MOST_MESSAGES]
    requests = [some for text in asked if (some := [*islice(lines(text), MOST_LINES)])]
    answers = [turn.text for turn in turns if turn.role == ASSISTANT][-LAST_ANSWERS:]
    ends = next((found for one in reversed(answers) if (found := [*_results(one)])), [])
    words = {line: _words(line) for line in (*(one for some in requests for one in some), *ends)}
    weigh = _weights([{w for one in some for w in words[one]} for some in requests], holders)
    decided = dict.fromkeys(map(line, decisions))
    titles = [
        (weigh(words[one]) * (FIRST if number == 0 else 1.0) * _share(one, decided), -number, one)
        for number, some in enumerate(requests)
        for one in some
    ]
    results = [
        (weigh(words[one]) * (FIRST if number == 0 else 1.0), -number, one)
        for number, one in enumerate(ends)
    ]
    told = [cut(one, DECISION_CHARS) for one in decided if not _SECRET.search(mask(one).text)]
    return Overview(
        title=max(titles)[2] if titles else None,
        outcome=max(results)[2] if results else None,
        decisions=told[-MOST_DECISIONS:],
    )


def _share(line: str, decided: Iterable[str]) -> float:
    """Return how much a line counts as a title: half if it is a decision, which a list shows as such."""
    said = line.rstrip("…")
    return 0.5 if any(said in one for one in decided) else 1.0


def lines(message: str) -> Iterator[str]:
    """Yield the sentences of a message that can stand alone as a title, cut to LINE_CHARS."""
    text = _FENCED.sub("\n", controls.clean(message[:MESSAGE_CHARS]))
    for raw in text.split("\n"):
        if not _NO_PROSE.match(raw):
            for sentence in _SENTENCE.split(_bare(raw)):
                bare = _request(sentence)
                if _is_prose(bare) and not _SECRET.search(mask(bare).text):
                    yield cut(bare)


def line(text: str) -> str:
    """Return a text as one line without markup."""
    return " ".join(_bare(controls.clean(text)).split())


def cut(text: str, chars: int = LINE_CHARS) -> str:
    """Return a line of at most `chars` characters, cut between words and never inside a sign."""
    if len(text) <= chars:
        return text
    end = text.rfind(" ", chars // 2, chars)
    if end < 0:
        end = chars - 1
        while end > 1 and (_JOINED.match(text[end]) or text[end - 1] == "\u200d"):
            end -= 1
        run = _FLAG.match(text[end]) and len(text[:end]) - len(text[:end].rstrip("".join(_flags())))
        end -= (run or 0) % 2
    return text[:end].rstrip(" ,;:–—-([/\"'“") + "…"


def _flags() -> Iterator[str]:
    return map(chr, range(0x1F1E6, 0x1F200))


def _results(answer: str) -> Iterator[str]:
    return (one for one in lines(answer) if not _OFFER.search(one) and len(_words(one)) > 1)


def _bare(raw: str) -> str:
    """Return a line without markup and addresses; a path is reduced to its last part."""
    text = _ADDRESS.sub(lambda found: found[1] or "", _LINK.sub(r"\1", raw))
    return _MARKS.sub("", text).strip()


def _request(sentence: str) -> str:
    """Return a sentence without greetings and forms of asking, and without its full stop."""
    text = " ".join(sentence.split())
    bare = text[opening.end() :] if (opening := _OPENING.match(text)) else text
    if asked := _ASKED.match(bare):
        bare = bare[asked.end() :].rstrip("?")
    bare = bare.rstrip(" .;。:,") or text
    return bare if bare == text.rstrip(" .;。:,") else bare[:1].upper() + bare[1:]


def _is_prose(text: str) -> bool:
    solid = [one for one in text if not one.isspace()]
    letters = sum(one.isalpha() for one in solid)
    return 1 < letters >= LETTERS * len(solid) and not _RUN.search(text)


def _words(line: str) -> list[str]:
    """Return the characteristic words of a line, without numbers, which are rare but name nothing."""
    return [word for word in fts.content_words(line) if not re.search(r"\d", word)]


def _weights(
    messages: Sequence[Collection[str]], holders: Holders
) -> Callable[[Sequence[str]], float]:
    """Return a function that sums the weights of a line's rarest words."""
    times = Counter(search.stem(word) for some in messages for word in some)
    every = list(dict.fromkeys(word for some in messages for word in some))[:MOST_WORDS]
    counts, total = holders(every) if every else ([], 0)
    rare = dict(zip(every, counts, strict=True))

    def weigh(words: Sequence[str]) -> float:
        found = sorted(
            (_weight(rare.get(word, total), total, times[search.stem(word)]) for word in words),
            reverse=True,
        )
        return sum(found[:COUNTED])

    return weigh


def _weight(held: int, total: int, times: int) -> float:
    return math.log(1 + (total + 1) / (held + 1)) * (1 + math.log2(max(1, min(times, 4))))
