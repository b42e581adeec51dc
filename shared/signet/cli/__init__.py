"""The command line. `main.py` is the entry, `tree.py` the commands; nothing imports this package."""
