"""Prefixes of known embedding models, which they need to tell a query from a passage, whichever provider runs them."""

import re
from typing import NamedTuple


class Prompts(NamedTuple):
    """A model's prefixes for queries and for passages."""

    query: str = ""
    passage: str = ""


NO_PROMPTS = Prompts()
_SENTENCE = "Represent this sentence for searching relevant passages: "
#: By a pattern of the model's name, from the publishers' model cards; the first match counts.
KNOWN = (
    (r"e5-\w+(-v2)?$", Prompts("query: ", "passage: ")),
    (r"bge-(small|base|large)-en", Prompts(_SENTENCE)),
    (r"embeddinggemma", Prompts("task: search result | query: ", "title: none | text: ")),
    (r"mxbai-embed-(large|xsmall)", Prompts(_SENTENCE)),
    (r"snowflake-arctic-embed2|snowflake-arctic-embed-.*-v2", Prompts("query: ")),
    (r"snowflake-arctic-embed", Prompts(_SENTENCE)),
)


def of_model(name: str) -> Prompts:
    """Return the prefixes of a model by its name, with or without publisher and tag; empty if it is unknown."""
    plain = name.lower().rpartition("/")[2].partition(":")[0].replace("_", "-")
    return next((prompts for words, prompts in KNOWN if re.search(words, plain)), NO_PROMPTS)
