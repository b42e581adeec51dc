"""Find memories, passages and skills that answer a question."""
