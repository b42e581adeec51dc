"""The SQL of injections."""
