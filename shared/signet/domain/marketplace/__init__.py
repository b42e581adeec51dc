"""Tool servers of others: installed by the user, started when they are needed, and offered to agents through us."""
