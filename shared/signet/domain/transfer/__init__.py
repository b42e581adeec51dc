"""Import and export of everything; FORMAT.md describes the files.

Every source, whatever its format, becomes one stream of records (`records.py`): rows of our own tables,
and texts to remember. `take.py` and `restore.py` write them, to the database or to a preview.
"""
