"""The SQL of backfill."""
