"""Which sessions are to be read."""

from pydantic import Field

from signet.wire.requests.model import MAX_TAGS, Body, Instant, spelled


class BackfillBody(Body):
    """Those since an instant, of some harnesses, of some projects (a folder, or its last part); all without.

    The built-in rules find their facts, or the configured model with `byModel`.
    """

    since: Instant | None = None
    harnesses: list[str] = Field(default_factory=list, max_length=MAX_TAGS)
    projects: list[str] = Field(default_factory=list, max_length=MAX_TAGS)
    by_model: bool = spelled("byModel", "by_model", default=False)
    dry_run: bool = spelled("dryRun", "dry_run", default=False)
    agent_id: str | None = spelled("agentId", "agent_id")
