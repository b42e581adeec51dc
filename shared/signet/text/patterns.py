"""Regular expressions that are compiled at their first use, so that importing a module costs nothing."""

import re
from typing import Any, cast

_METHODS = ("search", "match", "fullmatch", "findall", "finditer", "split", "sub", "subn")


def lazy(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when it is first used."""
    return cast("re.Pattern[str]", Lazy(text, flags))


class Lazy:
    """A pattern before its first use; then it has the methods of the compiled one."""

    def __init__(self, text: str, flags: int) -> None:
        self._given = text, flags

    @property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(*self._given)

    def __getattr__(self, name: str) -> Any:
        compiled = self.compiled
        self.__dict__.update({one: getattr(compiled, one) for one in _METHODS})
        return getattr(compiled, name)
