"""Batch texts for requests, prefix them as known models need, and pack a provider's numbers as stored bytes. Pure."""

import math
import re
import struct
from collections.abc import Iterator, Sequence
from typing import NamedTuple

#: Texts per request: few enough for a slow local server to finish in EMBED_SECONDS.
BATCH = 32
EMBED_SECONDS = 30.0


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the texts in batches of at most BATCH, in order."""
    for start in range(0, len(texts), BATCH):
        yield list(texts[start : start + BATCH])


def pack(numbers: object, *, dimensions: int) -> bytes:
    """Return a vector of length one as little-endian float32.

    Not all providers scale their vectors, so all are scaled here. Raises ValueError, with the reason, unless there
    are `dimensions` finite numbers that are not all zero.
    """
    if not isinstance(numbers, list) or not all(type(n) in (int, float) for n in numbers):
        raise ValueError("a vector is not a list of numbers")
    if len(numbers) != dimensions:
        raise ValueError(f"a vector has {len(numbers)} dimensions instead of {dimensions}")
    try:
        length = math.hypot(*numbers)
    except OverflowError:
        length = math.inf
    if not math.isfinite(length) or length == 0.0:
        raise ValueError("a vector is zero or not finite")
    return struct.pack(f"<{dimensions}f", *(n / length for n in numbers))


def pack_all(rows: object, *, count: int, dimensions: int) -> list[bytes]:
    """Return `count` packed vectors; raises ValueError for another number or length."""
    if not isinstance(rows, list) or len(rows) != count:
        raise ValueError(f"not the {count} vectors that were asked for")
    return [pack(row, dimensions=dimensions) for row in rows]


class Prompts(NamedTuple):
    """A model's prefixes for queries and for passages."""

    query: str = ""
    passage: str = ""


NO_PROMPTS = Prompts()
_SENTENCE = "Represent this sentence for searching relevant passages: "
_TASK = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)
#: By a pattern of the model's name, from the publishers' model cards; the first match counts. nomic-embed-text is left
#: out: databases of the TypeScript Signet contain its vectors without prefixes.
KNOWN = (
    (r"\be5-.*instruct", Prompts(f"{_TASK} ")),
    (r"\be5-(small|base|large)", Prompts("query: ", "passage: ")),
    (r"\bbge-(small|base|large)(-en|$)", Prompts(_SENTENCE)),
    (r"\bembeddinggemma", Prompts("task: search result | query: ", "title: none | text: ")),
    (r"\bqwen3-embedding", Prompts(_TASK)),
    (r"\bmxbai-embed-(large|xsmall)", Prompts(_SENTENCE)),
    (r"\bsnowflake-arctic-embed(2|-.*-v2)", Prompts("query: ")),
    (r"\bsnowflake-arctic-embed", Prompts(_SENTENCE)),
)


def prompts_of(name: str) -> Prompts:
    """Return the prefixes of a model by its name, with or without publisher and tag; empty if it is unknown."""
    plain = name.lower().rpartition("/")[2].partition(":")[0].replace("_", "-")
    return next((prompts for words, prompts in KNOWN if re.search(words, plain)), NO_PROMPTS)
