"""Episodes: stretches of earlier sessions and commits, found for a prompt and delivered word for word."""
