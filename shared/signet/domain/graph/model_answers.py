"""Parsing what a model answers about the facts of an entity; what does not have the promised shape is left out."""

from collections.abc import Iterator, Mapping, Sequence

from signet.db import fts
from signet.domain.graph import names
from signet.domain.graph.models import (
    DEPENDENCY_TYPES,
    ENTITY_TYPES,
    GENERAL,
    KINDS,
    MAX_ASPECT_CHARS,
    Classification,
    Fact,
    FoundDependency,
)
from signet.providers import answers


def results(raw: str) -> answers.Json | None:
    """Return the object of an answer that holds results, None when there is none."""
    found = list(answers.objects(raw))
    items: list[object] = [one for one in found if "i" in one]
    bare: answers.Json | None = {"results": items} if items else None  # without the object around
    return next((one for one in found if isinstance(one.get("results"), list)), bare)


def classifications(answer: answers.Json | None, count: int) -> Mapping[int, Classification]:
    """Return where each fact belongs, by its place (from 0); facts without an aspect are missing.

    Without an answer that could be read all of them belong to what is general.
    """
    if answer is None:
        return dict.fromkeys(range(count), Classification(aspect=GENERAL, kind=KINDS[0]))
    found: dict[int, Classification] = {}
    for place, item in _items(answer, count):
        aspect = _aspect(answers.text(item, "aspect"))
        kind = answers.text(item, "kind").lower()
        if aspect:
            found.setdefault(
                place, Classification(aspect=aspect, kind=kind if kind in KINDS else KINDS[0])
            )
    return found


def entity_type(answer: answers.Json | None) -> str | None:
    """Return the type that the model gives the entity, None when it is none of ours."""
    type = answers.text(answer, "entity_type").lower()
    return type if type in ENTITY_TYPES else None


def dependencies(
    answer: answers.Json | None, facts: Sequence[Fact]
) -> Mapping[int, tuple[FoundDependency, ...]]:
    """Return the dependencies that each fact states, by its place (from 0); facts passed over are missing.

    Without an answer that could be read there are none. A target that the fact does not name is left out (PIP-64).
    """
    if answer is None:
        return dict.fromkeys(range(len(facts)), ())
    return {
        place: tuple(_dependencies(item.get("dependencies"), facts[place].text))
        for place, item in _items(answer, len(facts))
    }


def _items(answer: answers.Json, count: int) -> Iterator[tuple[int, answers.Json]]:
    listed = answer.get("results")
    for item in listed if isinstance(listed, list) else ():
        number = answers.number(item, "i")
        if number is not None and number.is_integer() and 1 <= number <= count:
            yield int(number) - 1, item


def _dependencies(listed: object, fact: str) -> Iterator[FoundDependency]:
    named = set(fts.words(names.canonical(fact)))
    for item in listed if isinstance(listed, list) else ():
        target = names.clean(answers.text(item, "target"))
        type = "_".join(answers.text(item, "type").lower().split())
        is_named = target and named.issuperset(fts.words(names.canonical(target)))
        if target and is_named and type in DEPENDENCY_TYPES:
            yield FoundDependency(
                target=target, type=type, reason=answers.text(item, "reason")[:200]
            )


def _aspect(raw: str) -> str:
    """Return the canonical name of an aspect, cut at a word; an answer without letters is none."""
    text = names.canonical(raw.strip("*_`\"' .:"))
    if len(text) > MAX_ASPECT_CHARS:
        text = text[: MAX_ASPECT_CHARS + 1].rpartition(" ")[0][:MAX_ASPECT_CHARS] or GENERAL
    return text if any(sign.isalpha() for sign in text) else ""
