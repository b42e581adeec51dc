"""The SQL of summaries."""
