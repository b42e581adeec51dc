"""English word lists that tell a name from an ordinary capitalised word, from `lexicon.toml`.

`FUNCTION` words never belong to the edge of a name. `OPENERS` are ordinary words that sentences begin with, so they
are cut from the front of a name at a sentence start. `PLAIN` words are no name when they stand alone.
"""

from signet import resources


def words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_LISTS = resources.table(__file__)
FUNCTION, GERMAN, AFTER_SUBJECT = (
    words(_LISTS[name]) for name in ("function", "german", "after_subject")
)
OPENERS = FUNCTION.union(
    *(words(_LISTS[name]) for name in ("interjections", "adverbs", "imperatives"))
)
PLAIN = OPENERS.union(*(words(_LISTS[name]) for name in ("dates", "labels", "nouns", "units")))
ABSTRACT_ENDINGS = tuple(words(_LISTS["abstract_endings"]))
