"""Decisive settings: who is trusted, what runs, where texts go, what agents read. Other settings only tune memory work.

Files are compared by effect, not text: aliases, older names and key order do not matter. A section is decisive
unless it is declared as `tuning`, so a new section is decisive by default.
"""

from collections.abc import Iterator, Mapping

from signet.config import security
from signet.config.fields import SettingsSection
from signet.config.loading import settings_from
from signet.config.older_shapes import shadowed

Raw = Mapping[object, object]


def changes(before: Raw, after: Raw) -> tuple[str, ...]:
    """Return the decisive keys in which two parsed files differ.

    Includes changes of a section that another one currently hides. Raises UnsafeSettings if a security setting in
    `after` cannot be read.
    """
    old, _ = settings_from(before)
    new, warnings = settings_from(after)
    if (problem := security.unreadable(warnings, None, b"", "agent.yaml")) is not None:
        raise security.UnsafeSettings(problem)
    earlier, later = shadowed(before), shadowed(after)
    hidden = (place for place in later if earlier.get(place) != later[place])
    return (*_differences(old, new), *hidden)


def _differences(old: SettingsSection, new: SettingsSection, above: str = "") -> Iterator[str]:
    for item, key, rule in type(old).DECLARED:
        path = f"{above}.{key}" if above else key
        before, after = getattr(old, item.name), getattr(new, item.name)
        if rule.section is not None:
            if not rule.section.TUNING:
                yield from _differences(before, after, path)
        elif before != after:
            yield path
