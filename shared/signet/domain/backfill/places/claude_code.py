"""Claude Code: `projects/<folder>/<session>.jsonl` below `~/.claude`, or below `$CLAUDE_CONFIG_DIR`.

The logs of helpers lie in folders of their own, or are called `agent-…`; what they did is not what was said.
"""

from collections.abc import Iterator
from contextlib import suppress

from signet.domain.backfill.models import Found, Home, Place
from signet.domain.backfill.places import files

HELPER = "agent-"


def find(home: Home) -> Iterator[Found]:
    """Yield the sessions in which somebody spoke, with the folder that they began in."""
    root = home.folder("CLAUDE_CONFIG_DIR", ".claude")
    for path in files.below(root / "projects", "*/*.jsonl"):
        records = [*files.head(path)]
        if path.name.startswith(HELPER) or all(one.get("isSidechain") for one in records):
            continue
        cwd = next((found for one in records if (found := files.text(one.get("cwd")))), None)
        with suppress(OSError):
            yield PLACE.file(path, path.stem, cwd)


PLACE = Place(harness="claude-code", name="Claude Code", find=find)
