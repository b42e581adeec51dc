"""Tasks that recur: a prompt, a harness, a cron expression, and what became of each run."""
