"""The prompt for hints."""

from datetime import datetime

from signet.providers import fence

_TASK = """\
A memory is shown below. Write up to {most} short questions that its user may ask months later and that this memory
answers. Use other words than the memory does where people would: ask directly, by time, by how things relate, and as
people talk. Each question names what it is about and can be understood alone.
One question on each line, nothing else: no numbers, no labels, no explanations. If nobody will ask, write nothing.
"""


def hints(text: str, *, most: int, told_at: datetime) -> str:
    """Return the request for at most `most` hints on a memory."""
    task = _TASK.format(most=most)
    return f"{task}The memory was told on {told_at:%Y-%m-%d}.\n{fence.data('memory', text)}"
