"""Judge by a value alone whether it can be a secret. Pure.

Values are short. Expressions begin with literals or classes and use `match` and `fullmatch` where possible, because
masking spends most of its time here.
"""

import re

from signet.text import patterns

#: Placeholders for secrets in documentation.
_PLACEHOLDER = patterns.lazy(
    r"\.\.\.|…|\*\*\*|xxxx|XXXX|^<|<[^<>\d]*>|<[ =<]|\$\{|\{\{|%\w{1,40}%|todo|TODO|Todo|your|YOUR|Your"
    + "".join(f"|{word}|{word.upper()}|{word.capitalize()}" for word in (
        "example", "placeholder", "changeme", "change-me", "change_me", "redacted", "masked", "dummy", "insert",
        "sample",
    ))
)  # fmt: skip
#: Sequences in samples; a token of an issuer with one may be real.
_SEQUENCE = patterns.lazy("012345|123456|abcdef|ABCDEF")
_NOTHING = patterns.lazy(
    r"\$|(?=[BEFINOPRSTUbefinoprstu])"
    r"(?i:none|null|true|false|undefined|string|str|int|bool|optional|required|process|self|this|os|env)\b"
)
#: Changes between digits, lower and upper case inside a word, except after a capital first letter.
_CHANGE = patterns.lazy(r"(?<=[a-z])[A-Z0-9]|(?<=[A-Z])[0-9]|(?<=[0-9])[A-Za-z]")
_DIGIT = patterns.lazy(r"\d")
_MIXED = patterns.lazy(r"\D*\d.*?[^\W\d_]|[^\W\d_].*?\d|..*?[!@#$%^&*+~?=/]", re.DOTALL)
#: Letters, digits and signs; the first has no separators of programs.
_SURE = patterns.lazy(
    r"(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9]+[!@#$%^&*?][A-Za-z0-9!@#$%^&*?]*"
)
_SIGNED = patterns.lazy(r"(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])(?=.+[!@#$%^&*?~+]).{8,}")
#: Letters, digits and a capital or sign that a person may choose; no mention, address or colour.
_CHOSEN = patterns.lazy(
    r"(?=\D*\d)(?=[^a-z]*[a-z])(?=[^A-Z!@#$%^&*?~+]*[A-Z!@#$%^&*?~+])(?!.*://)(?!.*[Pp]assword)(?![@#]\w+$)(?![\w.+-]+@[\w-]+\.)(?!\d+[a-z-]+$)"
)
#: Names of algorithms, products and parts of a plan, with a number.
_TECHNICAL = patterns.lazy(
    r"(?i:sha|md|pbkdf|argon|s?crypt|bcrypt|yescrypt|oauth|pkcs|socks|fido|utf|base|aes|rsa|dsa|curve|chacha|hmac|https?|tls|ssl|ssh"
    r"|ipv|win(?:dows)?|python|node|java|php|ruby|rust|gpt|llama|claude|gemini|sprint|step|phase|chapter|level|version"
    r"|build|release|issue|ticket|page|line|room|floor|iphone|ipad|android|ios|macos|ubuntu|debian|fedora|postgres(?:ql)?"
    r"|mysql|mongo|redis|keepassx?c?|bitwarden|quarter|week|day|task|test|case|figure|table|section|part|item|rule|unit)"
    r"[-_#/ ]?v?\d+(?:[-_.+/]?[A-Za-z]{0,6}\d{0,4}){0,3}|[A-Z]{1,8}[-_#]?\d+[a-z]?|\d+(?:st|nd|rd|th|FA|MB|GB|kB|ms)?"
    r"|.*\.(?:py|js|ts|tsx|json|ya?ml|toml|ini|conf|env|txt|md|rst|pem|key|sh|sql|log|csv|html?|xml|go|rs|rb|java|c|h|gz|zip|com|org|net|io)\W*"
)
#: A word and a number, unless the word is one of programs.
_SIMPLE = patterns.lazy(
    r"(?!(?:sha|md|base|utf|oauth|argon|pbkdf|bcrypt|scrypt|field|input|value|string|text|param|arg|var|user|level"
    r"|version|option|item|key|token|pass|password|passwd|secret|line|step|page|type|test|case|int|float|uint|char"
    r"|varchar|form|login|reset|auth|hash|check|policy|prompt|screen|box|label|store|server|host|site|client|admin|rule|env|example|latin|http|ipv|python|node|postgres|mysql|redis|win|linux|row|column|part|phase)\d)"
    r"[a-z]{4,16}\d{1,6}|[a-z]{2,8}\d[a-z]{1,8}\d[a-z]{1,8}|[A-Z][a-z]{3,16}\d{2,6}|\d{6,12}"
)
#: Letters and digits that are neither code nor ordinary: a letter first, a digit inside.
_BETWEEN = patterns.lazy(r"[A-Za-z]+\d[A-Za-z0-9]+")
#: Code: an attribute, a path, words joined by dots or hyphens, or words of prose.
_CODE = patterns.lazy(
    r"""!?[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+|!\$\w+|[a-z]+(?:[-_ ][a-z]+)*\d?|[A-Z]+(?:_[A-Z]+)*|/[\w./-]*"""
    r"""|[a-z+]+://[^:@?]*(?::\d+)?[^:@?]*|[A-Za-z]+(?: [A-Za-z,'.-]+)+|\d+(?:\.\d+)*[a-z%]{0,3}|[A-Za-z]+"""
    r"""|[a-z]+(?:[A-Z][a-z]*)+\d?|@.*|[A-Za-z_]\w*[!?]\.|(?:id|src|type|source)=.*"""
)
_OPERATOR = patterns.lazy(r"::|==.|->|%[sdrfx](?![\w!@#$%^&*])|[\w)][!?]\.\w")
#: Brackets belong to code, unless the value has no blanks and contains signs.
_BRACKETS = patterns.lazy(r"[()\[\]{}]")
_DENSE = patterns.lazy(
    r"(?=\w)(?![\w.$]+[(\[])(?=\D*\d)(?=[^a-z]*[a-z])(?=.*[^\w\s()\[\]{}.,:\"'$])(?!.*\$[({])(?:\S|\ufdd0 ){12,}"
)
#: Not secrets unless random: paths, dates, versions, numbers with units, variable names.
_ORDINARY = patterns.lazy(
    r"""(?:~?\.{0,2}/|[A-Za-z]:[\\/]|arn:).*|[\w.-]+/[\w./@:#-]+"""
    r"""|\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-][\d:]+)?)?|v?(?:\d+:)?\d+(?:\.\d+)+(?:[-+.~][\w.]+)*"""
    r"""|[\d:.,/%+-]+|[<>=~^]*\d[\d.,_]*[A-Za-z%]{0,4}(?:[/+x-]\d*[\d.,_]*[A-Za-z%]{0,6})?"""
    r"""|(?:\d+(?:ms|[smhdw])){1,4}|[A-Z]{2,}(?:_[A-Z]{2,})+(?:_\d{1,3})?"""
)
#: Names of keys, files or models in place of a key: three or more parts, a known suffix, a number inside. People also
#: choose such passwords.
_NAME = patterns.lazy(
    r"""[A-Za-z]+\d{0,3}(?:[-_.](?:[A-Za-z]+\d{0,3}|v?\d{1,4})){2,}|\d+(?:-[a-z]+)+|[a-z]+\d{1,4}[a-z]?_[a-z]+"""
    r"""|.*\.(?:py|pyi|js|ts|tsx|jsx|mjs|json|ya?ml|toml|ini|cfg|conf|env|txt|md|rst|pem|key|crt|cer|p12|pfx|jks|sh|sql"""
    r"""|log|csv|html?|xml|lock|go|rs|rb|java|kt|c|cc|h|whl|gz|zip|tgz|db)(?::\d+)*"""
)
#: Function words; a passphrase has none.
_FUNCTION = frozenset(
    (
        "a about after again all also always an and any are as ask at be been before below blank but by can case "
        "change changed character characters contain contains correct could default different digits do does each "
        "eight empty encrypted enter every expired file for from generated had has hashed have here hidden how if in "
        "incorrect into invalid is it its just kept least length letters long lower manager may maximum minimum more "
        "must my need needs never new no not now numbers of off old on only optional or our out over please prompt "
        "protected required reset rotated same saved secure see set should short so some stored strong than that the "
        "their then there these they this those to too under up upper use used user using usual value vault very was "
        "we weak were what when where which who will with without word words would wrong you your "
        "der die das ist im bei und ein eine nicht le la les est dans et un une pas el en de y una los del que no"
    ).split()
)


def is_placeholder(value: str) -> bool:
    return is_sample(value) or has_sequence(value) or _NOTHING.match(value) is not None


def is_sample(value: str) -> bool:
    """Return whether a value is marked as a sample: `your_key`, `EXAMPLE`, `xxxx`."""
    return _PLACEHOLDER.search(value) is not None


def has_sequence(value: str) -> bool:
    return _SEQUENCE.search(value) is not None


def varies(value: str, *, least: int = 4) -> bool:
    """Return whether a value changes between kinds of characters as often as a random one.

    In random letters and digits two of five positions are changes; names have few: `v2`, `o200k`, `2026-11-22T10`.
    """
    if len(set(value)) < 8 or is_placeholder(value):
        return False
    return len(_CHANGE.findall(value)) >= max(least, len(value) // 10)


def looks_random(value: str) -> bool:
    """Return whether a value is neither a name, a placeholder nor a repetition."""
    return _DIGIT.search(value) is not None and varies(value)


def is_given(value: str) -> bool:
    """Return whether a value is a password or key, not code, a type or a placeholder."""
    if len(value) < 6 or not (_MIXED.match(value) or len(value) >= 24) or len(set(value)) < 4:
        return False
    if " " in value and not (value.count(" ") == 1 and _SIGNED.fullmatch(value)):
        return any(map(looks_random, value.split()))
    has_signs = not value.isalnum()
    if _SURE.fullmatch(value) if has_signs else _BETWEEN.fullmatch(value):
        return not is_placeholder(value)
    if is_placeholder(value) or _CODE.fullmatch(value):
        return False
    if has_signs and _is_expression(value):
        return False
    return _ORDINARY.fullmatch(value) is None or looks_random(value)


def _is_expression(value: str) -> bool:
    is_balanced = all(value.count(one) == value.count(other) for one, other in ("()", "[]", "{}"))
    has_brackets = is_balanced and _BRACKETS.search(value) and not _DENSE.fullmatch(value)
    return bool(has_brackets) or _OPERATOR.search(value) is not None


def is_key(value: str) -> bool:
    return is_given(value) and (_NAME.fullmatch(value) is None or looks_random(value))


def is_run(value: str) -> bool:
    return len(value) >= 16 and looks_random(value)


def is_simple(value: str) -> bool:
    """Return whether a value is digits, or a word and digits, as people choose them: `hunter2`."""
    return (
        _SIMPLE.fullmatch(value) is not None and not is_placeholder(value) and "pass" not in value
    )


def is_strong(value: str) -> bool:
    """Return whether a value can only be a password: letters, digits and signs, or a random run."""
    if is_run(value):
        return _ORDINARY.fullmatch(value) is None
    return _SIGNED.fullmatch(value) is not None and is_given(value)


def is_chosen(value: str) -> bool:
    """Return whether a value in a sentence looks like a password: letters, digits, and capitals or signs among them."""
    value = value.rstrip("*_")
    if len(value) < 6 or _CHOSEN.match(value) is None:
        return is_strong(value)
    is_other = (
        is_placeholder(value)
        or _TECHNICAL.fullmatch(value)
        or _CODE.fullmatch(value)
        or _is_expression(value)
    )
    return not is_other and (_ORDINARY.fullmatch(value) is None or looks_random(value))


def is_user_password(value: str) -> bool:
    """Return whether a value is a password after a user name: it has a digit."""
    return _DIGIT.search(value) is not None and is_given(value)


def is_word(value: str) -> bool:
    """Return whether a quoted value is one word that does not describe a password."""
    if not value.isalpha() or value.isupper() or len(value) < 6:
        return False
    return "pass" not in value and value.lower() not in _FUNCTION


def is_phrase(words: str) -> bool:
    """Return whether some words are a passphrase instead of a sentence."""
    return _FUNCTION.isdisjoint(words.lower().replace("-", " ").split())
