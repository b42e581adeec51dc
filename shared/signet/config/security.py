"""Security settings: an unreadable one stops the start instead of becoming a default.

A default may be looser than what the user meant: `auth: {mode: taem}` must not start a daemon without tokens.
"""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence

from signet.errors import Invalid

#: The settings, and the variables, that decide who may call, what they may read and what leaves this machine.
SETTINGS = (
    "auth",
    "authMode",
    "secrets",
    "memory.mask_secrets",
    "pipelineV2.documents.allowPrivateNetworks",
    "SIGNET_BIND",
    "SIGNET_HOST",
)
#: Keys of other places, spelt in any way, were meant as these settings.
_MEANT = {"auth": "auth", "authmode": "auth.mode", "trustedorigins": "auth.trustedOrigins"}
#: How similar a key must be to one of them: "autth" and "auth_mode" are, "author" is not.
_SIMILAR = 0.85
_MENTION = re.compile(rb"""^[ \t{"',?-]*auth(?!or)""", re.I | re.M)


class UnsafeSettings(Invalid, code="unsafe_settings"):
    """A security setting cannot be read."""


def unreadable(
    warnings: Sequence[str], problem: str | None, content: bytes, name: str
) -> str | None:
    """Return which security settings cannot be read, or None.

    `problem` says why the whole file cannot be read. It may then hold any setting that its text mentions.
    """
    if problem is not None:
        return problem if _MENTION.search(content) else None
    found = [text for text in warnings if _is_security(text.partition(":")[0])]
    if not found:
        return None
    return f"{name or 'the environment'}: {'; '.join(without_default(text) for text in found)}"


def ignored(raw: Mapping[object, object]) -> Iterator[str]:
    """Yield a warning for each security setting at a place where nothing reads it, and nothing sets it elsewhere."""
    auth = raw.get("auth")
    set_here = auth if isinstance(auth, Mapping) else {}
    placed = {f"auth.{key}" for key in set_here} | ({"auth.mode"} if "authMode" in raw else set())
    if None not in (nested := set_here.get("mode"), flat := raw.get("authMode")) and nested != flat:
        yield "authMode: conflicts with auth.mode; keep one of them"
    for path in _keys(raw):
        meant = _meant(path[-1])
        # An unknown key of the top level has its warning already, and `auth` is a name like any other below it.
        if len(path) > 1 and meant not in (None, "auth", *placed):
            yield f"{'.'.join(path)}: has no effect here; did you mean {meant}?"


def without_default(warning: str) -> str:
    return re.sub(r"; using .*|[,;] ignored", "", warning)


def _is_security(key: str) -> bool:
    is_listed = any(key == one or key.startswith((f"{one}.", f"{one}[")) for one in SETTINGS)
    return is_listed or _meant(key.rpartition(".")[2]) is not None


def _meant(key: str) -> str | None:
    plain = key.replace("_", "").replace("-", "").lower()
    possible = [word for word in _MEANT if word[0] == plain[:1]]
    near = difflib.get_close_matches(plain, possible, 1, _SIMILAR)
    return _MEANT[near[0]] if near else None


def _keys(raw: Mapping[object, object]) -> Iterator[tuple[str, ...]]:
    """Yield the path of each key. A section that several aliases name, or a loop of them, is walked once."""
    seen: set[int] = set()
    waiting: list[tuple[tuple[str, ...], Mapping[object, object]]] = [((), raw)]
    while waiting:
        above, section = waiting.pop(0)
        if id(section) in seen:
            continue
        seen.add(id(section))
        for key, value in section.items():
            path = (*above, str(key)[:80])
            yield path
            if isinstance(value, Mapping):
                waiting.append((path, value))
