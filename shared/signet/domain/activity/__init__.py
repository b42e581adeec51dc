"""What was used, how fast it was, what went wrong, and what happened to one thing.

Errors, counts, events and outcomes of providers are put into the buffer of `signet.observe.record`, which never waits.
Here they are taken from it (`flush`), written (`write`, `sql`) and read back.
"""
