"""Prefixes of known embedding models, which they need to tell a query from a passage, whichever provider runs them."""

import re
from typing import NamedTuple


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


def of_model(name: str) -> Prompts:
    """Return the prefixes of a model by its name, with or without publisher and tag; empty if it is unknown."""
    plain = name.lower().rpartition("/")[2].partition(":")[0].replace("_", "-")
    return next((prompts for words, prompts in KNOWN if re.search(words, plain)), NO_PROMPTS)
