"""The text of a memory: normalise, hash, parse prefixes, compare as a value, and split into pieces."""

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from signet.text.controls import encodable

#: One trailing run of these does not distinguish texts.
TRAILING = ".,!?;:"

_LINE_END = re.compile(r"\r\n?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Normalized:
    """One text as stored, in one line, as compared, and its hash."""

    storage: str
    flat: str
    canonical: str
    content_hash: str

    @property
    def has_words(self) -> bool:
        return bool(_stripped(self.flat))


def normalize(text: str) -> Normalized:
    """Return all forms of the text; `storage` is empty for a blank text."""
    stored = storage(text)
    flat = " ".join(stored.split())
    compared = _compared(flat)
    return Normalized(storage=stored, flat=flat, canonical=compared, content_hash=_hash(compared))


def storage(text: str) -> str:
    """Return the stored form: trimmed, with `\n` line ends, valid UTF-8."""
    return _LINE_END.sub("\n", encodable(text).replace("\0", " ")).strip()


def one_line(text: str) -> str:
    return " ".join(storage(text).split())


def canonical(text: str) -> str:
    """Return the compared form; empty only for a blank text."""
    return _compared(one_line(text))


def content_hash(text: str) -> str:
    """Return the SHA-256 of the compared form as 64 hex digits."""
    return _hash(canonical(text))


def _hash(compared: str) -> str:
    return hashlib.sha256(compared.encode()).hexdigest()


def _compared(flat: str) -> str:
    return _stripped(flat) or flat.lower()


def _stripped(flat: str) -> str:
    return composed(flat).lower().rstrip(TRAILING).strip()


def composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


CRITICAL_IMPORTANCE = 1.0

_CRITICAL = re.compile(r"critical:", re.IGNORECASE)
#: Not the reference of a link (`[1]: https://…`).
_TAGS = re.compile(r"\[([^\]\n]+)\]:(?!\s*\w+://)")
_TAG = re.compile(r"[^\W\d_][\w ./-]*")
#: A log line or a note to oneself begins with one of these, or with a word in capitals.
_LEVELS = frozenset("error err warn warning info debug trace fatal notice".split())

#: The first match wins. Triggers match at the start of words, so `debug` is not a bug and `until the` not a lesson.
_TYPES = tuple(
    (re.compile(rf"\b(?:{triggers})"), name)
    for triggers, name in (
        (r"prefer|likes\b|wants?\b", "preference"),
        (r"decided|agreed|will use", "decision"),
        (r"(?:never|always|must|mustn['’]t)\b", "rule"),
        (r"learned|discovered|til ", "learning"),
        (r"bug|issue|broken|problem", "issue"),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A memory's text without its prefixes, and their values."""

    content: str
    pinned: bool = False
    importance: float | None = None
    tags: tuple[str, ...] | None = None


def parse_prefixes(text: str) -> Parsed:
    """Return the text after its prefixes, which may be empty; without a prefix there are no values."""
    content = text.strip()
    critical = _CRITICAL.match(content)
    if critical:
        content = content[critical.end() :].strip()
    tagged = _TAGS.match(content)
    tags = _listed_tags(tagged[1]) if tagged else None
    if tagged and tags:
        content = content[tagged.end() :].strip()
    return Parsed(
        content=content,
        pinned=critical is not None,
        importance=CRITICAL_IMPORTANCE if critical else None,
        tags=tags,
    )


def infer_type(content: str) -> str:
    """Return the type suggested by the words of the content, by default `fact`."""
    lowered = content.lower()
    return next((name for pattern, name in _TYPES if pattern.search(lowered)), "fact")


def _listed_tags(listed: str) -> tuple[str, ...] | None:
    names = [name for item in listed.split(",") if (name := item.strip())]
    is_log = len(names) == 1 and (names[0].lower() in _LEVELS or names[0][1:].isupper())
    if is_log or not all(map(_TAG.fullmatch, names)):
        return None
    return tuple(dict.fromkeys(map(str.lower, names))) or None


#: A sentence of fewer words is too short to recognize ("That works.").
SENTENCE_WORDS = 4

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_SPEAKER = re.compile(r"(?<!\s)\s*+(?:user|human|me)\s*+:", re.IGNORECASE)
_TOKEN = re.compile(
    r"(?:(?<!\S)[-+])?\d+(?:[.,:/-]\d+)*|[^\W\d_][\w]*(?:'\w+)?(?:\+\+|#(?!\w))?|\w+|[^\w\s]"
)
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'"})
#: Signs with a meaning: comparison, currency, percent; emoji are recognised by their category.
_SIGNS = frozenset("<>=≤≥≠±%&")
_PERSON = {
    **dict.fromkeys(("i", "me", "myself"), ("user",)),
    **dict.fromkeys(("my", "mine", "user's", "users'"), ("user's",)),
    **dict.fromkeys(("we", "us", "ourselves"), ("team",)),
    **dict.fromkeys(("our", "ours", "team's"), ("team's",)),
    **dict.fromkeys(("am", "is", "are"), ("be",)),
    **dict.fromkeys(("has", "have"), ("have",)),
    **dict.fromkeys(("does", "do"), ("do",)),
    "was": ("were",),
    "cannot": ("can", "not"),
    "can't": ("can", "not"),
    "won't": ("will", "not"),
    **dict.fromkeys(("a", "an", "the"), ()),
}
_CONTRACTED = {"'m": "be", "'re": "be", "'ve": "have", "'ll": "will"}
_NOT = "n't"
#: With fewer letters an `s` belongs to the word: "js", "gas".
_PLURAL_LETTERS = 4
#: Introductions, as words of this form.
_OPENINGS = tuple(
    tuple(opening.split())
    for opening in """
please, remember that, remember, reminder, note that, note, noted, important, fact, fyi, btw, by way, also, actually,
keep in mind that, keep in mind, for record, it be known that, it turn out that, user say that, user said that,
user said, user mentioned that, user mentioned, user stated that, user stated, user told team that,
user told user that, according to user
""".split(",")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """The hashes of a text and of its sentences; a text of one sentence has only its own."""

    whole: str
    sentences: tuple[str, ...] = ()

    @property
    def hashes(self) -> tuple[str, ...]:
        return (self.whole, *self.sentences)


def read_value(text: str) -> Value:
    """Return the hashes that identify the meaning of a text. Pure."""
    said = [words for part in _SENTENCE_END.split(text) if (words := _words(part))]
    whole = [word for words in said for word in words] or [canonical(text)]
    several = said if len(said) > 1 else ()
    return Value(
        whole=_hash_words(whole),
        sentences=tuple(
            dict.fromkeys(_hash_words(words) for words in several if len(words) >= SENTENCE_WORDS)
        ),
    )


def _words(sentence: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", sentence).translate(_APOSTROPHES)
    plain = parse_prefixes(_SPEAKER.sub("", plain, count=1)).content.casefold()
    found = [word for token in _TOKEN.findall(plain) for word in _compared_words(token)]
    while opening := next((one for one in _OPENINGS if tuple(found[: len(one)]) == one), None):
        found = found[len(opening) :]
    return found


def _compared_words(token: str) -> tuple[str, ...]:
    if not (token[0].isalnum() or len(token) > 1):
        is_sign = token in _SIGNS or unicodedata.category(token) in ("Sc", "So")
        return (token,) if is_sign else ()
    if token in _PERSON:
        return _PERSON[token]
    if token.endswith(_NOT):
        return (*_compared_words(token.removesuffix(_NOT)), "not")
    for ending, word in _CONTRACTED.items():
        if token.endswith(ending):
            return (*_compared_words(token.removesuffix(ending)), word)
    is_plural = len(token) >= _PLURAL_LETTERS and token.endswith("s") and not token.endswith("ss")
    return (token[:-1] if is_plural and token.isalpha() else token,)


def _hash_words(words: list[str]) -> str:
    return hashlib.sha256(" ".join(words).encode("utf-8", "replace")).hexdigest()


#: Separators of a text, the widest first. The indentation of a line stays with the line.
_PARTS = (re.compile(r"\n(?:[^\S\n]*\n)+"), re.compile(r"\n"), re.compile(r"(?<=[.!?])\s+"))
#: Letters of flags, two for each; and the number of joined characters that stay together.
_FLAGS, _MOST_JOINED = "".join(map(chr, range(0x1F1E6, 0x1F200))), 40
_BLANK = re.compile(r"\s")


@cache
def _joint() -> re.Pattern[str]:
    """Match where a text without blanks can be cut: behind a comma or a stop, and in scripts without blanks."""
    from signet.db import script  # the command line loads no database

    return re.compile(rf"[,;|&。、，；！？](?!\d)|[{script.RANGES}](?=[{script.RANGES}])")


def split_text(text: str, target: int) -> list[str]:
    """Return trimmed, verbatim pieces of at most `target` characters, in order.

    A sentence or word of up to two targets stays whole.
    """
    pieces: list[str] = []
    first = last = 0
    for start, end in _spans(text, 0, len(text), target, _PARTS):
        if last > first and end - first > target:
            pieces.append(text[first:last])
            first = start
        last = end
    pieces.append(text[first:last])
    return [trimmed for raw in pieces if (trimmed := raw.strip())]


def _spans(
    text: str, start: int, end: int, target: int, parts: tuple[re.Pattern[str], ...]
) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each part; a part that fits is not split again."""
    if end - start <= target or (not parts and end - start <= 2 * target):
        yield start, end
    elif not parts:
        yield from _cut(text, start, end, target)
    else:
        for gap in parts[0].finditer(text, start, end):
            yield from _spans(text, start, gap.start(), target, parts[1:])
            start = gap.end()
        yield from _spans(text, start, end, target, parts[1:])


def _cut(text: str, start: int, end: int, target: int) -> Iterator[tuple[int, int]]:
    """Yield ranges that end after a word, else after a comma; only words over two targets are cut."""
    while end - start > target:
        at = _last(_BLANK, text, start, start + target + 1) or _last(
            _joint(), text, start, start + target
        )
        if not at:
            found = _BLANK.search(text, start + target, min(end, start + 2 * target))
            rest = end - start <= 2 * target
            at = found.end() if found else end if rest else _whole(text, start, start + target)
        yield start, at
        start = at
    yield start, end


def _last(pattern: re.Pattern[str], text: str, start: int, end: int) -> int | None:
    """Return the end of the last match after the first character."""
    ends = [match.end() for match in pattern.finditer(text, start + 1, end)]
    return ends[-1] if ends else None


def _whole(text: str, start: int, at: int) -> int:
    """Return the last position up to `at` that splits no combined letter, emoji or flag."""
    for place in range(at, max(start, at - _MOST_JOINED), -1):
        before = text[start:place] if text[place] in _FLAGS else ""
        is_half = (len(before) - len(before.rstrip(_FLAGS))) % 2
        if not (is_half or _is_joined(text[place]) or text[place - 1] == "\u200d"):
            return place
    return at


def _is_joined(character: str) -> bool:
    """Return whether a character modifies the previous one: a mark, a joiner, a skin tone."""
    is_skin = "\U0001f3fb" <= character <= "\U0001f3ff"
    return is_skin or unicodedata.category(character) in ("Mn", "Mc", "Me", "Cf")
