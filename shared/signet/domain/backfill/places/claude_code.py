"""Claude Code: `projects/<folder>/<session>.jsonl` below `~/.claude`, or below `$CLAUDE_CONFIG_DIR`.

The logs of helpers lie in folders of their own, or are called `agent-…`; what they did is not what was said.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from signet.domain.backfill.models import Found, Home, Place
from signet.domain.backfill.places import files

HELPER = "agent-"


def find(home: Home) -> Iterator[Found]:
    """Yield the sessions in which somebody spoke, with the folder that they began in."""
    for path in files.below(*logs(home), "*/*.jsonl"):
        records = [*files.head(path)]
        if path.name.startswith(HELPER) or all(one.get("isSidechain") for one in records):
            continue
        cwd = next((found for one in records if (found := files.text(one.get("cwd")))), None)
        with suppress(OSError):
            yield PLACE.file(path, path.stem, cwd)


def logs(home: Home) -> tuple[Path]:
    """Return the folder of all projects."""
    return (home.folder("CLAUDE_CONFIG_DIR", ".claude") / "projects",)


PLACE = Place(harness="claude-code", name="Claude Code", find=find, logs=logs)
