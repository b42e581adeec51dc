"""Spaces, and the acts by which memories enter and leave them."""

from typing import TypedDict

from signet.wire import access
from signet.wire.done import Done
from signet.wire.operation import delete, get, patch, post


class Space(TypedDict):
    """A space; `review`: what is shared waits for approval; `verbs` are the caller's.

    `memories` is the number of memories in it, `waiting` of those that wait for approval.
    """

    name: str
    description: str
    review: bool
    createdBy: str
    createdAt: str
    memories: int
    waiting: int
    verbs: list[str]


class Spaces(TypedDict):
    spaces: list[Space]


class Share(TypedDict):
    """One memory's way into a space; `state` is proposed, shared, refused or withdrawn.

    `content` is its text, null for callers who may not read it. `author` is the owner of the memory.
    """

    id: str
    memoryId: str
    content: str | None
    space: str
    state: str
    author: str
    note: str | None
    sharedBy: str
    sharedAt: str
    decidedBy: str | None
    decidedAt: str | None
    endedBy: str | None
    endedAt: str | None


class Shares(TypedDict):
    """A page of shares, newest first; `next` is the cursor of the next one."""

    shares: list[Share]
    next: str | None


SPACES = get("/api/spaces", access.KNOWN, Spaces)
ADD_SPACE = post("/api/spaces", access.OPERATOR, Space, status=201)
CHANGE_SPACE = patch("/api/spaces/{space}", access.OPERATOR, Space)
REMOVE_SPACE = delete("/api/spaces/{space}", access.OPERATOR, Done)
SHARES = get("/api/shares", access.RECALL, Shares)
SHARE = post("/api/memory/{memory_id}/share", access.MODIFY, Share)
WITHDRAW = post("/api/memory/{memory_id}/withdraw", access.MODIFY, Share)
DECIDE_SHARE = post("/api/shares/{share_id}/decide", access.MODIFY, Share)
