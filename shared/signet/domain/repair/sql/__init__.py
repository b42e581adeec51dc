"""SQL of repairs, one module per subject; the owners make the changes."""
