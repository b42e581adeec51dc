"""Taking the values of secrets out of what a server said, wherever they stand in it. Pure."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from signet.domain.secrets.redact import redacted

Said = TypeVar("Said")


def cleaned(said: Said, secrets: Sequence[str]) -> Said:
    """Return texts, lists and objects of JSON without these values; what holds none is returned as it is."""
    if not secrets:
        return said
    whole = "\n".join(_texts(said))
    if redacted(whole, secrets) == whole:
        return said
    return _walked(said, secrets)  # type: ignore[return-value]


def _walked(said: object, secrets: Sequence[str]) -> object:
    if isinstance(said, str):
        return redacted(said, secrets)
    if isinstance(said, dict):
        return {redacted(key, secrets): _walked(value, secrets) for key, value in said.items()}
    return [_walked(one, secrets) for one in said] if isinstance(said, list) else said


def _texts(said: object) -> Iterator[str]:
    if isinstance(said, str):
        yield said
    elif isinstance(said, dict):
        for key, value in said.items():
            yield key
            yield from _texts(value)
    elif isinstance(said, list | tuple):
        for one in said:
            yield from _texts(one)
