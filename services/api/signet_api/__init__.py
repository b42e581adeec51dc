"""The HTTP process: answers on loopback, writes rows and jobs, waits for no model."""
