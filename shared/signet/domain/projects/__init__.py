"""Which repository a folder belongs to: the one owner of the identity of projects."""
