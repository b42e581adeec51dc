"""Who may call what: tokens, roles, scopes and rate limits."""
