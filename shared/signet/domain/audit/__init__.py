"""The audit log: who read, shared, exported and deleted what, when and through which key."""
