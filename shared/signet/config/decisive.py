"""Changes of settings: they decide who is trusted, what runs, where texts go and what agents get.

Files are compared by effect, not text: aliases, older names and key order do not matter.
"""

from collections.abc import Iterator, Mapping

from signet.config import security
from signet.config.fields import SettingsSection
from signet.config.loading import settings_from
from signet.config.older_shapes import shadowed

Raw = Mapping[object, object]


def changes(before: Raw, after: Raw) -> tuple[str, ...]:
    """Return the keys of the settings in which two parsed files differ.

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
            yield from _differences(before, after, path)
        elif before != after:
            yield path
