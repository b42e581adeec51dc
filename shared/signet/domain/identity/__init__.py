"""What a workspace says of its agent: the files a person writes, the identity in them, the product's own texts."""
