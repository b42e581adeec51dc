"""The process that decides *when*, and looks after what must work when the queue does not."""
