"""Declare, read and show settings.

A section is a frozen class whose fields have a rule: key, accepted values, bounds. A plain default implies the rule
of its type. Reading never raises: numbers are clamped, other invalid values become the default, each with a warning
that names the key. Null and blank count as unset. Warnings never quote values, because they may be secrets.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from enum import StrEnum
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar, cast, dataclass_transform, get_args

from signet.config import values as accept
from signet.config.values import Accept, Unfit, close

NOTHING: Mapping[object, object] = MappingProxyType({})
MASK = "***"
SECRET_REFERENCE = "$secret:"
#: Keys of the TypeScript product's agent.yaml that are accepted without effect.
IGNORED = frozenset(
    """
    version schema configVersion owner install identity trust agent.updated hooks.sessionStart.recencyBias
    memory.database memory.pipelineV2 memory.embeddings memory.synthesis.harness memory.synthesis.model
    search.reranking search.rehearsal_enabled search.rehearsal_weight search.rehearsal_half_life_days
    pipelineV2.workerPollMs pipelineV2.worker.pollMs pipelineV2.worker.maxLoadPerCpu
    pipelineV2.worker.overloadBackoffMs pipelineV2.documentWorkerIntervalMs pipelineV2.documents.workerIntervalMs
    pipelineV2.graphBoostWeight pipelineV2.graphBoostTimeoutMs pipelineV2.graph.boostWeight
    pipelineV2.graph.boostTimeoutMs pipelineV2.traversal.primary pipelineV2.traversal.boostWeight
    pipelineV2.hints.poll pipelineV2.embeddingTracker.batchSize pipelineV2.structural.synthesisMaxStallMs
    pipelineV2.reranker pipelineV2.rerankerEnabled pipelineV2.rerankerModel pipelineV2.rerankerTopN
    pipelineV2.rerankerTimeoutMs pipelineV2.telemetry.posthogHost pipelineV2.telemetry.posthogApiKey
    pipelineV2.predictor.trainIntervalSessions pipelineV2.predictor.minTrainingSessions
    pipelineV2.predictor.scoreTimeoutMs pipelineV2.predictor.trainTimeoutMs pipelineV2.predictor.rrfK
    pipelineV2.predictor.crashDisableThreshold pipelineV2.predictor.explorationRate pipelineV2.predictor.binaryPath
    pipelineV2.predictor.checkpointPath pipelineV2.predictorPipeline.trainingTelemetry
    """.split()
)
#: Maximum unknown keys reported per section, because finding similar names is slow.
MAX_UNKNOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRule:
    """The rule of one field.

    The field's type decides the format: boolean, number from `low` to `high`, enumeration, text. `parse` reads
    numbers from text, `strict` disables clamping, `accept` replaces the reader. `also` are alternative names in the
    section, `flat` alternative names one level up; `flat_wins` gives those precedence. `defaults` override those of
    a nested section.
    """

    low: float = -math.inf
    high: float = math.inf
    parse: Callable[[str], float] | None = None
    strict: bool = False
    accept: Accept | None = None
    section: "type[SettingsSection] | None" = None
    defaults: Mapping[str, object] = field(default_factory=dict)
    key: str | None = None
    also: tuple[str, ...] = ()
    flat: tuple[str, ...] = ()
    flat_wins: bool = False
    is_secret: bool = False

    def for_type(self, kind: object) -> "FieldRule":
        kind = next(iter(get_args(kind)), kind)
        if self.accept is not None or self.section is not None:
            return self
        found: Accept = accept.words
        if kind is bool:
            found = accept.truth
        elif kind in (int, float):
            found = accept.number(
                self.low, self.high, whole=kind is int, parse=self.parse, strict=self.strict
            )
        elif isinstance(kind, type) and issubclass(kind, StrEnum):
            found = accept.one_of(kind)
        return replace(self, accept=found)


class SettingsSection:
    """A group of settings under one key; with `snake` its keys are in snake_case instead of camelCase."""

    __slots__ = ()
    SNAKE: ClassVar[bool] = False
    #: Every field with its key and rule.
    DECLARED: ClassVar[Sequence[tuple[Field[object], str, FieldRule]]] = ()

    def __init_subclass__(cls, *, snake: bool = False) -> None:
        # `dataclass` makes a slotted class again, without this argument.
        cls.SNAKE = cls.SNAKE or snake


S = TypeVar("S", bound=SettingsSection)
T = TypeVar("T")


@dataclass_transform(frozen_default=True, kw_only_default=True)
def section(cls: type[S]) -> type[S]:
    """Make the class a frozen, slotted, keyword-only dataclass."""
    made = dataclass(frozen=True, slots=True, kw_only=True)(cls)
    found = [(item, _rule(item)) for item in fields(cast("type", made))]
    made.DECLARED = [
        (item, rule.key or (item.name if cls.SNAKE else camel(item.name)), rule)
        for item, rule in found
    ]
    return made


def _rule(item: Field[object]) -> FieldRule:
    rule: FieldRule = item.metadata.get("rule", FieldRule())
    return rule.for_type(item.type)


def setting(default: T, low: float = -math.inf, high: float = math.inf, **rule: Any) -> T:
    """Declare a setting with bounds and other parts of its rule."""
    made = FieldRule(low=low, high=high, **rule)
    if isinstance(default, dict):  # a map whose names are the user's
        return cast("T", field(default_factory=dict, metadata={"rule": made}))
    return field(default=default, repr=not made.is_secret, metadata={"rule": made})


def nested(cls: type[S], *, key: str | None = None, **defaults: object) -> S:
    """Declare a nested section; `defaults` override those of its fields."""
    rule = FieldRule(section=cls, key=key, defaults=defaults)
    made: S = field(default_factory=partial(cls, **defaults), metadata={"rule": rule})
    return made


def read(
    cls: type[S],
    raw: object,
    warnings: list[str],
    *,
    path: str = "",
    outer: Mapping[object, object] = NOTHING,
    defaults: Mapping[str, object] = MappingProxyType({}),
) -> S:
    """Return the section described by `raw`, appending to `warnings`; `outer` has the flat names."""
    if not isinstance(raw, Mapping):
        if raw is not None:
            warnings.append(f"{path or 'agent.yaml'}: expected a section; using its defaults")
        raw = NOTHING
    values = dict(defaults)
    places: dict[str, str] = {}
    for item, key, rule in cls.DECLARED:
        if rule.section is not None:
            values[item.name] = read(
                rule.section,
                raw.get(key),
                warnings,
                path=_join(path, key),
                outer=raw,
                defaults=rule.defaults,
            )
        elif (found := _find(rule, key, path, raw, outer)) is not None:
            where, value = found
            try:
                taken = _accept(rule, value, where, warnings)
            except Unfit as problem:
                default = defaults.get(item.name, item.default)
                warnings.append(f"{where}: {problem} is expected; using {_say(default)}")
                continue
            values[item.name], places[item.name] = taken, where
    _report_unknown(cls, raw, path, warnings)
    made = cls(**values)
    for name, where in places.items():
        if (used := getattr(made, name)) != values[name]:
            warnings.append(f"{where}: conflicts with related settings; using {_say(used)}")
    return made


def settle(section: SettingsSection, **changes: object) -> None:
    """Set derived values during construction."""
    for name, value in changes.items():
        object.__setattr__(section, name, value)


def public(values: SettingsSection) -> dict[str, object]:
    """Return the values under their file keys, with secrets masked."""
    return {
        key: _shown(getattr(values, item.name), rule) for item, key, rule in type(values).DECLARED
    }


def literal_secrets(values: SettingsSection) -> Iterator[str]:
    """Yield secrets with a literal value in the file."""
    for item, _, rule in type(values).DECLARED:
        value = getattr(values, item.name)
        if isinstance(value, SettingsSection):
            yield from literal_secrets(value)
        elif rule.is_secret and isinstance(value, str) and not value.startswith(SECRET_REFERENCE):
            yield value


def resolve_secrets(
    values: S, lookup: Callable[[str], str | None], warnings: list[str], *, path: str = ""
) -> S:
    """Return the section with each `$secret:NAME` replaced by the vault's value (CF-18).

    A missing name becomes None with a warning, so that the reference is never sent anywhere.
    """
    changes: dict[str, object] = {}
    for item, key, rule in type(values).DECLARED:
        value = getattr(values, item.name)
        where = _join(path, key)
        if isinstance(value, SettingsSection):
            changes[item.name] = resolve_secrets(value, lookup, warnings, path=where)
        elif isinstance(value, str) and value.startswith(SECRET_REFERENCE):
            found = lookup(value.removeprefix(SECRET_REFERENCE))
            if found is None:
                warnings.append(f"{where}: the vault has no such secret")
            changes[item.name] = value if found is None and not rule.is_secret else found
    return replace(values, **changes)  # type: ignore[type-var]  # every section is a dataclass


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _shown(value: object, rule: FieldRule) -> object:
    if isinstance(value, SettingsSection):
        return public(value)
    if isinstance(value, tuple):
        return [_shown(each, rule) for each in value]
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, str):
        if rule.is_secret and not value.startswith(SECRET_REFERENCE):
            return MASK
        if rule.accept is accept.web_address and "@" in value:
            return value.replace(value.split("//", 1)[1].rpartition("@")[0], MASK)
        return str(value)
    return value


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _find(
    rule: FieldRule,
    key: str,
    path: str,
    raw: Mapping[object, object],
    outer: Mapping[object, object],
) -> tuple[str, object] | None:
    """Return the value and its place, by precedence."""
    here = [(_join(path, name), raw.get(name)) for name in (key, *rule.also)]
    above = [(_join(path.rpartition(".")[0], name), outer.get(name)) for name in rule.flat]
    places = above + here if rule.flat_wins else here + above
    for where, value in places:
        if not is_unset(value):
            return where, value
    return None


def is_unset(value: object) -> bool:
    """Return whether a value is null or blank."""
    return value is None or (isinstance(value, str) and not value.strip())


def _accept(rule: FieldRule, value: object, where: str, warnings: list[str]) -> object:
    assert rule.accept is not None
    return rule.accept(value, where, warnings)


def _say(default: object) -> str:
    if isinstance(default, bool):
        return str(default).lower()
    return (
        str(default)
        if isinstance(default, float) or (default and default is not MISSING)
        else "the default"
    )


def _report_unknown(
    cls: type[SettingsSection], raw: Mapping[object, object], path: str, warnings: list[str]
) -> None:
    if not raw:
        return
    known = {name for above, _, name in (one.rpartition(".") for one in IGNORED) if above == path}
    for _, key, rule in cls.DECLARED:
        known |= {key, *rule.also}
        if rule.section is not None:
            known |= {name for _, _, inner in rule.section.DECLARED for name in inner.flat}
    unknown = [name for name in raw if name not in known]
    for name in unknown[:MAX_UNKNOWN]:
        shown = " ".join(name.split())[:80] if isinstance(name, str) else "a key that is not text"
        near = close(shown, known)
        hint = f'; did you mean "{near[0]}"?' if near else ""
        warnings.append(f"{_join(path, shown)}: unknown key, ignored{hint}")
    if len(unknown) > MAX_UNKNOWN:
        warnings.append(f"{path or 'agent.yaml'}: {len(unknown) - MAX_UNKNOWN} more unknown keys")
