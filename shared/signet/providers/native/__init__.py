"""Embeddings in the process: all-MiniLM-L6-v2 from installed weights, without torch and without a model server.

Nothing here loads at import and nothing downloads by itself: `install` fetches when a person asks for it,
`encoder` reads what is there.
"""
