"""Build full-text queries: any text of a person to an expression that FTS5 accepts, and bm25 to a score.

For any text (operators, quotes, NUL, half of a surrogate pair, a megabyte), the expression is a list of quoted strings,
so it cannot be an FTS5 syntax error. The index stems (`porter unicode61`); a quoted word that the tokenizer cuts, such
as "long-term", is searched as a phrase. Chinese, Japanese and Korean are searched by pairs of characters, as in the
index (`script`). A term such as `miet*mietest` matches all words that begin with its first part, and the stem of its
second part.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache

from signet.db import languages, script

#: Words of a query that are searched; a longer text is cut, because each word costs an index lookup.
MAX_WORDS = 48

#: English stop words. They stay in the index and are removed only from queries:
#: measured, taking them out (with stemming) finds 9 % more evidence (decision 5).
STOP_WORDS = frozenset(
    """
    a about after again all also am an and any are as at be because been before being between both but
    by can could did do does doing don done for from further had has have having he her here hers him
    his how i if in into is it its just ll me might more most must my no nor not of off on once only
    or other our ours out over own re s same shall she should so some such t than that the their
    theirs them then there these they this those through to too under until up ve very was we were
    what when where which while who whom whose why will with would you your yours
    """.split()
)

_MARKS = re.compile(r"[\":()^*?'’‘`\x00-\x1f\x7f]+")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_SIGNS = "".join(one for one in map(chr, range(128)) if not one.isalnum())  # ASCII signs
#: A phrase, a word or a sign of an expression.
_OPERAND = re.compile(r'"[^"]*"|\w+|[^\w\s]')
#: `v3.4.0` and `3.4.0` are one version.
_VERSION = re.compile(r"^v(?=\d+\.\d)")


def words(text: str) -> list[str]:
    """Return the distinct words of a text in order, lower-case, without marks at their ends.

    One-letter words of the Latin script are left out; of other scripts a single character is a word.
    """
    clean = _MARKS.sub(" ", script.fold(encodable(text))).lower()
    if clean.isascii():
        plain = [_VERSION.sub("", raw.strip(_SIGNS)) for raw in clean.split()]
        return list(dict.fromkeys([word for word in plain if len(word) > 1]))
    clean = script.apart(clean)
    parts = script.cut_all(clean.split()) if script.has_runs(clean) else clean.split()
    found = [
        part if script.is_picture(part) else _VERSION.sub("", _EDGES.sub("", part))
        for part in parts
    ]
    return list(dict.fromkeys([word for word in found if len(word) > 1 or _is_word(word)]))


def folded(text: str) -> str:
    """Return a text folded for comparison: lower-case, without accents, special letters replaced."""
    return languages.unaccented(script.fold(text).lower())


def encodable(text: str) -> str:
    """Return a text without halves of surrogate pairs, which JSON may carry and SQLite refuses."""
    return text.encode("utf-8", "ignore").decode()


def content_words(text: str) -> list[str]:
    """Return the words to search: without stop words, unless nothing else is left.

    Words of languages with inflection endings get their beginnings too, as in `miet*mietest` (`languages`).
    """
    return list(_content_words(text))


@lru_cache(128)  # one prompt needs its words about six times
def _content_words(text: str) -> tuple[str, ...]:
    every = words(text)
    language = languages.language_of(every, STOP_WORDS)
    stops = language.stops if language else STOP_WORDS
    bare = languages.bare(every, language)
    kept = [w for w in bare if w not in stops and w not in languages.SAY_NOTHING] or every
    return tuple(dict.fromkeys(languages.beginnings(kept[:MAX_WORDS], language)))


def stands_for(term: str, word: str) -> bool:
    """Return whether a word of a text matches a term of `content_words`."""
    start, star, whole = term.partition("*")
    return word == whole or folded(word).startswith(start) if star else word == term


def shown(term: str) -> str:
    """Return the query word of a term."""
    return term.rpartition("*")[2]


def any_of(terms: Sequence[str]) -> str:
    """Return the MATCH expression for rows with at least one of the words; `terms` must not be empty."""
    return " OR ".join(map(_quoted, terms))


def all_of(terms: Sequence[str]) -> str:
    """Return the MATCH expression for rows with all of the words; `terms` must not be empty."""
    return " AND ".join(map(_quoted, terms))


def as_indexed(expression: str) -> str:
    """Return an FTS5 expression with the words as the index stores them."""
    return _OPERAND.sub(_operand, script.usual(expression))


def _operand(found: re.Match[str]) -> str:
    word = script.indexed(found[0])
    return word if found[0].startswith('"') or word == found[0] else f'"{word}"'


def _quoted(term: str) -> str:
    """Return one word of an expression; a single ideograph or kana is the beginning of a pair."""
    start, _, whole = term.partition("*")
    if whole:  # the index may have shortened the word below its beginning
        return f'("{start}"* OR "{script.indexed(whole)}")'
    is_single = len(start) == 1 and script.has_runs(start)
    return f'"{start}"*' if is_single else f'"{script.indexed(start)}"'


def scores(ranks: Mapping[int, float]) -> dict[int, float]:
    """Return bm25 values (negative, lower is better) as 0..1 in the same order, the best of them 1.

    bm25 has no fixed scale: in a store of few rows it is about -0.000002. So all values are divided by the best.
    """
    best = max((abs(rank) for rank in ranks.values()), default=0.0)
    return {key: abs(rank) / best if best else 1.0 for key, rank in ranks.items()}


def _is_word(character: str) -> bool:
    is_letter = character.isalnum() and "LATIN" not in unicodedata.name(character, "")
    return (is_letter and not character.isascii()) or script.is_picture(character)
