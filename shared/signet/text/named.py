"""Detect secrets announced by a word: `password=`, `export FOO_TOKEN=`, "the database password is …". Pure.

Words are searched literally; only if something links a word to a value are both judged. In prose ("the password for
staging hunter2-Xy7 works") a value without a verb must look chosen. Words and links are compared in lower case, so
expressions need not ignore case, and every repetition is possessive or bounded.
"""

import re
from collections.abc import Iterator
from enum import IntEnum, StrEnum

from signet import resources
from signet.text import patterns, values
from signet.text.reading import HIDDEN


class _Kind(StrEnum):
    """What a word announces: a chosen secret (`NAME` if assigned), words, keys, a random run, digits, a login."""

    PASSWORD = "password"
    NAME = "password or key"
    PHRASE = "passphrase"
    KEY = "token"
    RUN = "key"
    PIN = "PIN"
    LOGIN = "login"


_TABLE = resources.expressions(__file__)
_WORDS = _TABLE["words"]
#: Suffixes that give a name another meaning: a `token_type`, the place of a `secret_file`.
_OTHER_ENDS = tuple(_WORDS.pop("other_ends").split())
#: Secret purposes of a `key`, and purposes of a `code`.
_QUALIFIED = _WORDS.pop("qualified")
#: Private members of a JSON web key.
_JWK = tuple((f'"{name}"', _Kind.RUN, None) for name in ("d", "p", "q", "dp", "dq", "qi", "k"))
_LITERALS: tuple[tuple[str, _Kind, tuple[str, ...] | None], ...] = (
    *(
        (word.removeprefix("^"), _Kind[kind.upper()], () if word[0] == "^" else None)
        for kind, words in _WORDS.items()
        for word in "".join(words.splitlines()).split("|")
    ),
    *(
        (one["word"], _Kind[one["kind"].upper()], tuple(one["before"].split()))
        for one in _QUALIFIED
    ),
)
#: Words grouped by a common part, or alone, so that absent parts are searched once.
_CORES = ("pass", "api", "key", "phrase", "auth")
_BY_CORE = (
    *((core, [row for row in _LITERALS if core in row[0]]) for core in _CORES),
    *((row[0], [row]) for row in _LITERALS if not any(core in row[0] for core in _CORES)),
    ('"kty"', _JWK),
)
_BARE_CHARS, _PLAUSIBLE, _MIXED = _TABLE["bare_chars"], _TABLE["plausible"], _TABLE["mixed"]
_WORDS_BETWEEN, _NAMES_BETWEEN = _TABLE["words_between"], _TABLE["names_between"]
_FOR_WHAT, _LINK, _MARK = _TABLE["for_what"], _TABLE["link"], _TABLE["mark"]


def _links(near: str, *, first: str = _MARK) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns for the text after a word, and after a word in scripts without blanks."""
    rest = r"(?P<rest>[a-z0-9_\u00df-\u024f\u0370-\u052f-]{0,32}+)"
    behind = rf"(?:{_LINK}|{near}|(?P<blank>[ \t]{{1,3}}+)){_PLAUSIBLE}"
    return (
        patterns.lazy(f"{first}{rest}{behind}"),
        patterns.lazy(rf"(?P<rest>)(?:{behind}|(?=[a-z]{{0,24}}[\d-]))"),
    )


_NOTHING_NEAR = _links(r"(?P<far>(?!))")
_LINKS = {
    _Kind.PASSWORD: _links(_WORDS_BETWEEN + _MIXED),
    _Kind.LOGIN: _links(_NAMES_BETWEEN + _MIXED),
    **dict.fromkeys((_Kind.KEY, _Kind.RUN, _Kind.NAME), _NOTHING_NEAR),
    _Kind.PHRASE: _links(_WORDS_BETWEEN + _MIXED, first=""),
    _Kind.PIN: _links(_FOR_WHAT),
}
#: The second value of "from X to Y", "X or Y".
_NEXT = patterns.lazy(
    r"[\"'`)]?,? (?:(?:and )?(?:to|or|and|then|now|not|but|sondern|oder|und|auf|ou|et|y|o|->|→)|instead of) [\"'`(]?"
    rf"({_BARE_CHARS}{{6,64}})"
)
#: A number after the hardware or the verb `pin` is no secret.
_IS_PIN = patterns.lazy(
    r"(?:my|the|your|our|his|her|their|use|with|enter|card|phone|sim|new|old|mein|meine|die|der|le|la|el|mi|code)[ -]\Z"
)
#: Characters that follow names in programs and do not occur in passwords written by people.
_JOINED = tuple(",()[]{}|&<>\\")
#: A quoted value, or one up to its terminator; scripts without blanks also terminate an unquoted one.
_VALUE = patterns.lazy(
    r"(?:[brfuBRFU]{1,2}(?=[\"']))?(?:\"([^\"\n]++)\"|'([^'\n]++)'|`([^`\n]++)`"
    r"|([\ufdd0\ufdd1]) ([^\n\ufdd0\ufdd1]++)\4"
    rf"|[\"'`\ufdd0\ufdd1]? ?({_BARE_CHARS}++))"
)
_BARE = 6
#: The rest of a password with signs that usually end a value: `Tr0ub4&3xyz`, but no next field, element or escape.
_REST = patterns.lazy(
    r"(?:(?!</|<[A-Za-z]+[ >/]|\\[nrt]"
    r"|[\"'`]?[&;,|?](?:amp;)?[\"'`]?[\w.-]{1,40}+(?: [\w.-]{1,20}){0,2}[\"'`]?\s?[=:])"
    rf"[\"'`,;<>{{}}()\[\]|&\\]{{1,3}}(?=[A-Za-z0-9]){_BARE_CHARS}{{1,256}}+){{1,8}}"
)
#: Secrets that people choose, and type into a sentence.
_PEOPLES = (_Kind.PASSWORD, _Kind.PHRASE)
#: Characters before and after a word that decide whether it announces a secret, if its value ends in their first half.
_BEFORE, _BEHIND = 60, 256
#: Surroundings that are remembered for each word.
_MOST_DULL = 256
_CALLED = patterns.lazy(r"[A-Za-z_][\w.]*")
_PHRASE = patterns.lazy(r"[\"'`]?(?=([A-Za-z]{2,12}(?:[ -][A-Za-z]{2,12}){3,23}))\1(?![\w-])")
_SEED = patterns.lazy(r"[\"'`]?(?=([a-z]{3,8}(?: [a-z]{3,8}){11,23}))\1(?![\w-])")
_DIGITS = patterns.lazy(r"[\"'`]?(\d{4,8})(?![\w/:-]|\.\d)")
_OPTION = patterns.lazy(r"(?:^|[\s\"'])--?[a-z-]{0,20}\Z")
_USER = patterns.lazy(
    r"(?:login|user|username|account)(?:[ =]|: ?)[\"']?[\w.@+-]{1,64}[\"']?[ ,/]{1,3}(?:and |with )?\w{2,12}\Z"
)
#: Maximum characters of a value used to judge it.
_JUDGED = 512
#: Maximum length of a value that is searched for the word again.
_READ_AGAIN = 64
#: Phrases about one password.
_MEANT = patterns.lazy(
    r"(?:^|\W)(?:the|my|our|your|his|her|their|this|that|with|use|das|dem|dein|mein|unser|le|la|el|mi|tu|su|o|a|het|mijn)"
    r"(?: [\w-]{1,20}){0,2} \Z"
)
_PART_OF_FORM = patterns.lazy(
    r"[\"'`] (?:field|label|input|button|column|key|option|parameter|box|prompt|property)"
)


class _Way(IntEnum):
    """How a value follows its word: assigned, next in a list or call, in a sentence, or directly after it."""

    ASSIGNED = 1
    LISTED = 2
    SAID = 3
    BEHIND = 4


#: Whether a value is a secret, by kind and way of its word, value and terminator.
_Judged = dict[tuple[_Kind, _Way, str, str | None], bool]


def most_values(text: str) -> int:
    """Return how many secrets and different values a list of passwords may have."""
    return 4_096 + len(text) // 128


def secrets(text: str, lower: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of each announced secret.

    A text with more values than a list of passwords would keep a processor busy: its rest is masked as one secret.
    """
    read: set[int] = set()
    judged: _Judged = {}
    left, stop = most_values(text), len(text)
    for word, kind, before in [row for core, rows in _BY_CORE if core in lower for row in rows]:
        links = _LINKS[kind][word[-1] > "\u2fff"]
        # Long logs repeat: surroundings in which this word announces nothing, with the length to the end of its link.
        dull: dict[str, int] = {}
        misses = 0
        at = lower.find(word)
        while 0 <= at < stop:
            after = at + len(word)
            if before is not None and not _stands(lower, at, after, before):
                at = lower.find(word, after)
                continue
            around = (
                text[at - _BEFORE : at + _BEHIND] if at >= _BEFORE and misses < _MOST_DULL else ""
            )
            if around in dull:
                misses = 0
                read.add(at + dull[around])
                at = lower.find(word, after)
                continue
            begin = end = at
            link = links.match(lower, after)
            if (
                link is not None
                and link.end() not in read
                and not (link[1] and _is_other(word, before, link, text))
            ):
                begin = end = link.end()
                read.add(begin)
                value = _VALUE.match(text, begin)
                if value is not None:
                    end = value.end()
                    way = _way(at, link[2], link[3], lower)
                    place = _secret(kind, way, at, link, value, text, judged)
                    if place is not None:
                        left -= 1
                        end = len(text)
                        yield *place, (kind if way >= _Way.SAID else _Kind.NAME)
                        if way >= _Way.SAID and (other := _second(text, place[1])):
                            yield *other, kind
                    if len(judged) > left:
                        yield begin, len(text), _Kind.NAME
                        stop = begin
                    # A long value is read once, because words inside would end with it.
                    if way is _Way.ASSIGNED and value.end() - begin > _READ_AGAIN:
                        after = value.end() if value.lastindex == _BARE else after
            misses += 1
            if around and end < at + _BEHIND // 2:
                dull[around] = begin - at
            at = lower.find(word, after)


def _second(text: str, end: int) -> tuple[int, int] | None:
    """Return the position of a second value in the sentence: `from X to Y`."""
    other = _NEXT.match(text, end)
    if other is None or not values.is_chosen(value := other[1].rstrip(".:?")):
        return None
    return other.start(1), other.start(1) + len(value)


def _stands(lower: str, at: int, after: int, before: tuple[str, ...]) -> bool:
    """Return whether a word announces a secret here: as a whole word, or after a qualifier."""
    if before:
        return lower[max(0, at - 16) : at].rstrip(" _.-").endswith(before)
    return not lower[at - 1 : at].isalpha() and not lower[after : after + 1].isalpha()


def _is_other(word: str, before: tuple[str, ...] | None, link: re.Match[str], text: str) -> bool:
    """Return whether the rest of a name gives it another meaning, such as a number of `tokens`."""
    rest = link["rest"]
    if not rest:
        return False
    is_counted = word == "token" and (rest == "s" or rest.startswith(("iz", "is", "s_", "s-")))
    is_camel = text[link.end("rest") - 2 : link.end("rest")] == "At"
    is_longer = before == () and not rest.isdigit()
    return (
        is_counted
        or is_camel
        or is_longer
        or (rest.endswith(_OTHER_ENDS) and word + rest != "secret_id")
    )


def _way(at: int, sign: str | None, verb: str | None, lower: str) -> _Way:
    if sign:
        return _Way.LISTED if "," in sign or "(" in sign else _Way.ASSIGNED
    if verb:
        return _Way.SAID
    is_option = lower[at - 1 : at] == "-" and _OPTION.search(lower, max(0, at - 24), at)
    return _Way.ASSIGNED if is_option else _Way.BEHIND


def _secret(
    kind: _Kind,
    way: _Way,
    at: int,
    link: re.Match[str],
    value: re.Match[str],
    text: str,
    judged: _Judged,
) -> tuple[int, int] | None:
    begin, (start, end) = link.end(), value.span(value.lastindex or 0)
    if text[begin - 1] == ">" and link["sign"] and not text.startswith("</", value.end()):
        return None  # no element of XML
    if _may_be_words(kind, way, at, text) and (words := _words(kind, way, begin, text)):
        return words.span(1)
    following = None
    if value.lastindex == _BARE:
        following = text[end : end + 1]
        if text[end - 1] in ".:?":
            end = start + len(text[start:end].rstrip(".:?"))
    found = text[start : min(end, start + _JUDGED)]
    if HIDDEN in found or following == HIDDEN:
        return None  # the rest of a mask
    rest = _REST.match(text, end)
    last = rest.end() if rest else end
    if (
        following == "("
        and _CALLED.fullmatch(found)
        and (last == end or ")" in text[end : end + _JUDGED].split("\n")[0])
    ):
        return None
    # Long logs repeat values.
    key = (kind, way, found, following)
    is_secret = judged.get(key)
    if is_secret is None:
        is_secret = judged[key] = _is_secret(kind, way, found, following)
    if not is_secret and last > end and kind in (_Kind.PASSWORD, _Kind.NAME) and way <= _Way.SAID:
        whole = text[start : min(last, start + _JUDGED)]
        is_secret = _is_secret(kind, way, whole, text[last : last + 1])
    if not is_secret and way is _Way.BEHIND and kind in _PEOPLES and not link["far"]:
        is_quoted = following is None and _PART_OF_FORM.match(text, end) is None
        is_secret = values.is_user_password(found) and _follows_user(link)
        if not is_secret and values.is_simple(found):
            is_secret = not found.isdigit() or _is_meant(link, at)
        elif not is_secret and is_quoted and values.is_word(found):
            is_secret = _is_meant(link, at)
    return (start, last) if is_secret else None


def _is_meant(link: re.Match[str], at: int) -> bool:
    """Return whether the text is about one password: `use the password …`."""
    return _MEANT.search(link.string, max(0, at - _BEFORE), at) is not None


def _may_be_words(kind: _Kind, way: _Way, at: int, text: str) -> bool:
    """Return whether digits or words can be a secret after this word."""
    if kind is _Kind.PASSWORD:
        return way is _Way.ASSIGNED
    if kind is _Kind.PIN and way is _Way.BEHIND and text.startswith("pin", at):
        return _IS_PIN.search(text[max(0, at - 12) : at].lower()) is not None
    return kind is _Kind.PIN or kind is _Kind.PHRASE


def _words(kind: _Kind, way: _Way, begin: int, text: str) -> re.Match[str] | None:
    """Return the digits or words after this word that are a secret, as the only group of a match."""
    if kind is _Kind.PIN:
        return _DIGITS.match(text, begin)
    if kind is _Kind.PHRASE and (found := _DIGITS.match(text, begin) or _SEED.match(text, begin)):
        return found
    found = _PHRASE.match(text, begin)
    if (
        found is None
        or HIDDEN in text[found.end() : found.end() + 2]
        or not values.is_phrase(found[1])
        or (way is _Way.BEHIND and " " in found[1])
    ):
        return None
    # A password of words is quoted or ends its line.
    ends = text[found.end() : found.end() + 1] in ("", "\n", '"', "'", "`")
    return found if kind is _Kind.PHRASE or (ends and len(found[1]) <= 60) else None


def _is_secret(kind: _Kind, way: _Way, value: str, following: str | None) -> bool:
    """Return whether a value is a secret after this word; `following` terminates an unquoted one, None if quoted."""
    if kind is _Kind.RUN or (kind is _Kind.KEY and way is not _Way.ASSIGNED):
        return values.is_run(value)
    if kind is _Kind.KEY:
        return values.is_key(value)
    if kind is _Kind.PIN or (kind is _Kind.NAME and way is not _Way.ASSIGNED):
        return False
    if kind is _Kind.LOGIN or way is _Way.BEHIND:
        return values.is_chosen(value)
    if values.is_given(value) or (way is _Way.SAID and following is None and values.is_word(value)):
        return True
    return way is not _Way.LISTED and following not in _JOINED and values.is_simple(value)


def _follows_user(link: re.Match[str]) -> bool:
    """Return whether a user name precedes the word: `login bob password …`."""
    return _USER.search(link.string, max(0, link.start() - 100), link.start()) is not None
