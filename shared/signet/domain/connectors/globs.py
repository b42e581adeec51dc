"""Which paths a glob means: `*` and `?` inside one folder, `**` over folders, `[a-z]`, `{md,txt}`. Pure."""

import re
from functools import lru_cache

_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|\[!?[^\]/]+\]|[{},]|.", re.DOTALL)
_MEANING = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}


@lru_cache(maxsize=256)
def compiled(glob: str) -> re.Pattern[str]:
    """Return the pattern that matches a whole path, with `/` between its parts, as the glob does."""
    found: list[str] = []
    depth = 0
    balanced = glob.count("{") == glob.count("}")
    for token in _TOKEN.findall(glob.removeprefix("./")):
        if token in _MEANING:
            found.append(_MEANING[token])
        elif token[0] == "[" and len(token) > 1:
            inside = token[1:-1].replace("\\", "\\\\").replace("[", "\\[").replace("^", "\\^")
            found.append(f"[^{inside[1:]}]" if inside[0] == "!" else f"[{inside}]")
        elif balanced and token == "{":
            depth += 1
            found.append("(?:")
        elif depth and token in ",}":
            depth -= token == "}"
            found.append("|" if token == "," else ")")
        else:
            found.append(re.escape(token))
    try:
        return re.compile("".join(found), re.DOTALL)
    except re.error:  # `[z-a]`, `}{`: no valid pattern
        return re.compile(re.escape(glob))


def matches(path: str, glob: str) -> bool:
    """Return whether the glob means this relative path."""
    return compiled(glob).fullmatch(path) is not None
