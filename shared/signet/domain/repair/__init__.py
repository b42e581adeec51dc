"""Putting right what is wrong: each action shows first what it touches, runs so often and no more, and is written down.

`catalog` says what there is, `run` does it, `registry` ties the two to the files that know how.
"""
