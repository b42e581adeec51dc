"""The `hooks` section of agent.yaml: what a harness calls during a session."""

from collections.abc import Mapping
from typing import ClassVar

from signet.config.fields import SettingsSection, nested, section, setting


@section
class SessionStart(SettingsSection):
    """What a session begins with."""

    RETIRED: ClassVar[Mapping[str, tuple[object, str]]] = {
        "recencyBias": (0.7, "the memories of a start have one ranking")
    }

    recall_limit: int = setting(10, 1, 200)
    candidate_pool_limit: int = setting(100, 1, 1_000)
    include_identity: bool = True
    #: False drops the section "Working Memory" (CF-40).
    include_recent_context: bool = True
    #: Whether commit messages of the project, if it is a git repository, are read and brought up by prompts.
    read_commits: bool = True
    max_inject_chars: int = setting(24_000, 1_000, 200_000)
    max_inject_tokens: int | None = setting(None, 250, 50_000)
    query: str | None = None


@section
class UserPromptSubmit(SettingsSection):
    """What is recalled for each prompt."""

    TUNING: ClassVar[bool] = True

    enabled: bool = True
    recall_limit: int = setting(10, 1, 50)
    max_inject_chars: int = setting(500, 100, 20_000)
    #: Characters of all that is injected: at the first prompt that earlier work has to do with, and at later ones.
    max_brief_chars: int = setting(4_000, 0, 20_000)
    max_later_chars: int = setting(1_200, 0, 20_000)
    min_score: float = setting(0.4, 0, 1)


@section
class PreCompaction(SettingsSection):
    """What is said before a harness shortens its context."""

    include_recent_memories: bool = True
    memory_limit: int = setting(5, 0, 50)
    #: None is the built-in text.
    summary_guidelines: str | None = None


@section
class SessionEnd(SettingsSection):
    """When a session is over that nobody ends."""

    TUNING: ClassVar[bool] = True

    #: Shorter than a claim lives, so that no session ends unseen with it.
    idle_minutes: int = setting(30, 5, 230)


@section
class Hooks(SettingsSection):
    """What a harness calls during a session."""

    session_start: SessionStart = nested(SessionStart)
    user_prompt_submit: UserPromptSubmit = nested(UserPromptSubmit)
    pre_compaction: PreCompaction = nested(PreCompaction)
    session_end: SessionEnd = nested(SessionEnd)
