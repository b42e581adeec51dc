"""A step of a repair or a removal, for `signet doctor --fix` and `signet uninstall`."""

from collections.abc import Callable
from dataclasses import dataclass

from signet.errors import SignetError


@dataclass(frozen=True, slots=True, kw_only=True)
class CareStep:
    """What is to be done; `do` returns the result in words, "" for none, and raises SignetError or OSError."""

    what: str
    do: Callable[[], str]

    def run(self) -> tuple[bool, str]:
        """Return whether it succeeded, and the result or the reason."""
        try:
            return True, self.do()
        except SignetError as error:
            return False, error.message
        except OSError as error:
            return False, f"{error.filename or ''}: {error.strerror or error}".removeprefix(": ")
