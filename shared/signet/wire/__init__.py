"""What travels over HTTP: request models, shared by the API and its clients.

Unknown fields are ignored, because real clients send more than is read. Where clients use two spellings of one
field, both are accepted and the first is the documented one.
"""
