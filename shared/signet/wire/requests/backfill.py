"""Selecting sessions for backfill."""

from pydantic import Field

from signet.wire.requests.model import MAX_TAGS, Body, Instant, spelled


class BackfillBody(Body):
    """Sessions since an instant, of some harnesses and projects (a folder, or its last part); all by default.

    The built-in rules extract their facts, or with `byModel` the configured model.
    """

    since: Instant | None = None
    harnesses: list[str] = Field(default_factory=list, max_length=MAX_TAGS)
    projects: list[str] = Field(default_factory=list, max_length=MAX_TAGS)
    by_model: bool = spelled("byModel", "by_model", default=False)
    dry_run: bool = spelled("dryRun", "dry_run", default=False)
    agent_id: str | None = spelled("agentId", "agent_id")
