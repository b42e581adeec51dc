"""What people say in one sentence: its language, its kind, and where sentences begin and end. Pure."""
