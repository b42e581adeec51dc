"""Tags: clients write them as a comma list or as an array, in any case."""

from typing import Annotated

from pydantic import AfterValidator, BeforeValidator

#: Each tag of a question is a condition of its own, and SQLite takes a thousand at most.
MAX_TAGS = 100


def _split(sent: object) -> object:
    if isinstance(sent, str):
        return sent.split(",")
    if isinstance(sent, list | tuple):
        return sent
    raise ValueError("neither a string nor a list of strings")


def _bounded(tags: tuple[str, ...]) -> tuple[str, ...]:
    found = tuple(tag for raw in tags if (tag := raw.strip().lower()))
    if len(found) > MAX_TAGS:
        raise ValueError(f"more than {MAX_TAGS} tags")
    return found


#: What was meant, in lower case and without empty ones.
Tags = Annotated[
    tuple[str, ...],
    AfterValidator(_bounded),
    BeforeValidator(_split, json_schema_input_type=str | list[str]),
]
