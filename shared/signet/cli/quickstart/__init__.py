"""`signet quickstart`: from nothing to recalled facts, one step after the other.

`command.py` is the order of the steps, `place.py` the workspace they have to themselves and what makes it run,
`feed.py` remembers a session, `learn.py` reads back what was learned and asks, `report.py` shows it.
"""

from signet.cli.quickstart.command import quickstart

__all__ = ["quickstart"]
