"""The request bodies of the HTTP interface.

Unknown fields are ignored, because real clients send more than is read. Where clients use two spellings of one
field, both are accepted and the first is the documented one.
"""
