"""Start, stop and inspect the daemon, which has three processes.

Callers use `control`. `supervise` is the daemon's own process; the command line never imports it.
"""
