"""The two distillers: the built-in rules, and a language model.

Both have the same interface, so that the pipeline does not depend on which it uses. All model calls of extraction
happen here; they raise the errors of `signet.providers.ports`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from signet.config import Settings
from signet.config.extraction import Strength
from signet.domain.extraction import contradiction, escalate, grounding, parse, prompt, rules
from signet.domain.extraction.models import Action, ComparedMemory, Decision, Extraction, Fact
from signet.errors import ProviderFailed, ProviderTooLong
from signet.providers import track
from signet.providers.asking import ask_model
from signet.providers.ports import LanguageModel

#: Maximum tokens of an answer, and the factor on the time limit (PIP-5).
BUDGETS = {Strength.LOW: (1_024, 1.0), Strength.MEDIUM: (2_048, 1.5), Strength.HIGH: (4_096, 2.5)}
#: The failure of a text for which the model twice returned no JSON.
PARSE_FAIL = f"EXTRACTION_PARSE_FAIL: {parse.NO_JSON}, asked twice; read by the built-in rules"
#: An answer to "add, update, delete or none" is one short object.
DECISION_TOKENS = 256
#: A text this short is not split further if it exceeds the model's context.
LEAST_CHARS = 500
TOO_LONG = (
    "EXTRACTION_TOO_LONG: the model's context holds no part of the text; read by the built-in rules"
)
#: Words that two statements must share before a model checks them for a contradiction (PIP-22).
CONTRADICTION_OVERLAP = 3


class Distiller(Protocol):
    """Reads texts and compares statements."""

    @property
    def name(self) -> str: ...

    @property
    def is_model(self) -> bool: ...

    def extract(self, text: str, is_known: Callable[[str], bool]) -> Extraction:
        """Return facts and triples; `is_known` returns whether a content hash is stored already."""
        ...

    def decide(self, fact: Fact, candidates: Sequence[ComparedMemory]) -> Decision: ...

    def contradicts(self, new: str, old: str) -> bool:
        """Return whether two statements contradict each other in a way that their words do not show."""
        ...


class RuleDistiller:
    """The built-in rules: deterministic, and without requirements."""

    name = "rules"
    is_model = False

    def extract(self, text: str, is_known: Callable[[str], bool]) -> Extraction:
        return rules.extract(text)

    def decide(self, fact: Fact, candidates: Sequence[ComparedMemory]) -> Decision:
        for candidate in candidates:
            if contradiction.says_the_same(fact.content, candidate.content):
                return Decision(
                    action=Action.NONE,
                    target_id=candidate.id,
                    confidence=fact.confidence,
                    reason=f"memory {candidate.id} says the same",
                )
        return Decision(
            action=Action.ADD,
            target_id=None,
            confidence=fact.confidence,
            reason="no memory says the same",
        )

    def contradicts(self, new: str, old: str) -> bool:
        """Return False: rules only see words."""
        return False


class ModelDistiller:
    """A language model."""

    is_model = True

    def __init__(self, model: LanguageModel, settings: Settings) -> None:
        extraction = settings.pipeline.extraction
        tokens, factor = BUDGETS[extraction.strength]
        ceiling = max(settings.pipeline.worker.lease_timeout_ms / 2, 30_000)
        self._model = model
        self._tokens = tokens
        self._timeout = min(extraction.timeout_ms * factor, ceiling) / 1000
        self._limits = extraction.escalation
        self._compares = settings.pipeline.semantic_contradiction_enabled
        self._compare_seconds = settings.pipeline.semantic_contradiction_timeout_ms / 1000

    @property
    def name(self) -> str:
        return self._model.name

    def extract(self, text: str, is_known: Callable[[str], bool]) -> Extraction:
        """Ask the model, part by part for a long text, and reduce an answer with too many facts."""
        found = [one for part in prompt.parts(text) for one in self._fitting(part, is_known)]
        return Extraction(
            facts=_each_once([fact for one in found for fact in one.facts]),
            triples=tuple(triple for one in found for triple in one.triples),
            warnings=tuple(warning for one in found for warning in one.warnings),
            failure=next((one.failure for one in found if one.failure), ""),
            reader=RuleDistiller.name if all(one.failure for one in found) else "",
        )

    def decide(self, fact: Fact, candidates: Sequence[ComparedMemory]) -> Decision:
        contents = {candidate.id: candidate.content for candidate in candidates}
        problem = ""

        def read(raw: str) -> Decision | None:
            nonlocal problem
            found = parse.decision(raw, contents)
            if isinstance(found, Decision):
                return found
            problem = found
            return None

        try:
            chosen = ask_model(
                self._model,
                prompt.decision(fact, candidates),
                read,
                shape=prompt.decision_shape(candidates),
                timeout_seconds=self._timeout,
                max_tokens=DECISION_TOKENS,
            )
        except ProviderTooLong as error:
            chosen, problem = None, error.message
        if chosen is not None:
            if _is_supported(chosen, fact.content, contents):
                return chosen
            problem = f"the words of the fact do not support its {chosen.action}"
        return replace(RuleDistiller().decide(fact, candidates), problem=problem)

    def contradicts(self, new: str, old: str) -> bool:
        """Ask the model about two statements that share enough words; return False if it cannot answer (PIP-22)."""
        shared = contradiction.overlap(contradiction.tokens(new), contradiction.tokens(old))
        if not self._compares or len(shared) < CONTRADICTION_OVERLAP:
            return False
        request = prompt.contradiction(new, old)
        try:
            answer = self._model.generate(
                request,
                timeout_seconds=self._compare_seconds,
                max_tokens=DECISION_TOKENS,
                shape=prompt.CONTRADICTION_SHAPE,
            )
        except ProviderFailed:
            return False
        return parse.contradicts(answer.text)

    def _fitting(self, text: str, is_known: Callable[[str], bool]) -> list[Extraction]:
        """Extract from a text; halve it if it exceeds the model's context, and use the rules below `LEAST_CHARS`."""
        try:
            return [self._tamed(text, is_known)]
        except ProviderTooLong:
            if len(text) < LEAST_CHARS:
                return [replace(rules.extract(text), failure=TOO_LONG)]
        halves = prompt.parts(text, len(text) // 2 + 1)
        return [one for half in halves for one in self._fitting(half, is_known)]

    def _tamed(self, text: str, is_known: Callable[[str], bool]) -> Extraction:
        grounds = grounding.Grounds(text, prompt.INSTRUCTIONS)
        first = self._read(prompt.extraction(text), grounds)
        if first is None:
            found = rules.extract(text)
            return replace(found, warnings=(*found.warnings, PARSE_FAIL), failure=PARSE_FAIL)
        if not self._is_too_much(first, self._limits.max_new_entities_per_chunk):
            return first
        try:
            second = self._read(prompt.condensed(text, self._limits.level2_max_entities), grounds)
        except ProviderFailed:
            return escalate.reduce(first, is_known)
        if second is None:
            return escalate.reduce(first, is_known)
        if not self._is_too_much(second, self._limits.level2_max_entities):
            return replace(second, warnings=(*first.warnings, *second.warnings))
        return escalate.reduce(second, is_known)

    def _is_too_much(self, found: Extraction, max_entities: int) -> bool:
        return escalate.is_needed(
            found,
            max_entities=max_entities,
            max_facts_per_entity=self._limits.max_new_attributes_per_entity,
        )

    def _read(self, request: str, grounds: grounding.Grounds) -> Extraction | None:
        return ask_model(
            self._model,
            request,
            lambda raw: self._usable(raw, grounds),
            shape=prompt.EXTRACTION_SHAPE,
            timeout_seconds=self._timeout,
            max_tokens=self._tokens,
        )

    def _usable(self, raw: str, grounds: grounding.Grounds) -> Extraction | None:
        told = parse.extraction(raw)
        if parse.NO_JSON in told.warnings:
            return None
        found = grounded(told, grounds)
        supported = sum(fact.is_grounded for fact in found.facts)
        track.checked(self.name, supported=supported, dropped=len(told.facts) - supported)
        return found


def _is_supported(decision: Decision, new: str, contents: Mapping[str, str]) -> bool:
    """Return whether the words of a fact support a model's decision about a memory (PIP-64)."""
    old = contents.get(decision.target_id or "", "")
    if decision.action is Action.UPDATE:
        return contradiction.is_fuller(new, old)
    return decision.action is not Action.DELETE or contradiction.is_end(new, old)


def _each_once(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return each fact once; prefer the version from a part that supports it."""
    kept: dict[str, Fact] = {}
    for fact in facts:
        known = kept.setdefault(fact.content, fact)
        if fact.is_grounded and not known.is_grounded:
            kept[fact.content] = fact
    return tuple(kept.values())


def grounded(found: Extraction, grounds: grounding.Grounds) -> Extraction:
    """Return an extraction without the facts and entities that the source does not support (PIP-64)."""
    facts, warnings = [], list(found.warnings)
    for fact in found.facts:
        verdict = grounds.judge(fact.content)
        if verdict.is_usable:
            facts.append(replace(fact, is_grounded=verdict is grounding.Verdict.SAID))
        else:
            warnings.append(f"a fact is dropped: {verdict}")
    triples = [
        one for one in found.triples if grounds.names(one.source) and grounds.names(one.target)
    ]
    if len(triples) < len(found.triples):
        missing = len(found.triples) - len(triples)
        warnings.append(f"{missing} entities are dropped: their names are not in the source")
    return replace(found, facts=tuple(facts), triples=tuple(triples), warnings=tuple(warnings))
