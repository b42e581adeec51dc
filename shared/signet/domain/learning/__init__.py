"""Learning: derive labels of memories from sessions, and rank later sessions by them."""
