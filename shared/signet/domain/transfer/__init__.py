"""Import and export of everything: the files are described in FORMAT.md.

Every source, whatever its format, becomes one stream of records (`records.py`): rows of our own tables (`kinds.py`),
and texts to remember. `restore.py` and `texts.py` write them; `preview.py` lets them do so on the side.
"""
