"""`signet quickstart`: try Signet from an empty workspace to recalled facts.

`command.py` has the steps, `place.py` the temporary workspace and its daemon, `feed.py` saves a session, `learn.py`
reads the facts and asks questions, `report.py` prints the results.
"""

from signet.cli.quickstart.command import quickstart

__all__ = ["quickstart"]
