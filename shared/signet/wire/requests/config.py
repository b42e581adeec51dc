"""Replacing a file of the workspace."""

from signet.wire.requests.model import Body


class ConfigBody(Body):
    """A file by its name, and what is to stand in it; what has no such form is refused in one way."""

    file: object = None
    content: object = None
