"""What travels over HTTP: the operations with their answers, and below `requests` what is sent.

Everything but `requests` needs the standard library alone, so that the clients and `signet hook` start at once.
"""
