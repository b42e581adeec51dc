"""A workspace's texts about its agent: user files, the identity in them, and the product's own texts."""
