"""Who owns memories and who may read them."""
