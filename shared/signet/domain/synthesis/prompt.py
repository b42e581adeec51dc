"""The words with which a model is asked to write MEMORY.md."""

from signet import clock
from signet.domain.memory.wording import one_line
from signet.domain.synthesis import file
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
#: For who writes the whole file at once.
_BY_PROJECT = """\
- What the memories give for one project stands under its heading, as given (`# Project …`), at the end of the file, and
  nowhere else; imported notes stand last under `# Imported notes`.
"""


def synthesis_prompt(current: str, sources: Sources, plan: Plan) -> str:
    """Return the request for a whole new file, given the present one."""
    parts = sources.parts()
    memories = "\n\n".join(
        "\n".join(
            [
                *([f"{file.heading(project)}:"] if project != "" and len(parts) > 1 else []),
                *(
                    f"- [{one.type}] {one_line(one.content)} ({clock.local_day(one.created_at)})"
                    for one in part.memories
                ),
            ]
        )
        for project, part in parts.items()
    )
    return "".join(
        (
            TASK.format(chars=plan.chars),
            _BY_PROJECT if len(parts) > 1 else "",
            fence.data("memories", memories),
            fence.data("session-notes", "\n\n---\n\n".join(one.content for one in sources.notes))
            if sources.notes
            else "",
            fence.data("present-file", current[: plan.chars]) if current else "",
        )
    )
