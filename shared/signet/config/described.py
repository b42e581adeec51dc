"""Describe every setting for a form: kind, bounds, default, value, and the value's origin."""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Literal, get_args

from signet import resources
from signet.config.fields import FieldRule, SettingsSection, public
from signet.config.loading import RESTART_KEYS, Loaded, as_public_dict, settings_from
from signet.config.manifest import ManifestError, find, parse
from signet.config.older_shapes import AUTH_MODE
from signet.config.sections import Settings
from signet.config.values import close
from signet.errors import Invalid
from signet.paths import Workspace
from signet.wire.config import Setting

_TABLE: dict[str, dict[str, str]] = resources.table(__file__)
#: The settings that most people look for, in everyday words.
OFTEN = _TABLE["often"]
#: An alternative place of the pipeline's settings in agent.yaml.
_NESTED = "memory.pipelineV2"
DEFAULT = "default"
Kind = Literal["boolean", "integer", "number", "choice", "text", "list", "map"]


def every(workspace: Workspace, loaded: Loaded) -> list[Setting]:
    """Return every effective setting, in order of declaration."""
    values = dict(flat(as_public_dict(loaded.settings)))
    default = dict(flat(as_public_dict(Settings())))
    origins = Origins(workspace)
    return [
        Setting(
            key=key,
            label=OFTEN.get(key) or _label(key),
            often=[*OFTEN].index(key) + 1 if key in OFTEN else 0,
            kind=_kind(type_, default[key]),
            default=default[key],
            value=values[key],
            origin=origins.origin_of(key),
            low=_bound(rule.low),
            high=_bound(rule.high),
            choices=_choices(type_),
            says={one: _TABLE["choices"].get(one, one) for one in _choices(type_)},
            group=next(of for start, of in _TABLE["groups"].items() if key.startswith(start)),
            secret=rule.is_secret,
            restart=key in RESTART_KEYS,
        )
        for key, type_, rule in _declared(Settings)
    ]


class Origins:
    """The origins of the current values."""

    def __init__(self, workspace: Workspace) -> None:
        self._file = find(workspace)
        self._written: set[str] = set()
        self._given: dict[str, object] = {}
        self._default = dict(flat(as_public_dict(Settings())))
        try:
            found = parse(self._file.read_bytes(), self._file.name) if self._file else {}
        except (OSError, ManifestError):
            return
        self._written = {plain_key(name) for name, _ in flat(found)}
        self._given = dict(flat(public(settings_from(found)[0])))

    def origin_of(self, key: str) -> str:
        """Return the file's name if it sets the key, else that it is the default."""
        if self._file is None:
            return DEFAULT
        is_changed = key in self._given and self._given[key] != self._default.get(key)
        return self._file.name if key in self._written or is_changed else DEFAULT


def flat(tree: object, above: str = "") -> Iterator[tuple[str, object]]:
    """Yield the dotted key of each section and value."""
    if not isinstance(tree, Mapping):
        return
    for name, value in tree.items():
        key = f"{above}.{name}" if above else str(name)
        yield key, value
        yield from flat(value, key)


def plain_key(key: str) -> str:
    if key in AUTH_MODE:
        return AUTH_MODE[0]
    inner = key.removeprefix(f"{_NESTED}.") if key != _NESTED else ""
    return f"pipelineV2.{inner}".rstrip(".") if inner != key else key


def named(key: str, known: Mapping[str, object]) -> str:
    """Return the key of a `known` setting or of an entry of a map by its name or a unique end; raises Invalid."""
    wanted, default = plain_key(key), dict(flat(as_public_dict(Settings())))
    maps = [f"{key}." for key, *_ in _declared(Settings) if isinstance(default[key], Mapping)]
    if _bare(wanted) in map(_bare, known) or wanted.startswith(tuple(maps)):
        return key
    level = key.count(".") + 1
    ends = {".".join(one.split(".")[-level:]): one for one in known}
    several = [one for one in known if one.endswith(f".{key}")]
    if len(several) == 1:
        return several[0]
    near = several or [ends[one] for one in close(key, ends)]
    hint = (
        f"; did you mean {' or '.join(near[:3])}?" if near else ". List all: signet config --json"
    )
    raise Invalid(f"{key}: {'several settings match' if several else 'unknown setting'}{hint}")


def _bare(key: str) -> str:
    """Return a key without differences of spelling, such as `api_key` and `apiKey`."""
    return key.replace("_", "").lower()


def _declared(
    cls: type[SettingsSection], above: str = ""
) -> Iterator[tuple[str, object, FieldRule]]:
    for item, key, rule in cls.DECLARED:
        path = f"{above}.{key}" if above else key
        if rule.section is not None:
            yield from _declared(rule.section, path)
        else:
            yield path, next(iter(get_args(item.type)), item.type), rule


def _kind(type_: object, default: object) -> Kind:
    if isinstance(type_, type) and issubclass(type_, StrEnum):
        return "choice"
    plain: Mapping[object, Kind] = {bool: "boolean", int: "integer", float: "number", str: "text"}
    # Settings with their own reader are described by their default.
    if isinstance(default, Mapping):
        return "map"
    if isinstance(default, Sequence) and not isinstance(default, str):
        return "list"
    return plain.get(type_, plain.get(type(default), "text"))


def _choices(type_: object) -> list[str]:
    if not (isinstance(type_, type) and issubclass(type_, StrEnum)):
        return []
    return [str(one) for one in type_]


def _bound(value: float) -> float | None:
    return value if abs(value) != float("inf") else None


def _label(key: str) -> str:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", key.rpartition(".")[2]).replace("_", " ")
    return words[:1].upper() + words[1:].lower()
