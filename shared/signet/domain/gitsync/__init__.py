"""The workspace as a git repository: what is committed, pulled and pushed, and with which credentials."""
