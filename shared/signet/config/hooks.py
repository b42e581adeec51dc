"""The `hooks` section: behaviour during sessions."""

from typing import ClassVar

from signet.config.fields import SettingsSection, nested, section, setting


@section
class SessionStart(SettingsSection):
    """Context at a session start."""

    recall_limit: int = setting(10, 1, 200)
    candidate_pool_limit: int = setting(100, 1, 1_000)
    include_identity: bool = True
    #: False omits the section "Working Memory" (CF-40).
    include_recent_context: bool = True
    #: Read commit messages of git projects, and offer them to prompts.
    read_commits: bool = True
    max_inject_chars: int = setting(24_000, 1_000, 200_000)
    max_inject_tokens: int | None = setting(None, 250, 50_000)
    query: str | None = None


@section
class UserPromptSubmit(SettingsSection):
    """Context for each prompt."""

    TUNING: ClassVar[bool] = True

    enabled: bool = True
    recall_limit: int = setting(10, 1, 50)
    max_inject_chars: int = setting(500, 100, 20_000)
    #: Maximum characters injected: at the first prompt with related earlier work, and at later ones.
    max_brief_chars: int = setting(4_000, 0, 20_000)
    max_later_chars: int = setting(1_200, 0, 20_000)
    min_score: float = setting(0.4, 0, 1)


@section
class PreCompaction(SettingsSection):
    """Instructions before a harness compacts its context."""

    include_recent_memories: bool = True
    memory_limit: int = setting(5, 0, 50)
    #: None: the built-in text.
    summary_guidelines: str | None = None


@section
class SessionEnd(SettingsSection):
    """When an inactive session ends."""

    TUNING: ClassVar[bool] = True

    #: Shorter than a claim, so that no session expires unseen.
    idle_minutes: int = setting(30, 5, 230)


@section
class Hooks(SettingsSection):
    session_start: SessionStart = nested(SessionStart)
    user_prompt_submit: UserPromptSubmit = nested(UserPromptSubmit)
    pre_compaction: PreCompaction = nested(PreCompaction)
    session_end: SessionEnd = nested(SessionEnd)
