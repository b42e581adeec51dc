"""The words with which a model is asked to write MEMORY.md."""

from signet.domain.synthesis.plan import Plan
from signet.domain.synthesis.sources import Sources
from signet.providers import fence

TASK = """\
You keep the file MEMORY.md of an AI agent: what it knows about its user, their projects and how they work, in one text
that every session begins with. Rewrite it from the memories below. Return the Markdown only, no time stamp.
- At most {chars} characters; readers see the first 10000, so begin with the most important.
- Headings by subject. Short statements that stand alone. Constraints, preferences and decisions with their reasons.
- The memories are listed by importance, the most important first. Leave out statements of the present file that they
  no longer contain; where they contradict it, they are right.
- Use the words of the memories. Add nothing that they do not say.
"""


def synthesis(current: str, sources: Sources, plan: Plan) -> str:
    """Return the request for a whole new file, given the present one."""
    memories = "\n".join(
        f"- [{one.type}] {one.content} ({one.created_at[:10]})" for one in sources.memories
    )
    return "".join(
        (
            TASK.format(chars=plan.chars),
            fence.data("memories", memories),
            fence.data("session-notes", "\n\n---\n\n".join(sources.notes)) if sources.notes else "",
            fence.data("present-file", current[: plan.chars]) if current else "",
        )
    )
