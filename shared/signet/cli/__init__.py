"""The command line: `main.py` is the entry point, `tree.py` the commands. Nothing imports this package."""
