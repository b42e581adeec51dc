"""What is well and what is not: each part of the store scored, with reasons in words. Only reads."""
