"""Recognize tokens by an issuer's prefix or mark and its documented format. Pure.

`issuers.toml` lists them. Prefixes that also begin ordinary names (`pat`, `re_`, `key-`)
have an exact body; unique prefixes have `*`.
"""

import re
from collections.abc import Iterator
from itertools import groupby

from signet import resources
from signet.text import patterns
from signet.text.values import has_sequence, is_sample, varies

_TABLE = resources.table(__file__)
_ALPHABETS = {
    "w": "[A-Za-z0-9]", "h": "[0-9a-f]", "u": r"[\w-]", "v": r"\w", "b": "[A-Za-z0-9+/]", "U": "[A-Z0-9]",
    "l": "[a-z0-9]", "a": "[A-Z2-7]", "d": r"\d",
}  # fmt: skip

#: Alphabets that names do not use.
_NAMELESS = ("[0-9a-f", "[A-Z2-7]")


def _body(short: str) -> str:
    if short == "*":
        return r"[\w.~+/=-]{12,}+"
    full = short.replace("{uuid}", "{h8}(?:-{h4}){3}-{h12}")
    full = re.sub(
        r"\{([a-zA-Z])(\d+(?:,\d*)?)\}",
        lambda found: _ALPHABETS[found[1]] + f"{{{found[2]}}}",
        full,
    )
    return full.replace(",}", ",}+").replace("++", "+")


def _forms() -> Iterator[tuple[str, bool, str, str]]:
    """Yield kind, whether a name can look like it, first character and the rest of each expression."""
    for row in _TABLE["prefixed"].splitlines():
        kind, _, rest = row.partition(": ")
        *prefixes, short = rest.split()
        body = _body(short)
        is_like_names = not any(alphabet in body for alphabet in _NAMELESS)
        for prefix in prefixes:
            yield kind, is_like_names, prefix[0], f"{re.escape(prefix[1:])}{body}(?![\\w-])()"
    for kind, form in _TABLE["marked"]:
        yield kind, False, "", form if kind == "webhook address" else f"{form}()"


#: Expressions by first character, so that most are never tried; those that begin with a class are last.
_FORMS = sorted(_forms(), key=lambda form: (not form[2], form[2]))
_BY_FIRST = "|".join(
    (re.escape(first) or r"(?=[\w.~-]{5})") + f"(?:{'|'.join(rest for *_, rest in forms)})"
    for first, forms in groupby(_FORMS, key=lambda form: form[2])
)
#: A token begins at a word boundary and has at least twenty characters. Its expression's last group is the secret, or
#: empty if the whole match is.
_TOKEN = patterns.lazy(rf"\b(?<!-)(?=[\w.~+/=:$!|@-]{{20}})(?:{_BY_FIRST})", re.ASCII)


#: Characters per piece of a long text: a list of all its words would take eight times its memory.
_PIECE = 262_144
_BLANK = patterns.lazy(r"\s")


def tokens(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of each token of a known issuer."""
    end = 0
    while (start := end) < len(text):
        blank = _BLANK.search(text, start + _PIECE)
        end = blank.start() if blank else len(text)
        # Most texts have no token, and checking only their long words is faster.
        if _TOKEN.search(" ".join([one for one in text[start:end].split() if len(one) >= 20])):
            yield from _tokens(text, start, end)


def _tokens(text: str, first: int, last: int) -> Iterator[tuple[int, int, str]]:
    # Long logs repeat tokens.
    judged: dict[tuple[str, bool], bool] = {}
    for found in _TOKEN.finditer(text, first, last):
        number = found.lastindex or 0
        kind, is_like_names, *_ = _FORMS[number - 1]
        start, end = found.span(number) if found[number] else found.span()
        token = text[start:end].rstrip(".")
        if (key := (token, is_like_names)) not in judged:
            judged[key] = _is_token(*key)
        if judged[key]:
            yield start, start + len(token), kind


def _is_token(token: str, is_like_names: bool) -> bool:
    if has_sequence(token) or not is_like_names:
        return len(set(token)) >= 8 and not is_sample(token)
    return varies(token, least=3)
