"""Write what `signet --help` says of each command: `PYTHONPATH=tests python -m cli.overview`."""

import json
from typing import Any

from signet.cli import overview, tree
from signet.cli.rows import ROWS

#: Longer than any first sentence.
_WHOLE = 1_000


def text() -> str:
    """Return the content of `overview.json`."""
    root: Any = tree.command()
    commands = {
        row.name: root.commands[row.name].get_short_help_str(_WHOLE).rstrip(".") for row in ROWS
    }
    options = {
        ", ".join(one.opts): one.help.rstrip(".") for one in root.params if not one.hidden
    } | {"-h, --help": "Show this overview and exit"}
    return (
        json.dumps({"commands": commands, "options": options}, indent=1, ensure_ascii=False) + "\n"
    )


if __name__ == "__main__":
    overview.FILE.write_text(text(), "utf-8")
