"""Replacing a file of the workspace."""

from pydantic import Field, JsonValue

from signet.wire.requests.model import Body, spelled


class ConfigBody(Body):
    """A file by its name, and what is to stand in it; what has no such form is refused in one way."""

    file: object = None
    content: object = None
    if_hash: str | None = spelled("if_hash", "ifHash")


class SettingsBody(Body):
    """New values of settings by their dotted keys, such as `search.alpha`; null is the default."""

    set: dict[str, JsonValue] = Field(min_length=1, max_length=100)
    if_hash: str | None = spelled("if_hash", "ifHash")
