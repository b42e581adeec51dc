"""New versions of the product: is there one, and installing it with the tool that installed this one."""
