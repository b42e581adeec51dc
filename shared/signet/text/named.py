"""Detect secrets announced by a word: `password=`, `export FOO_TOKEN=`, "the database password is …". Pure.

Words are searched literally; only if something links a word to a value are both judged. Words and links are compared
in lower case, so expressions need not ignore case, and every repetition is possessive or bounded.
"""

import re
from collections.abc import Iterator
from enum import IntEnum, StrEnum

from signet.text import values
from signet.text.reading import HIDDEN


class _Kind(StrEnum):
    """What a word announces: a chosen secret (`NAME` if assigned), words, keys, a random run, digits."""

    PASSWORD = "password"
    NAME = "password or key"
    PHRASE = "passphrase"
    KEY = "token"
    RUN = "key"
    PIN = "PIN"


#: Words by kind. `^` marks a whole word.
_WORDS = (
    (_Kind.PASSWORD, (
        "password|passwd|passwort|passord|kennwort|pwd|mot de passe|mots de passe|^mdp|contraseña|contrasena|^clave"
        "|^senha|palavra-passe|wachtwoord|lösenord|adgangskode|salasana|jelszó|hasło|^heslo|^parola|şifre|пароль"
        "|пароля|パスワード|密码|密碼|口令|비밀번호|mật khẩu|סיסמה|كلمة المرور|identified by"
    )),
    (_Kind.NAME, "^pw|^pass|^psk"),
    (_Kind.PHRASE, "passphrase|passcode|seed phrase|recovery phrase|mnemonic"),
    (_Kind.KEY, (
        "secret|token|credential|authorization|bearer|apikey|api-schlüssel|apiキー|clé api|clé d'api|clave api"
        "|clave de api|chave api|chave de api|chiave api|ключ api|api-ключ|токен|トークン|api密钥|密钥|令牌"
    )),
    (_Kind.RUN, "^pat|^auth"),
    (_Kind.PIN, "^pin|暗証番号"),
)  # fmt: skip
#: Secret purposes of a `key`, and purposes of a `code`.
_QUALIFIED = (
    ("key", _Kind.KEY, (
        "api access account auth private signing encryption decryption master client admin shared storage subscription"
        " deploy write ingest license webhook consumer hmac integration management jwt bot preshared secret"
    )),
    ("key", _Kind.RUN, "app application server root service host functions team activation"),
    ("code", _Kind.PIN, "pin door gate alarm garage safe lock unlock entry vault"),
)  # fmt: skip
#: Private members of a JSON web key.
_JWK = tuple((f'"{name}"', _Kind.RUN, None) for name in ("d", "p", "q", "dp", "dq", "qi", "k"))
_LITERALS: tuple[tuple[str, _Kind, tuple[str, ...] | None], ...] = (
    *(
        (word.removeprefix("^"), kind, () if word[0] == "^" else None)
        for kind, words in _WORDS
        for word in words.split("|")
    ),
    *((word, kind, tuple(before.split())) for word, kind, before in _QUALIFIED),
)
#: Words by a shared core, else by themselves, so that absent cores are searched once.
_CORES = ("pass", "api", "key", "phrase", "auth")
_BY_CORE = (
    *((core, [row for row in _LITERALS if core in row[0]]) for core in _CORES),
    *((row[0], [row]) for row in _LITERALS if not any(core in row[0] for core in _CORES)),
    ('"kty"', _JWK),
)
#: Suffixes that give a name another meaning: a `token_type`, the place of a `secret_file`.
_OTHER_ENDS = tuple(
    (
        "expire expires expiry expiration expires_in expires-in expiresin _at -at ttl lifetime timeout file "
        "filename path dir folder uri url name type types count counts limit length len size policy prefix suffix "
        "field column env header hint age format algorithm alg version manager provider endpoint usage budget "
        "rate cost price index label title description required enabled kind status scope scopes source arn _id "
        "-id tokenid ref rule rules test spec bucket store rotation refresh strength attempts rounds iterations"
    ).split()
)
_OF_WHAT = (
    r"(?: \([^()\n]{1,40}+\))?+(?: (?:for|of|on|to|from|at|in|von|vom|für|zu|zum|zur|auf|im|am|der|des|de|del|du"
    r"|pour|para|do|da|di|per|voor|van|til|för|для|от|к)(?: [\w.@'/-]{1,40}+){1,8}?)?"
)
_IS = (
    r" (?:is|was|are|ist|war|lautet|lauten|heißt|est|était|es|era|será|è|é|jest|to jest|je|är|er|là|это|becomes"
    r"|[-=–—→]>?|(?:has|had|have) been|(?:will|should|must) be|wurde|a été)"
    r"(?: (?:now|currently|still|set|changed|reset|updated|rotated|jetzt|nun|maintenant|ahora)){0,3}"
    r"(?: (?:to|as|auf|à|a))?:? "
)
#: `\ufdd0` and `\ufdd1` are escaped quotation marks (`reading.py`).
_LINK = re.compile(
    r"(?P<rest>[a-z0-9_-]{0,32}+)"
    r"(?:(?P<sign>(?:[\s\"'`)\]\[\ufdd0\ufdd1]{0,6}+"
    r"(?:[:=](?![:=])(?:\s?(?:str|string|bytes|text|secretstr)\s?=(?!=))?+|=>|:=|\?=|,(?=\s{0,3}[\"'](?!value)))"
    r"|[\"']?,?\s{0,40}+[\"']?value[\"']?\s{0,3}[:=]|\((?=\s?[\"'])|>"
    r"|</(?:key|name)>\s{0,40}+<(?:string|value)>)"
    r"\s{0,4}+(?:[|>][-+]?\s{1,12}+)?+(?:(?:basic|bearer|digest|token|apikey|ssws|bot|splunk|geniekey)\s{1,3}+)?+)"
    rf"|(?P<verb>{_OF_WHAT}(?:{_IS}|: )| to:? |\s?[はがをと是为為은는이가]\s?)"
    r"|[ \t]{1,3}+)"
)
#: Characters that follow names in programs and do not occur in passwords written by people.
_JOINED = tuple(",()[]{}|&<>\\")
#: A quoted value, or one up to its terminator; scripts without blanks also terminate an unquoted one.
_VALUE = re.compile(
    r"(?:[brfuBRFU]{1,2}(?=[\"']))?+(?:\"([^\"\n]++)\"|'([^'\n]++)'|`([^`\n]++)`"
    r"|([\ufdd0\ufdd1]) ([^\n\ufdd0\ufdd1]++)\4"
    r"|[\"'`\ufdd0\ufdd1]? ?([^\s\"'`,;<>{}()\[\]|&\\\uffff\ufdd0\ufdd1\u3000-\u9fff\uac00-\ud7ff]++))"
)
_BARE = 6
_CALLED = re.compile(r"[A-Za-z_][\w.]*")
_PHRASE = re.compile(r"[\"'`]?([A-Za-z]{2,12}(?:[ -][A-Za-z]{2,12}){3,23}+)(?![\w-])")
_SEED = re.compile(r"[\"'`]?([a-z]{3,8}(?: [a-z]{3,8}){11,23}+)(?![\w-])")
_DIGITS = re.compile(r"[\"'`]?(\d{4,8})(?![\w/:-]|\.\d)")
_OPTION = re.compile(r"(?:^|[\s\"'])--?[a-z-]{0,20}\Z")
_USER = re.compile(
    r"(?:login|user|username|account)(?:[ =]|: ?)[\"']?[\w.@+-]{1,64}[\"']?[ ,/]{1,3}(?:and |with )?\w{2,12}\Z"
)
#: Maximum characters of a value used to judge it.
_JUDGED = 512
#: Cached judgements per text.
_MOST_JUDGED = 4_096
#: Maximum length of a value that is searched for the word again.
_READ_AGAIN = 64
#: Characters before and after a word that decide whether it announces a secret, if its value ends nearby.
_BEFORE, _BEHIND, _NEAR = 100, 512, 128
#: Cached surroundings per word.
_MOST_DULL = 256


class _Way(IntEnum):
    """How a value follows its word: assigned, next in a list or call, in a sentence, or directly behind."""

    ASSIGNED = 1
    LISTED = 2
    SAID = 3
    BEHIND = 4


#: The secret found in a value after a word of a kind, by terminator.
_Judged = dict[tuple[_Kind, _Way, str, str | None], bool]


def secrets(text: str, lower: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of each announced secret."""
    read: set[int] = set()
    judged: _Judged = {}
    for word, kind, before in [row for core, rows in _BY_CORE if core in lower for row in rows]:
        # Long logs repeat: surroundings in which this word announces nothing, with the length to the end of its link
        # and the length after which to search again.
        dull: dict[str, tuple[int, int]] = {}
        is_dull = False
        at = lower.find(word)
        while at >= 0:
            around = text[at - _BEFORE : at + _BEHIND] if is_dull and at >= _BEFORE else ""
            if around in dull:
                end, size = dull[around]
                if end:
                    read.add(at + end)
                at = lower.find(word, at + size)
                continue
            after, begin, end, place, is_dull = at + len(word), at, at, None, False
            if before is None or _stands(lower, at, after, before):
                link = _LINK.match(lower, after)
                is_dull = link is None or link.end() not in read
                if link is not None and is_dull:
                    value = None
                    rest, sign, verb = link.groups()
                    if not rest or not _is_other(word, before, link, text):
                        begin = end = link.end()
                        read.add(begin)
                        value = _VALUE.match(text, begin)
                    if value is not None:
                        end = value.end()
                        way = _way(at, sign, verb, lower)
                        place = _secret(kind, way, link, value, text, judged)
                        if place is not None:
                            yield *place, (kind if way >= _Way.SAID else _Kind.NAME)
                        # A long value is read once, because words inside would end with it.
                        if way is _Way.ASSIGNED and end - begin > _READ_AGAIN:
                            after = end if value.lastindex == _BARE else after
            is_dull = is_dull and place is None and end < at + _NEAR
            if is_dull and around:
                if len(dull) >= _MOST_DULL:
                    dull.clear()
                dull[around] = begin - at, after - at
            at = lower.find(word, after)


def _stands(lower: str, at: int, after: int, before: tuple[str, ...] | None) -> bool:
    """Return whether a word announces a secret here: anywhere, as a whole word, or after a qualifier."""
    if before is None:
        return True
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
    link: re.Match[str],
    value: re.Match[str],
    text: str,
    judged: _Judged,
) -> tuple[int, int] | None:
    """Return the place of the secret at the start of a value."""
    begin, (start, end) = link.end(), value.span(value.lastindex or 0)
    if text[begin - 1] == ">" and link["sign"] and not text.startswith("</", value.end()):
        return None  # no element of XML
    if _may_be_words(kind, way) and (words := _words(kind, begin, text)):
        return words.span(1)
    following = None
    if value.lastindex == _BARE:
        following = text[end : end + 1]
        if text[end - 1] in ".:?":
            end = start + len(text[start:end].rstrip(".:?"))
    found = text[start : min(end, start + _JUDGED)]
    if HIDDEN in found or following == HIDDEN:
        return None  # the rest of a mask
    if following == "(" and _CALLED.fullmatch(found):
        return None
    # Long logs repeat values.
    key = (kind, way, found, following)
    is_secret = judged.get(key)
    if is_secret is None:
        is_secret = _is_secret(kind, way, found, following)
        if len(judged) < _MOST_JUDGED:
            judged[key] = is_secret
    if is_secret or (
        way is _Way.BEHIND
        and (kind is _Kind.PASSWORD or kind is _Kind.PHRASE)
        and values.is_user_password(found)
        and _follows_user(link)
    ):
        return start, end
    return None


def _may_be_words(kind: _Kind, way: _Way) -> bool:
    """Return whether digits or words can be a secret after this word."""
    if kind is _Kind.PASSWORD:
        return way is _Way.ASSIGNED
    return way is not _Way.BEHIND and (kind is _Kind.PIN or kind is _Kind.PHRASE)


def _words(kind: _Kind, begin: int, text: str) -> re.Match[str] | None:
    """Return digits or words, in the only group, that are a secret after this word."""
    if kind is _Kind.PIN:
        return _DIGITS.match(text, begin)
    if kind is _Kind.PHRASE and (found := _DIGITS.match(text, begin) or _SEED.match(text, begin)):
        return found
    found = _PHRASE.match(text, begin)
    if (
        found is None
        or HIDDEN in text[found.end() : found.end() + 2]
        or not values.is_phrase(found[1])
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
    if way is _Way.BEHIND:
        return values.is_strong(value)
    if values.is_given(value) or (way is _Way.SAID and following is None and values.is_word(value)):
        return True
    return way is not _Way.LISTED and following not in _JOINED and values.is_simple(value)


def _follows_user(link: re.Match[str]) -> bool:
    """Return whether a user name precedes the word: `login bob password …`."""
    return _USER.search(link.string, max(0, link.start() - 100), link.start()) is not None
