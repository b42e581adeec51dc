"""Episodes: passages of earlier sessions and commits, found for a prompt and delivered verbatim."""
