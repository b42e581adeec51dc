"""Sources of an import: one module for each format, which yields records and holds one at a time."""
