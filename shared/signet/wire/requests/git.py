"""Changing how the repository is kept in step."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field, Strict

from signet.wire.requests.model import Body, spelled

_NAME = re.compile(r"[A-Za-z0-9._/][A-Za-z0-9._/-]*")


def _checked(text: str) -> str:
    if not _NAME.fullmatch(text) or ".." in text:
        raise ValueError("a name of letters, digits and . _ / - is expected")
    return text


#: A remote or branch: nothing that git would take for an option or for a range.
Name = Annotated[str, AfterValidator(_checked)]
Switch = Annotated[bool, Strict()]


class GitConfigBody(Body):
    """What is to change."""

    enabled: Switch | None = None
    auto_commit: Switch | None = spelled("autoCommit", "auto_commit")
    auto_sync: Switch | None = spelled("autoSync", "auto_sync")
    sync_interval: Annotated[int, Strict(), Field(ge=60, le=86_400)] | None = spelled(
        "syncInterval", "sync_interval"
    )
    remote: Name | None = None
    branch: Name | None = None
