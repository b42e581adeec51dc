"""Projects: the repositories that sessions and memories belong to."""

from typing import Literal, TypedDict

from signet.wire import access
from signet.wire.operation import get
from signet.wire.sessions import ListedSession


class ListedProject(TypedDict):
    """A project with the number of its memories and sessions; `lastAt` is the end of its latest session."""

    project: str
    memories: int
    sessions: int
    lastAt: str | None


class Projects(TypedDict):
    """Projects, the latest session first."""

    projects: list[ListedProject]


class DigestItem(TypedDict):
    """A decision, an open item, or a fact that changed, with the one `before` it.

    `id` is the key of its session, or the ID of a memory if `isMemory`. `openBy` is who calls an item open: `the user`
    or `an agent`.
    """

    kind: Literal["decided", "changed", "open"]
    text: str
    before: str
    at: str
    openBy: str
    id: str
    isMemory: bool


class ProjectDigest(TypedDict):
    """Sessions and items of a project, newest first; `project` is empty for those of no project."""

    project: str
    sessions: list[ListedSession]
    items: list[DigestItem]


PROJECTS = get("/api/projects", access.RECALL, Projects)
