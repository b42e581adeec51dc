"""The prompts that ask a model about the facts of one entity."""

from collections.abc import Mapping, Sequence

from signet.domain.graph.models import DEPENDENCY_TYPES, ENTITY_TYPES, KINDS, UNKNOWN, Fact, Subject
from signet.providers import fence
from signet.providers.shapes import BOOLEAN, INTEGER, TEXT, an_object, list_of, one_of

#: Aspects to begin with, by the type of the entity.
_SUGGESTED: Mapping[str, str] = {
    "person": "preferences, background, work, relationships, decision patterns",
    "project": "architecture, decisions, status, dependencies, conventions, people",
    "system": "configuration, dependencies, behaviour, operation, limits",
    "tool": "configuration, usage, limits, versions",
    "concept": "definition, rules, examples",
    "skill": "usage, prerequisites, steps",
    "task": "goal, status, owner, blockers",
}
_OTHER = "properties, events, decisions, configuration, usage"

_CLASSIFY = """\
Numbered facts tell of one entity. File each under an aspect of the entity: one to three lower-case words that name what
part of it the fact is about. Use a known aspect where one fits. Return one JSON object and nothing else:
{"results": [{"i": 1, "aspect": "...", "kind": "attribute|constraint", "new": true|false}], "entity_type": "..."}
- Every fact has exactly one result; i is its number.
- kind: constraint for what must, may not or was decided to hold; else attribute.
- entity_type: person, project, system, tool, concept, skill, task or unknown.
"""
_DEPEND = f"""\
Numbered facts tell of one entity. Say on which other things they say it depends. Return one JSON object and nothing
else:
{{"results": [{{"i": 1, "dependencies": [{{"target": "...", "type": "...", "reason": "..."}}]}}]}}
- Every fact has exactly one result; i is its number; dependencies is empty when the fact names no other thing.
- target: the name of the other thing as the fact writes it, never the entity itself.
- type: {", ".join(DEPENDENCY_TYPES)}.
"""

CLASSIFY_SHAPE = an_object(
    results=list_of(an_object(i=INTEGER, aspect=TEXT, kind=one_of(KINDS), new=BOOLEAN)),
    entity_type=one_of(ENTITY_TYPES | {UNKNOWN}),
)
DEPEND_SHAPE = an_object(
    results=list_of(
        an_object(
            i=INTEGER,
            dependencies=list_of(
                an_object(target=TEXT, type=one_of(DEPENDENCY_TYPES), reason=TEXT)
            ),
        )
    )
)


def classify(subject: Subject, facts: Sequence[Fact]) -> str:
    """Return the request to file facts under aspects."""
    suggested = _SUGGESTED.get(subject.type, _OTHER)
    known = ", ".join(subject.aspects) or "none yet"
    shown = f"Known aspects: {known}\n{_facts(subject, facts)}"
    return f"{_CLASSIFY}Usual aspects: {suggested}\n{fence.data('facts', shown)}"


def depend(subject: Subject, facts: Sequence[Fact]) -> str:
    """Return the request to find dependencies in facts."""
    return f"{_DEPEND}{fence.data('facts', _facts(subject, facts))}"


def _facts(subject: Subject, facts: Sequence[Fact]) -> str:
    numbered = "\n".join(f"{number}. {fact.text}" for number, fact in enumerate(facts, 1))
    return f"Entity: {subject.name} ({subject.type})\n{numbered}"
