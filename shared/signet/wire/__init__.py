"""Operations of the HTTP interface with their answers; `requests` has the request bodies.

Everything except `requests` imports only the standard library, so that clients and `signet hook` start fast.
"""
