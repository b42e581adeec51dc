"""The workspace as a git repository: commits, pulls, pushes, and their credentials."""
