"""The programs that agents run in: connected to this installation, given their instructions, and let go again."""
