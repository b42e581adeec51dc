"""One daemon out of three processes: start, stop and look at it.

`control` is what others call. `supervise` is the daemon's own process; the command line never imports it.
"""
