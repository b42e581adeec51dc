"""Skills for tests, as folders."""

from pathlib import Path

BODY = (
    "Take the rope in the left hand and tell Ana of the Harbour Guild, which owns the Quay Crane."
)


def write(folder: Path, name: str, front: str | None = None, body: str = BODY) -> Path:
    """Write a skill into a folder of skills and return its SKILL.md; `front` replaces all front matter."""
    if front is None:
        front = f"name: {name}\ndescription: How to do {name}\n"
    file = folder / name / "SKILL.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"---\n{front}\n---\n{body}\n", "utf-8")
    return file
