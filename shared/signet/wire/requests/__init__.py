"""The request bodies of the HTTP interface.

Unknown fields are ignored, because real clients send extra ones; misspelled fields are refused. If clients use two
spellings of a field, both are accepted and the first is documented.
"""
