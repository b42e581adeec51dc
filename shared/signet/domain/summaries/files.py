"""The notes of a session as a file: `memory/<day>-<slug>.md` (PIP-40)."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from signet.domain.summaries.models import Asked
from signet.files import replace_file

SLUG_CHARS = 50
OTHERWISE = "session"
#: How many sessions of one name have a number; later ones have their time.
NUMBERED = 20

_HEADING = re.compile(r"^##[ \t]+(\S.*)$", re.MULTILINE)
_OTHER = re.compile(r"[^a-z0-9]+")


def slug(summary: str, project: str | None) -> str:
    """Return what notes are called after: their first heading, else the project, else `session`."""
    heading = _HEADING.search(summary)
    names = (heading[1] if heading else "", project_name(project), OTHERWISE)
    return next(found for name in names if (found := _slugged(name)))


def names(asked: Asked, summary: str) -> Iterator[str]:
    """Yield the paths that notes may have below the workspace, the best first; the last is nobody else's."""
    stem = f"memory/{asked.day}-{slug(summary, asked.session.project)}"
    yield f"{stem}.md"
    yield from (f"{stem}-{number}.md" for number in range(2, NUMBERED + 1))
    yield f"{stem}-{asked.ended_at:%H%M%S}.md"
    yield f"{stem}-{asked.job_id}.md"


def free(root: Path, paths: Iterable[str]) -> list[str]:
    """Return those of the paths at which there is no file."""
    return [path for path in paths if not (root / path).exists()]


def write(root: Path, name: str, text: str) -> None:
    """Write notes in one step; who writes the same notes again leaves one file, whenever the first was killed."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, f"{text.rstrip()}\n".encode(), beside=f".{path.name}.new")


def _slugged(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return _OTHER.sub("-", plain).strip("-")[:SLUG_CHARS].rstrip("-")


def project_name(project: str | None) -> str:
    """Return the last folder of a project's path, empty when there is none."""
    return PurePosixPath((project or "").replace("\\", "/")).name
