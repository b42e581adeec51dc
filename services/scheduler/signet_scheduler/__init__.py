"""The scheduler: queues periodic work, and watches what must work when the queue does not."""
