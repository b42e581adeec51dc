"""HTTP requests to other programs."""
