"""Repairs: each action previews its changes, has a rate limit, and is recorded.

`catalog` lists them, `run` performs them, `registry` maps them to functions.
"""
