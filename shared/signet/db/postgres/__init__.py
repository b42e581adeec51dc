"""PostgreSQL as the engine of a database; imported only if `storage.url` names a server."""
