"""The words with which a model is asked to write MEMORY.md."""

from signet.domain.synthesis.plan import Plan
from signet.domain.synthesis.sources import Sources
from signet.providers import fence

_TASK = """\
You keep the file MEMORY.md of an AI agent: what it knows about its user, their projects and how they work, in one text
that every session begins with. Write it anew from what is remembered now. Return the Markdown only, no time stamp.
- At most {chars} characters; readers see the first 10000, so what matters most comes first.
- Headings by subject. Short statements that stand alone. Constraints, preferences and decisions with their reasons.
- The memories are listed by how much they matter now, the most important first. What they no longer say is left out of
  the file, also when the present file says it; where they contradict it, they are right.
- Nothing is made up.
"""


def synthesis(current: str, sources: Sources, plan: Plan) -> str:
    """Return the request for a whole new file, given the present one."""
    memories = "\n".join(
        f"- [{one.type}] {one.content} ({one.created_at[:10]})" for one in sources.memories
    )
    return "".join(
        (
            _TASK.format(chars=plan.chars),
            fence.data("memories", memories),
            fence.data("session-notes", "\n\n---\n\n".join(sources.notes)) if sources.notes else "",
            fence.data("present-file", current[: plan.chars]) if current else "",
        )
    )
